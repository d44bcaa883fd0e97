"""What the NVUE templates cannot decide: the deltas to the RoCE recipe, words, and what cannot be.

``nv set qos roce`` stands for a whole policy: DSCP n has switch priority n / 8; switch priority 3
is RoCE in traffic class 3, 6 is CNPs in the strict traffic class 6, all others share traffic class
0; PFC acts on switch priority 3; ECN marks in traffic classes 0 and 3 (CumulusNetworks/docs,
content/cumulus-linux-514, RDMA over Converged Ethernet). Only what the policy wants otherwise is
written out; the thresholds of ECN always are, since the guide gives two figures for them.
"""

from __future__ import annotations

from dataclasses import dataclass
from ipaddress import ip_network
from itertools import count
from typing import TYPE_CHECKING, TypeAlias

from fabric.core.errors import RenderError
from fabric.core.units import ms_to_s
from fabric.platforms.features import marking_unit
from fabric.qos.ecn.edge import to_units
from fabric.systems.cumulus import platforms as cumulus
from fabric.systems.cumulus.platforms.words import DEFAULT_RELEASE, words

if TYPE_CHECKING:
    from fabric.design.model import BgpNeighbour, DeviceDesign, VrfDesign
    from fabric.design.port_model import PortDesign
    from fabric.design.qos_model import QosProfile, Watchdog
    from fabric.intent.classes import LosslessClass
    from fabric.systems.cumulus.platforms.words import Words

#: FEC of the inventory -> NVUE (514 Switch Port Attributes); automatic is left unset.
FEC_WORDS = {"rs": "rs", "fc": "baser", "none": "off"}
BEST_EFFORT = 0
#: Bound of a prefix list: networks of any length inside.
LONGEST = "max-prefix-len 32"
#: Number of a rule of a prefix list, its network, and the bounds of its length.
PrefixRule: TypeAlias = "tuple[int, str, tuple[str, ...]]"


@dataclass(frozen=True, slots=True)
class PortView:
    """A port with its words; ``watched`` says whether the PFC watchdog runs on it."""

    design: PortDesign
    state: str
    speed: str
    fec: str
    description: str
    watched: bool


@dataclass(frozen=True, slots=True)
class Marking:
    """Thresholds of a traffic class, in bytes."""

    traffic_class: int
    kmin: int
    kmax: int
    pmax: int


@dataclass(frozen=True, slots=True)
class CumulusView:
    """What the NVUE templates see.

    Parameters
    ----------
    words : Words
        Vocabulary of the release.
    roce_mode : str
        ``lossless``, or ``lossy`` where PFC is off.
    dscp_to_priority, priority_to_traffic_class, shares : tuple of pairs
        What differs from the recipe; shares in percent by traffic class.
    marking : tuple of Marking
        Thresholds of each lossless traffic class.
    pfc_priorities : tuple of int
        Switch priorities that PFC acts on, where they are not that of the recipe.
    cable_m : int or None
        Longest cable of a lossless port: there is one length for the whole switch.
    alpha : str
        Dynamic threshold of the lossless buffer where it is not the default, else empty.
    robustness : int or None
        Polls until the watchdog acts; None when no port is watched.
    tunnels : bool
        Whether packets of tenants go to other leaves.
    routed_vrfs : tuple of VrfDesign
        VRFs with a BGP process: those with tunnels, and those that have routes of others.
    tenant_prefixes : tuple of (VRF, tuple of (rule, network, bounds))
        What may be announced of each of them.
    evpn_sessions : tuple of BgpNeighbour
        Sessions that carry EVPN routes.
    """

    words: Words
    ports: tuple[PortView, ...]
    families: tuple[tuple[str, tuple[str, ...], tuple[str, ...]], ...]
    roce_mode: str
    dscp_to_priority: tuple[tuple[int, int], ...]
    priority_to_traffic_class: tuple[tuple[int, int], ...]
    shares: tuple[tuple[int, int], ...]
    marking: tuple[Marking, ...]
    pfc_priorities: tuple[int, ...]
    cable_m: int | None
    alpha: str
    watchdog: Watchdog
    robustness: int | None
    reachable_s: int
    tunnels: bool
    routed_vrfs: tuple[VrfDesign, ...]
    tenant_prefixes: tuple[tuple[str, tuple[PrefixRule, ...]], ...]
    evpn_sessions: tuple[BgpNeighbour, ...]


