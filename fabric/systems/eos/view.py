"""What the EOS templates cannot decide: groupings, words, and what one switch cannot express."""

from __future__ import annotations

from dataclasses import dataclass
from ipaddress import get_mixed_type_key, ip_address
from typing import TYPE_CHECKING

from fabric.core.errors import RenderError
from fabric.render.prefix_rules import prefix_rules
from fabric.systems.eos.platforms import DNX

if TYPE_CHECKING:
    from fabric.design.model import (
        BgpDesign,
        BgpNeighbour,
        DeviceDesign,
        VrfDesign,
    )
    from fabric.design.port_model import PortDesign
    from fabric.design.qos_model import QosProfile, Watchdog
    from fabric.platforms.model import Role

#: EOS has no action that keeps forwarding a stuck queue (pyavd 6.4.0 schema, arista-exp-eos-qos).
WATCHDOG_ACTIONS = {"drop": "drop", "alert": "notify-only"}
#: Peer group of the sessions with switches of a role.
PEER_GROUPS: dict[Role, str] = {
    "leaf": "LEAVES",
    "spine": "SPINES",
    "super-spine": "SUPER-SPINES",
}
#: Families of a session without addresses.
UNNUMBERED = ("ipv4", "ipv6")
FEC_WORDS = {
    "rs": "error-correction encoding reed-solomon",
    "fc": "error-correction encoding fire-code",
    "none": "no error-correction encoding",
}
PORT = "Ethernet"


@dataclass(frozen=True, slots=True)
class ProfileView:
    """A lossless policy as an EOS QoS profile.

    ``own_action`` is the watchdog action where this policy's watchdog is not that of the switch,
    else empty; ``silent`` says that the watchdog must be switched off on these ports.
    """

    name: str
    design: QosProfile
    watchdog: bool
    silent: bool
    own_action: str


@dataclass(frozen=True, slots=True)
class EosView:
    """What the EOS templates see.

    Parameters
    ----------
    peer_groups : dict of (role, families) to str
        Names of the groups of BGP sessions, by the role of the peer and their families of routes.
    evpn_groups : dict of role to str
        Names of the groups of EVPN sessions by the role of the peer.
    neighbours : tuple of (BgpNeighbour, str)
        Sessions with addresses and their groups, in the order of the addresses.
    dscp_to_traffic_class : tuple of (list of DSCP, traffic class)
        All 64 DSCPs, grouped by traffic class.
    traffic_class_to_queue : tuple of (traffic class, queue)
        The traffic classes that some DSCP reaches.
    watchdog : Watchdog or None
        Watchdog of the whole switch; None when no port has one.
    prefixes, prefixes6 : tuple of (sequence, rule)
        What may be originated into BGP, of IPv4 and of IPv6.
    tunnelled : tuple of VrfDesign
        VRFs of tenants whose packets go to other leaves.
    tenant_prefixes : tuple of (VRF, tuple of (sequence, rule))
        What may be announced of each of them.
    dnx : bool
        Whether the ASIC has virtual output queues.
    buffer_alpha : str
        Share of the free buffer that a lossless group may take; empty where nobody asks.
    cluster_ports : str
        Host ports of a leaf that places RoCE flows by itself; else empty.
    """

    device: DeviceDesign
    profiles: tuple[ProfileView, ...]
    ports: tuple[tuple[PortDesign, str, str], ...]
    dscp_to_traffic_class: tuple[tuple[tuple[int, ...], int], ...]
    traffic_class_to_queue: tuple[tuple[int, int], ...]
    watchdog: Watchdog | None
    watchdog_action: str
    peer_groups: dict[tuple[Role, tuple[str, ...]], str]
    evpn_groups: dict[Role, str]
    neighbours: tuple[tuple[BgpNeighbour, str], ...]
    prefixes: tuple[tuple[int, str], ...]
    prefixes6: tuple[tuple[int, str], ...]
    tunnelled: tuple[VrfDesign, ...]
    tenant_prefixes: tuple[tuple[str, tuple[tuple[int, str], ...]], ...]
    dnx: bool
    buffer_alpha: str
    cluster_ports: str


