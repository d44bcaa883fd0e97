"""Rules about ECN marking (QOS)."""

from __future__ import annotations

from functools import lru_cache
from itertools import product
from typing import TYPE_CHECKING, NamedTuple

from fabric.core.counts import counted
from fabric.core.findings import Severity
from fabric.core.units import (
    bytes_to_mb,
    gbps_to_bps,
    gbps_to_bytes_per_s,
    s_to_us,
    share_to_percent,
    us_to_s,
)
from fabric.design.configured import no_pmax
from fabric.design.pool import (
    lossless_pool_bytes,
    lossless_share_bytes,
    own_pool_bytes,
    pause_threshold,
)
from fabric.design.qos import ETHERNET_OVERHEAD_BYTES
from fabric.intent.classes import lossless_classes
from fabric.platforms import platforms
from fabric.platforms.features import is_rendered
from fabric.qos.dcqcn.fluid import fixed_point, loop
from fabric.qos.dcqcn.loss import least_queue_bytes
from fabric.qos.dcqcn.presets import CONNECTX
from fabric.qos.ecn.edge import programmed_bytes, share_note
from fabric.qos.path import ROCE_PACKET_BYTES, longest_path, roce_mtu_bytes, round_trip_s
from fabric.qos.simulate.scenario import START_SPREAD_US
from fabric.validate.rule import ClassRule, ModelRule, SwitchRule, Wrong, areas, rules
from fabric.validate.traits import classes_of_kinds, switch_policies

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from fabric.core.findings import Finding
    from fabric.design.model import DeviceDesign
    from fabric.design.pool import PauseThreshold
    from fabric.design.qos_model import QosProfile
    from fabric.intent.classes import LosslessClass
    from fabric.validate.places import Places
    from fabric.validate.world import Model


areas.add("QOS")("Lossless policy, end to end")

#: Flows of a start that is looked at: the default of `rocefab simulate --incast`; our choice.
START_FLOWS = 16


@rules.add("QOS001")
class EcnOrder(ClassRule):
    """Kmin is below Kmax."""

    why = (
        "With Kmin at or above Kmax the switch rejects the profile, or marks nothing or everything."
    )
    source = "Zhu et al., Congestion Control for Large-Scale RDMA Deployments, SIGCOMM 2015, fig. 5"
    guards = ("lossless.ecn.kmin_bytes", "lossless.ecn.kmax_bytes")

    def judge_class(
        self, _device: DeviceDesign, _profile: QosProfile, one: LosslessClass
    ) -> Iterator[Wrong]:
        """Compare Kmin and Kmax of every class in use."""
        if one.kmin_bytes >= one.kmax_bytes:
            yield Wrong(
                "ecn.kmin_bytes",
                f"ecn.kmin_bytes {one.kmin_bytes:,} is not below ecn.kmax_bytes {one.kmax_bytes:,}",
                "lower kmin_bytes or increase kmax_bytes",
            )


def _unknown_pool(device: DeviceDesign) -> str:
    """Return what is not known of the buffer: its pools, or the threshold in a known one."""
    share_bytes = lossless_share_bytes(device.sku)
    if own_pool_bytes(device.sku) is not None:
        return f"the pause threshold of {device.sku.name}{_without(device)} is not known"
    if share_bytes is None:
        return f"the buffer pools of {device.sku.name} are not known"
    return (
        f"the pause threshold of {device.sku.name} is not known, only the lossless part of its "
        f"buffer, {share_bytes:,} bytes"
    )


def _without(device: DeviceDesign) -> str:
    return " without dynamic_th" if is_rendered("dynamic_th", device.sku) else ""


def _missing(device: DeviceDesign) -> str:
    """Return what to give so that marking is compared with the pause threshold of a switch."""
    if is_rendered("pause_buffer", device.sku):
        return (
            "keep ecn.kmin_bytes below the level at which the switch pauses. With "
            "lossless.pause_buffer rocefab sets and checks that level: each switch gets an input "
            "queuing policy, whose syntax is confirmed on one model only (NXO010)"
        )
    if "buffers" in platforms[device.platform].sku_tables:
        return "use an own model in platforms/*.yaml with `buffers`, the BUFFER_POOL of the switch"
    if not is_rendered("dynamic_th", device.sku):
        level = "the level at which the switch pauses: the inventory has no field for that level"
        return f"compare ecn.kmax_bytes with {level}"
    if own_pool_bytes(device.sku) is not None:
        return "set lossless.dynamic_th"
    return (
        "use an own model in platforms/*.yaml with facts.lossless_pool_bytes, and set "
        "lossless.dynamic_th"
    )


