"""CUM010: on Cumulus Linux a queue is lossless again after one poll."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fabric.core.findings import Severity
from fabric.validate.rule import ModelRule, rules

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fabric.core.findings import Finding
    from fabric.validate.world import Model


@rules.add("CUM010")
class Restoration(ModelRule):
    """On Cumulus Linux a queue is lossless again after one poll."""

    severity = Severity.INFO
    why = "There is no restoration time: one poll without pause frames is enough."
    source = "CumulusNetworks/docs content/cumulus-linux-514, Quality of Service"
    guards = ("lossless.watchdog.restoration_ms",)

    def check(self, model: Model) -> Iterator[Finding]:
        """Look for another time of restoration."""
        for device in model.devices.values():
            for profile in device.qos_profiles if device.platform == "cumulus" else ():
                times = profile.watchdog
                if profile.pfc and times.enabled and times.restoration_ms != times.poll_ms:
                    yield self.finding(
                        f"watchdog.restoration_ms {times.restoration_ms} has no effect on Cumulus "
                        f"Linux, which waits one poll of {times.poll_ms} ms",
                        "set it to poll_ms, or accept the shorter time",
                        place=model.profile_place("watchdog.restoration_ms", device, profile),
                        device=device.name,
                    )
