"""From a resolved lossless policy to the maps and numbers that switches and hosts are given."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import lru_cache
from typing import TYPE_CHECKING

import numpy as np

from fabric.core.units import dscp_to_traffic_class_byte, gbps_to_mbps
from fabric.design.port_model import HeadroomProfile
from fabric.design.qos_model import (
    HostQos,
    Lossy,
    PauseBuffer,
    PauseLevels,
    QosProfile,
    QueueDesign,
    Watchdog,
    Wred,
)
from fabric.intent.classes import lossless_classes
from fabric.platforms.features import feature, is_rendered
from fabric.qos.headroom.laws import PortTraits, headroom, packing_factor
from fabric.qos.headroom.terms import Link
from fabric.qos.headroom.verdict import judge

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

    from fabric.intent.classes import LosslessClass
    from fabric.intent.policy import LosslessPolicy, LossyPolicy, MtuPolicy
    from fabric.platforms.model import HeadroomRow, Sku
    from fabric.qos.headroom.terms import Headroom
    from fabric.qos.headroom.verdict import Judgement
    from fabric.topology.pause_response import PauseResponse

#: RFC 2474 section 3: a DSCP has six bits; IEEE 802.1Q-2018: a priority has three.
DSCP_COUNT = 64
PRIORITY_COUNT = 8
BEST_EFFORT = 0
#: What a frame has beside its IP packet: Ethernet header, one VLAN tag and FCS (IEEE 802.3 clause
#: 3, 802.1Q clause 9). An MTU of the inventory counts none of it.
ETHERNET_OVERHEAD_BYTES = 22


def qos_profile(policy: LosslessPolicy, index: int) -> QosProfile:
    """Return the profile of a policy; ``index`` is its number on the device.

    Parameters
    ----------
    index : int
        Number of the profile on the device, from 0.
    """
    classes = lossless_classes(policy)
    dscp_map = [BEST_EFFORT] * DSCP_COUNT
    dscp_map[policy.cnp_dscp] = policy.cnp_traffic_class
    queues = list(range(PRIORITY_COUNT))
    queues[policy.cnp_traffic_class] = policy.cnp_queue
    groups = [0] * PRIORITY_COUNT
    pause = list(range(PRIORITY_COUNT))
    for one in classes:
        for dscp in one.dscps:
            dscp_map[dscp] = one.traffic_class
        queues[one.traffic_class] = one.queue
        groups[one.traffic_class] = one.priority_group
        pause[one.pfc_priority] = one.queue
    return QosProfile(
        index=index,
        suffix=f"_{index}" if index else "",
        classes=classes,
        cnp_dscp=policy.cnp_dscp,
        pfc=policy.pfc,
        cnp_traffic_class=policy.cnp_traffic_class,
        cnp_queue=policy.cnp_queue,
        dscp_to_traffic_class=tuple(dscp_map),
        traffic_class_to_queue=tuple(queues),
        traffic_class_to_priority_group=tuple(groups),
        pfc_priority_to_queue=tuple(pause),
        queues=_queues(policy, classes),
        watchdog=Watchdog(**policy.watchdog.model_dump()),
        mtu_bytes=policy.mtu.port_bytes,
        dynamic_th=policy.dynamic_th,
        lossy=_lossy(policy.lossy),
        pause_buffer=PauseBuffer(**policy.pause_buffer.model_dump())
        if policy.pause_buffer
        else None,
    )


def _lossy(policy: LossyPolicy) -> Lossy:
    wred = Wred(**policy.wred.model_dump()) if policy.wred else None
    return Lossy(policy.dynamic_th, policy.reserved_bytes, wred)


def _queues(policy: LosslessPolicy, classes: tuple[LosslessClass, ...]) -> tuple[QueueDesign, ...]:
    queues = {
        BEST_EFFORT: QueueDesign(BEST_EFFORT, "default", policy.scheduler.default_percent),
        policy.cnp_queue: QueueDesign(policy.cnp_queue, "cnp", None),
        **{one.queue: QueueDesign(one.queue, "lossless", one.percent, one) for one in classes},
    }
    return tuple(queues[number] for number in sorted(queues))


@dataclass(frozen=True, slots=True)
class HeadroomInput:
    """What the lossless buffer of a port follows from, beside the switch model.

    Parameters
    ----------
    cable_m, setting_m : int
        Length of the cable, and the length that the switch keeps headroom for.
    lanes : int
        SerDes lanes of the port.
    dynamic_th : int or None
        log2(alpha) that the policy asks for and the switch gets; None takes what it has by itself.
    levels : PauseLevels or None
        Fill levels that the policy sets and the switch gets.
    computed : bool
        Whether the switch computes its headroom, so that no table counts.
    shares : bool
        Whether a computed headroom comes out of one that all groups share.
    pattern_frame_bytes : int
        Frame that a switch computes with: the largest lossless one of all its ports; 0 where no
        switch does.
    peer : PauseResponse or None
        How long the peer goes on after a pause, where that is known.
    """

    speed_gbps: int
    cable_m: int
    setting_m: int
    lanes: int
    port_mtu_bytes: int
    lossless_frame_bytes: int
    dynamic_th: int | None
    levels: PauseLevels | None = None
    computed: bool = False
    shares: bool = False
    pattern_frame_bytes: int = 0
    peer: PauseResponse | None = None


def lossless_frame_bytes(mtu: MtuPolicy, tunnel_bytes: int = 0) -> int:
    """Return the largest lossless frame: an IP packet of the hosts with its headers."""
    return min(mtu.host_bytes + tunnel_bytes, mtu.port_bytes) + ETHERNET_OVERHEAD_BYTES


@lru_cache(maxsize=4096)
def headroom_profile(model: Sku, figures: HeadroomInput) -> HeadroomProfile:
    """Return the lossless buffer of a port by the vendor's table and by the law of the ASIC.

    The law says what the switch keeps, which knows no peer; the verdict is about this peer.
    """
    speed_mbps = gbps_to_mbps(figures.speed_gbps)
    step = None if figures.computed else model.table_length_m(speed_mbps, figures.setting_m)
    row = None if step is None else model.headroom[speed_mbps, step]
    frames = (figures.port_mtu_bytes, figures.lossless_frame_bytes)
    peer = figures.peer
    link = Link.of(figures.speed_gbps, figures.cable_m, *frames, peer.time_ns if peer else None)
    largest = max(figures.pattern_frame_bytes, figures.lossless_frame_bytes)
    asked = Link.of(figures.speed_gbps, figures.setting_m, figures.port_mtu_bytes, largest)
    law, no_law = _law(model, asked, figures)
    levels = figures.levels or own_levels(model)
    threshold = _threshold(model, row, figures.dynamic_th)
    profile = HeadroomProfile(
        speed_gbps=figures.speed_gbps,
        speed_mbps=speed_mbps,
        cable_m=figures.cable_m,
        setting_m=step or figures.setting_m,
        row=row,
        dynamic_th=threshold or 0,
        law=law,
        no_law=no_law,
        link=link,
        judgement=None,
        computed=figures.computed,
        shares=figures.shares,
        peer=peer,
        levels=levels,
        is_assumed=threshold is None and levels is None,
    )
    return _judged(model, profile)


def with_headroom(model: Sku, profile: HeadroomProfile, set_bytes: int) -> HeadroomProfile:
    """Return a profile with fill levels whose pause buffer leaves a headroom."""
    assert profile.levels
    levels = replace(profile.levels, headroom_bytes=set_bytes)
    return _judged(model, replace(profile, levels=levels))


def _judged(model: Sku, profile: HeadroomProfile) -> HeadroomProfile:
    """Return a profile with what its headroom is good for."""
    if (have := profile.headroom_bytes) is None:
        return profile
    return replace(profile, judgement=_judge(model, have, profile.link))


def _threshold(model: Sku, row: HeadroomRow | None, asked: int | None) -> int | None:
    """Return log2(alpha) of a port: as asked for, the vendor's, the system's; None if unknown."""
    if asked is not None or row:
        return row.dynamic_th if asked is None and row else asked
    own = feature(model.nos, "dynamic_th", model)
    return own.default if own else None


def own_levels(model: Sku) -> PauseLevels | None:
    """Return the fill levels of a model whose pauses do not depend on the rest of the buffer."""
    facts = model.asic_facts
    pause_bytes = facts.integer("pause_threshold_bytes")
    if pause_bytes is None:
        return None
    return PauseLevels(pause_bytes, facts.integer("resume_threshold_bytes") or pause_bytes)


def rendered_threshold(model: Sku, policy: LosslessPolicy) -> int | None:
    """Return the log2(alpha) of a policy, None where the switch does not get it."""
    return policy.dynamic_th if is_rendered("dynamic_th", model) else None


def needed_headroom_bytes(profile: HeadroomProfile) -> int | None:
    """Return the headroom that a port should have, at least what its peer needs if known."""
    have, judged = profile.calculated_bytes, profile.judgement
    if have is None or judged is None or profile.peer is None:
        return have
    return max(have, int(np.ceil(judged.response_bytes)))


def _law(model: Sku, link: Link, figures: HeadroomInput) -> tuple[Headroom | None, str]:
    port = PortTraits(
        figures.lanes, model.gearbox_ns, shares=figures.shares, computes=figures.computed
    )
    try:
        return headroom(model.asic_facts, link, port), ""
    except (KeyError, ValueError) as error:
        return None, str(error.args[0])


def _judge(model: Sku, headroom_bytes: ArrayLike, link: Link) -> Judgement:
    asic = model.asic_facts
    return judge(
        headroom_bytes,
        link,
        packing_factor=packing_factor(asic),
        cell_bytes=asic.integer("cell_bytes") or 1,
    )


def host_qos(policy: LosslessPolicy) -> HostQos:
    """Return the host side of a policy.

    On the host, the priority of a packet follows from its DSCP; traffic class n carries
    priority n. The CNP class is strict, the others share by ETS.
    """
    classes, cnp = lossless_classes(policy), policy.cnp_traffic_class
    lossless = {one.pfc_priority for one in classes}
    bandwidth = [0] * PRIORITY_COUNT
    for one in classes:
        bandwidth[one.pfc_priority] += one.percent
    bandwidth[BEST_EFFORT] += 100 - sum(one.percent for one in classes)
    return HostQos(
        classes=classes,
        cnp_dscp=policy.cnp_dscp,
        cnp_priority=cnp,
        traffic_class_byte=dscp_to_traffic_class_byte(classes[0].roce_dscp),
        pfc=tuple(int(policy.pfc and number in lossless) for number in range(PRIORITY_COUNT)),
        priority_to_traffic_class=tuple(range(PRIORITY_COUNT)),
        tsa=tuple("strict" if number == cnp else "ets" for number in range(PRIORITY_COUNT)),
        tc_bandwidth_percent=tuple(bandwidth),
        dscp_to_priority=_host_dscp_map(policy, classes),
    )


def lossless_dscps_of_host(qos: HostQos) -> tuple[int, ...]:
    """Return the DSCPs that a host puts into lossless priorities; others stay at DSCP / 8."""
    priorities = dict(qos.dscp_to_priority)
    lossless = {one.pfc_priority for one in qos.classes}
    return tuple(d for d in range(DSCP_COUNT) if priorities.get(d, d >> 3) in lossless)


def _host_dscp_map(
    policy: LosslessPolicy, classes: tuple[LosslessClass, ...]
) -> tuple[tuple[int, int], ...]:
    # mlnx_qos --trust dscp starts from priority = dscp >> 3 (Mellanox/mlnx-tools dcbnetlink.py);
    # no other DSCP may share the paused or the CNP priority, as the switches map it to class 0.
    marks = {policy.cnp_dscp: policy.cnp_traffic_class}
    marks |= {dscp: one.pfc_priority for one in classes for dscp in one.dscps}
    shared = set(marks.values()) - {BEST_EFFORT}
    moved = {dscp: BEST_EFFORT for dscp in range(DSCP_COUNT) if dscp >> 3 in shared}
    return tuple(sorted({**moved, **marks}.items()))
