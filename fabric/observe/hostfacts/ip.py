"""``ip -j``: addresses, routes, rules, neighbours (iproute2/iproute2, ip/ at ee2a4a86)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from fabric.observe.hostfacts import reads
from fabric.observe.hostfacts.jsontext import items, optional, rows, whole
from fabric.observe.hostfacts.values import (
    choice,
    interface_name,
    ip_address,
    ip_network,
    mac_address,
    shown,
    word,
)
from fabric.observe.parsers import UnreadableError

if TYPE_CHECKING:
    from fabric.observe.hostfacts.jsontext import Row

_U32 = 2**32 - 1
_MAX_LENGTH = 128
#: ``print_neigh_state`` of ip/ipneigh.c.
_NEIGHBOUR = frozenset(
    tuple("INCOMPLETE REACHABLE STALE DELAY PROBE FAILED NOARP PERMANENT".split())
)


@dataclass(frozen=True, slots=True)
class IpAddresses:
    """Addresses of a network device as ``address/length``, and the devices that it belongs to.

    Parameters
    ----------
    master : str or None
        The bond, bridge or VRF that it is a member of.
    link : str or None
        The device that a VLAN, or another device on top, is made on.
    dynamic : tuple of str
        Those that came with a lifetime, such as what a NIC makes of a router's prefix.
    functions : int or None
        How many virtual functions are shown with it; None where none are shown.
    """

    interface: str
    mtu_bytes: int
    ipv4: tuple[str, ...]
    ipv6: tuple[str, ...]
    master: str | None = None
    link: str | None = None
    functions: int | None = None
    dynamic: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class IpRoute:
    """A route; ``destination`` is a network or ``default``, ``table`` is None for the one asked.

    ``kind`` is ``unicast``, ``unreachable`` and the like; ``scope`` and ``protocol`` are those of
    ``ip route``.
    """

    destination: str
    interface: str | None = None
    gateway: str | None = None
    source: str | None = None
    table: str | None = None
    metric: int | None = None
    kind: str = "unicast"
    scope: str | None = None
    protocol: str | None = None


@dataclass(frozen=True, slots=True)
class IpRule:
    """A routing rule; ``source`` is a network or ``all``; ``table`` None is another action."""

    priority: int
    source: str
    table: str | None


@dataclass(frozen=True, slots=True)
class IpNeighbour:
    """An entry of the neighbour table."""

    address: str
    interface: str
    states: tuple[str, ...]
    mac: str | None = None


@reads("ip_addr", "ip -j addr show")
def parse_ip_addr(text: str) -> tuple[IpAddresses, ...]:
    """Parse the addresses by network device, or raise UnreadableError."""
    links = []
    for row in rows(text, "ip"):
        entries = items(row, "addr_info") if "addr_info" in row else []
        if not all(isinstance(item, dict) for item in entries):
            raise UnreadableError(f"addr_info is {shown(entries)}")
        families = {
            family: tuple(_address(item) for item in entries if item.get("family") == family)
            for family in ("inet", "inet6")
        }
        links.append(
            IpAddresses(
                interface_name(row.get("ifname")),
                whole(row, "mtu", 0, _U32),
                families["inet"],
                families["inet6"],
                optional(row, "master", interface_name),
                optional(row, "link", lambda link: interface_name(link) if link else None),
                len(items(row, "vfinfo_list")) if "vfinfo_list" in row else None,
                tuple(_address(item) for item in entries if item.get("dynamic") is True),
            )
        )
    return tuple(links)


def _address(item: Row) -> str:
    return f"{ip_address(item.get('local'))}/{whole(item, 'prefixlen', 0, _MAX_LENGTH)}"


@reads("ip_route", "ip -j route show table all")
def parse_ip_route(text: str) -> tuple[IpRoute, ...]:
    """Parse the routes, each next hop of a route as one; raise UnreadableError."""
    routes = []
    for row in rows(text, "ip"):
        hops = items(row, "nexthops") if "nexthops" in row else [{}]
        if not all(isinstance(hop, dict) for hop in hops):
            raise UnreadableError(f"nexthops is {shown(hops)}")
        routes += [_route({**row, **hop}) for hop in hops]
    return tuple(routes)


@reads("ip_route6", "ip -6 -j route show table all")
def parse_ip_route6(text: str) -> tuple[IpRoute, ...]:
    """Parse the IPv6 routes, as `parse_ip_route`."""
    return parse_ip_route(text)


def _route(row: Row) -> IpRoute:
    destination = row.get("dst")
    via = row.get("via")
    gateway = via.get("host") if isinstance(via, dict) else row.get("gateway")
    return IpRoute(
        destination="default" if destination == "default" else ip_network(destination),
        interface=optional(row, "dev", interface_name),
        gateway=None if gateway is None else ip_address(gateway),
        source=optional(row, "prefsrc", ip_address),
        table=optional(row, "table", lambda table: word(table, "routing table")),
        metric=whole(row, "metric", 0, _U32) if "metric" in row else None,
        kind=word(row.get("type", "unicast"), "type of a route"),
        scope=optional(row, "scope", lambda scope: word(scope, "scope of a route")),
        protocol=optional(row, "protocol", lambda name: word(name, "protocol of a route")),
    )


@reads("ip_rule", "ip -j rule show")
def parse_ip_rule(text: str) -> tuple[IpRule, ...]:
    """Parse the routing rules, or raise UnreadableError."""
    return tuple(
        IpRule(
            whole(row, "priority", 0, _U32),
            _source(row),
            optional(row, "table", lambda table: word(table, "routing table")),
        )
        for row in rows(text, "ip")
    )


@reads("ip_rule6", "ip -6 -j rule show")
def parse_ip_rule6(text: str) -> tuple[IpRule, ...]:
    """Parse the IPv6 routing rules, or raise UnreadableError."""
    return parse_ip_rule(text)


def _source(row: Row) -> str:
    source = row.get("src")
    if source == "all":
        return "all"
    length = f"/{whole(row, 'srclen', 0, _MAX_LENGTH)}" if "srclen" in row else ""
    return ip_network(f"{source}.0.0.0{length}" if source == "0" else f"{source}{length}")


@reads("ip_neigh", "ip -j neigh show")
def parse_ip_neigh(text: str) -> tuple[IpNeighbour, ...]:
    """Parse the neighbour table, or raise UnreadableError."""
    return tuple(
        IpNeighbour(
            ip_address(row.get("dst")),
            interface_name(row.get("dev")),
            tuple(choice(str(state), _NEIGHBOUR, "state") for state in items(row, "state")),
            optional(row, "lladdr", mac_address),
        )
        for row in rows(text, "ip")
    )
