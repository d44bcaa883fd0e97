"""Enterprise SONiC: what a running configuration says of ports, VLANs and BGP.

A port is shut down until ``no shutdown``; gateways and loopbacks are not. An MTU is 9100 bytes
where no line says another, as images of SONiC have it. ``interface Vlan`` makes the VLAN. IPv4
unicast is exchanged after ``activate`` alone, over one path without ``maximum-paths``, and a
session without a policy in a direction passes no route in it, since FRR wants one and the system
has no line against that (sonic-buildimage @ cfc766e13ecc, dockers/docker-fpm-frr; FRRouting,
bgpd/bgp_vty.c, ``bgp ebgp-requires-policy``). That the community's daemons stand behind this
command line is known; that their defaults do is taken over. The spelling of lines is that of
ansible-collections/dellemc.enterprise_sonic @ 9851e680; peer groups are
not read. What it says of VRFs and tunnels is read by `fabric.systems.esonic.reading_vrfs`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from fabric.observe.configuration import (
    Bgp,
    Discard,
    PolicyTerm,
    StaticRoute,
    readers,
)
from fabric.observe.configuration.blocks import address as address_line
from fabric.observe.configuration.blocks import (
    network,
    numbers,
    read_blocks,
)
from fabric.observe.configuration.book import BookReader
from fabric.observe.configuration.defaults import holds, number_of
from fabric.observe.configuration.model import EXTERNAL
from fabric.observe.configuration.routes import (
    Process,
    Routes,
    max_paths,
    of_process,
    originate,
    redistribute,
    set_policy,
    summarise,
)
from fabric.observe.configuration.sequences import add_prefix, enter_term
from fabric.observe.configuration.texts import header_ends
from fabric.systems.esonic.reading_vrfs import MEANINGS, settle
from fabric.systems.sonic.reading import require_policies

if TYPE_CHECKING:
    from collections.abc import Mapping

    from fabric.observe.configuration import BgpPeer, BgpTemplate, Configured, ConfiguredPort

#: Kind of the file that ``render`` writes.
FILE = "running-configuration"

_LINES = BookReader("esonic", "routing", "no")
for _name, _action in MEANINGS.items():
    _LINES.means(_name)(_action)


@readers.add("esonic")
def read(files: Mapping[str, str]) -> Configured:
    """Return what a configuration of Enterprise SONiC says."""
    switch = read_blocks("esonic", FILE, files[FILE], _LINES.top, header_ends)
    settle(switch)
    require_policies(switch)
    return switch


@_LINES.means("interface")
def _interface(switch: Configured, line: int, name: str) -> ConfiguredPort:
    name = "".join(name.split())
    new = name not in switch.ports
    port = switch.port(name, line)
    if name.startswith("Vlan"):
        port.gateway_vlan = int(name.removeprefix("Vlan"))
        switch.vlans[port.gateway_vlan] = line
    if new and not name.startswith("Loopback"):
        port.mtu_bytes = number_of("esonic", "mtu")
        port.enabled = name.startswith("Vlan") or holds("esonic", "port_up")
    return port


@_LINES.means("vlans")
def _vlans(switch: Configured, line: int, vlans: str) -> None:
    switch.vlans |= dict.fromkeys(numbers(vlans.removeprefix("Vlan").strip()), line)


@_LINES.means("description")
def _description(target: ConfiguredPort | BgpPeer, _: int, text: str) -> None:
    target.description = text.removeprefix('"').removesuffix('"')


@_LINES.means("address")
def _address(port: ConfiguredPort, line: int, address: str, more: str | None = None) -> None:
    if port.vlan is not None:
        raise ValueError("a switched port")
    port.routed = True
    others = [entry for entry in port.addresses if more or entry.is_ipv6]
    port.addresses = [*others, address_line(address, None, line)]


@_LINES.means("address6")
def _address6(port: ConfiguredPort, line: int, address: str) -> None:
    if port.vlan is not None:
        raise ValueError("a switched port")
    port.routed = True
    port.addresses.append(address_line(address, None, line))


@_LINES.means("ipv6_link")
def _ipv6_link(port: ConfiguredPort, _: int) -> None:
    if port.vlan is not None:
        raise ValueError("a switched port")
    port.routed = port.ipv6_link = True


@_LINES.means("access")
def _access(port: ConfiguredPort, _: int, vlan: str) -> None:
    if port.routed:
        raise ValueError("a routed port")
    port.vlan, port.routed = int(vlan.removeprefix("Vlan")), False


@_LINES.means("match")
def _match(term: PolicyTerm, _: int, name: str) -> None:
    term.prefix_lists = [name]


@_LINES.means("match6")
def _match6(term: PolicyTerm, _: int, name: str) -> None:
    term.prefix_lists6 = [name]


@_LINES.means("static")
def _static(switch: Configured, line: int, prefix: str, hop: str) -> None:
    to = Discard() if hop == "blackhole" else address_line(hop, "32", line).address
    switch.static_routes.append(StaticRoute(*network(prefix), to, line))


@_LINES.means("bgp")
def _bgp(switch: Configured, line: int, asn: str) -> Bgp:
    active = holds("esonic", "ipv4_unicast")
    bgp = Process(int(asn), line, active_by_default=active, ipv4_first=True, max_paths6=1)
    bgp.switch = switch
    return switch.open_bgp(bgp)


@_LINES.means("neighbour")
def _neighbour(bgp: Bgp, line: int, session: str) -> BgpPeer:
    return bgp.peer("".join(session.split()), line)


_LINES.means("timers_bgp")(Bgp.set_timers)
_LINES.means("family")(of_process)
_LINES.means("max_paths")(max_paths)
_LINES.means("router_id")(Bgp.set_router_id)
_LINES.means("redistribute")(redistribute)
_LINES.means("network")(originate)
_LINES.means("aggregate")(summarise)
_LINES.means("policy")(set_policy)
_LINES.means("prefix")(add_prefix)
_LINES.means("route_map")(enter_term)


@_LINES.means("remote_as")
def _remote_as(peer: BgpPeer, _: int, asn: str | None = None, kind: str = "") -> None:
    if kind == "internal":
        raise ValueError("a session within one AS")
    peer.asn = int(asn or EXTERNAL)


@_LINES.means("timers")
def _timers(peer: BgpPeer, _: int, keepalive: str, hold: str) -> None:
    peer.keepalive_s, peer.hold_s = int(keepalive), int(hold)


@_LINES.means("family_of_peer")
def _family_of_peer(peer: BgpPeer, _: int, family: str) -> Routes[BgpTemplate]:
    return Routes(peer, family == "ipv6")


@_LINES.means("activate")
def _activate(routes: Routes[BgpTemplate], _: int) -> None:
    routes.set("activated", value=True)


@_LINES.means("allowas_in")
def _allowas_in(routes: Routes[BgpTemplate], _: int, often: str) -> None:
    routes.set("allowas_in", int(often))
