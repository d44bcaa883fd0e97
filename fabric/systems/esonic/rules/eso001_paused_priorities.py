"""ESO001: Enterprise SONiC pauses priorities 3 and 4 only."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fabric.systems.esonic.platforms import PAUSED_PRIORITIES
from fabric.validate.rule import ModelRule, rules

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fabric.core.findings import Finding
    from fabric.validate.world import Model


@rules.add("ESO001")
class PausedPriorities(ModelRule):
    """Enterprise SONiC pauses priorities 3 and 4 only."""

    why = "The switches support PFC for these two only; any other class would be lossy."
    source = "Broadcom, RDMA over Converged Ethernet support HLD rev. 0.3 (PFC for 3 and 4 only)"
    guards = ("lossless.pfc_priority",)

    def check(self, model: Model) -> Iterator[Finding]:
        """Look at the PFC priority of every policy on Enterprise SONiC."""
        for device in model.devices.values():
            for profile in device.qos_profiles if device.platform == "esonic" else ():
                if profile.pfc and profile.pfc_priority not in PAUSED_PRIORITIES:
                    yield self.finding(
                        f"Enterprise SONiC does not support PFC on priority {profile.pfc_priority}",
                        "use 3 or 4",
                        place=model.profile_place("pfc_priority", device, profile),
                        device=device.name,
                    )
