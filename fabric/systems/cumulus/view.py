"""What the NVUE templates cannot decide: the deltas to the RoCE recipe, words, and what cannot be.

``nv set qos roce`` stands for a whole policy: DSCP n has switch priority n / 8; switch priority 3
is RoCE in traffic class 3, 6 is CNPs in the strict traffic class 6, all others share traffic class
0; PFC acts on switch priority 3; ECN marks in traffic classes 0 and 3 (CumulusNetworks/docs,
content/cumulus-linux-514, RDMA over Converged Ethernet). Only what the policy wants otherwise is
written out; the thresholds of ECN always are, since the guide gives two figures for them.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from fabric.core.errors import RenderError
from fabric.core.units import ms_to_s
from fabric.qos.ecn.edge import UNITS, to_units
from fabric.systems.cumulus import platforms as cumulus
from fabric.systems.cumulus.platforms.words import DEFAULT_RELEASE, words

if TYPE_CHECKING:
    from fabric.design.model import DeviceDesign, PortDesign, QosProfile, Watchdog
    from fabric.systems.cumulus.platforms.words import Words

#: FEC of the inventory -> NVUE (514 Switch Port Attributes); automatic is left unset.
FEC_WORDS = {"rs": "rs", "fc": "baser", "none": "off"}
BEST_EFFORT = 0


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
    pfc_priority : int or None
        Switch priority that PFC acts on, where it is not that of the recipe.
    cable_m : int or None
        Longest cable of a lossless port: there is one length for the whole switch.
    alpha : str
        Dynamic threshold of the lossless buffer where it is not the default, else empty.
    robustness : int or None
        Polls until the watchdog acts; None when no port is watched.
    """

    words: Words
    ports: tuple[PortView, ...]
    networks: tuple[str, ...]
    roce_mode: str
    roce_traffic_class: int
    dscp_to_priority: tuple[tuple[int, int], ...]
    priority_to_traffic_class: tuple[tuple[int, int], ...]
    shares: tuple[tuple[int, int], ...]
    kmin: int
    kmax: int
    pmax: int
    pfc_priority: int | None
    cable_m: int | None
    alpha: str
    watchdog: Watchdog
    robustness: int | None
    reachable_s: int


def view(device: DeviceDesign) -> CumulusView:
    """Return the view of a design.

    Raises
    ------
    RenderError
        When the design needs what Cumulus Linux cannot do, or rocefab cannot write for it.
    """
    policy = _one_policy(device)
    _recipe_fits(device, policy)
    _limits(device)
    ports = tuple(_port(device, port) for port in device.ports)
    watched = any(port.watched for port in ports)
    cables = [port.cable_m for port in device.ports if port.headroom]
    lossless = policy.traffic_class
    return CumulusView(
        words=_words(device),
        ports=ports,
        networks=(f"{device.loopback}/32", *(vlan.network for vlan in device.vlans)),
        roce_mode="lossless" if policy.pfc else "lossy",
        roce_traffic_class=cumulus.ROCE_TRAFFIC_CLASS,
        dscp_to_priority=_dscp_deltas(policy),
        priority_to_traffic_class=_priority_deltas(policy),
        shares=_share_deltas(policy),
        kmin=to_units(policy.kmin_bytes, UNITS["cumulus"]),
        kmax=to_units(policy.kmax_bytes, UNITS["cumulus"]),
        pmax=policy.pmax_percent,
        pfc_priority=lossless if policy.pfc and lossless != cumulus.ROCE_PRIORITY else None,
        cable_m=max(cables) if cables else None,
        alpha=_alpha(device),
        watchdog=policy.watchdog,
        robustness=_robustness(device, policy.watchdog) if watched else None,
        reachable_s=int(ms_to_s(device.neighbours.base_reachable_time_ms)),
    )


def _words(device: DeviceDesign) -> Words:
    release = device.sku.facts.get("release", DEFAULT_RELEASE)
    try:
        return words(release)
    except ValueError as error:
        message = f"{device.name}: {error}; correct the release of the switch model"
        raise RenderError(message) from error


def _one_policy(device: DeviceDesign) -> QosProfile:
    """Return the policy of the switch: ports may differ in MTU and in having a watchdog only."""
    alike = {_alike(profile) for profile in device.qos_profiles}
    thresholds = {port.headroom.dynamic_th for port in device.ports if port.headroom}
    if len(alike) > 1 or len(thresholds) > 1:
        message = (
            f"{device.name}: the RoCE recipe of Cumulus Linux is one for the whole switch, but "
            "a port override under devices.ports sets another policy; only mtu and "
            "watchdog.enabled may differ from port to port"
        )
        raise RenderError(message)
    return device.qos_profiles[0]


def _alike(profile: QosProfile) -> QosProfile:
    """Return a policy without what may differ, and without what has no line of its own."""
    return replace(
        profile,
        index=0,
        suffix="",
        mtu_bytes=0,
        priority_group=0,
        traffic_class_to_priority_group=(),
        watchdog=replace(profile.watchdog, enabled=True, restoration_ms=0),
    )


