"""Whose the boxes of a picture are: hosts by their NICs, leaves by the NICs at their ports."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

    from fabric.topology.drawing import Box
    from fabric.topology.model import Fabric


def tenants_by_device(fabric: Fabric) -> dict[str, list[str]]:
    """Return the tenants of each host and leaf that has some, in the order of the inventory."""
    owners: dict[str, list[str]] = {}
    tenants, nics = fabric.tenants, fabric.nics
    if tenants is None:
        return owners
    for row, tenant in enumerate(tenants.names):
        for names, device_of_nic in (
            (fabric.hosts.names, nics.host),
            (fabric.switches.names, nics.leaf),
        ):
            for device in tenants.devices(row, device_of_nic).tolist():
                owners.setdefault(names[device], []).append(tenant)
    return owners


def with_tenants(fabric: Fabric, boxes: Iterable[Box]) -> tuple[Box, ...]:
    """Return boxes with the tenants of their devices; the same where there are none."""
    owners = tenants_by_device(fabric)
    if not owners:
        return tuple(boxes)
    names = fabric.tenants.names if fabric.tenants else ()
    drawn = []
    for box in boxes:
        counts = Counter(tenant for name in box.members for tenant in owners.get(name, ()))
        mine = tuple((name, counts[name]) for name in names if counts[name])
        drawn.append(replace(box, tenants=mine))
    return tuple(drawn)
