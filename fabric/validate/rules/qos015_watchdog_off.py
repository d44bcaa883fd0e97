"""QOS015: the PFC watchdog is on."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fabric.core.findings import Severity
from fabric.validate.rule import ModelRule, rules

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fabric.core.findings import Finding
    from fabric.validate.world import Model


@rules.add("QOS015")
class WatchdogOff(ModelRule):
    """The PFC watchdog is on."""

    severity = Severity.WARNING
    why = "Nothing else ends a pause storm: one broken NIC can stop the whole fabric."
    source = "Guo et al., RDMA over Commodity Ethernet at Scale, SIGCOMM 2016, section 4.3"
    guards = ("lossless.watchdog.enabled",)

    def check(self, model: Model) -> Iterator[Finding]:
        """Look at every policy that has PFC on."""
        for device in model.devices.values():
            for profile in device.qos_profiles:
                if profile.pfc and not profile.watchdog.enabled:
                    yield self.finding(
                        "the PFC watchdog is off: nothing stops a pause storm",
                        "set watchdog.enabled to true",
                        place=model.profile_place("watchdog.enabled", device, profile),
                        device=device.name,
                    )
