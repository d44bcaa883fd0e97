"""QOS011: on SONiC class, queue and priority group have the number of the PFC priority."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fabric.core.findings import Severity
from fabric.validate.rule import ModelRule, rules

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fabric.core.findings import Finding
    from fabric.validate.world import Model


@rules.add("QOS011")
class OwnNumbers(ModelRule):
    """On SONiC class, queue and priority group use the number of the PFC priority."""

    severity = Severity.WARNING
    why = (
        "buffermgrd creates lossless groups, and pfcwd watches queues, by the numbers in "
        "pfc_enable."
    )
    source = "sonic-net/sonic-swss cfgmgr/buffermgr.cpp, orchagent/pfcwdorch.cpp"
    guards = ("lossless.pfc_priority", "lossless.queue", "lossless.priority_group")

    def check(self, model: Model) -> Iterator[Finding]:
        """Compare the four numbers of every policy on SONiC."""
        for device in model.devices.values():
            for profile in device.qos_profiles if device.platform == "sonic" else ():
                for field in ("traffic_class", "queue", "priority_group"):
                    value = getattr(profile, field)
                    if value != profile.pfc_priority:
                        yield self.finding(
                            f"{field} {value} is not pfc_priority {profile.pfc_priority}",
                            f"set {field} to {profile.pfc_priority}",
                            place=model.profile_place(field, device, profile),
                            device=device.name,
                        )
