"""Enterprise SONiC: what a running configuration says of ports, VLANs and BGP.

A port is shut down until ``no shutdown``; gateways and loopbacks are not. An MTU is 9100 bytes
where no line says another, as images of SONiC have it. ``interface Vlan`` makes the VLAN. IPv4
unicast is exchanged after ``activate`` alone, over one path without ``maximum-paths``, and a
session without a policy in a direction passes no route in it, since FRR wants one and the system
has no line against that (sonic-buildimage @ cfc766e13ecc, dockers/docker-fpm-frr; FRRouting,
bgpd/bgp_vty.c, ``bgp ebgp-requires-policy``). That the community's daemons stand behind this
command line is known; that their defaults do is taken over. The spelling of lines is that of
ansible-collections/dellemc.enterprise_sonic @ 9851e680; peer groups and sessions over a port are
not read.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from fabric.observe.configuration import (
    Bgp,
    Discard,
    Origination,
    PolicyTerm,
    StaticRoute,
    readers,
)
from fabric.observe.configuration.blocks import (
    Context,
    address,
    ipv4,
    network,
    numbers,
    prefix_match,
    read_blocks,
)
from fabric.observe.configuration.defaults import holds, number_of
from fabric.observe.configuration.sequences import add_entry, enter_term
from fabric.observe.configuration.texts import header_ends
from fabric.systems.sonic.reading import require_policies

if TYPE_CHECKING:
    from collections.abc import Mapping

    from fabric.observe.configuration import BgpPeer, BgpTemplate, Configured, Port

#: Kind of the file that ``render`` writes.
FILE = "running-configuration"

_QOS = (
    r"buffer .*",
    r"(no )?qos .*",
    r"(no )?priority-flow-control .*",
    r"ip load-share hash .*",
    r"(no )?roce .*",
    r"(copp|hardware) ?.*",
)
_MANAGEMENT = (
    r"(no )?(ntp|logging|snmp-server|clock|username|aaa|tacacs-server|radius-server|lldp) .*",
    r"(no )?(banner|ip ssh|line|telemetry|crypto|switch-profile|core|kdump|ztp|watermark) .*",
    r"(no )?(spanning-tree|errdisable|auto-techsupport|rest|gnmi|image|ip name-server) .*",
    r"interface breakout .*",
    r"interface Management ?\d+",
    r"ip vrf \S+",
    r"ip route vrf .*",
    r"(no )?interface-naming .*",
    r"ip arp timeout \d+",
    r"mac address-table aging-time \d+",
    r"end",
)
_TOP = Context(*_MANAGEMENT, *_QOS)
_PORT = Context(
    *_QOS,
    r"(speed|fec|cable-length|qos-map|queue|scheduler-policy|port-group) .*",
    r"(no )?(spanning-tree|lldp|udld|autoneg|unreliable-los|storm-control|snmp) ?.*",
)
_TERM = Context(r"description .*")
_BGP = Context(r"log-neighbor-changes", r"(no )?graceful-restart.*")
_FAMILY = Context()
_PEER = Context(r"bfd .*", r"capability .*")
_PEER_FAMILY = Context(r"send-community( .*)?", r"soft-reconfiguration inbound")

_TOP.sets(r"hostname (?P<value>\S+)", "name")
_PORT.switches("shutdown", "enabled", on=False)
_PORT.sets(r"description \"?(?P<value>.*?)\"?", "description")
_PORT.sets(r"mtu (?P<value>\d+)", "mtu_bytes", int)
_BGP.sets(r"router-id (?P<value>\S+)", "router_id", ipv4)
_BGP.switches("bestpath as-path multipath-relax", "relax")
_FAMILY.sets(r"maximum-paths (?P<value>\d+)", "max_paths", int)
_PEER.sets(r"remote-as (?P<value>\d+)", "asn", int)
_PEER.sets(r"description \"?(?P<value>.*?)\"?", "description")
_PEER.switches("shutdown", "enabled", on=False)
_PEER.switches("bfd", "bfd")
_PEER_FAMILY.switches("activate", "activated")
_PEER_FAMILY.sets(r"allowas-in (?P<value>\d+)", "allowas_in", int)


@readers.add("esonic")
def read(files: Mapping[str, str]) -> Configured:
    """Return what a configuration of Enterprise SONiC says."""
    switch = read_blocks("esonic", FILE, files[FILE], _TOP, header_ends)
    require_policies(switch)
    return switch


@_TOP.line(r"interface (?P<kind>Ethernet|Eth|Loopback|Vlan) ?(?P<number>\d\S*)", inside=_PORT)
def _interface(switch: Configured, line: int, kind: str, number: str) -> Port:
    new = f"{kind}{number}" not in switch.ports
    port = switch.port(f"{kind}{number}", line)
    if kind == "Vlan":
        port.gateway_vlan = int(number)
        switch.vlans[int(number)] = line
    if new and kind != "Loopback":
        port.mtu_bytes = number_of("esonic", "mtu")
        port.enabled = kind == "Vlan" or holds("esonic", "port_up")
    return port


@_TOP.line(r"interface range create Vlan ?(?P<vlans>[\d,-]+)")
def _vlan_range(switch: Configured, line: int, vlans: str) -> None:
    switch.vlans |= dict.fromkeys(numbers(vlans), line)


@_PORT.line(r"ip address (?P<text>[\d.]+/\d+)(?P<more> secondary)?")
def _address(port: Port, line: int, text: str, more: str | None) -> None:
    if port.vlan is not None:
        raise ValueError("a switched port")
    port.routed = True
    port.addresses = [*(port.addresses if more else ()), address(text, None, line)]


@_PORT.line(r"switchport access Vlan ?(?P<vlan>\d+)")
def _access(port: Port, _: int, vlan: str) -> None:
    if port.routed:
        raise ValueError("a routed port")
    port.vlan, port.routed = int(vlan), False


@_TOP.line(
    r"ip prefix-list (?P<name>\S+) seq (?P<number>\d+) (?P<action>permit|deny) (?P<prefix>\S+)"
    r"( ge (?P<low>\d+))?( le (?P<high>\d+))?"
)
def _prefix(
    switch: Configured,
    line: int,
    name: str,
    number: str,
    action: str,
    prefix: str,
    **bits: str | None,
) -> None:
    add_entry(switch, name, int(number), prefix_match(action, prefix, line, **bits))


@_TOP.line(r"route-map (?P<name>\S+) (?P<action>permit|deny) (?P<number>\d+)", inside=_TERM)
def _route_map(switch: Configured, line: int, name: str, action: str, number: str) -> PolicyTerm:
    return enter_term(switch, name, action, int(number), line)


@_TERM.line(r"match ip address prefix-list (?P<name>\S+)")
def _match(term: PolicyTerm, _: int, name: str) -> None:
    term.prefix_lists = [name]


@_TOP.line(r"ip route (?P<prefix>\S+) (?P<hop>[\d.]+|blackhole)( \d+)?")
def _static(switch: Configured, line: int, prefix: str, hop: str) -> None:
    to = Discard() if hop == "blackhole" else address(hop, "32", line).address
    switch.static_routes.append(StaticRoute(*network(prefix), to, line))


@_TOP.line(r"router bgp (?P<asn>\d+)( vrf default)?", inside=_BGP)
def _bgp(switch: Configured, line: int, asn: str) -> Bgp:
    return switch.open_bgp(Bgp(int(asn), line, active_by_default=holds("esonic", "ipv4_unicast")))


@_BGP.line(r"address-family ipv4 unicast", inside=_FAMILY)
def _family(_: Bgp, __: int) -> None:
    """Return the process itself: the lines inside are about it."""


@_FAMILY.line(r"redistribute connected( route-map (?P<policy>\S+))?")
def _redistribute(bgp: Bgp, line: int, policy: str | None) -> None:
    bgp.originations.append(Origination(None, policy or "", line))


@_FAMILY.line(r"network (?P<prefix>\S+)( route-map (?P<policy>\S+))?")
def _network(bgp: Bgp, line: int, prefix: str, policy: str | None) -> None:
    bgp.originations.append(Origination(network(prefix), policy or "", line))


@_BGP.line(r"neighbor (?P<session>[\d.]+)", inside=_PEER)
def _neighbour(bgp: Bgp, line: int, session: str) -> BgpPeer:
    return bgp.peer(session, line)


_BGP.line(r"timers (?P<keepalive>\d+) (?P<hold>\d+)")(Bgp.set_timers)


@_PEER.line(r"timers (?P<keepalive>\d+) (?P<hold>\d+)")
def _timers(speaker: BgpTemplate, _: int, keepalive: str, hold: str) -> None:
    speaker.keepalive_s, speaker.hold_s = int(keepalive), int(hold)


@_PEER.line(r"address-family ipv4 unicast", inside=_PEER_FAMILY)
def _peer_family(_: BgpTemplate, __: int) -> None:
    """Return the session itself: the lines inside are about it."""


@_PEER_FAMILY.line(r"route-map (?P<policy>\S+) (?P<way>in|out)")
def _policy(speaker: BgpTemplate, _: int, policy: str, way: str) -> None:
    setattr(speaker, f"policy_{way}", policy)
