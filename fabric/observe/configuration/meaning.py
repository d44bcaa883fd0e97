"""What a configuration says of the ways of packets, wherever its lines stand."""

from __future__ import annotations

from dataclasses import fields, is_dataclass, replace
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from fabric.observe.configuration.model import Configured

#: Fields that no packet goes by: numbers and texts of lines, and lines that nobody follows.
_NOT_FOLLOWED = frozenset(("file", "description", "leftovers", "undecided"))
_LINE = "line"


def meaning(configured: Configured) -> object:
    """Return what a configuration says to packets, to compare it with others.

    Sections that have names are in no order. A VLAN without ports carries nothing.
    """
    evpn = configured.evpn
    used = {vlan for port in configured.ports.values() for vlan in (port.vlan, *port.tagged_vlans)}
    bare = replace(
        configured,
        vlans=dict.fromkeys(configured.vlans.keys() & used, 0),
        evpn=evpn and replace(evpn, peers=dict.fromkeys(evpn.peers, 0)),
    )
    return _followed(bare)


def with_management(planned: Configured, running: Configured) -> Configured:
    """Return a planned configuration with the ports for management that only the device has.

    A change leaves them as they are, and the VRFs that they are in.
    """
    ports = {**running.management, **planned.management}
    own = {port.vrf for port in ports.values()} & running.vrfs.keys()
    vrfs = {**{name: running.vrfs[name] for name in own}, **planned.vrfs}
    return replace(planned, management=ports, vrfs=vrfs)


def _followed(value: Any) -> object:
    """Return a value without the fields that no packet goes by."""
    if is_dataclass(value):
        values = {field.name: getattr(value, field.name) for field in fields(value)}
    elif hasattr(value, "_asdict"):
        values = value._asdict()
    elif isinstance(value, dict):
        return {key: _followed(item) for key, item in value.items()}
    elif isinstance(value, list | tuple):
        return [_followed(item) for item in value]
    else:
        return value
    return type(value), {
        name: _followed(item)
        for name, item in values.items()
        if name not in _NOT_FOLLOWED and name.rpartition("_")[2] != _LINE
    }
