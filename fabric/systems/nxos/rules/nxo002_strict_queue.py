"""NXO002: on NX-OS the strict queue is the highest one."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fabric.validate.rule import ModelRule, rules

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fabric.core.findings import Finding
    from fabric.validate.world import Model

#: Highest of the eight queues; `default-8q-out-policy` has its `priority level 1` there.
STRICT = 7


@rules.add("NXO002")
class StrictQueue(ModelRule):
    """On NX-OS the strict queue is the highest one."""

    why = "Strict queues start at the highest group; `priority level 1` is rejected elsewhere."
    source = (
        "Cisco Nexus 9000 QoS configuration guide, queuing, guidelines (one priority queue is the "
        "highest group); paregupt/nx-os @ ad8128f3 nxos_config_roce.py (CNP in group 7)"
    )
    guards = ("lossless.cnp_queue", "lossless.cnp_traffic_class")

    def check(self, model: Model) -> Iterator[Finding]:
        """Look at class and queue of the CNPs of every policy on NX-OS."""
        for device in model.devices.values():
            for profile in device.qos_profiles if device.platform == "nxos" else ():
                for field in ("cnp_queue", "cnp_traffic_class"):
                    if getattr(profile, field) != STRICT:
                        yield self.finding(
                            f"{field} is {getattr(profile, field)}, on NX-OS CNPs go to {STRICT}",
                            f"set cnp_queue and cnp_traffic_class to {STRICT}",
                            place=model.profile_place(field, device, profile),
                            device=device.name,
                        )
