"""Cisco NX-OS: what a running configuration says of ports, VLANs and BGP.

A routed port, and the gateway of a VLAN, is shut down until ``no shutdown``; a switched port is
not. Whether a port without ``switchport`` is a switched one depends on ``system default
switchport``; a running configuration leaves the default out, so that a VLAN tells a switched port.
An address on a port that does not say ``no switchport`` is a line that is not understood. An MTU
is 1500 bytes where no line says another (batfish @ cba18733, ``show running-config all`` of
7.0(3)I7). Routes of one prefix go over
neighbours of different ASes only with ``bestpath as-path multipath-relax``, over one path without
``maximum-paths``, and a neighbour takes part in IPv4 unicast only with its ``address-family``
(CiscoDevNet/terraform-provider-nxos @ 43d0c254; YangModels/yang, vendor/cisco/nx/9.3-2). A
neighbour that is a port is not read: no public source shows such a session whole.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from fabric.observe.configuration import (
    Bgp,
    BgpPeer,
    Discard,
    Leftover,
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
from fabric.observe.configuration.port_lines import add_port_lines
from fabric.observe.configuration.sequences import add_entry, enter_term
from fabric.systems.nxos.texts import text_ends

if TYPE_CHECKING:
    from collections.abc import Mapping

    from fabric.observe.configuration import BgpTemplate, Configured, Port

#: Kind of the file that ``render`` writes.
FILE = "running-config"

_QOS = (
    r"(no )?priority-flow-control .*",
    r"(class-map|policy-map|system qos|qos |hardware profile dlb|hardware qos).*",
    r"(no )?service-policy .*",
    r"(no )?hardware profile .*",
    r"ip load-sharing .*",
    r"interface breakout .*",
)
_MANAGEMENT = (
    r"version .*",
    r"feature (lldp|bfd|nxapi|scp-server|sftp-server|ssh|scheduler|telemetry|lacp)",
    r"(no )?(ntp|logging|snmp-server|clock|username|role|aaa|tacacs-server|radius-server) .*",
    r"(no )?(lldp|banner|boot|line|nxapi|cli|crypto|telemetry|scheduler|spanning-tree) .*",
    r"(no )?(ip domain|ip name-server|no password|password|copp|icam|bfd|vdc|rmon|cdp) ?.*",
    r"interface mgmt0",
    r"vrf context \S+",
    r"ip domain-lookup",
    r"mac address-table aging-time .*",
    r"ip arp timeout \d+",
    r"system default switchport",
    r"system jumbomtu 9216",
    r"no ip source-route",
    r"no system default switchport shutdown",
)
_TOP = Context(*_MANAGEMENT, *_QOS)
_PORT = Context(
    *_QOS,
    r"(speed|fec|duplex|negotiate|bfd|lldp|cdp|snmp|logging|load-interval|beacon) .*",
    r"(no )?(ip|ipv6) redirects",
    r"ip arp timeout \d+",
    r"(no )?spanning-tree .*",
    r"flowcontrol .*",
    r"switchport mode access",
)
_VLAN = Context(r"name .*", r"state active")
_TERM = Context(r"description .*")
_BGP = Context(r"log-neighbor-changes", r"(no )?graceful-restart.*", r"timers prefix-peer\b.*")
_FAMILY = Context(r"maximum-paths ibgp \d+")
_PEER = Context(r"log-neighbor-changes.*", r"capability .*")
_PEER_FAMILY = Context(r"send-community( .*)?", r"soft-reconfiguration inbound( always)?")

#: Makes a port without `switchport` a routed one.
_ROUTED_PORTS = "no system default switchport"
#: Whether a port works without a line, by whether it is routed.
_UP = ("switched_port_up", "routed_port_up")

add_port_lines(_TOP, _PORT, name="(hostname|switchname)", undo="no ")
_PORT.sets(r"mtu (?P<value>\d+)", "mtu_bytes", int)
_BGP.sets(r"router-id (?P<value>\S+)", "router_id", ipv4)
_BGP.switches("bestpath as-path multipath-relax", "relax")
_FAMILY.sets(r"maximum-paths (?P<value>\d+)", "max_paths", int)
_PEER.sets(r"remote-as (?P<value>\d+)", "asn", int)
_PEER.switches("shutdown", "enabled", on=False)
_PEER.switches("bfd", "bfd")
_PEER_FAMILY.sets(r"allowas-in (?P<value>\d+)", "allowas_in", int)
_PEER_FAMILY.switches("disable-peer-as-check", "tells_peer_as")


@readers.add("nxos")
def read(files: Mapping[str, str]) -> Configured:
    """Return what an NX-OS configuration says; BGP and gateways need their ``feature``."""
    switch = read_blocks("nxos", FILE, files[FILE], _TOP, text_ends)
    features = switch.global_lines
    if switch.bgp and "feature bgp" not in features:
        switch.leftovers.append(Leftover(switch.bgp.line, "router bgp without feature bgp"))
        switch.bgp = None
    for port in [port for port in switch.ports.values() if port.gateway_vlan is not None]:
        if "feature interface-vlan" not in features:
            words = f"interface {port.name} without feature interface-vlan"
            switch.leftovers.append(Leftover(port.line, words))
            del switch.ports[port.name]
    return switch


@_TOP.line(r"(?P<no>no )?(?P<words>feature (bgp|interface-vlan))")
def _feature(switch: Configured, _: int, no: str | None, words: str) -> None:
    if no:
        switch.global_lines.discard(words)
    else:
        switch.global_lines.add(words)


@_TOP.line(_ROUTED_PORTS)
def _routed_ports(switch: Configured, _: int) -> None:
    if any(name.startswith("Ethernet") for name in switch.ports):
        raise ValueError("it stands behind the ports that it is about")
    switch.global_lines.add(_ROUTED_PORTS)


@_TOP.line(r"vlan (?P<vlans>[\d,-]+)", inside=_VLAN)
def _vlans(switch: Configured, line: int, vlans: str) -> None:
    for vlan in numbers(vlans):
        switch.vlans[vlan] = line


@_TOP.line(r"interface (?P<name>(Ethernet[\d/]+|loopback\d+|Vlan\d+))", inside=_PORT)
def _interface(switch: Configured, line: int, name: str) -> Port:
    new = name not in switch.ports
    port = switch.port(name, line)
    if name.startswith("Vlan"):
        port.gateway_vlan = int(name.removeprefix("Vlan"))
    if new and name.startswith("Ethernet") and _ROUTED_PORTS in switch.global_lines:
        port.routed = True
    if new and not name.startswith("loopback"):
        port.mtu_bytes = number_of("nxos", "mtu")
        port.enabled = holds("nxos", _UP[name.startswith("Vlan") or bool(port.routed)])
    if not name.startswith("Ethernet"):
        port.routed = True
    return port


@_PORT.line(r"(?P<no>no )?switchport")
def _switchport(port: Port, _: int, no: str | None) -> None:
    if port.routed is not bool(no):
        port.routed, port.enabled = bool(no), holds("nxos", _UP[bool(no)])


@_PORT.line(r"ip address (?P<text>[\d.]+/\d+)(?P<more> secondary)?( tag \d+)?")
@_PORT.line(r"ip address (?P<text>[\d.]+) (?P<mask>[\d.]+)(?P<more> secondary)?( tag \d+)?")
def _address(port: Port, line: int, text: str, more: str | None, mask: str | None = None) -> None:
    if not port.routed:
        raise ValueError("not a routed port")
    port.addresses = [*(port.addresses if more else ()), address(text, mask, line)]


@_PORT.line(r"switchport access vlan (?P<vlan>\d+)")
def _access(port: Port, _: int, vlan: str) -> None:
    if port.routed:
        raise ValueError("not a switched port")
    port.routed = False
    port.vlan = int(vlan)


@_TOP.line(
    r"ip prefix-list (?P<name>\S+) seq (?P<number>\d+) (?P<action>permit|deny) (?P<prefix>\S+)"
    r"( eq (?P<exact>\d+))?( ge (?P<low>\d+))?( le (?P<high>\d+))?"
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


@_TERM.line(r"match ip address prefix-list (?P<names>.+)")
def _match(term: PolicyTerm, _: int, names: str) -> None:
    term.prefix_lists += names.split()


@_TOP.line(r"ip route (?P<prefix>\S+) (?P<hop>[\d.]+|[Nn]ull0)( name \S+)?( tag \d+)?")
def _static(switch: Configured, line: int, prefix: str, hop: str) -> None:
    to = Discard() if hop.lower() == "null0" else address(hop, "32", line).address
    switch.static_routes.append(StaticRoute(*network(prefix), to, line))


@_TOP.line(r"router bgp (?P<asn>\d+)", inside=_BGP)
def _bgp(switch: Configured, line: int, asn: str) -> Bgp:
    active = holds("nxos", "ipv4_unicast")
    return switch.open_bgp(Bgp(int(asn), line, active_by_default=active, tells_by_default=False))


@_BGP.line(r"address-family ipv4 unicast", inside=_FAMILY)
def _family(_: Bgp, __: int) -> None:
    """Return the process itself: the lines inside are about it."""


@_FAMILY.line(r"redistribute direct route-map (?P<policy>\S+)")
def _redistribute(bgp: Bgp, line: int, policy: str) -> None:
    bgp.originations.append(Origination(None, policy, line))


@_FAMILY.line(r"network (?P<prefix>[\d./]+)( mask (?P<mask>\S+))?( route-map (?P<policy>\S+))?")
def _network(bgp: Bgp, line: int, prefix: str, mask: str | None, policy: str | None) -> None:
    bgp.originations.append(Origination(network(prefix, mask), policy or "", line))


@_BGP.line(r"template peer (?P<name>\S+)", inside=_PEER)
def _template(bgp: Bgp, line: int, name: str) -> BgpTemplate:
    return bgp.group(name, line)


@_BGP.line(r"neighbor (?P<session>[\d.]+)( remote-as (?P<asn>\d+))?", inside=_PEER)
def _neighbour(bgp: Bgp, line: int, session: str, asn: str | None) -> BgpTemplate:
    peer = bgp.peer(session, line)
    peer.asn = int(asn) if asn else peer.asn
    return peer


@_PEER.line(r"inherit peer (?P<name>\S+)")
def _inherit(speaker: BgpTemplate, _: int, name: str) -> None:
    if not isinstance(speaker, BgpPeer):
        raise TypeError("a template of a template")
    speaker.group = name


@_PEER.line(r"description (?P<text>.*)")
def _peer_description(speaker: BgpTemplate, _: int, text: str) -> None:
    if isinstance(speaker, BgpPeer):
        speaker.description = text


_BGP.line(r"timers bgp (?P<keepalive>\d+) (?P<hold>\d+)")(Bgp.set_timers)


@_PEER.line(r"timers (?P<keepalive>\d+) (?P<hold>\d+)")
def _timers(speaker: BgpTemplate, _: int, keepalive: str, hold: str) -> None:
    speaker.keepalive_s, speaker.hold_s = int(keepalive), int(hold)


@_PEER.line(r"address-family ipv4 unicast", inside=_PEER_FAMILY)
def _activate(speaker: BgpTemplate, _: int) -> None:
    speaker.activated = True


@_PEER_FAMILY.line(r"route-map (?P<policy>\S+) (?P<way>in|out)")
def _policy(speaker: BgpTemplate, _: int, policy: str, way: str) -> None:
    setattr(speaker, f"policy_{way}", policy)
