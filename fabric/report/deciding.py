"""Which fields of a kind of line decide it at one switch and port: a spine has no host ports."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fabric.intent.platform_model import Platforms
from fabric.platforms.model import role_field
from fabric.topology.routed import routed_units

if TYPE_CHECKING:
    from collections.abc import Iterable
    from collections.abc import Set as AbstractSet

    from fabric.design.designs import Designs

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
#: Fields of names and cables that decide where they are set.
_WHERE_SET = frozenset(("cabling", "leaf_names", "spine_names", "switch_prefix", "switches"))
#: Sections of ``platforms``.
_ROLES = frozenset(Platforms.model_fields)
#: Of a fabric that has VLANs.
_OF_VLANS = "addressing.vlan_first"


def deciding(designs: Designs, device: str, port: str, fields: Iterable[str]) -> tuple[str, ...]:
    """Return those fields of a kind of line that decide it at a device.

    Parameters
    ----------
    device : str
        Name of a switch; a host keeps all fields.
    port : str
        Port that the line is about; empty where it is about none.
    fields : iterable of str
        Fields that decide such lines anywhere.
    """
    design = designs.devices.get(device)
    if design is None:
        return tuple(fields)
    every = tuple(field for field in fields if not _is_of_another_role(field, design.role))
    kinds = {one.kind for one in design.ports if port in {"", one.name}} - {"unused"}
    file = designs.intent.fabric
    cabling = "design" if file.design == "explicit" else "cabling"  # an explicit one says both
    every = tuple(cabling if field == "cabling" else field for field in every)
    every = tuple(field for field in every if field not in _WHERE_SET - file.model_fields_set)
    left = [field for field in every if _is_of(field, kinds)] if kinds else [*every]
    if all(routed_units(designs.intent.fabric)) and "addressing.vlan_per" in left:
        left = [field for field in left if field != _OF_VLANS]
    return tuple(left) if left or port else every


def _is_of_another_role(field: str, role: str) -> bool:
    """Tell whether a field is about the switch models of another role."""
    section, _, rest = field.partition(".")
    named = rest.partition(".")[0]
    return section == "platforms" and named in _ROLES and named != role_field(role)


def _is_of(field: str, kinds: AbstractSet[str]) -> bool:
    return ("host" in kinds or field not in _OF_HOSTS) and (
        "uplink" in kinds or field not in _OF_UPLINKS
    )
