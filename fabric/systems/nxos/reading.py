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

What it says of VRFs and tunnels is read by `fabric.systems.nxos.reading_vrfs`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from fabric.observe.configuration import (
    Bgp,
    BgpPeer,
    Discard,
    Leftover,
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
from fabric.observe.configuration.port_lines import add_address6, give_address
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
from fabric.systems.nxos.reading_vrfs import MEANINGS, VlanLines, settle
from fabric.systems.nxos.texts import text_ends

if TYPE_CHECKING:
    from collections.abc import Mapping

    from fabric.observe.configuration import BgpTemplate, Configured, ConfiguredPort

#: Kind of the file that ``render`` writes.
FILE = "running-config"

#: Makes a port without `switchport` a routed one.
_ROUTED_PORTS = "no system default switchport"
#: Whether a port works without a line, by whether it is routed.
_UP = ("switched_port_up", "routed_port_up")

#: Lines of a port that sessions over it need, by their last words.
_LINK_LINES = {"forward", "use-link-local-only"}

_LINES = BookReader("nxos", "routing", "no")
for _name, _action in MEANINGS.items():
    _LINES.means(_name)(_action)


@readers.add("nxos")
def read(files: Mapping[str, str]) -> Configured:
    """Return what an NX-OS configuration says; BGP and gateways need their ``feature``."""
    switch = read_blocks("nxos", FILE, files[FILE], _LINES.top, text_ends)
    features = switch.global_lines
    if switch.bgp and "feature bgp" not in features:
        switch.leftovers.append(Leftover(switch.bgp.line, "router bgp without feature bgp"))
        switch.bgp = None
    for port in [port for port in switch.ports.values() if port.gateway_vlan is not None]:
        if "feature interface-vlan" not in features:
            words = f"interface {port.name} without feature interface-vlan"
            switch.leftovers.append(Leftover(port.line, words))
            del switch.ports[port.name]
    settle(switch)
    for port in switch.ports.values():
        port.ipv6_link = bool(port.routed) and port.own_lines >= _LINK_LINES
        port.shares_link_address = port.ipv6_link and "use-bia" not in port.own_lines
    return switch


@_LINES.means("feature")
def _feature(switch: Configured, _: int, name: str, no: str | None) -> None:
    change = switch.global_lines.discard if no else switch.global_lines.add
    change(f"feature {name}")


@_LINES.means("routed_ports")
def _routed_ports(switch: Configured, _: int) -> None:
    if any(name.startswith("Ethernet") for name in switch.ports):
        raise ValueError("it stands behind the ports that it is about")
    switch.global_lines.add(_ROUTED_PORTS)


@_LINES.means("vlans")
def _vlans(switch: Configured, line: int, vlans: str) -> VlanLines:
    listed = numbers(vlans)
    for vlan in listed:
        switch.vlans[vlan] = line
    return VlanLines(switch, listed)


@_LINES.means("interface")
def _interface(switch: Configured, line: int, name: str) -> ConfiguredPort:
    if "." in name:
        raise ValueError("a part of a port")
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


@_LINES.means("switchport")
def _switchport(port: ConfiguredPort, _: int, *, routed: bool = False) -> None:
    if port.routed is not routed:
        port.routed, port.enabled = routed, holds("nxos", _UP[routed])


@_LINES.means("no_switchport")
def _no_switchport(port: ConfiguredPort, line: int) -> None:
    _switchport(port, line, routed=True)


@_LINES.means("own_line")
def _own_line(port: ConfiguredPort, _: int, line: str) -> None:
    port.own_lines.add(line)


_LINES.means("address")(give_address)
_LINES.means("address6")(add_address6)


@_LINES.means("access")
def _access(port: ConfiguredPort, _: int, vlans: str) -> None:
    if port.routed:
        raise ValueError("not a switched port")
    port.routed = False
    port.vlan = int(vlans)


@_LINES.means("match")
def _match(term: PolicyTerm, _: int, names: str) -> None:
    term.prefix_lists += names.split()


@_LINES.means("match6")
def _match6(term: PolicyTerm, _: int, names: str) -> None:
    term.prefix_lists6 += names.split()


@_LINES.means("static")
def _static(switch: Configured, line: int, prefix: str, hop: str) -> None:
    to = Discard() if hop.lower() == "null0" else address_line(hop, "32", line).address
    switch.static_routes.append(StaticRoute(*network(prefix), to, line))


@_LINES.means("bgp")
def _bgp(switch: Configured, line: int, asn: str) -> Bgp:
    active = holds("nxos", "ipv4_unicast")
    bgp = Process(int(asn), line, active_by_default=active, tells_by_default=False, max_paths6=1)
    bgp.switch = switch
    return switch.open_bgp(bgp)


@_LINES.means("template")
def _template(bgp: Bgp, line: int, name: str) -> BgpTemplate:
    return bgp.group(name, line)


@_LINES.means("neighbour")
def _neighbour(bgp: Bgp, line: int, session: str, asn: str | None = None) -> BgpTemplate:
    peer = bgp.peer(session, line)
    peer.asn = int(asn) if asn else peer.asn
    return peer


@_LINES.means("inherit")
def _inherit(speaker: BgpTemplate, _: int, name: str) -> None:
    if not isinstance(speaker, BgpPeer):
        raise TypeError("a template of a template")
    speaker.group = name


@_LINES.means("peer_description")
def _peer_description(speaker: BgpTemplate, _: int, text: str) -> None:
    if isinstance(speaker, BgpPeer):
        speaker.description = text


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


@_LINES.means("timers")
def _timers(speaker: BgpTemplate, _: int, keepalive: str, hold: str) -> None:
    speaker.keepalive_s, speaker.hold_s = int(keepalive), int(hold)


@_LINES.means("activate")
def _activate(speaker: BgpTemplate, _: int, family: str) -> Routes[BgpTemplate]:
    routes = Routes(speaker, family == "ipv6")
    routes.set("activated", value=True)
    return routes


@_LINES.means("tells_peer_as")
def _tells_peer_as(routes: Routes[BgpTemplate], _: int) -> None:
    routes.of.tells_peer_as = True


@_LINES.means("allowas_in")
def _allowas_in(routes: Routes[BgpTemplate], _: int, often: str | None = None) -> None:
    if often is None:
        raise ValueError("how often holds without a number is not known here")
    routes.set("allowas_in", int(often))
