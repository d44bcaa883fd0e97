"""JUN001: on Junos all ports of a switch share classes and watchdog action."""

from __future__ import annotations

from operator import attrgetter
from typing import TYPE_CHECKING

from fabric.validate.rule import ModelRule, rules

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fabric.core.findings import Finding
    from fabric.validate.world import Model

CLASSES = ("queue", "cnp_queue", "pfc_priority")


@rules.add("JUN001")
class OneSetOfClasses(ModelRule):
    """On Junos all ports of a switch share classes and watchdog action."""

    why = (
        "Queue and PFC priority belong to a forwarding class of the whole "
        "switch, and watchdog recovery is one setting: the last value would apply to all ports."
    )
    source = (
        "juniper.net CLI reference forwarding-classes, pfc-priority; juniper.net AI-ML guide "
        "of Junos OS Evolved, pfc-watchdog"
    )
    guards = (
        "lossless.queue",
        "lossless.cnp_queue",
        "lossless.pfc_priority",
        "lossless.watchdog.action",
    )

    def check(self, model: Model) -> Iterator[Finding]:
        """Compare every further policy of a switch with the first."""
        for device in model.devices.values():
            base = device.qos_profiles[0]
            for profile in device.qos_profiles[1:] if device.platform == "junos" else ():
                watched = profile.pfc and profile.watchdog.enabled
                for field in (*CLASSES, *(("watchdog.action",) if watched else ())):
                    here, first = attrgetter(field)(profile), attrgetter(field)(base)
                    if here != first:
                        yield self.finding(
                            f"{field} {here} of a port is not {first}, the value of the switch",
                            f"use the same {field} on all ports of a Junos switch",
                            place=model.profile_place(field, device, profile),
                            device=device.name,
                        )
