"""Which sessions of a switch carry the EVPN routes of tenants, and the prefixes of its VRFs."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from fabric.design.model import DeviceDesign, VrfDesign


def evpn_sessions(device: DeviceDesign) -> tuple[str, ...]:
    """Return the sessions of the underlay that carry EVPN too: one for each cable.

    There are none where sessions between loopbacks carry it.
    """
    if device.evpn is None or device.loopback_sessions:
        return ()
    by_port: dict[str, str] = {}
    for peer in device.bgp.neighbours:
        by_port.setdefault(peer.port, peer.session)
    return tuple(by_port.values())


def tunnelled(device: DeviceDesign) -> tuple[VrfDesign, ...]:
    """Return the VRFs whose packets go to other leaves."""
    return tuple(vrf for vrf in device.vrfs if vrf.vni)


def with_bgp(device: DeviceDesign) -> tuple[VrfDesign, ...]:
    """Return the VRFs that BGP has routes of: those with a VNI, and those that share a service."""
    return tuple(vrf for vrf in device.vrfs if vrf.vni or vrf.imports)


def relays_evpn(device: DeviceDesign) -> bool:
    """Tell whether a switch hands EVPN routes on, and has no tunnel of its own."""
    return device.evpn is not None and not device.evpn.source
