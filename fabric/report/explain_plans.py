"""Fields that the address of a NIC, or of its leaf port, follows from in the plan of its unit."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING

from fabric.topology.routed import OF_VLANS, routed_units

if TYPE_CHECKING:
    from fabric.design.designs import Designs
    from fabric.render.explain import Explanation

_OF_NICS = frozenset({"addressing.hosts", *(f"addressing.{field}" for field in OF_VLANS)})
#: Says whether ports of NICs are routed.
_PER = "addressing.vlan_per"
#: Fields of ports to other switches, which the same kind of line may be about.
_OF_UPLINKS = ("addressing.", "spines.", "bgp.")
#: Fields of IPv6 in the place of those of IPv4; loopbacks have IPv4 alone.
_OF_IPV6 = {
    "addressing.loopbacks": "addressing.ipv6.hosts",
    "addressing.uplinks": "addressing.ipv6.uplinks",
    "addressing.core_links": "addressing.ipv6.uplinks",
}
_IPV4 = re.compile(r"\b\d+\.\d+\.\d+\.\d+\b")
_IPV6 = re.compile(r"\b[0-9a-f]{1,4}:[0-9a-f:]*:|ipv6", re.IGNORECASE)
_MAC = re.compile(r"\b(?:[0-9a-f]{2}:){5}[0-9a-f]{2}\b", re.IGNORECASE)


def in_plan(designs: Designs, device: str, port: str, line: str, entry: Explanation) -> Explanation:
    """Return what is known of a line, with the fields of the plan that it belongs to."""
    if _of_addressing(entry) == {_PER}:  # whether a port is routed, whatever its addresses are
        return entry
    design = designs.devices.get(device)
    named = design.port_by_name.get(port) if design else None
    is_quarantined = bool(named and named.quarantined) and True in _plans(designs, device)
    if is_quarantined or (design and named in design.routed_nics):
        if not _of_addressing(entry):
            return entry
        others = [field for field in entry.fields if not field.startswith(_OF_UPLINKS)]
        template = entry.template.replace("/gateways.", "/interfaces.")
        return _with(replace(entry, template=template), *_routed(designs, line), *others)
    if _families(line) == (False, True):
        own = dict.fromkeys(_OF_IPV6.get(field, field) for field in entry.fields)
        entry = replace(entry, fields=(*own,))
    if not _OF_NICS & {*entry.fields}:
        return entry
    plans = _plans(designs, device)
    fields = entry.fields if False in plans else (f for f in entry.fields if f not in _OF_NICS)
    return _with(entry, *(_routed(designs, line) if True in plans else ()), *fields)


def _with(entry: Explanation, *fields: str) -> Explanation:
    """Return an explanation with other fields, each once."""
    return replace(entry, fields=tuple(dict.fromkeys(fields)))


def _of_addressing(entry: Explanation) -> set[str]:
    return {field for field in entry.fields if field.startswith("addressing.")}


def _routed(designs: Designs, line: str) -> tuple[str, ...]:
    """Return the fields of the families that a line is about; of both where it names none.

    Pools come first: an address is taken from one, and `vlan_per` says only of which kind.
    """
    addressing = designs.intent.fabric.addressing
    plan: list[str] = []
    ipv4, ipv6 = _families(line)
    if addressing.ipv4 and (ipv4 or not ipv6):
        plan += ["routed_hosts" if addressing.routed_hosts else "hosts", "routed_prefix_length"]
    if addressing.ipv6 and (ipv6 or not ipv4):
        plan += ["ipv6.hosts", "ipv6.assignment"]
    plan += ["vlan_per"] if addressing.vlan_per == "none" else []
    return tuple(f"addressing.{field}" for field in plan)


def _families(line: str) -> tuple[bool, bool]:
    """Tell whether a line is about IPv4, and about IPv6, by its addresses."""
    return bool(_IPV4.search(line)), bool(_IPV6.search(_MAC.sub("", line)))


def _plans(designs: Designs, device: str) -> set[bool]:
    """Return whether a device is about routed NIC ports, about others, or both as spines are."""
    design = designs.devices.get(device)
    if design and (design.host_networks or design.host_networks6):
        return {not design.vlans}
    units = routed_units(designs.intent.fabric)
    if design:
        return set(units)
    fabric = designs.fabric
    return {units[int(fabric.hosts.unit[fabric.host_row[device]])]}
