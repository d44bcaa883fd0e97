"""EOS003: on EOS class and queue 7 are left to the system."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fabric.validate.rule import ModelRule, rules

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fabric.core.findings import Finding
    from fabric.validate.world import Model

#: Traffic class and queue that EOS keeps.
RESERVED = 7


@rules.add("EOS003")
class ReservedClass(ModelRule):
    """On EOS class and queue 7 are reserved for the system."""

    why = (
        "Traffic class 7 is tied to queue 7 and carries control traffic; on R-series it is not "
        "configurable."
    )
    source = "Arista TOI index (queue 7 before 4.33.0F); Arista EOS manual, QoS"
    guards = ("lossless.traffic_class", "lossless.queue")

    def check(self, model: Model) -> Iterator[Finding]:
        """Look for 7 among the classes and queues of every policy on EOS."""
        for device in model.devices.values():
            for profile in device.qos_profiles if device.platform == "eos" else ():
                for field in ("traffic_class", "queue", "cnp_traffic_class", "cnp_queue"):
                    if getattr(profile, field) == RESERVED:
                        yield self.finding(
                            f"{field} {RESERVED} is reserved on EOS",
                            "use a number from 1 to 6",
                            place=model.profile_place(field, device, profile),
                            device=device.name,
                        )
