"""Whose the boxes of a picture are: hosts by their NICs, leaves by the NICs at their ports."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from typing import TYPE_CHECKING

from fabric.topology.tenants import UNASSIGNED

if TYPE_CHECKING:
    from collections.abc import Iterable

    from fabric.topology.drawing import Box
    from fabric.topology.model import Fabric


def tenants_by_device(fabric: Fabric) -> dict[str, list[str]]:
    """Return the tenants of each host and leaf that has some, in the order of the inventory."""
    owners: dict[str, list[str]] = {}
    for row, tenant in enumerate(fabric.tenants.names if fabric.tenants else ()):
        for device in _devices(fabric, row):
            owners.setdefault(device, []).append(tenant)
    return owners


def _devices(fabric: Fabric, row: int) -> list[str]:
    """Return the hosts and leaves with a NIC of a tenant, or of none."""
    tenants, nics = fabric.tenants, fabric.nics
    sides = ((fabric.hosts.names, nics.host), (fabric.switches.names, nics.leaf))
    return [
        names[device]
        for names, device_of_nic in sides
        for device in (tenants.devices(row, device_of_nic).tolist() if tenants else ())
    ]


def with_tenants(fabric: Fabric, boxes: Iterable[Box]) -> tuple[Box, ...]:
    """Return boxes with the tenants of their devices; the same where there are none."""
    owners = tenants_by_device(fabric)
    if not owners:
        return tuple(boxes)
    names = fabric.tenants.names if fabric.tenants else ()
    of_none = {*_devices(fabric, UNASSIGNED)}
    drawn = []
    for box in boxes:
        counts = Counter(tenant for name in box.members for tenant in owners.get(name, ()))
        mine = tuple((name, counts[name]) for name in names if counts[name])
        is_mixed = bool(mine) and not of_none.isdisjoint(box.members)
        drawn.append(replace(box, tenants=mine, is_mixed=is_mixed))
    return tuple(drawn)