def _recipe_fits(device: DeviceDesign, policy: QosProfile) -> None:
    if policy.pfc and policy.pfc_priority != policy.traffic_class:
        message = (
            f"{device.name}: Cumulus Linux pauses by switch priority, which is the traffic_class "
            f"{policy.traffic_class} of the inventory, but pfc_priority is {policy.pfc_priority}; "
            "make them equal"
        )
        raise RenderError(message)
    wanted = (cumulus.ROCE_TRAFFIC_CLASS, cumulus.CNP_TRAFFIC_CLASS)
    if (policy.queue, policy.cnp_queue) != wanted:
        message = (
            f"{device.name}: the pools of the RoCE recipe hold queue {wanted[0]} for RoCE and "
            f"{wanted[1]} for CNPs, but the inventory has queue {policy.queue} and cnp_queue "
            f"{policy.cnp_queue}; use {wanted[0]} and {wanted[1]}"
        )
        raise RenderError(message)


def _limits(device: DeviceDesign) -> None:
    ageing, (low, high) = device.neighbours.mac_ageing_s, cumulus.MAC_AGEING_S
    if not low <= ageing <= high:
        message = f"{device.name}: arp.mac_ageing_s {ageing} is outside {low} to {high}; lower it"
        raise RenderError(message)
    reserved = [vlan.vlan for vlan in device.vlans if vlan.vlan in cumulus.RESERVED_VLANS]
    if reserved:
        message = (
            f"{device.name}: VLAN {reserved[0]} is reserved by Cumulus Linux; set another "
            "addressing.vlan_first"
        )
        raise RenderError(message)
    wide = device.sku.asic in cumulus.WIDE_ASICS
    most = cumulus.MAX_PATHS_SPECTRUM_4 if wide else cumulus.MAX_PATHS
    if device.bgp.max_paths > most:
        message = (
            f"{device.name}: {device.sku.name} uses at most {most} equal paths, but bgp.max_paths "
            f"is {device.bgp.max_paths}; lower it"
        )
        raise RenderError(message)


def _port(device: DeviceDesign, port: PortDesign) -> PortView:
    description = port.description.replace(" ", "_")
    if not re.fullmatch(cumulus.DESCRIPTION, description):
        message = (
            f"{device.name}: {port.name}: the description {port.description!r} holds characters "
            "that NVUE may read as something else; use letters, digits and _./:@+=,- in "
            "devices.ports.description"
        )
        raise RenderError(message)
    return PortView(
        design=port,
        state="up" if port.enabled else "down",
        speed=f"{port.speed_gbps}G",
        fec=FEC_WORDS[port.fec] if port.fec else "",
        description=description,
        watched=bool(port.qos and port.qos.pfc and port.qos.watchdog.enabled),
    )


def _taken(policy: QosProfile) -> dict[int, int]:
    """Return the traffic class of each switch priority that is not best effort."""
    return {
        policy.cnp_traffic_class: cumulus.CNP_TRAFFIC_CLASS,
        policy.traffic_class: cumulus.ROCE_TRAFFIC_CLASS,
    }


def _dscp_deltas(policy: QosProfile) -> tuple[tuple[int, int], ...]:
    taken = _taken(policy)
    found = []
    for dscp, traffic_class in enumerate(policy.dscp_to_traffic_class):
        recipe = dscp >> 3
        other = BEST_EFFORT if recipe in taken else recipe
        wanted = traffic_class if traffic_class in taken else other
        if wanted != recipe:
            found.append((dscp, wanted))
    return tuple(found)


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
    low, high = cumulus.ALPHA_LOG2
    if not low <= log <= high:
        message = (
            f"{device.name}: lossless.dynamic_th {log} has no equivalent on Cumulus Linux; use "
            f"{low} to "
            f"{high}"
        )
        raise RenderError(message)
    if log == 0:
        return ""  # alpha_1 is the default of the lossless ingress buffer
    return f"alpha_1_{1 << -log}" if log < 0 else f"alpha_{1 << log}"


def _robustness(device: DeviceDesign, watchdog: Watchdog) -> int:
    polls, rest = divmod(watchdog.detection_ms, watchdog.poll_ms)
    low, high = cumulus.ROBUSTNESS
    if rest or not low <= polls <= high:
        message = (
            f"{device.name}: the PFC watchdog of Cumulus Linux acts after whole polls, {low} to "
            f"{high} of them; make lossless.watchdog.detection_ms {watchdog.detection_ms} a "
            f"multiple of poll_ms {watchdog.poll_ms}"
        )
        raise RenderError(message)
    if watchdog.action != "drop":
        message = (
            f"{device.name}: the PFC watchdog of Cumulus Linux can only drop, not "
            f"{watchdog.action}; use 'drop' in lossless.watchdog.action"
        )
        raise RenderError(message)
    return polls
