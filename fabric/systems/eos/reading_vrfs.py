"""Arista EOS: what a configuration says of VRFs, EVPN and tunnels.

Lines of a VRF below ``router bgp`` are about that VRF alone. What no tenant needs there, such as a
session, is not understood.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from fabric.observe.configuration import Bgp, Configured, ConfiguredPort
from fabric.observe.configuration.blocks import DEFAULT_VRF, static_route
from fabric.observe.configuration.defaults import holds
from fabric.observe.configuration.vrfs import ConfiguredVrf, RedistributionLine, TargetLine
from fabric.systems.eos.line_table import LINES

if TYPE_CHECKING:
    from fabric.observe.configuration.routes import Process
    from fabric.observe.configuration.vrfs import ConfiguredEvpn


def settle_vrfs(switch: Configured) -> None:
    """Say which sessions carry EVPN, and put addresses where lines name a port."""
    for peer in switch.bgp.peers.values() if switch.bgp else ():
        if peer.sends_targets is None:
            peer.sends_targets = holds("eos", "targets_sent")
        peer.local_address = _address_of(switch, peer.local_address or "") or None
    for vrf in switch.vrfs.values():
        vrf.routes = vrf.routes and vrf.exists
    switch.settle_evpn()
    if switch.evpn:
        switch.evpn.source = _address_of(switch, switch.evpn.source)


def _address_of(switch: Configured, name: str) -> str:
    """Return the IPv4 address of a port, or the name where it has none."""
    port = switch.ports.get(name)
    own = (entry.text for entry in port.addresses if not entry.is_ipv6) if port else iter(())
    return next(own, name).partition("/")[0] if port else name


@LINES.means("vrf")
def _vrf(switch: Configured, line: int, name: str) -> ConfiguredVrf:
    vrf = _named(switch, line, name)
    vrf.line, vrf.exists = line, True
    return vrf


def _named(switch: Configured, line: int, name: str) -> ConfiguredVrf:
    """Return a VRF, which routes nothing before a line says so."""
    if name not in switch.vrfs:
        vrf = switch.vrf(name, line)
        vrf.routes, vrf.exists = holds("eos", "routing_vrf"), False
    return switch.vrfs[name]


@LINES.means("routing_vrf")
def _routing_vrf(switch: Configured, line: int, name: str, no: str | None) -> None:
    _named(switch, line, name).routes = not no


@LINES.means("static_vrf")
def _static_vrf(
    switch: Configured,
    line: int,
    prefix: str,
    name: str = DEFAULT_VRF,
    hop: str = "",
    port: str = "",
    egress: str | None = None,
) -> None:
    owner = switch if name == DEFAULT_VRF else _named(switch, line, name)
    owner.static_routes.append(static_route(prefix, port or hop, line, egress))


@LINES.means("management")
def _management(switch: Configured, line: int, name: str) -> ConfiguredPort:
    return switch.management.setdefault(name, ConfiguredPort(name, line))


@LINES.means("vrf_of_port")
def _vrf_of_port(port: ConfiguredPort, line: int, vrf: str) -> None:
    port.vrf, port.vrf_line = vrf, line


@LINES.means("tunnels")
def _tunnels(switch: Configured, line: int) -> None:
    """Return the switch: lines inside name its VRFs."""
    evpn = switch.open_evpn(line)
    evpn.copies_dscp = holds("eos", "tunnel_dscp")
    evpn.copies_ecn = evpn.restores_ecn = holds("eos", "tunnel_ecn")
    evpn.takes_outer_class = holds("eos", "tunnel_class")


@LINES.means("tunnel_source")
def _tunnel_source(switch: Configured, line: int, port: str) -> None:
    evpn = switch.open_evpn(line)
    evpn.source, evpn.source_line = port, line


@LINES.means("vni")
def _vni(switch: Configured, line: int, name: str, vni: str) -> None:
    vrf = _named(switch, line, name)
    vrf.vni, vrf.vni_line = int(vni), line


@LINES.means("tunnel_ecn")
def _tunnel_ecn(switch: Configured, line: int) -> None:
    evpn = switch.open_evpn(line)
    evpn.copies_ecn = evpn.restores_ecn = True


@LINES.means("tunnel_dscp")
def _tunnel_dscp(switch: Configured, line: int) -> None:
    switch.open_evpn(line).copies_dscp = True


@LINES.means("tunnel_class")
def _tunnel_class(switch: Configured, line: int) -> None:
    switch.open_evpn(line).takes_outer_class = True


@LINES.means("keeps_next_hop")
def _keeps_next_hop(bgp: Bgp, line: int, name: str) -> None:
    bgp.speaker(name, line).keeps_next_hop = True


@LINES.means("update_source")
def _update_source(bgp: Bgp, line: int, name: str, port: str) -> None:
    bgp.speaker(name, line).local_address = port


@LINES.means("communities")
def _communities(bgp: Bgp, line: int, name: str, which: str = "extended") -> None:
    """Targets are extended communities; without a word all kinds are sent."""
    bgp.speaker(name, line).sends_targets = "extended" in which.split()


@LINES.means("multihop")
def _multihop(bgp: Bgp, line: int, name: str, hops: str | None = None) -> None:
    bgp.speaker(name, line).hops = int(hops or _MOST_HOPS)


#: Without a number: as far as a packet goes (Arista EOS manual, neighbor ebgp-multihop).
_MOST_HOPS = 255


@LINES.means("evpn")
def _evpn(bgp: Process, line: int) -> None:
    """Return the process: the lines inside are about its EVPN routes."""
    evpn: ConfiguredEvpn = bgp.switch.open_evpn(line)
    evpn.keeps_all_targets = holds("eos", "all_targets")


@LINES.means("activate_evpn")
def _activate_evpn(bgp: Bgp, line: int, name: str, no: str | None) -> None:
    bgp.speaker(name, line).evpn = not no


@LINES.means("bgp_vrf")
def _bgp_vrf(bgp: Process, line: int, name: str) -> ConfiguredVrf:
    return _named(bgp.switch, line, name)


@LINES.means("vrf_rd")
def _vrf_rd(vrf: ConfiguredVrf, _: int, distinguisher: str) -> None:
    """Routes of the VRF are in EVPN: Batfish wants this line and targets for that."""
    vrf.route_distinguisher, vrf.advertises = distinguisher, True


@LINES.means("vrf_import")
def _vrf_import(vrf: ConfiguredVrf, line: int, target: str) -> None:
    vrf.imports.append(TargetLine(target, line))


@LINES.means("vrf_export")
def _vrf_export(vrf: ConfiguredVrf, line: int, target: str) -> None:
    vrf.exports.append(TargetLine(target, line))


@LINES.means("vrf_redistribute")
def _vrf_redistribute(vrf: ConfiguredVrf, line: int, kind: str, policy: str | None = None) -> None:
    vrf.redistributions.append(RedistributionLine(kind, policy or "", line))
