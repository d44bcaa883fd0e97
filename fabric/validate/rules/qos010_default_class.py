"""QOS010: RoCE data and CNPs stay out of the default class."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fabric.validate.rule import ModelRule, rules

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fabric.core.findings import Finding
    from fabric.validate.world import Model


@rules.add("QOS010")
class DefaultClass(ModelRule):
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

    def check(self, model: Model) -> Iterator[Finding]:
        """Look for 0 among the numbers of RoCE data and CNPs."""
        fields = ("traffic_class", "queue", "priority_group", "cnp_traffic_class", "cnp_queue")
        for device in model.devices.values():
            for profile in device.qos_profiles:
                for field in (*fields, "roce_dscp", "pfc_priority"):
                    if getattr(profile, field) == 0:
                        yield self.finding(
                            f"{field} 0 carries all other traffic",
                            f"use another {field}",
                            place=model.profile_place(field, device, profile),
                            device=device.name,
                        )
