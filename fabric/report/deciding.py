"""Which fields of a kind of line decide it at one switch and port, and what sets them there.

`explain` and the causes of a plan take both from here. A spine has no host ports.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from fabric.intent.platform_model import Platforms
from fabric.platforms import platforms
from fabric.platforms.model import role_field
from fabric.report.explain_asn import OWN_ASN, of_as_numbers, switches_of
from fabric.report.explain_classes import of_classes
from fabric.report.explain_plans import in_plan
from fabric.report.explain_tenants import of_tenants
from fabric.report.explain_values import spot_of, values
from fabric.topology.routed import routed_units

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from collections.abc import Set as AbstractSet

    from fabric.design.designs import Designs
    from fabric.render.explain import Explanation, PlacedLine
    from fabric.report.explain_values import Spot, Value

#: Fields that are about ports to hosts alone, and about ports to switches alone.
_OF_HOSTS = frozenset((
    "addressing.vlan_first",
    "addressing.vlan_per",
    "cables.host_m",
    "host.interfaces",
    "hosts.nics.cable_m",
    "speeds.host_gbps",
))
_OF_UPLINKS = frozenset((
    "cables.uplink_m",
    "speeds.uplink_gbps",
    "spines.count",
    "spines.links_per_leaf",
    "super_spines.count",
))
#: Fields of how many ports of a switch have a cable, by its role.
_COUNTS = {
    "leaf": ("spines.count", "spines.links_per_leaf"),
    "spine": ("spines.links_per_leaf", "super_spines.count", "super_spines.links_per_spine"),
    "super-spine": ("super_spines.links_per_spine",),
}
#: Fields of names and cables that decide where they are set.
_WHERE_SET = frozenset(("cabling", "leaf_names", "spine_names", "switch_prefix", "switches"))
#: Sections of ``platforms``.
_ROLES = frozenset(Platforms.model_fields)
#: Of a fabric that has VLANs.
_OF_VLANS = "addressing.vlan_first"


def decided(
    designs: Designs, device: str, placed: PlacedLine, entry: Explanation
) -> tuple[Spot, Explanation]:
    """Return what a line is about, and what is known of it with the fields that decide it there.

    Parameters
    ----------
    device : str
        Name of a switch or host.
    placed : PlacedLine
        A line of its configuration.
    entry : Explanation
        What is known of such lines anywhere.
    """
    spot, line = spot_of(designs, device, placed.context, placed.text), placed.text.strip()
    fields = (*entry.fields, *_of_release(designs, device, line))
    entry = replace(entry, fields=_deciding(designs, device, spot.port, fields))
    entry = of_tenants(designs, device, spot.port, placed, entry)
    entry = of_as_numbers(designs, device, line, entry)
    entry = of_classes(designs, device, spot.port, line, entry)
    return spot, in_plan(designs, device, spot.port, line, entry)


def _of_release(designs: Designs, device: str, line: str) -> tuple[str, ...]:
    """Return the fields of the release, where a line is another one in other releases."""
    design = designs.devices.get(device)
    depends = platforms[design.platform].of_one_release if design else None
    if design is None or depends is None or not depends(line):
        return ()
    return f"platforms.{role_field(design.role)}.release", "devices.release"


def values_of(
    designs: Designs, device: str, line: str, fields: Iterable[str], spot: Spot
) -> Iterator[tuple[str, Value]]:
    """Yield the values that count for a line of a device, each with its field in ``fields``."""
    for field in fields:
        for owner in switches_of(designs, device, line) if field == OWN_ASN else [device]:
            for value in values(designs, owner, field, spot):
                yield field, value


def _deciding(designs: Designs, device: str, port: str, fields: Iterable[str]) -> tuple[str, ...]:
    """Return those fields of a kind of line that decide it at a port, which is empty for none."""
    design = designs.devices.get(device)
    if design is None:
        return tuple(fields)
    every = tuple(field for field in fields if not _is_of_another_role(field, design.role))
    named = design.port_by_name.get(port)
    kinds = design.port_kinds & {named.kind} if named else design.port_kinds
    file = designs.intent.fabric
    cabling = "design" if file.design == "explicit" else "cabling"  # an explicit one says both
    every = tuple(cabling if field == "cabling" else field for field in every)
    every = tuple(field for field in every if field not in _WHERE_SET - file.model_fields_set)
    if named and named.kind == "unused":
        return _of_unused(designs, design.role, every)
    left = [field for field in every if _is_of(field, kinds)] if kinds else [*every]
    if all(routed_units(designs.intent.fabric)) and "addressing.vlan_per" in left:
        left = [field for field in left if field != _OF_VLANS]
    return tuple(left) if left or port else every


def _of_unused(designs: Designs, role: str, fields: tuple[str, ...]) -> tuple[str, ...]:
    """Return the fields of a port without a cable: how many have one, and its own speed.

    Those of a cable decide nothing there; the speed is that of `fabric.design.ports.PortParts`.
    """
    others = [field for field in fields if field not in _OF_HOSTS | _OF_UPLINKS]
    if len(others) == len(fields):
        return fields
    file = designs.intent.fabric
    usual = "speeds.uplink_gbps" if file.speeds.uplink_gbps else "speeds.host_gbps"
    speed = [usual] if any(field.startswith("speeds.") for field in fields) else []
    counts = _COUNTS[role] if file.design != "explicit" else ("design",)
    return tuple(dict.fromkeys((*counts, *speed, *others)))


def _is_of_another_role(field: str, role: str) -> bool:
    """Tell whether a field is about the switch models of another role."""
    section, _, rest = field.partition(".")
    named = rest.partition(".")[0]
    return section == "platforms" and named in _ROLES and named != role_field(role)


def _is_of(field: str, kinds: AbstractSet[str]) -> bool:
    return ("host" in kinds or field not in _OF_HOSTS) and (
        "uplink" in kinds or field not in _OF_UPLINKS
    )
