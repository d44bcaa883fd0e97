"""What the file of a switch would say if it said what was designed."""

from __future__ import annotations

from ipaddress import IPv4Interface
from typing import TYPE_CHECKING

from fabric.observe.configuration import (
    AddressLine,
    Aggregate,
    Bgp,
    BgpPeer,
    Configured,
    ConfiguredPort,
    Origination,
)
from fabric.observe.configuration.blocks import network
from fabric.observe.configuration.model import BITS

if TYPE_CHECKING:
    from fabric.design.model import DeviceDesign
    from fabric.design.port_model import PortDesign, VlanDesign

#: Name of the loopback interface; any would do, no cable leads to it.
_LOOPBACK = "Loopback0"


def designed(design: DeviceDesign) -> Configured:
    """Return a design in the form in which configurations are read; lines are 0."""
    switch = Configured(design.platform, "", name=design.name)
    loopback = IPv4Interface(design.loopback)
    switch.port(_LOOPBACK, 0).addresses.append(AddressLine(int(loopback.ip), BITS, 0))
    for port in design.ports:
        switch.ports[port.name] = _port(port)
    for vlan in design.vlans:
        switch.vlans[vlan.vlan] = 0
        switch.ports[f"Vlan{vlan.vlan}"] = _gateway(vlan)
    switch.bgp = _bgp(design, int(loopback.ip))
    return switch


def _address(text: str) -> AddressLine:
    interface = IPv4Interface(text)
    return AddressLine(int(interface.ip), interface.network.prefixlen, 0)


def _port(design: PortDesign) -> ConfiguredPort:
    port = ConfiguredPort(design.name, 0, enabled=design.enabled, mtu_bytes=design.mtu_bytes)
    port.routed = design.kind == "uplink" or bool(design.address)
    port.ipv6_link = port.routed and not design.address
    port.addresses = [_address(design.address)] if design.address else []
    port.vlan, port.vrf = design.vlan, design.vrf
    return port


def _gateway(vlan: VlanDesign) -> ConfiguredPort:
    port = ConfiguredPort(f"Vlan{vlan.vlan}", 0, mtu_bytes=vlan.mtu_bytes, gateway_vlan=vlan.vlan)
    port.addresses.append(_address(vlan.gateway_interface))
    port.vrf = vlan.vrf
    return port


def _bgp(design: DeviceDesign, loopback: int) -> Bgp | None:
    if not design.bgp.neighbours:
        return None
    bgp = Bgp(design.bgp.asn, 0, design.bgp.router_id, design.bgp.max_paths, relax=True)
    for peer in design.bgp.neighbours:
        bgp.peers[peer.session] = BgpPeer(
            0,
            asn=peer.asn,
            activated=True,
            allowas_in=design.bgp.allowas_in,
            tells_peer_as=True,
            session=peer.session,
            description=peer.name,
        )
    networks = [(loopback, BITS), *map(network, design.host_networks)]
    bgp.originations = [Origination(pair, "", 0) for pair in networks]
    bgp.aggregates = [Aggregate(*network(text), 0, hides=True) for text in design.summaries]
    return bgp