@rules.add("QOS002")
class EcnBeforePause(SwitchRule):
    """ECN marks before PFC pauses."""

    why = (
        "ECN slows the senders of a queue. Where PFC pauses the queue at a lower level, ECN comes "
        "too late, and pauses spread."
    )
    source = (
        "Zhu et al., Congestion Control for Large-Scale RDMA Deployments, SIGCOMM 2015, section 4"
    )
    guards = ("lossless.ecn.kmin_bytes", "lossless.ecn.kmax_bytes", "lossless.dynamic_th")

    def check_switch(self, places: Places, device: DeviceDesign) -> Iterator[Finding]:
        """Compare Kmin and Kmax with the pause threshold of one congested port."""
        lowest = _lowest(device)
        # Without a pool there is no threshold; QOS047 reports it.
        if None in lowest.values() and lossless_pool_bytes(device) is None:
            yield self.finding(
                f"{_unknown_pool(device)}: rocefab does not check that ECN marks before PFC pauses",
                _missing(device),
                place=places.sku_place(device),
                device=device.name,
                severity=Severity.INFO,
            )
        for index, threshold in lowest.items():
            if threshold:
                yield from self._late(places, device, device.qos_profiles[index], threshold)

    def _late(
        self, places: Places, device: DeviceDesign, profile: QosProfile, threshold: PauseThreshold
    ) -> Iterator[Finding]:
        """Name the marking thresholds that a queue reaches after its pause threshold."""
        level = _level(device, profile, threshold)
        for one, (field, severity) in product(profile.classes, level.severities.items()):
            value = getattr(one, field)
            if threshold.pauses_first(value, len(profile.classes)):
                either = [
                    places.profile_place(name, device, profile)
                    for name in (one.field(f"ecn.{field}"), level.field)
                    if name
                ]
                yield self.finding(
                    f"{one.title}ecn.{field} {value:,} is not below {level.words}",
                    level.fix,
                    place=max(either, key=lambda place: place.specific),
                    device=device.name,
                    severity=severity,
                )


class _Level(NamedTuple):
    """A pause threshold in words: how bad later marking is, the field that sets it, if any."""

    words: str
    severities: Mapping[str, Severity]
    fix: str
    field: str = ""


def _level(device: DeviceDesign, profile: QosProfile, threshold: PauseThreshold) -> _Level:
    if threshold.fixed_bytes is None:
        size = threshold.group_bytes(len(profile.classes))
        words = f"the pause threshold of {size:,.0f} bytes"
        fix = "lower it, or increase dynamic_th"
        fix = fix if is_rendered("dynamic_th", device.sku) else "lower it"
        words += _computed_words(device, threshold.pool_bytes)
        return _Level(words, _SEVERITIES, fix, "dynamic_th")
    # Several senders together queue several times as much until one of them is paused.
    late = {"kmin_bytes": Severity.WARNING, "kmax_bytes": Severity.INFO}
    if profile.pause_buffer and is_rendered("pause_buffer", device.sku):
        field = "pause_buffer.pause_threshold_bytes"
        words = f"{field} {threshold.fixed_bytes:,}"
        fix = "lower it, or increase the pause threshold"
        return _Level(words, {**late, "kmin_bytes": Severity.ERROR}, fix, field)
    words = f"{threshold.fixed_bytes:,} bytes, where {device.sku.name} pauses a single sender"
    return _Level(words, late, "lower it")


#: How bad it is when PFC acts before a threshold of marking.
_SEVERITIES = {"kmin_bytes": Severity.ERROR, "kmax_bytes": Severity.WARNING}


def _computed_words(device: DeviceDesign, pool_bytes: int) -> str:
    """Return where the threshold comes from, where no table of the vendor has it."""
    if device.buffer_model != "dynamic":
        return ""
    return f": the headroom of its ports leaves a shared pool of {pool_bytes:,} bytes"


def _lowest(device: DeviceDesign) -> dict[int, PauseThreshold | None]:
    """Return the lowest pause threshold among the ports of each policy."""
    groups = {
        (port.qos.index, port.headroom): None for port in device.ports if port.qos and port.headroom
    }
    lowest: dict[int, PauseThreshold | None] = {}
    for index, group in groups:
        threshold, known = pause_threshold(device, group), lowest.get(index)
        if known is None or (threshold and threshold.group_bytes() < known.group_bytes()):
            lowest[index] = threshold
    return lowest


_UNIT = "the value is in bytes, not in kilobytes: "


