"""Whether the model that a list or a device names is the planned one."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

#: What a system or a vendor puts before the number of a model.
_PREFIXES = ("acs", "dcs", "mellanox", "nvidia", "arista", "cisco", "juniper", "msn")


def other_model(text: str, planned: str, models: Iterable[str]) -> str:
    """Return which other switch model a text names; empty where it may be the planned one.

    Parameters
    ----------
    text : str
        What a list or a device says, such as ``Mellanox SN5600``. A part number says nothing.
    models : iterable of str
        Models that are planned anywhere.
    """
    word, own = _plain(text), _plain(planned)
    if not word or not own or own in word:
        return ""
    return next((one for one in sorted(models) if _plain(one) in word), "")


def _plain(model: str) -> str:
    """Return a model without the letters that a system or a vendor puts before it."""
    text = "".join(filter(str.isalnum, model.lower()))
    for prefix in _PREFIXES:
        text = text.removeprefix(prefix)
    return text
