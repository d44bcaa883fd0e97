"""NICs of a design that differ in their first address."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from fabric.design.host_model import NicDesign


def addressed(nic: NicDesign, **fields: Any) -> NicDesign:
    """Return a NIC with some fields of its first address changed."""
    first, *others = nic.addresses
    return replace(nic, addresses=(replace(first, **fields), *others))