@rules.add("QOS003")
class EcnFrame(ModelRule):
    """ECN marking starts above one frame.

    Below the payload of one RDMA packet it is an error: that is a wrong unit, such as kilobytes.
    """

    severity = Severity.ERROR
    why = "With Kmin below one frame every queued packet is marked, and the rate collapses."
    source = (
        "Zhu et al., Congestion Control for Large-Scale RDMA Deployments, SIGCOMM 2015, section 4"
    )
    guards = ("lossless.ecn.kmin_bytes", "lossless.mtu.port_bytes")

    def check(self, model: Model) -> Iterator[Finding]:
        """Compare Kmin with the largest frame that a host sends."""
        frames = [end.policy.mtu.host_bytes for end in model.host_ends()]
        largest = max(frames, default=0) + ETHERNET_OVERHEAD_BYTES
        packet = roce_mtu_bytes(max(frames)) if frames else 0
        for end in switch_policies(model):
            for one in lossless_classes(end.policy):
                if one.kmin_bytes < largest:
                    field, is_unit = one.field("ecn.kmin_bytes"), one.kmin_bytes < packet
                    yield self.finding(
                        f"{one.title}ecn.kmin_bytes {one.kmin_bytes} is below one frame of "
                        f"{largest} bytes",
                        f"{_UNIT if is_unit else ''}increase kmin_bytes; 150000 is a common value",
                        severity=Severity.ERROR if is_unit else Severity.WARNING,
                        place=model.policy_place(field, end.device, end.port),
                        device=end.device,
                    )


@rules.add("QOS029")
class KminPath(ModelRule):
    """Marking starts above one bandwidth-delay product."""

    severity = Severity.INFO
    why = "With a lower Kmin, a few flows slow down more often than they can fill the port again."
    source = (
        "Zhu et al., ECN or Delay, CoNEXT 2016; alibaba-edu/High-Precision-Congestion-Control "
        "9f4be2a9 (Kmin 4 KB for each Gb/s)"
    )
    guards = ("lossless.ecn.kmin_bytes", "cables.host_m", "cables.uplink_m")

    def check(self, model: Model) -> Iterator[Finding]:
        """Compare Kmin of each policy with the longest modelled path at the speed of its port."""
        hops = longest_path(model.fabric)
        seen = set()
        for kind, profile, one in classes_of_kinds(model) if hops else ():
            key = (one.kmin_bytes, kind.headroom.speed_gbps, kind.device.role)
            round_trip = round_trip_s(hops)
            delay = gbps_to_bytes_per_s(kind.headroom.speed_gbps) * round_trip
            if one.kmin_bytes >= delay or key in seen:
                continue
            seen.add(key)
            yield self.of_kind(
                kind,
                f"ecn.kmin_bytes {one.kmin_bytes:,}{share_note(kind.device.sku, one.kmin_bytes)} "
                f"is below the {delay:,.0f} bytes that ports of {kind.headroom.speed_gbps}G "
                f"carry in one round trip of {s_to_us(round_trip):.1f} us",
                "`rocefab show ecn --recommend` shows values for this path; vendor defaults "
                "are lower, which keeps queues short but costs throughput with few flows",
                place=model.profile_place(one.field("ecn.kmin_bytes"), kind.device, profile),
            )


#: Frames that a band must have room for: with one, the marking is all or nothing.
LEAST_FRAMES = 2


@rules.add("QOS030")
class NarrowBand(ClassRule):
    """The marking band is wider than a few frames."""

    severity = Severity.WARNING
    why = (
        "All-or-nothing marking cuts all flows at once: the queue oscillates and "
        "flows share unfairly."
    )
    source = "Zhu et al., SIGCOMM 2015, section 5.2 (cut-off against RED-like marking)"
    guards = ("lossless.ecn.kmin_bytes", "lossless.ecn.kmax_bytes")

    def judge_class(
        self, _device: DeviceDesign, profile: QosProfile, one: LosslessClass
    ) -> Iterator[Wrong]:
        """Compare Kmax - Kmin with the frames of the class."""
        frame = profile.mtu_bytes
        band = one.kmax_bytes - one.kmin_bytes
        if 0 < band < LEAST_FRAMES * frame:
            yield Wrong(
                "ecn.kmax_bytes",
                f"from ecn.kmin_bytes {one.kmin_bytes:,} to ecn.kmax_bytes "
                f"{one.kmax_bytes:,} there is less room than {LEAST_FRAMES} "
                f"frames of {frame:,} bytes",
                "increase ecn.kmax_bytes; see `rocefab show ecn --recommend`",
            )


@rules.add("QOS031")
class EcnStep(ClassRule):
    """The ASIC does not round Kmin and Kmax to the same value."""

    severity = Severity.WARNING
    why = "Thresholds that round to the same ASIC step mark everything or nothing."
    source = "NVIDIA Cumulus Linux 5.14 user guide, RoCE: 150000 is shown as 156 KB on Spectrum-4"
    guards = ("lossless.ecn.kmin_bytes", "lossless.ecn.kmax_bytes")

    def judge_class(
        self, device: DeviceDesign, _profile: QosProfile, one: LosslessClass
    ) -> Iterator[Wrong]:
        """Round both thresholds up to the step of the ASIC."""
        step = device.sku.asic_facts.integer("ecn_quantum_bytes", unconfirmed=True)
        if not step or one.kmin_bytes >= one.kmax_bytes:
            return
        low, high = (programmed_bytes(value, step) for value in (one.kmin_bytes, one.kmax_bytes))
        if low >= high:
            yield Wrong(
                "ecn.kmax_bytes",
                f"{device.sku.name} rounds ecn.kmin_bytes {one.kmin_bytes:,} and "
                f"ecn.kmax_bytes {one.kmax_bytes:,} both up to {high:,}",
                f"keep them at least {step:,} bytes apart",
            )


