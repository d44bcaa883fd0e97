"""What the files of a switch say, written straight from its design: no template, no text."""

from __future__ import annotations

from ipaddress import ip_interface, ip_network

from fabric.design.model import DeviceDesign, HostPool
from fabric.design.port_model import PortDesign
from fabric.observe.configuration import (
    AddressLine,
    Bgp,
    Configured,
    ConfiguredPort,
    PolicyTerm,
    PrefixMatch,
)
from fabric.observe.configuration.model import Origination
from fabric.observe.configuration.vrfs import (
    ConfiguredEvpn,
    ConfiguredVrf,
    RedistributionLine,
    TargetLine,
)


def configured(design: DeviceDesign) -> Configured:
    """Return the files of a switch with tenants on routed ports; every line is 1."""
    own = Configured(design.platform, "synthetic", design.name)
    for port in design.ports:
        if port.enabled:
            own.ports[port.name] = _port(port)
    own.ports["Loopback0"] = ConfiguredPort(
        "Loopback0", 1, addresses=[_address(design.loopback + "/32")]
    )
    own.bgp = _bgp(design)
    own.prefix_lists["PL"] = [_pool(HostPool(design.bgp.loopback_pool, 32))]
    own.policies["RM"] = [PolicyTerm(permit=True, line=1, prefix_lists=["PL"])]
    for vrf in design.vrfs:
        target = [TargetLine(vrf.route_target, 1)]
        own.vrfs[vrf.name] = ConfiguredVrf(
            vrf.name,
            1,
            vni=vrf.vni,
            vni_line=1,
            route_distinguisher=vrf.route_distinguisher,
            imports=list(target),
            exports=list(target),
            advertises=True,
            redistributions=[RedistributionLine("connected", f"RM-{vrf.name}", 1)],
        )
        own.prefix_lists[f"PL-{vrf.name}"] = [_pool(pool) for pool in vrf.pools]
        own.policies[f"RM-{vrf.name}"] = [
            PolicyTerm(permit=True, line=1, prefix_lists=[f"PL-{vrf.name}"])
        ]
    own.evpn = ConfiguredEvpn(
        1,
        source="Loopback0" if design.evpn and design.evpn.source else "",
        peers=dict.fromkeys(own.bgp.peers, 1),
        keeps_next_hops=True,
        keeps_all_targets=True,
    )
    return own


def _port(port: PortDesign) -> ConfiguredPort:
    addresses = [_address(port.address)] if port.address else []
    return ConfiguredPort(port.name, 1, routed=True, addresses=addresses, vrf=port.vrf, vrf_line=1)


def _address(text: str) -> AddressLine:
    interface = ip_interface(text)
    return AddressLine(int(interface.ip), interface.network.prefixlen, 1)


def _pool(pool: HostPool) -> PrefixMatch:
    network = ip_network(pool.network)
    first = int(network.network_address)
    return PrefixMatch(
        permit=True,
        network=first,
        prefix_length=network.prefixlen,
        low=network.prefixlen,
        high=32,
        line=1,
    )


def _bgp(design: DeviceDesign) -> Bgp:
    bgp = Bgp(design.bgp.asn, 1, router_id=design.bgp.router_id, max_paths=design.bgp.max_paths)
    for neighbour in design.bgp.neighbours:
        bgp.peer(neighbour.session, 1).asn = neighbour.asn
    bgp.resolve()
    bgp.originations.append(Origination(None, "RM", 1))
    return bgp
