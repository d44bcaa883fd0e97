"""Rules about queues and their shares (QOS)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fabric.core.findings import Severity
from fabric.design.pool import lossless_pool_bytes
from fabric.qos.thresholds import alpha, ecn_limit_bytes
from fabric.validate.rule import ModelRule, PolicyRule, Wrong, rules

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fabric.core.findings import Finding
    from fabric.design.model import DeviceDesign, QosProfile
    from fabric.validate.world import Model


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
        """Look for 0 among the numbers of RoCE data and CNPs."""
        fields = ("traffic_class", "queue", "priority_group", "cnp_traffic_class", "cnp_queue")
        for field in (*fields, "roce_dscp", "pfc_priority"):
            if getattr(profile, field) == 0:
                yield Wrong(field, f"{field} 0 carries all other traffic", f"use another {field}")


@rules.add("QOS011")
class OwnNumbers(PolicyRule):
    """On SONiC class, queue and priority group use the number of the PFC priority."""

    severity = Severity.WARNING
    why = (
        "buffermgrd creates lossless groups, and pfcwd watches queues, by the numbers in "
        "pfc_enable."
    )
    source = "sonic-net/sonic-swss cfgmgr/buffermgr.cpp, orchagent/pfcwdorch.cpp"
    guards = ("lossless.pfc_priority", "lossless.queue", "lossless.priority_group")

    def judge(self, device: DeviceDesign, profile: QosProfile) -> Iterator[Wrong]:
        """Compare the four numbers of every policy on SONiC."""
        if device.platform != "sonic":
            return
        for field in ("traffic_class", "queue", "priority_group"):
            value = getattr(profile, field)
            if value != profile.pfc_priority:
                yield Wrong(
                    field,
                    f"{field} {value} is not pfc_priority {profile.pfc_priority}",
                    f"set {field} to {profile.pfc_priority}",
                )


WHOLE_PERCENT = 100


@rules.add("QOS012")
class SchedulerShares(PolicyRule):
    """Shares of the scheduler sum to 100."""

    why = "Systems scale or reject other sums, and the two ends of a cable then differ."
    source = "IEEE 802.1Q-2018 clause 37.3 (ETS bandwidth sums to 100)"
    guards = ("lossless.scheduler.lossless_percent", "lossless.scheduler.default_percent")

    def judge(self, _device: DeviceDesign, profile: QosProfile) -> Iterator[Wrong]:
        """Add the shares of every policy."""
        shares = [queue.percent for queue in profile.queues if queue.percent is not None]
        if sum(shares) != WHOLE_PERCENT:
            yield Wrong(
                "scheduler.lossless_percent",
                f"scheduler shares {' + '.join(map(str, shares))} sum to {sum(shares)}",
                "make lossless_percent and default_percent sum to 100",
            )


#: Two congested egress ports fed by one ingress port: the least that a fabric of more than two
#: hosts must stand.
CONGESTED_PORTS = 2


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
        for kind in model.lossless_kinds:
            pool, profile = lossless_pool_bytes(kind.device), kind.port.qos
            assert profile
            key = (kind.device.name, profile.index, kind.headroom.dynamic_th)
            if not pool or key in seen:
                continue
            seen.add(key)
            threshold = kind.headroom.dynamic_th
            limit = ecn_limit_bytes(threshold, pool, CONGESTED_PORTS)
            if limit <= profile.kmin_bytes < ecn_limit_bytes(threshold, pool):
                yield self.finding(
                    f"ecn.kmin_bytes {profile.kmin_bytes:,} is not below {limit:,.0f}: with "
                    f"{CONGESTED_PORTS} congested ports fed by one port, PFC pauses before ECN "
                    f"marks (pool {pool:,} bytes, alpha {alpha(threshold):g})",
                    "lower ecn.kmin_bytes, or increase dynamic_th",
                    place=model.profile_place("ecn.kmin_bytes", kind.device, profile),
                    device=kind.device.name,
                )


#: Lossless classes where the ASIC's own figure is not known: buffers of 9 and 12 MB held the
#: headroom of two out of eight (Guo et al., SIGCOMM 2016, section 2).
USUAL_CLASSES = 2


@rules.add("QOS040")
class LosslessClasses(ModelRule):
    """A switch has no more lossless classes than its ASIC supports."""

    why = "Each lossless class takes headroom on every port, and the ASIC has a limited amount."
    source = "Guo et al., RDMA over Commodity Ethernet at Scale, SIGCOMM 2016, section 2"
    guards = ("lossless.pfc_priority", "lossless.priority_group")

    def check(self, model: Model) -> Iterator[Finding]:
        """Count the paused priorities of each switch."""
        for device in model.devices.values():
            paused = {
                profile.pfc_priority: profile for profile in device.qos_profiles if profile.pfc
            }
            known = device.sku.asic_facts.integer("lossless_classes")
            most = USUAL_CLASSES if known is None else known
            if len(paused) > most:
                yield self.finding(
                    f"ports of this switch pause {len(paused)} priorities, "
                    f"{', '.join(map(str, sorted(paused)))}; {device.sku.name} supports {most}"
                    + (" as far as is known" if known is None else ""),
                    "use the same pfc_priority on all ports",
                    place=model.profile_place(
                        "pfc_priority", device, next(reversed(paused.values()))
                    ),
                    device=device.name,
                )
