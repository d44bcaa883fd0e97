"""Fields that the address of a NIC, or of its leaf port, follows from in the plan of its unit."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from fabric.topology.routed import OF_VLANS, routed_units

if TYPE_CHECKING:
    from fabric.design.designs import Designs
    from fabric.render.explain import Explanation

_OF_NICS = frozenset({"addressing.hosts", *(f"addressing.{field}" for field in OF_VLANS)})
#: Fields of ports to other switches, which the same kind of line may be about.
_OF_UPLINKS = ("addressing.", "spines.", "bgp.")


def in_plan(designs: Designs, device: str, port: str, entry: Explanation) -> Explanation:
    """Return what is known of a line, with the fields of the plan that it belongs to."""
    design = designs.devices.get(device)
    if design and port in {own.name for own in design.routed_nics}:
        if not any(field.startswith("addressing.") for field in entry.fields):
            return entry
        others = [field for field in entry.fields if not field.startswith(_OF_UPLINKS)]
        template = entry.template.replace("/gateways.", "/interfaces.")
        return replace(entry, template=template, fields=(*_routed(designs), *others))
    if not _OF_NICS & {*entry.fields}:
        return entry
    plans = _plans(designs, device)
    fields = entry.fields if False in plans else (f for f in entry.fields if f not in _OF_NICS)
    return replace(entry, fields=(*(_routed(designs) if True in plans else ()), *fields))


def _routed(designs: Designs) -> tuple[str, ...]:
    addressing = designs.intent.fabric.addressing
    plan = ["vlan_per"] if addressing.vlan_per == "none" else []
    pool = "routed_hosts" if addressing.routed_hosts else "hosts"
    return tuple(f"addressing.{field}" for field in (*plan, pool, "routed_prefix_length"))


def _plans(designs: Designs, device: str) -> set[bool]:
    """Return whether a device is about routed NIC ports, about others, or both as spines are."""
    design = designs.devices.get(device)
    if design and design.host_networks:
        return {not design.vlans}
    units = routed_units(designs.intent.fabric)
    if design:
        return set(units)
    fabric = designs.fabric
    return {units[int(fabric.hosts.unit[fabric.host_row[device]])]}
