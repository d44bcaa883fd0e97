"""What a configuration says of the ways of packets, wherever its lines stand."""

from __future__ import annotations

from dataclasses import fields, is_dataclass, replace
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from fabric.observe.configuration.model import Configured, ConfiguredPort
    from fabric.observe.configuration.static_routes import StaticRoute

#: Fields that no packet goes by: numbers and texts of lines, and lines that nobody follows.
_NOT_FOLLOWED = frozenset(("file", "description", "leftovers", "undecided"))
_LINE = "line"
#: Lists whose order means nothing: all of their routes count.
_UNORDERED = frozenset(("originations", "static_routes"))


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


def with_own(planned: Configured, running: Configured) -> Configured:
    """Return a planned configuration with what only the device has, and no change is about.

    Ports for management, with the VRFs that they are in and the static routes that lead there; and
    ports that are shut.
    """
    management = {**running.management, **planned.management}
    own = {port.vrf for port in management.values()} & running.vrfs.keys()
    shut = {name: port for name, port in running.ports.items() if not port.enabled}
    return replace(
        planned,
        management=management,
        vrfs={**{name: running.vrfs[name] for name in own}, **planned.vrfs},
        static_routes=[*planned.static_routes, *_only_there(planned, running, management.values())],
        ports={**shut, **planned.ports},
    )


def _only_there(
    planned: Configured, running: Configured, management: Iterable[ConfiguredPort]
) -> Iterator[StaticRoute]:
    """Yield the static routes into the networks of ports for management that are not planned."""
    known = {route._replace(line=0) for route in planned.static_routes}
    links = [entry for port in management for entry in port.addresses]
    for route in running.static_routes:
        hop = route.next_hop
        leads_there = isinstance(hop, int) and any(
            link.is_ipv6 == route.is_ipv6 and link._replace(address=hop).network == link.network
            for link in links
        )
        if leads_there and route._replace(line=0) not in known:
            yield route


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
        name: sorted(map(_followed, item), key=str) if name in _UNORDERED else _followed(item)
        for name, item in values.items()
        if name not in _NOT_FOLLOWED and name.rpartition("_")[2] != _LINE
    }
