"""Rules about marks, classes and queues (QOS)."""

from __future__ import annotations

from itertools import combinations
from typing import TYPE_CHECKING

from fabric.core.findings import Severity
from fabric.intent.classes import ONE_CLASS
from fabric.platforms.features import features_of
from fabric.qos.dcqcn.parameters import USUAL_CNP_DSCP
from fabric.qos.path import LONG_CABLE_M
from fabric.validate.rule import ClassRule, ModelRule, PolicyRule, Wrong, rules
from fabric.validate.traits import host_kinds

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fabric.core.findings import Finding
    from fabric.design.model import DeviceDesign
    from fabric.design.qos_model import QosProfile
    from fabric.intent.classes import LosslessClass
    from fabric.validate.world import Model, Place


@rules.add("QOS004")
class PfcOff(ModelRule):
    """PFC is on.

    On cables to another site it may be off: their headroom does not fit most buffers.
    """

    why = "Without PFC a full buffer drops RoCE packets, and go-back-N repeats whole windows."
    source = (
        "IEEE 802.1Q-2018 clause 36; Guo et al., RDMA over Commodity Ethernet at Scale, SIGCOMM"
        " 2016"
    )
    guards = ("lossless.pfc",)

    def check(self, model: Model) -> Iterator[Finding]:
        """Report cables with PFC off at both ends, where a NIC carries RoCE."""
        if all(kind.host.traits.nic.link_layer != "roce" for kind in host_kinds(model)):
            return
        off = [
            pair for pair in model.pairs if not pair.left.policy.pfc and not pair.right.policy.pfc
        ]
        whole = len(off) == len(model.pairs)
        for pair in off:
            place, end = model.blamed("pfc", pair.left, pair.right)
            long = pair.shortest_m >= LONG_CABLE_M and not whole
            what = "PFC is off everywhere" if whole else "PFC is off at both ends of a cable"
            yield self.finding(
                f"{what} of {pair.shortest_m:,} m: congestion there drops packets"
                if long
                else f"{what}: the fabric is not lossless",
                "use switches with deep buffers, or accept the loss that `rocefab show ecn "
                "--recommend` gives for the cable with PFC on"
                if long
                else "set pfc to true",
                place=place,
                device=end.device,
                port=end.port,
                severity=Severity.WARNING if long else None,
            )


@rules.add("QOS005")
class PfcOneEnd(ModelRule):
    """PFC is on at both ends of a cable or at neither."""

    why = "The end without PFC ignores pauses from the other end, which then drops frames."
    source = "IEEE 802.1Q-2018 clause 36.1"
    guards = ("lossless.pfc",)

    def check(self, model: Model) -> Iterator[Finding]:
        """Compare the ends of every cable."""
        for wrong in model.mismatches("pfc"):
            current, other = ("on" if value else "off" for value in (wrong.here, wrong.there))
            yield self.finding(
                f"PFC is {current} here and {other} at the other end of the cable",
                "set pfc to the same value at both ends",
                place=wrong.place,
                device=wrong.end.device,
                port=wrong.end.port,
            )


@rules.add("QOS006")
class SameMarks(ModelRule):
    """Both ends of a cable use the same DSCPs and the same PFC priority."""

    why = (
        "A packet that changes class on its way leaves the lossless path and is dropped"
        " under congestion."
    )
    source = (
        "IEEE 802.1Q-2018 clause 36; RFC 2474 section 3; NVIDIA, Recommended Network "
        "Configuration Examples for RoCE"
    )
    guards = ("lossless.roce_dscp", "lossless.cnp_dscp", "lossless.pfc_priority")

    def check(self, model: Model) -> Iterator[Finding]:
        """Compare the ends of every cable."""
        for wrong in model.mismatches("roce_dscp", "cnp_dscp", "pfc_priority"):
            yield self.finding(
                f"{wrong.field} is {wrong.here} here and {wrong.there} at the other end of "
                "the cable",
                f"use the same {wrong.field} on hosts, leaves and spines",
                place=wrong.place,
                device=wrong.end.device,
                port=wrong.end.port,
            )


@rules.add("QOS007")
class SameClasses(ModelRule):
    """Switches of one system use the same traffic classes, queues and priority groups."""

    severity = Severity.WARNING
    why = (
        "Numbers that differ from hop to hop work in theory and make counters and alarms ambiguous."
    )
    source = (
        "sonic-net/sonic-buildimage files/build_templates/qos_config.j2 (one set of maps for "
        "all ports)"
    )
    guards = (
        "lossless.roce_dscp",
        "lossless.cnp_dscp",
        "lossless.traffic_class",
        "lossless.queue",
        "lossless.priority_group",
        "lossless.cnp_traffic_class",
        "lossless.cnp_queue",
    )

    def check(self, model: Model) -> Iterator[Finding]:
        """Compare the switches of one system at both ends of cables.

        These numbers never leave a device, and systems keep different queues for themselves.
        """
        fields = ("traffic_class", "queue", "priority_group", "cnp_traffic_class", "cnp_queue")
        for wrong in model.mismatches(*fields):
            ends = (wrong.pair.left.device, wrong.pair.right.device)
            systems = {model.devices[end].platform for end in ends if end in model.devices}
            if wrong.pair.kind == "host" or len(systems) > 1:
                continue
            yield self.finding(
                f"{wrong.field} is {wrong.here} here and {wrong.there} at the other end of "
                "the cable",
                f"use the same {wrong.field} everywhere",
                place=wrong.place,
                device=wrong.end.device,
                port=wrong.end.port,
            )


