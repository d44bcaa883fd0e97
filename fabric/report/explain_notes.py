"""explain: how a printed value comes from those of the inventory, where it is another one."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fabric.design.shares import share_words
from fabric.qos.ecn.edge import base_words

if TYPE_CHECKING:
    from collections.abc import Iterable

    from fabric.design.designs import Designs

#: Fields of shares, and of thresholds; those of a list of classes have the same ends.
_SHARES = ("scheduler.lossless_percent", "scheduler.default_percent", "scheduler_percent")
_THRESHOLDS = ("ecn.kmin_bytes", "ecn.kmax_bytes")


def value_note(designs: Designs, device: str, fields: Iterable[str]) -> str:
    """Return how a switch has the fields that decide a line; empty where it has them as written."""
    design, fields = designs.devices.get(device), tuple(fields)
    if design is None:
        return ""
    if any(field.endswith(_SHARES) for field in fields):
        return share_words(design)
    return base_words(design.sku) if any(field.endswith(_THRESHOLDS) for field in fields) else ""