def view(device: DeviceDesign) -> CumulusView:
    """Return the view of a design.

    Raises
    ------
    RenderError
        When the release of the switch model is not known.
    """
    policy = device.qos_profiles[0]
    routed_vrfs = tuple(vrf for vrf in device.vrfs if vrf.vni or vrf.imports)
    ports = tuple(_port(port) for port in device.ports)
    watched = any(port.watched for port in ports)
    settings = {port.headroom.setting_m for port in device.ports if port.headroom}
    return CumulusView(
        words=_words(device),
        ports=ports,
        families=_families(device),
        roce_mode="lossless" if policy.pfc else "lossy",
        dscp_to_priority=_dscp_deltas(policy),
        priority_to_traffic_class=_priority_deltas(policy),
        shares=_share_deltas(policy),
        marking=tuple(_marking(one) for one in policy.classes),
        pfc_priorities=policy.paused if policy.paused != (cumulus.ROCE_PRIORITY,) else (),
        cable_m=max(settings, default=None),
        alpha=_alpha(device),
        watchdog=policy.watchdog,
        robustness=policy.watchdog.detection_ms // policy.watchdog.poll_ms if watched else None,
        reachable_s=int(ms_to_s(device.neighbours.base_reachable_time_ms)),
        tunnels=any(vrf.vni for vrf in device.vrfs),
        routed_vrfs=routed_vrfs,
        tenant_prefixes=tuple((vrf.name, _prefix_rules(vrf)) for vrf in routed_vrfs),
        evpn_sessions=_evpn_sessions(device),
    )


def _families(
    device: DeviceDesign,
) -> tuple[tuple[str, tuple[str, ...], tuple[str, ...]], ...]:
    """Return each family with what is announced of it, and what in place of that."""
    ipv4 = "ipv4-unicast", (f"{device.loopback}/32", *device.host_networks), device.summaries
    ipv6 = "ipv6-unicast", device.host_networks6, device.summaries6
    return (ipv4, ipv6) if device.uses_ipv6 else (ipv4,)


def _prefix_rules(vrf: VrfDesign) -> tuple[PrefixRule, ...]:
    """Return the rules of a prefix list; bounds must go beyond the pool's own length."""
    return tuple(
        (number, pool.network, (f"min-prefix-len {pool.prefix_length}", LONGEST))
        if ip_network(pool.network).prefixlen < pool.prefix_length
        else (number, pool.network, (LONGEST,))
        for number, pool in zip(count(10, 10), vrf.pools, strict=False)
    )


def _evpn_sessions(device: DeviceDesign) -> tuple[BgpNeighbour, ...]:
    """Return the sessions between loopbacks, or those of the underlay where there are none."""
    if device.evpn is None:
        return ()
    return device.loopback_sessions or device.bgp.neighbours


def _words(device: DeviceDesign) -> Words:
    release = device.sku.facts.get("release", DEFAULT_RELEASE)
    try:
        return words(release)
    except ValueError as error:
        raise RenderError(
            f"{device.name}: {error}; correct the release of the switch model"
        ) from error


def _port(port: PortDesign) -> PortView:
    return PortView(
        design=port,
        state="up" if port.enabled else "down",
        speed=f"{port.speed_gbps}G",
        fec=FEC_WORDS[port.fec] if port.fec else "",
        description=port.description.replace(" ", cumulus.CUMULUS.description_space),
        watched=bool(port.qos and port.qos.pfc and port.qos.watchdog.enabled),
    )


def _traffic_class(one: LosslessClass) -> int:
    """Return the traffic class: the first is that of the recipe, the others have their queue."""
    return one.queue if one.number else cumulus.ROCE_TRAFFIC_CLASS


def _marking(one: LosslessClass) -> Marking:
    unit = marking_unit("cumulus")
    low, high = (to_units(size, unit) for size in (one.kmin_bytes, one.kmax_bytes))
    return Marking(_traffic_class(one), low, high, one.pmax_percent)


def _taken(policy: QosProfile) -> dict[int, int]:
    """Return the traffic class of each switch priority that is not best effort."""
    return {
        policy.cnp_traffic_class: cumulus.CNP_TRAFFIC_CLASS,
        **{one.traffic_class: _traffic_class(one) for one in policy.classes},
    }


def _dscp_deltas(policy: QosProfile) -> tuple[tuple[int, int], ...]:
    taken = _taken(policy)
    rows = []
    for dscp, traffic_class in enumerate(policy.dscp_to_traffic_class):
        recipe = dscp >> 3
        other = BEST_EFFORT if recipe in taken else recipe
        target = traffic_class if traffic_class in taken else other
        if target != recipe:
            rows.append((dscp, target))
    return tuple(rows)


def _priority_deltas(policy: QosProfile) -> tuple[tuple[int, int], ...]:
    recipe = {
        cumulus.ROCE_PRIORITY: cumulus.ROCE_TRAFFIC_CLASS,
        cumulus.CNP_PRIORITY: cumulus.CNP_TRAFFIC_CLASS,
    }
    taken = _taken(policy)
    pairs = [(priority, taken.get(priority, BEST_EFFORT)) for priority in range(8)]
    return tuple((number, tc) for number, tc in pairs if tc != recipe.get(number, BEST_EFFORT))


def _share_deltas(policy: QosProfile) -> tuple[tuple[int, int], ...]:
    return tuple(
        (queue.queue, queue.percent)
        for queue in policy.queues
        if queue.percent is not None and queue.percent != cumulus.ROCE_SHARE_PERCENT
    )


def _alpha(device: DeviceDesign) -> str:
    logs = {port.headroom.dynamic_th for port in device.ports if port.headroom}
    log = next(iter(logs), 0)
    if log == 0:
        return ""  # alpha_1 is the default of the lossless ingress buffer
    return f"alpha_1_{1 << -log}" if log < 0 else f"alpha_{1 << log}"