@rules.add("QOS008")
class CnpDscp(ClassRule):
    """CNPs and RoCE data have different DSCPs."""

    why = "CNPs that wait in the congested queue arrive too late to slow down the senders."
    source = (
        "Zhu et al., Congestion Control for Large-Scale RDMA Deployments, SIGCOMM 2015, section 3"
    )
    guards = ("lossless.cnp_dscp", "lossless.roce_dscp")

    def judge_class(
        self, _device: DeviceDesign, profile: QosProfile, one: LosslessClass
    ) -> Iterator[Wrong]:
        """Compare the code points of every class."""
        if profile.cnp_dscp in one.dscps:
            yield Wrong(
                "cnp_dscp" if one.number is None else "roce_dscp",
                f"cnp_dscp and roce_dscp are both {profile.cnp_dscp}",
                "use a separate DSCP for CNPs, such as 48"
                if profile.cnp_dscp != USUAL_CNP_DSCP
                else "use another DSCP for RoCE data, such as 26",
            )


@rules.add("QOS009")
class CnpClass(ClassRule):
    """CNPs have their own class and queue, which are never paused."""

    why = "A paused or congested CNP class delays CNPs exactly when they are needed."
    source = (
        "Zhu et al., Congestion Control for Large-Scale RDMA Deployments, SIGCOMM 2015, section 3"
    )
    guards = ("lossless.cnp_traffic_class", "lossless.cnp_queue")

    def judge_class(
        self, device: DeviceDesign, profile: QosProfile, one: LosslessClass
    ) -> Iterator[Wrong]:
        """Compare class and queue of CNPs with those of RoCE data."""
        system = features_of(device.platform)
        for field, value, other in (
            ("cnp_traffic_class", profile.cnp_traffic_class, "traffic_class"),
            ("cnp_queue", profile.cnp_queue, "queue"),
            ("cnp_traffic_class", profile.cnp_traffic_class, "pfc_priority"),
        ):
            if value == getattr(one, other):
                fix = f"use a separate {field} for CNPs, such as {_free(profile, value)}"
                if system.only_value(f"lossless.{field}", device.sku, device.role) == value:
                    fix = f"use another {other}: CNPs have {value} on this system"
                yield Wrong(
                    field if one.number is None else other,
                    f"{field} and {other} are both {value}",
                    fix,
                )


def _free(profile: QosProfile, value: int) -> int:
    """Return a class for CNPs that no lossless class has; 6 where it is free."""
    taken = {value, *(n for one in profile.classes for n in (one.pfc_priority, one.queue))}
    taken |= {one.traffic_class for one in profile.classes}
    return next(number for number in (6, 5, 4, 2, 1, 0, 7) if number not in taken)


#: What belongs to one lossless class alone, by the field of a policy without a list.
OWN = ("roce_dscp", "pfc_priority", "traffic_class", "queue", "priority_group")

#: Fields that are the priority of the class where it does not set them.
_OF_PRIORITY = OWN[2:]


@rules.add("QOS070")
class OwnClass(PolicyRule):
    """Lossless classes share no DSCP, priority, traffic class, queue or priority group."""

    why = (
        "Packets of two classes in one queue or priority group are delayed together, and one pause "
        "stops both."
    )
    source = "IEEE 802.1Q-2018 clause 36 (a priority is paused); RFC 2474 section 3"
    guards = tuple(f"lossless.{name}" for name in (*OWN, "classes"))

    def judge(self, _device: DeviceDesign, profile: QosProfile) -> Iterator[Wrong]:
        """Compare every class with those before it."""
        for first, second in combinations(profile.classes, 2):
            if first.name == second.name:
                message = f"two classes are called {first.name}"
                yield Wrong(f"classes.{second.number}.name", message, "use another name")
            for field in OWN:
                values = [
                    one.dscps if field == "roce_dscp" else (getattr(one, field),)
                    for one in (first, second)
                ]
                shared = sorted(set(values[0]) & set(values[1]))
                if shared and not _follows(field, first, second):
                    yield Wrong(
                        second.field(field),
                        f"classes {first.name} and {second.name} both have {field} "
                        f"{', '.join(map(str, shared))}",
                        f"use another {field} for one of them",
                    )


def _follows(field: str, first: LosslessClass, second: LosslessClass) -> bool:
    """Tell whether a field is the same in both since their priority is, which is named already."""
    own = {getattr(one, field) for one in (first, second)} if field in _OF_PRIORITY else set()
    return own == {first.pfc_priority} == {second.pfc_priority}


@rules.add("QOS071")
class OneDescription(ModelRule):
    """Lossless classes are described by their list or by single fields."""

    why = "With a list, the single fields have no effect, and a reader takes them for the policy."
    source = "docs/reference/inventory.md (lossless.classes)"
    guards = ("lossless.classes",)

    def check(self, model: Model) -> Iterator[Finding]:
        """Look for single fields at every end of a cable whose policy has a list."""
        seen: set[Place] = set()
        for end in (end for pair in model.pairs for end in (pair.left, pair.right)):
            for field in sorted(
                ONE_CLASS & end.policy.model_fields_set if end.policy.classes else ()
            ):
                place = model.policy_place(field, end.device, end.port)
                if place not in seen:
                    seen.add(place)
                    yield self.finding(
                        f"lossless.{field} has no effect: lossless.classes is set",
                        f"set it in lossless.classes, and remove lossless.{field}",
                        place=place,
                        device=end.device,
                    )
