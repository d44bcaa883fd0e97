"""VRFs, EVPN and tunnels of a Cumulus configuration.

Lines of a VRF are about that VRF alone. What no tenant needs there, such as a session, is not
understood.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from fabric.observe.configuration import ConfiguredPort, Leftover
from fabric.observe.configuration.blocks import static_route
from fabric.observe.configuration.defaults import holds
from fabric.observe.configuration.vrfs import LeakLine, RedistributionLine, TargetLine
from fabric.systems.cumulus.reading.model import LINES, RoutingLines, TenantLines

if TYPE_CHECKING:
    from fabric.observe.configuration.vrfs import ConfiguredEvpn

DEFAULT = "default"
_ON = ("on", "enabled")
_IPV4 = "ipv4-unicast"
#: What NVUE writes for any AS number, and FRR ``*`` (CumulusNetworks/docs, Inter-subnet Routing).
_ANY = "ANY:"


def tenant(reading: RoutingLines, name: str, line: int) -> TenantLines:
    """Return what lines say of a VRF; a new one at its first line.

    Raises
    ------
    ValueError
        When it is the default VRF.
    """
    if name == DEFAULT:
        raise ValueError(name)
    if name not in reading.vrfs:
        vrf = reading.switch.vrf(name, line)
        vrf.makes_targets = holds("cumulus", "targets")
        reading.vrfs[name] = TenantLines(vrf)
    return reading.vrfs[name]


def _evpn(reading: RoutingLines, line: int) -> ConfiguredEvpn:
    """Return EVPN and the tunnels, with what holds where no line says otherwise."""
    is_new = reading.switch.evpn is None
    evpn = reading.switch.open_evpn(line)
    if is_new:
        evpn.keeps_next_hops = evpn.keeps_all_targets = holds("cumulus", "kept_next_hops")
    return evpn


def _checked(state: str) -> None:
    """Check that something is on.

    Raises
    ------
    ValueError
        When it is off: what that does is not read.
    """
    if state not in _ON:
        raise ValueError(state)


@LINES.means("vrf")
def _vrf(reading: RoutingLines, line: int, vrf: str) -> None:
    tenant(reading, vrf, line)


@LINES.means("vrf_of_port")
def _vrf_of_port(reading: RoutingLines, line: int, name: str, vrf: str) -> None:
    port = reading.port(name, line)
    port.vrf, port.vrf_line = ("", 0) if vrf == DEFAULT else (vrf, line)


@LINES.means("vrf_evpn")
def _vrf_evpn(reading: RoutingLines, line: int, vrf: str, state: str) -> None:
    _checked(state)
    tenant(reading, vrf, line)


@LINES.means("vni")
def _vni(reading: RoutingLines, line: int, vrf: str, vni: str) -> None:
    own = tenant(reading, vrf, line).vrf
    if own.vni:
        raise ValueError("a second VNI")
    own.vni, own.vni_line = int(vni), line


@LINES.means("asn_of_vrf")
def _asn_of_vrf(reading: RoutingLines, line: int, vrf: str, asn: str) -> None:
    if vrf == DEFAULT:
        reading.asn, reading.bgp.line = int(asn), line
    else:
        tenant(reading, vrf, line).asn = int(asn)


@LINES.means("router_id_of_vrf")
def _router_id_of_vrf(reading: RoutingLines, line: int, vrf: str, router_id: str) -> None:
    if vrf == DEFAULT:
        reading.bgp.router_id = router_id
    else:
        tenant(reading, vrf, line)


@LINES.means("vrf_rd")
def _vrf_rd(reading: RoutingLines, line: int, vrf: str, distinguisher: str) -> None:
    tenant(reading, vrf, line).vrf.route_distinguisher = distinguisher


@LINES.means("vrf_export")
def _vrf_export(reading: RoutingLines, line: int, vrf: str, target: str) -> None:
    tenant(reading, vrf, line).vrf.exports += _targets(target, line)


@LINES.means("vrf_import")
def _vrf_import(reading: RoutingLines, line: int, vrf: str, target: str) -> None:
    tenant(reading, vrf, line).vrf.imports += _targets(target, line)


def _targets(target: str, line: int) -> list[TargetLine]:
    """Return the target of a line; none where the switch makes it."""
    if target == "auto":
        return []
    return [TargetLine(target.replace(_ANY, "*:"), line)]


@LINES.means("to_evpn")
def _to_evpn(reading: RoutingLines, line: int, vrf: str, family: str, state: str) -> None:
    own = tenant(reading, vrf, line).vrf
    if family == _IPV4:
        own.advertises = state in _ON


@LINES.means("to_evpn_policy")
def _to_evpn_policy(reading: RoutingLines, line: int, vrf: str, family: str, policy: str) -> None:
    if family != _IPV4:
        raise ValueError(family)
    tenant(reading, vrf, line).vrf.export_policy = policy


@LINES.means("static_vrf")
def _static_vrf(reading: RoutingLines, line: int, vrf: str, prefix: str, hop: str) -> None:
    route = static_route(prefix, hop, line)
    tenant(reading, vrf, line).vrf.static_routes.append(route)


@LINES.means("management")
def _management(reading: RoutingLines, line: int, name: str, vrf: str) -> None:
    port = reading.switch.management.setdefault(name, ConfiguredPort(name, line))
    port.vrf, port.vrf_line = ("", 0) if vrf == DEFAULT else (vrf, line)


@LINES.means("default_route")
def _default_route(reading: RoutingLines, line: int, vrf: str, family: str, state: str) -> None:
    own = tenant(reading, vrf, line).vrf
    if family == _IPV4 and state in _ON:
        own.redistributions.append(RedistributionLine("default", "", line))


@LINES.means("leaks")
def _leaks(reading: RoutingLines, line: int, vrf: str, family: str, state: str) -> None:
    _checked(state)
    if family != _IPV4:
        raise ValueError(family)
    tenant(reading, vrf, line)


@LINES.means("leak")
def _leak(reading: RoutingLines, line: int, vrf: str, family: str, leak: str) -> None:
    if family != _IPV4:
        raise ValueError(family)
    source = "" if leak == DEFAULT else leak
    tenant(reading, vrf, line).vrf.leaks.append(LeakLine(source, line))


@LINES.means("leak_policy")
def _leak_policy(reading: RoutingLines, line: int, vrf: str, family: str, policy: str) -> None:
    if family != _IPV4:
        raise ValueError(family)
    tenant(reading, vrf, line).leak_policy = policy


@LINES.means("evpn")
def _enabled(reading: RoutingLines, line: int, state: str) -> None:
    _checked(state)
    _evpn(reading, line)


@LINES.means("evpn_of_process")
def _evpn_of_process(reading: RoutingLines, line: int, state: str) -> None:
    _checked(state)
    _evpn(reading, line)


@LINES.means("tunnels")
def _tunnels(reading: RoutingLines, line: int, state: str) -> None:
    _checked(state)
    _tunnelled(reading, line)


def _tunnelled(reading: RoutingLines, line: int) -> ConfiguredEvpn:
    """Return EVPN and the tunnels, with what holds of the headers without a line."""
    evpn = _evpn(reading, line)
    if evpn.copies_ecn is None:
        evpn.copies_ecn = evpn.restores_ecn = holds("cumulus", "tunnel_ecn")
        evpn.copies_dscp = holds("cumulus", "tunnel_dscp")
        evpn.keeps_dscp = holds("cumulus", "inner_dscp")
    return evpn


@LINES.means("tunnel_source")
def _tunnel_source(reading: RoutingLines, line: int, address: str) -> None:
    evpn = _tunnelled(reading, line)
    evpn.source, evpn.source_line = address, line


@LINES.means("tunnel_dscp")
def _tunnel_dscp(reading: RoutingLines, line: int, action: str) -> None:
    _tunnelled(reading, line).copies_dscp = action == "copy"


@LINES.means("inner_dscp")
def _inner_dscp(reading: RoutingLines, line: int, action: str) -> None:
    _tunnelled(reading, line).keeps_dscp = action == "preserve"


def settle_vrfs(reading: RoutingLines) -> None:
    """Take back what needs a process that is off, and note an AS number of its own."""
    switch = reading.switch
    for own in reading.vrfs.values():
        vrf = own.vrf
        if own.leak_policy:
            vrf.leaks = [leak._replace(policy=own.leak_policy) for leak in vrf.leaks]
        if not own.routed:
            vrf.advertises, vrf.redistributions, vrf.leaks = False, [], []
        if own.asn is not None and own.asn != reading.asn:
            words = f"vrf {vrf.name} router bgp autonomous-system {own.asn}"
            switch.leftovers.append(Leftover(vrf.line, words))
    loopback = switch.ports.get("lo")
    for peer in switch.bgp.peers.values() if switch.bgp else ():
        if peer.local_address == "lo" and loopback and loopback.addresses:
            peer.local_address = loopback.addresses[0].text.partition("/")[0]
    switch.settle_evpn()