def view(device: DeviceDesign) -> EosView:
    """Return the view of a design.

    Raises
    ------
    RenderError
        When EOS has no word for the speed of a port.
    """
    base = device.qos_profiles[0]
    watched = [p.watchdog for p in device.qos_profiles if p.pfc and p.watchdog.enabled]
    common = watched[0] if watched else None
    profiles = tuple(_profile(profile, common) for profile in device.qos_profiles)
    groups, evpn_groups = _peer_groups(device.bgp), _evpn_groups(device)
    tunnelled = tuple(vrf for vrf in device.vrfs if vrf.vni)
    return EosView(
        device=device,
        profiles=profiles,
        ports=tuple(
            (port, profiles[port.qos.index].name if port.qos else "", _fec(port, device.name))
            for port in device.ports
        ),
        dscp_to_traffic_class=_grouped(base.dscp_to_traffic_class),
        traffic_class_to_queue=tuple(
            (number, base.traffic_class_to_queue[number])
            for number in sorted(set(base.dscp_to_traffic_class))
        ),
        watchdog=common,
        watchdog_action=WATCHDOG_ACTIONS[common.action] if common else "",
        peer_groups=groups,
        evpn_groups=evpn_groups,
        neighbours=(*_sorted_as_shown(device, groups, evpn_groups),),
        prefixes=prefix_rules(device.bgp.host_pools, loopbacks=device.bgp.loopback_pool),
        prefixes6=prefix_rules(device.bgp.host_pools6),
        tunnelled=tunnelled,
        tenant_prefixes=tuple((vrf.name, prefix_rules(vrf.pools)) for vrf in tunnelled),
        dnx=device.sku.asic_facts.law == DNX,
        buffer_alpha=_buffer_alpha(device),
        cluster_ports=_cluster_ports(device),
    )


def _buffer_alpha(device: DeviceDesign) -> str:
    """Return the word for dynamic_th: ``1/4`` for -2, ``4`` for 2."""
    asked = {profile.dynamic_th for profile in device.qos_profiles if profile.pfc}
    if asked <= {None} or device.sku.asic_facts.law == DNX:
        return ""
    alpha = next(alpha for alpha in asked if alpha is not None)
    return str(2**alpha) if alpha >= 0 else f"1/{2**-alpha}"


def _cluster_ports(device: DeviceDesign) -> str:
    if device.ecmp_mode != "cluster":
        return ""
    ports = [port.name.removeprefix(PORT) for port in device.ports if port.kind == "host"]
    return f"{PORT}{','.join(ports)}" if ports else ""


def _profile(profile: QosProfile, common: Watchdog | None) -> ProfileView:
    watchdog = profile.pfc and profile.watchdog.enabled
    differs = watchdog and profile.watchdog != common
    return ProfileView(
        name=f"ROCE{profile.suffix}",
        design=profile,
        watchdog=watchdog,
        silent=profile.pfc and not watchdog and common is not None,
        own_action=WATCHDOG_ACTIONS[profile.watchdog.action] if differs else "",
    )


def _fec(port: PortDesign, device: str) -> str:
    if port.kind != "unused" and not port.speed_token:
        raise RenderError(
            f"{device}: {port.name}: {port.speed_gbps} Gb/s has no known EOS speed keyword"
        )
    return FEC_WORDS[port.fec] if port.fec else ""


def _peer_groups(bgp: BgpDesign) -> dict[tuple[Role, tuple[str, ...]], str]:
    """Return the peer group of each role among the neighbours, the nearest to the hosts first.

    Sessions with addresses have a separate group for each family where others of their role have
    no addresses: only these originate IPv6 next hops.
    """
    kinds = {(peer.role, peer.families) for peer in bgp.neighbours}
    groups: dict[tuple[Role, tuple[str, ...]], str] = {}
    for role, name in PEER_GROUPS.items():
        ending = "-NUMBERED" if (role, UNNUMBERED) in kinds else ""
        names = {UNNUMBERED: name, ("ipv4",): f"{name}{ending}", ("ipv6",): f"{name}-IPV6"}
        groups |= {(role, each): own for each, own in names.items() if (role, each) in kinds}
    return groups


def _evpn_groups(device: DeviceDesign) -> dict[Role, str]:
    """Return the peer group of the EVPN sessions with each role."""
    roles = {peer.role for peer in device.loopback_sessions}
    return {role: f"EVPN-{name}" for role, name in PEER_GROUPS.items() if role in roles}


def _sorted_as_shown(
    device: DeviceDesign,
    groups: dict[tuple[Role, tuple[str, ...]], str],
    evpn_groups: dict[Role, str],
) -> list[tuple[BgpNeighbour, str]]:
    """Return sessions with addresses in the order of these, in which EOS shows them."""
    numbered = (peer for peer in device.bgp.neighbours if not peer.unnumbered)
    both = [
        *((peer, groups[peer.role, peer.families]) for peer in numbered),
        *((peer, evpn_groups[peer.role]) for peer in device.loopback_sessions),
    ]
    return sorted(both, key=lambda entry: get_mixed_type_key(ip_address(entry[0].address)))


def _grouped(classes: tuple[int, ...]) -> tuple[tuple[tuple[int, ...], int], ...]:
    return tuple(
        (tuple(dscp for dscp, item in enumerate(classes) if item == number), number)
        for number in sorted(set(classes))
    )
