"""QOS009: CNPs have their own class and queue, which are never paused."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fabric.validate.rule import ModelRule, rules

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fabric.core.findings import Finding
    from fabric.validate.world import Model


@rules.add("QOS009")
class CnpClass(ModelRule):
    """CNPs have their own class and queue, which are never paused."""

    why = "A paused or congested CNP class delays CNPs exactly when they are needed."
    source = (
        "Zhu et al., Congestion Control for Large-Scale RDMA Deployments, SIGCOMM 2015, section 3"
    )
    guards = ("lossless.cnp_traffic_class", "lossless.cnp_queue")

    def check(self, model: Model) -> Iterator[Finding]:
        """Compare class and queue of CNPs with those of RoCE data."""
        for device in model.devices.values():
            for profile in device.qos_profiles:
                for field, value, other in (
                    ("cnp_traffic_class", profile.cnp_traffic_class, "traffic_class"),
                    ("cnp_queue", profile.cnp_queue, "queue"),
                    ("cnp_traffic_class", profile.cnp_traffic_class, "pfc_priority"),
                ):
                    if value == getattr(profile, other):
                        yield self.finding(
                            f"{field} and {other} are both {value}",
                            f"use a separate {field} for CNPs, such as 6",
                            place=model.profile_place(field, device, profile),
                            device=device.name,
                        )
