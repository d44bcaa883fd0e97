"""Enterprise SONiC: what a running configuration says of VRFs, EVPN and tunnels.

A VNI works with a VLAN and a VRF behind it, whose interface ``Vlan`` is in the VRF, and once BGP
says ``advertise-all-vni`` (sonic-net/SONiC @ 98de38fd doc/vxlan/EVPN/EVPN_VXLAN_HLD.md). Static
routes are spelled as in doc/static-route/SONiC_static_route_hdl.md there (section 3.6.2). Without
targets FRR makes them: the AS number and the VNI, and any AS number with the VNI where it imports.
EVPN routes go on with their next hop, whatever their targets are (seen with FRR 8.4.4). A session
without a policy in a direction passes no EVPN route in it either (RFC 8212 section 2). The outer
header has DSCP 0 without ``qos-mode uniform`` (ansible-collections/dellemc.enterprise_sonic @
9851e680 sonic_vxlans); what becomes of ECN no source tells.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from fabric.observe.configuration import ConfiguredPort, Leftover
from fabric.observe.configuration.blocks import static_route
from fabric.observe.configuration.defaults import holds
from fabric.observe.configuration.model import number_text
from fabric.observe.configuration.vrfs import LeakLine, RedistributionLine, TargetLine

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from typing import Any

    from fabric.observe.configuration import BgpPeer, BgpTemplate, Configured
    from fabric.observe.configuration.routes import Process
    from fabric.observe.configuration.vrfs import ConfiguredEvpn, ConfiguredVrf

#: Lines about the whole switch, as `Configured.global_lines` has them.
_ALL_VNIS = "advertise-all-vni"


def _vrf(switch: Configured, line: int, name: str) -> ConfiguredVrf:
    vrf = switch.vrf(name, line)
    vrf.makes_targets = True
    return vrf


def _static_vrf(
    switch: Configured,
    line: int,
    name: str,
    prefix: str,
    hop: str = "",
    port: str = "",
    egress: str | None = None,
) -> None:
    route = static_route(prefix, "".join(port.split()) or hop, line, egress)
    _vrf(switch, line, name).static_routes.append(route)


def _management(switch: Configured, line: int, name: str) -> ConfiguredPort:
    name = "".join(name.split())
    return switch.management.setdefault(name, ConfiguredPort(name, line))


def _management_vrf(port: ConfiguredPort, line: int, vrf: str) -> None:
    port.vrf, port.vrf_line = vrf, line


def _vrf_forwarding(port: ConfiguredPort, line: int, name: str) -> None:
    if port.vlan is not None:
        raise ValueError("a switched port")
    if port.addresses:
        raise ValueError("it has addresses")
    port.vrf, port.vrf_line = name, line


def _tunnels(switch: Configured, line: int, name: str) -> None:  # noqa: ARG001
    evpn = _evpn(switch, line)
    evpn.line = line
    evpn.copies_dscp = holds("esonic", "tunnel_dscp")


def _evpn(switch: Configured, line: int) -> ConfiguredEvpn:
    evpn = switch.open_evpn(line)
    evpn.keeps_next_hops = evpn.keeps_all_targets = True
    return evpn


def _tunnel_source(switch: Configured, line: int, address: str) -> None:
    evpn = _evpn(switch, line)
    evpn.source, evpn.source_line = address, line


def _uniform(switch: Configured, line: int) -> None:
    _evpn(switch, line).copies_dscp = True


def _vni_vlan(switch: Configured, _: int, vni: str, vlan: str) -> None:
    switch.global_lines.add(f"map vni {int(vni)} vlan {int(vlan)}")


def _vni_vrf(switch: Configured, line: int, vni: str, name: str) -> None:
    vrf = _vrf(switch, line, name)
    vrf.vni, vrf.vni_line, vrf.needs_vlan = int(vni), line, True


def _process_evpn(process: Process, line: int) -> Process:
    _evpn(process.switch, line)
    return process


def _all_vnis(process: Process, _: int) -> None:
    process.switch.global_lines.add(_ALL_VNIS)


def _vrf_process(switch: Configured, line: int, name: str, asn: str) -> ConfiguredVrf:
    if switch.bgp and switch.bgp.asn != int(asn):
        raise ValueError("another AS number than that of the process")
    return _vrf(switch, line, name)


def _same(_: object, __: int) -> None:
    """Go on with the same target."""


def _redistribute_vrf(
    vrf: ConfiguredVrf, line: int, policy: str | None = None, kind: str = "connected"
) -> None:
    vrf.redistributions.append(RedistributionLine(kind, policy or "", line))


def _default_vrf(vrf: ConfiguredVrf, line: int) -> None:
    vrf.redistributions.append(RedistributionLine("default", "", line))


def _leak(vrf: ConfiguredVrf, line: int, name: str) -> None:
    policy = next((one.policy for one in vrf.leaks), "")
    vrf.leaks.append(LeakLine("" if name == "default" else name, line, policy))


def _leak_policy(vrf: ConfiguredVrf, _: int, policy: str) -> None:
    if not vrf.leaks:
        raise ValueError("a policy of leaks that stands before them")
    vrf.leaks[:] = [one._replace(policy=policy) for one in vrf.leaks]


def _target(vrf: ConfiguredVrf, line: int, way: str, target: str) -> None:
    (vrf.imports if way == "import" else vrf.exports).append(TargetLine(target, line))


def _policy_evpn(peer: BgpTemplate, _: int, policy: str, way: str) -> None:
    setattr(peer, f"policy_{way}_evpn", policy)


def _allowas_in_evpn(peer: BgpTemplate, _: int, often: str) -> None:
    peer.allowas_in_evpn = int(often)


#: What lines mean, by the names of the book.
MEANINGS: dict[str, Callable[..., Any]] = {
    "vrf": _vrf,
    "static_vrf": _static_vrf,
    "management": _management,
    "management_vrf": _management_vrf,
    "vrf_forwarding": _vrf_forwarding,
    "tunnels": _tunnels,
    "tunnel_source": _tunnel_source,
    "uniform": _uniform,
    "vni_vlan": _vni_vlan,
    "vni_vrf": _vni_vrf,
    "process_evpn": _process_evpn,
    "all_vnis": _all_vnis,
    "vrf_process": _vrf_process,
    "vrf_family": _same,
    "redistribute_vrf": _redistribute_vrf,
    "default_vrf": _default_vrf,
    "leak": _leak,
    "leak_policy": _leak_policy,
    "target": _target,
    "evpn_of_peer": _same,
    "policy_evpn": _policy_evpn,
    "allowas_in_evpn": _allowas_in_evpn,
}


def settle(switch: Configured) -> None:
    """Say what the lines of VRFs and EVPN come to, once all of them are read."""
    peers = [*switch.bgp.peers.values()] if switch.bgp else []
    for peer in peers:
        if peer.evpn:
            _evpn(switch, peer.line)
        peer.evpn = bool(peer.evpn and peer.policy_in_evpn and peer.policy_out_evpn)
        switch.leftovers += _filters(switch, peer)
    switch.settle_evpn()
    if switch.evpn:
        evpn = _evpn(switch, switch.evpn.line)
        evpn.source = _address_of(switch, evpn.source)
        for vrf in switch.vrfs.values():
            if _ALL_VNIS not in switch.global_lines or not _has_vlan(switch, vrf):
                vrf.vni = 0


def _address_of(switch: Configured, port: str) -> str:
    """Return the address of a port that tunnels begin at; an address is what it is."""
    known = switch.ports.get(port)
    own = next((one for one in known.addresses if not one.is_ipv6), None) if known else None
    return number_text(own.address, is_ipv6=False) if own else port


def _filters(switch: Configured, peer: BgpPeer) -> Iterator[Leftover]:
    """Yield policies that drop EVPN routes, or that do with them what is not understood."""
    for name in filter(None, (peer.policy_in_evpn, peer.policy_out_evpn)):
        terms = switch.policies.get(name, [])
        if not terms or any(not term.permit or term.prefix_lists for term in terms):
            yield Leftover(peer.line, f"route-map {name} for EVPN routes of {peer.session}")


def _has_vlan(switch: Configured, vrf: ConfiguredVrf) -> bool:
    """Tell whether a VRF has a VLAN for its VNI."""
    head = f"map vni {vrf.vni} vlan "
    vlans = [line.removeprefix(head) for line in switch.global_lines if line.startswith(head)]
    gateways = (switch.ports.get(f"Vlan{vlan}") for vlan in vlans)
    return any(port.vrf == vrf.name and port.enabled for port in gateways if port)
