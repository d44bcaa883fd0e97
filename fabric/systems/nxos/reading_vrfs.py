"""Cisco NX-OS: what a running configuration says of VRFs, EVPN and tunnels.

A VNI of a VRF works with ``vni N l3`` (10.3(2)F on), or with ``vni N``, a VLAN with that segment
and an interface of this VLAN in the VRF; and both ways as a member of ``nve1``, which is shut down
until ``no shutdown`` and learns by BGP only with ``host-reachability protocol bgp`` (Cisco Nexus
9000 VXLAN configuration guides 10.3(x) and 10.6(x)). ``auto`` as a target is the AS number and the
VNI. Targets travel as extended communities: a session without ``send-community extended`` has none.
Connected routes of a VRF go into EVPN by themselves, once its BGP has them. A port that is bound to
a VRF loses its addresses (batfish @ cba18733, test configuration nxos_vrf). The outer header has
DSCP and ECN of the inner one, and marks come back (besthub.dev, RoCEv2 over VXLAN, part 7; no page
of the vendor says so).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from fabric.observe.configuration import ConfiguredPort, Leftover
from fabric.observe.configuration.blocks import static_route
from fabric.observe.configuration.defaults import holds
from fabric.observe.configuration.model import number_text
from fabric.observe.configuration.vrfs import RedistributionLine, TargetLine

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from typing import Any

    from fabric.observe.configuration import BgpTemplate, Configured, PolicyTerm
    from fabric.observe.configuration.routes import Process
    from fabric.observe.configuration.vrfs import ConfiguredEvpn, ConfiguredVrf

#: Lines about the whole switch, as `Configured.global_lines` has them.
_EVPN, _OVERLAY, _SEGMENTS = (
    "nv overlay evpn",
    "feature nv overlay",
    "feature vn-segment-vlan-based",
)
_MEMBER = "nve1 member vni "
_UP, _BY_BGP = "nve1 no shutdown", "nve1 host-reachability protocol bgp"
_AUTO = "auto"
#: VRF of ``mgmt0``, without a line too (Cisco Nexus 9000 Unicast Routing guide, VRF).
_MANAGEMENT = "management"


class VlanLines(NamedTuple):
    """The VLANs that the lines of a section are about."""

    switch: Configured
    vlans: list[int]


def _overlay(switch: Configured, _: int, line: str, no: str | None) -> None:
    change = switch.global_lines.discard if no else switch.global_lines.add
    change(_EVPN if line == "evpn" else _OVERLAY)


def _vrf(switch: Configured, line: int, name: str) -> ConfiguredVrf:
    return switch.vrf(name, line)


def _management(switch: Configured, line: int, name: str) -> ConfiguredPort:
    port = ConfiguredPort(name, line, routed=True, vrf=_MANAGEMENT, vrf_line=line)
    return switch.management.setdefault(name, port)


def _management_vrf(port: ConfiguredPort, line: int, vrf: str) -> None:
    port.vrf, port.vrf_line = vrf, line


def _static_vrf(
    vrf: ConfiguredVrf,
    line: int,
    prefix: str,
    hop: str = "",
    port: str = "",
    egress: str | None = None,
) -> None:
    vrf.static_routes.append(static_route(prefix, port or hop, line, egress))


def _vni(vrf: ConfiguredVrf, line: int, vni: str, form: str | None = None) -> None:
    vrf.vni, vrf.vni_line, vrf.needs_vlan = int(vni), line, form is None


def _same(_: object, __: int) -> None:
    """Go on with the same target."""


def _target(vrf: ConfiguredVrf, line: int, way: str, target: str) -> None:
    if way != "export":
        vrf.imports.append(TargetLine(target, line))
    if way != "import":
        vrf.exports.append(TargetLine(target, line))


def _vlan_vni(vlan: VlanLines, _: int, vni: str) -> None:
    vlan.switch.global_lines |= {f"vlan {number} vn-segment {int(vni)}" for number in vlan.vlans}


def _vrf_member(port: ConfiguredPort, line: int, name: str) -> None:
    if not port.routed:
        raise ValueError("not a routed port")
    port.vrf, port.vrf_line = name, line
    port.addresses.clear()
    port.own_lines.clear()


def _tunnels(switch: Configured, line: int, name: str) -> None:  # noqa: ARG001
    evpn = switch.open_evpn(line)
    evpn.line = line
    evpn.copies_dscp = evpn.copies_ecn = evpn.restores_ecn = True


def _nve_up(switch: Configured, _: int) -> None:
    switch.global_lines.add(_UP)


def _nve_down(switch: Configured, _: int) -> None:
    switch.global_lines.discard(_UP)


def _reachability(switch: Configured, _: int, by: str) -> None:  # noqa: ARG001
    switch.global_lines.add(_BY_BGP)


def _tunnel_source(switch: Configured, line: int, port: str) -> None:
    evpn = switch.open_evpn(line)
    evpn.source, evpn.source_line = port, line


def _member(switch: Configured, line: int, vni: str, associated: str | None = None) -> None:
    if associated is None:
        raise ValueError("a VNI of a VLAN")
    switch.global_lines.add(f"{_MEMBER}{int(vni)} {line}")


def _unchanged(term: PolicyTerm, _: int, what: str) -> None:  # noqa: ARG001
    term.keeps_next_hop = True


def _process_evpn(process: Process, line: int) -> ConfiguredEvpn:
    return process.switch.open_evpn(line)


def _retain(evpn: ConfiguredEvpn, _: int) -> None:
    evpn.keeps_all_targets = True


def _vrf_process(process: Process, line: int, name: str) -> ConfiguredVrf:
    return process.switch.vrf(name, line)


def _vrf_family(vrf: ConfiguredVrf, _: int) -> None:
    vrf.advertises = True


def _redistribute_vrf(
    vrf: ConfiguredVrf, line: int, policy: str | None = None, kind: str = "direct"
) -> None:
    known = "connected" if kind == "direct" else kind
    vrf.redistributions.append(RedistributionLine(known, policy or "", line))


def _default_vrf(vrf: ConfiguredVrf, line: int) -> None:
    vrf.redistributions.append(RedistributionLine("default", "", line))


def _update_source(speaker: BgpTemplate, _: int, port: str) -> None:
    speaker.local_address = port


def _communities(speaker: BgpTemplate, _: int, which: str = "extended") -> None:
    if which != "standard":
        speaker.evpn = True


def _policy_evpn(speaker: BgpTemplate, _: int, policy: str, way: str) -> None:
    setattr(speaker, f"policy_{way}_evpn", policy)


def _allowas_in_evpn(speaker: BgpTemplate, _: int, often: str | None = None) -> None:
    if often is None:
        raise ValueError("how often holds without a number is not known here")
    speaker.allowas_in_evpn = int(often)


#: What lines mean, by the names of the book.
MEANINGS: dict[str, Callable[..., Any]] = {
    "overlay": _overlay,
    "vrf": _vrf,
    "management": _management,
    "management_vrf": _management_vrf,
    "static_vrf": _static_vrf,
    "vni": _vni,
    "af": _same,
    "target": _target,
    "vlan_vni": _vlan_vni,
    "vrf_member": _vrf_member,
    "tunnels": _tunnels,
    "nve_up": _nve_up,
    "nve_down": _nve_down,
    "reachability": _reachability,
    "tunnel_source": _tunnel_source,
    "member": _member,
    "unchanged": _unchanged,
    "process_evpn": _process_evpn,
    "retain": _retain,
    "vrf_process": _vrf_process,
    "vrf_family": _vrf_family,
    "redistribute_vrf": _redistribute_vrf,
    "default_vrf": _default_vrf,
    "update_source": _update_source,
    "activate_evpn": _same,
    "communities": _communities,
    "policy_evpn": _policy_evpn,
    "allowas_in_evpn": _allowas_in_evpn,
}


def settle(switch: Configured) -> None:
    """Say what the lines of VRFs and EVPN come to, once all of them are read."""
    for peer in switch.bgp.peers.values() if switch.bgp else ():
        peer.local_address = _address_of(switch, peer.local_address)
        terms = switch.policies.get(peer.policy_out_evpn or "", [])
        peer.keeps_next_hop = bool(terms) and all(term.keeps_next_hop for term in terms)
    switch.leftovers += _filters(switch)
    switch.settle_evpn()
    if switch.evpn:
        _settle_tunnels(switch, switch.evpn)
    for vrf in switch.vrfs.values():
        _settle_targets(vrf, switch.bgp.asn if switch.bgp else 0)


def _address_of(switch: Configured, port: str | None) -> str | None:
    """Return the address of a port that sessions begin at."""
    known = switch.ports.get(port or "")
    own = next((one for one in known.addresses if not one.is_ipv6), None) if known else None
    return number_text(own.address, is_ipv6=False) if own else port


def _filters(switch: Configured) -> Iterator[Leftover]:
    """Yield policies that do with routes what is not understood."""
    for peer in switch.bgp.peers.values() if switch.bgp else ():
        for name in filter(None, (peer.policy_in_evpn, peer.policy_out_evpn)):
            terms = switch.policies.get(name, [])
            if not terms or any(not term.permit or term.prefix_lists for term in terms):
                yield Leftover(peer.line, f"route-map {name} for EVPN routes of {peer.session}")
        for name in filter(None, (peer.policy_in, peer.policy_out)):
            if any(term.keeps_next_hop for term in switch.policies.get(name, [])):
                yield Leftover(peer.line, f"route-map {name} keeps next hops of {peer.session}")


def _settle_tunnels(switch: Configured, evpn: ConfiguredEvpn) -> None:
    lines = switch.global_lines
    if evpn.peers and _EVPN not in lines:
        switch.leftovers.append(Leftover(evpn.line, f"address-family l2vpn evpn without {_EVPN}"))
        evpn.peers.clear()
    if evpn.source and _OVERLAY not in lines:
        switch.leftovers.append(Leftover(evpn.source_line, f"interface nve1 without {_OVERLAY}"))
    is_up = _UP in lines or holds("nxos", "nve_up")
    evpn.source = _address_of(switch, evpn.source) or ""
    if not (is_up and {_OVERLAY, _BY_BGP} <= lines):
        evpn.source = ""
    used, members = {vrf.vni for vrf in switch.vrfs.values()}, _members(switch)
    for vni in members.keys() - used:
        switch.leftovers.append(Leftover(members[vni], f"member vni {vni}: no VRF has it"))
    for vrf in switch.vrfs.values():
        if vrf.vni not in members or not _has_vlan(switch, vrf):
            vrf.vni = 0


def _members(switch: Configured) -> dict[int, int]:
    """Return the VNIs of the tunnels, and the lines that name them."""
    texts = (line for line in switch.global_lines if line.startswith(_MEMBER))
    pairs = (line.removeprefix(_MEMBER).split() for line in texts)
    return {int(vni): int(line) for vni, line in pairs}


def _has_vlan(switch: Configured, vrf: ConfiguredVrf) -> bool:
    """Tell whether a VRF has a VLAN for its VNI, where it needs one."""
    segment = f" vn-segment {vrf.vni}"
    return not vrf.needs_vlan or any(
        port.vrf == vrf.name
        and port.enabled
        and f"vlan {port.gateway_vlan}{segment}" in switch.global_lines
        and _SEGMENTS in switch.global_lines
        for port in switch.ports.values()
        if port.gateway_vlan is not None
    )


def _settle_targets(vrf: ConfiguredVrf, asn: int) -> None:
    """Say what ``auto`` is."""
    for targets in (vrf.imports, vrf.exports):
        targets[:] = [
            one._replace(target=f"{asn}:{vrf.vni}") if one.target == _AUTO else one
            for one in targets
        ]