@rules.add("QOS036")
class IncastMarking(ModelRule):
    """The marking band is sufficient for an incast of all hosts."""

    severity = Severity.WARNING
    why = (
        "Flows that need more marking than Pmax push the queue past Kmax, where every "
        "packet is marked and PFC is close."
    )
    source = "Zhu et al., ECN or Delay, CoNEXT 2016 (fixed point of the fluid model)"
    guards = ("lossless.ecn.pmax_percent", "units.hosts", "speeds.host_gbps")

    def check(self, model: Model) -> Iterator[Finding]:
        """Ask the fluid model, with the defaults of ConnectX, for one flow from each other host."""
        flows = len(model.hosts) - 1
        seen = set()
        for kind, profile, one in classes_of_kinds(model) if flows > 1 else ():
            speed = kind.headroom.speed_gbps
            key = (kind.device.name, profile.index, one.name, speed)
            if kind.port.kind != "host" or key in seen or no_pmax(kind.device.sku):
                continue
            seen.add(key)
            need_percent = _marking_percent(speed, flows)
            if need_percent > one.pmax_percent:
                yield self.of_kind(
                    kind,
                    f"an incast of one flow from each of {counted(flows, 'host')} on a port of "
                    f"{speed}G needs a marking of {need_percent:.1f} %; ecn.pmax_percent is "
                    f"{one.pmax_percent}",
                    "increase ecn.pmax_percent; see `rocefab show ecn --recommend`",
                    place=model.profile_place(one.field("ecn.pmax_percent"), kind.device, profile),
                )


@rules.add("QOS055")
class StartTransient(ModelRule):
    """A start of 16 flows at line rate, spread over 100 us, stays below XOFF.

    Compares the least queue that such a start can have; the real one is longer, and `rocefab show
    dcqcn` simulates it packet by packet. Nothing is lost: that is what PFC is for. No field of the
    inventory changes it, so it is no warning.
    """

    severity = Severity.INFO
    why = (
        "PFC then pauses senders at each step of a collective before DCQCN has slowed them down, "
        "however stable the steady state is."
    )
    source = (
        "fabric/qos/dcqcn/loss.py in this repository: a lower bound, held against the packet "
        "simulator; Zhu et al., SIGCOMM 2015, section 5 (flows start at line rate)"
    )
    guards = ("speeds.host_gbps", "units.hosts", "cables.uplink_m")

    def check(self, model: Model) -> Iterator[Finding]:
        """Compare the queue of a start with the level at which its ingress ports pause."""
        flows = min(START_FLOWS, len(model.hosts) - 1)
        hops = longest_path(model.fabric)
        for kind in model.lossless_kinds if flows > 1 and hops else ():
            threshold = pause_threshold(kind.device, kind.headroom)
            if kind.port.kind != "host" or not threshold:
                continue
            speed = kind.headroom.speed_gbps
            queue = _start_bytes(speed, flows, round_trip_s(hops))
            level = threshold.incast_bytes(flows)
            if queue >= level:
                yield self.of_kind(
                    kind,
                    f"{counted(flows, 'flow')} that start within {START_SPREAD_US:g} us to a port "
                    f"of {speed}G queue at least {bytes_to_mb(queue):,.1f} MB before DCQCN "
                    "(defaults of ConnectX) slows them down; from "
                    f"{bytes_to_mb(level):,.1f} MB on, PFC pauses the senders",
                    "start fewer flows at once, or use switches with a larger pool; `rocefab show "
                    "dcqcn` says how long senders are paused, also with other DCQCN parameters",
                    place=model.cable_place(kind.device, kind.port, "speed_gbps"),
                )


@lru_cache(maxsize=256)
def _start_bytes(speed_gbps: int, flows: int, trip_s: float) -> float:
    return least_queue_bytes(flows, speed_gbps, trip_s, CONNECTX, us_to_s(START_SPREAD_US))


@lru_cache(maxsize=256)
def _marking_percent(speed_gbps: int, flows: int) -> float:
    point = fixed_point(loop(CONNECTX, gbps_to_bps(speed_gbps), flows, ROCE_PACKET_BYTES))
    return share_to_percent(float(point.marking))
