"""Ports, VLANs, VRFs, addresses and static routes of a CONFIG_DB."""

from __future__ import annotations

from ipaddress import IPv4Address, ip_address
from itertools import zip_longest
from typing import TYPE_CHECKING

from fabric.observe.configuration import Discard, Origination, StaticRoute
from fabric.observe.configuration.blocks import DEFAULT_VRF, address, network, static_route
from fabric.observe.configuration.defaults import holds, number_of
from fabric.observe.configuration.model import BITS
from fabric.systems.sonic.reading.model import READER, require_default_vrf, text_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fabric.observe.configuration import Configured
    from fabric.systems.sonic.reading.model import Fields

#: Item of a list of next hops that is a port alone (SONiC_static_route_hdl.md).
_NO_HOP = "0.0.0.0"  # noqa: S104


@READER.means("port")
def _port(switch: Configured, key: tuple[str, ...], row: Fields, line: int) -> None:
    (name,) = key
    port = switch.port(name, line)
    up = row["admin_status"] == "up" if "admin_status" in row else holds("sonic", "port_up")
    port.enabled = up
    port.mtu_bytes = int(row["mtu"]) if "mtu" in row else number_of("sonic", "mtu")
    port.description = text_of(row, "description")


@READER.means("vlan")
def _vlan(switch: Configured, key: tuple[str, ...], row: Fields, line: int) -> None:
    (name,) = key
    switch.vlans[int(row["vlanid"])] = line
    port = switch.port(name, line)
    port.gateway_vlan = int(row["vlanid"])
    port.enabled = row.get("admin_status", "up") == "up"
    port.mtu_bytes = int(row["mtu"]) if "mtu" in row else number_of("sonic", "mtu")


@READER.means("member")
def _member(switch: Configured, key: tuple[str, ...], row: Fields, line: int) -> None:
    vlan, name = key
    port, number = switch.port(name, line), int(vlan.removeprefix("Vlan"))
    port.routed = False
    if row.get("tagging_mode") == "tagged":
        port.tagged_vlans.append(number)
    else:
        port.vlan = number


@READER.means("vrf")
def _vrf(switch: Configured, key: tuple[str, ...], row: Fields, line: int) -> None:
    (name,) = key
    switch.vrf(name, line).falls_through = row.get("fallback", "false") != "false"
    if row.get("vni", "0") != "0":
        raise ValueError("tunnels are not read")


@READER.means("interface")
def _interface(switch: Configured, key: tuple[str, ...], row: Fields, line: int) -> None:
    name, *text = key
    port = switch.port(name, line)
    if port.routed is False:
        raise ValueError("a member of a VLAN")
    port.routed = True
    if name.startswith("Loopback") and "admin_status" in row:
        port.enabled = row["admin_status"] == "up"
    if text:
        port.addresses.append(address(text[0], None, line))
    elif row.get("ipv6_use_link_local_only") == "enable":
        port.ipv6_link = True
    if vrf := text_of(row, "vrf_name"):
        if vrf not in switch.vrfs:
            raise ValueError("a VRF that is not there")
        port.vrf, port.vrf_line = vrf, line
    _announce(switch, name, line)


def _announce(switch: Configured, name: str, line: int) -> None:
    """Note what bgpcfgd announces; the tables of the managed BGP say it themselves."""
    if not switch.bgp or not switch.ports[name].addresses or switch.ports[name].vrf:
        return  # a network of another VRF is not in the table that FRR looks into
    latest = switch.ports[name].addresses[-1]
    if latest.is_ipv6 and latest.line == line:
        switch.bgp.originations.append(Origination(latest.network, "", line, is_ipv6=True))
    elif name == "Loopback0":
        switch.bgp.originations.append(Origination((latest.address, BITS), "", line))
        switch.bgp.router_id = switch.bgp.router_id or str(IPv4Address(latest.address))
    elif name.startswith("Vlan") and latest.line == line:
        switch.bgp.originations.append(Origination(latest.network, "", line))


@READER.means("static")
def _static(switch: Configured, key: tuple[str, ...], row: Fields, line: int) -> None:
    if len(key) > 1 and key[0] in switch.vrfs:
        switch.vrfs[key[0]].static_routes += _routes_of_vrf(key[-1], row, line)
        return
    require_default_vrf(key if len(key) > 1 else ())
    prefix = network(key[-1])
    if set(text_of(row, "nexthop-vrf").split(",")) - {"", DEFAULT_VRF}:
        switch.static_routes += _routes_of_vrf(key[-1], row, line)
        return
    hops = list(_next_hops(row))
    is_ipv6 = ":" in key[-1]
    switch.static_routes += [StaticRoute(*prefix, hop, line, is_ipv6) for hop in hops]


def _routes_of_vrf(prefix: str, row: Fields, line: int) -> Iterator[StaticRoute]:
    """Yield the routes of a row that is about VRFs: a field is a list, an item for each next hop.

    As the design of SONiC has them (sonic-net/SONiC doc/static-route/SONiC_static_route_hdl.md).
    """
    if ":" in prefix:
        raise ValueError("IPv6 of a VRF")
    names = ("nexthop", "ifname", "nexthop-vrf", "blackhole")
    lists = ([item.strip() for item in text_of(row, name).split(",")] for name in names)
    for hop, port, vrf, drops in zip_longest(*lists, fillvalue=""):
        to = "blackhole" if drops == "true" else port or hop
        yield static_route(prefix, to, line, vrf or None)


def _next_hops(row: Fields) -> Iterator[int | str | Discard]:
    if "true" in row.get("blackhole", ""):
        yield Discard()
    hops, ports = (row.get(name, "").split(",") for name in ("nexthop", "ifname"))
    for hop, port in zip_longest(hops, ports, fillvalue=""):
        if hop in ("", _NO_HOP) and port:
            yield port
        elif hop:
            yield int(ip_address(hop))
