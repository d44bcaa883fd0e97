"""Rules about queues and their shares (QOS)."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from fabric.core.counts import counted
from fabric.core.findings import Severity
from fabric.design.pool import CONGESTED_PORTS, lossless_pool_bytes, lossy_queues, pause_threshold
from fabric.platforms.features import is_rendered
from fabric.qos.thresholds import LOWEST_THRESHOLD, alpha
from fabric.validate.rule import ModelRule, PolicyRule, SwitchRule, Wrong, rules
from fabric.validate.traits import classes_of, classes_of_kinds

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fabric.core.findings import Finding
    from fabric.design.model import DeviceDesign
    from fabric.design.pool import LossyQueues
    from fabric.design.qos_model import QosProfile
    from fabric.validate.places import Places
    from fabric.validate.world import LosslessKind, Model


@rules.add("QOS010")
class DefaultClass(PolicyRule):
    """RoCE data and CNPs stay out of the default class."""

    why = (
        "Class, queue and group 0 carry all other traffic, which would be paused "
        "or prioritised too."
    )
    source = (
        "sonic-net/sonic-buildimage files/build_templates/qos_config.j2 (unmapped DSCPs share "
        "one lossy class)"
    )
    guards = (
        "lossless.traffic_class",
        "lossless.queue",
        "lossless.priority_group",
        "lossless.pfc_priority",
    )

    def judge(self, _device: DeviceDesign, profile: QosProfile) -> Iterator[Wrong]:
        """Look for 0 among the numbers of CNPs, and of RoCE data of each class."""
        message, fix = "{0} 0 carries all other traffic", "use another {0}"
        for field in ("cnp_traffic_class", "cnp_queue"):
            if getattr(profile, field) == 0:
                yield Wrong(field, message.format(field), fix.format(field))
        for one in profile.classes:
            numbers = ("traffic_class", "queue", "priority_group", "pfc_priority")
            values = {"roce_dscp": min(one.dscps), **{name: getattr(one, name) for name in numbers}}
            for field in (field for field, value in values.items() if value == 0):
                said = f"{one.title}{message.format(field)}"
                yield Wrong(one.field(field), said, fix.format(field))


WHOLE_PERCENT = 100


@rules.add("QOS012")
class SchedulerShares(PolicyRule):
    """Shares of the scheduler sum to 100."""

    why = "Systems scale or reject other sums, and the two ends of a cable then differ."
    source = "IEEE 802.1Q-2018 clause 37.3 (ETS bandwidth sums to 100)"
    guards = ("lossless.scheduler.lossless_percent", "lossless.scheduler.default_percent")

    def judge(self, _device: DeviceDesign, profile: QosProfile) -> Iterator[Wrong]:
        """Add the shares of every policy; classes in one queue are for QOS070 to name."""
        if len({one.queue for one in profile.classes}) < len(profile.classes):
            return
        shares = [queue.percent for queue in profile.queues if queue.percent is not None]
        if sum(shares) != WHOLE_PERCENT:
            yield Wrong(
                profile.classes[0].field("scheduler.lossless_percent"),
                f"scheduler shares {' + '.join(map(str, shares))} sum to {sum(shares)}",
                "make lossless_percent and default_percent sum to 100"
                if profile.classes[0].number is None
                else "make the shares of the classes and default_percent sum to 100",
            )


@rules.add("QOS034")
class TwoQueues(ModelRule):
    """ECN acts before PFC even if one port fills two queues."""

    severity = Severity.WARNING
    why = (
        "All queues filled by one port count against a single pause threshold, but Kmin "
        "applies to each queue separately."
    )
    source = (
        "Zhu et al., SIGCOMM 2015, section 4 (t_ECN < beta (B - 8 n t_flight) / (8 n (beta + 1)))"
    )
    guards = ("lossless.ecn.kmin_bytes", "lossless.dynamic_th")

    def check(self, model: Model) -> Iterator[Finding]:
        """Compare Kmin with the worst case of two congested ports."""
        seen = set()
        for kind, profile, one in classes_of_kinds(model):
            threshold = pause_threshold(kind.device, kind.headroom)
            key = (kind.device.name, profile.index, one.name, threshold)
            if not threshold or key in seen:
                continue
            seen.add(key)
            classes = len(profile.classes)
            limit = threshold.ecn_limit_bytes(CONGESTED_PORTS, classes)
            if limit <= one.kmin_bytes < threshold.ecn_limit_bytes(classes=classes):
                yield self.finding(
                    f"{one.title}ecn.kmin_bytes {one.kmin_bytes:,} is not below {limit:,.0f}: if "
                    f"one ingress port feeds {CONGESTED_PORTS} congested ports, PFC pauses before "
                    f"ECN marks ({threshold.words})",
                    _less_or_alpha(kind),
                    place=model.profile_place(one.field("ecn.kmin_bytes"), kind.device, profile),
                    device=kind.device.name,
                )


def _less_or_alpha(kind: LosslessKind) -> str:
    """Return what lets ECN act first on a port."""
    has_alpha = kind.headroom.levels is None and is_rendered("dynamic_th", kind.device.sku)
    return f"lower ecn.kmin_bytes{', or increase dynamic_th' if has_alpha else ''}"


#: Lossless classes where the ASIC's own figure is not known: buffers of 9 and 12 MB held the
#: headroom of two out of eight (Guo et al., SIGCOMM 2016, section 2).
USUAL_CLASSES = 2


@rules.add("QOS040")
class LosslessClasses(SwitchRule):
    """A switch has no more lossless classes than its ASIC supports."""

    why = "Each lossless class takes headroom on every port, and the ASIC has a limited amount."
    source = "Guo et al., RDMA over Commodity Ethernet at Scale, SIGCOMM 2016, section 2"
    guards = ("lossless.pfc_priority", "lossless.priority_group")

    def check_switch(self, places: Places, device: DeviceDesign) -> Iterator[Finding]:
        """Count the paused priorities of each switch."""
        paused = {
            one.pfc_priority: (profile, one) for profile, one in classes_of(device) if profile.pfc
        }
        known = device.sku.asic_facts.integer("lossless_classes")
        most = USUAL_CLASSES if known is None else known
        if len(paused) > most:
            profile, last = next(reversed(paused.values()))
            yield self.finding(
                f"ports of this switch pause {counted(len(paused), 'priority')}, "
                f"{', '.join(map(str, sorted(paused)))}; {device.sku.name} supports {most}"
                + (" as far as is known" if known is None else ""),
                "use the same pfc_priority on all ports"
                if last.number is None
                else "remove a class",
                place=places.profile_place(last.field("pfc_priority"), device, profile),
                device=device.name,
            )


@rules.add("QOS072")
class LossyBurst(ModelRule):
    """Full queues of other traffic do not push PFC before ECN."""

    severity = Severity.WARNING
    why = (
        "Where both share one pool, a burst of other traffic lowers the pause threshold of the "
        "lossless class: PFC acts on its ports although their queues are short."
    )
    source = (
        "Choudhury and Hahne, IEEE/ACM Transactions on Networking 6, 1998; sonic-net/"
        "sonic-buildimage device/*/buffers_defaults_t1.j2 (egress_lossy_profile of a shared pool)"
    )
    guards = ("lossless.lossy.dynamic_th", "lossless.ecn.kmin_bytes", "lossless.dynamic_th")

    def check(self, model: Model) -> Iterator[Finding]:
        """Fill the best effort queue of every other port that carries traffic."""
        seen = set()
        for kind, profile, one in classes_of_kinds(model):
            pool, theirs = lossless_pool_bytes(kind.device), lossy_queues(kind.device)
            key = (kind.device.name, profile.index, one.name, kind.headroom.dynamic_th)
            if pool is None or theirs is None or kind.headroom.levels or key in seen:
                continue
            seen.add(key)
            queues = sum(port.qos is not None for port in kind.device.ports) - 1
            case = (pool, len(profile.classes), kind.headroom.dynamic_th, queues)
            left = _pause_bytes(theirs, case)
            if left <= one.kmin_bytes < _pause_bytes(theirs, (*case[:3], 0)):
                yield self.finding(
                    f"{one.title}with {counted(queues, 'full queue')} of other traffic "
                    f"(dynamic_th {theirs.threshold}) PFC pauses at {left:,.0f} bytes, before ECN "
                    f"marks at {one.kmin_bytes:,}",
                    _lossy_fix(theirs, one.kmin_bytes, case) or _less_or_alpha(kind),
                    place=model.profile_place("lossy.dynamic_th", kind.device, profile),
                    device=kind.device.name,
                )


def _pause_bytes(theirs: LossyQueues, case: tuple[int, int, int, int]) -> float:
    """Return the pause threshold of each class beside full queues of other traffic."""
    return alpha(case[2]) * theirs.free_bytes(*case)


def _lossy_fix(theirs: LossyQueues, kmin_bytes: int, case: tuple[int, int, int, int]) -> str:
    """Return the largest threshold of other traffic with which ECN acts first; empty: none."""
    for smaller in range(theirs.threshold - 1, LOWEST_THRESHOLD - 1, -1):
        if _pause_bytes(replace(theirs, threshold=smaller), case) > kmin_bytes:
            return f"set lossless.lossy.dynamic_th to {smaller}, or lower ecn.kmin_bytes"
    return ""
