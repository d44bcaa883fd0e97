"""CUM004: on Cumulus Linux the watchdog acts after a whole number of polls."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fabric.systems.cumulus import platforms as cumulus
from fabric.validate.rule import ModelRule, rules

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fabric.core.findings import Finding
    from fabric.validate.world import Model


@rules.add("CUM004")
class WholePolls(ModelRule):
    """On Cumulus Linux the watchdog acts after a whole number of polls."""

    why = "There is no detection time, only a number of polls."
    source = "CumulusNetworks/docs content/cumulus-linux-514, Quality of Service"
    guards = ("lossless.watchdog.detection_ms", "lossless.watchdog.poll_ms")

    def check(self, model: Model) -> Iterator[Finding]:
        """Divide the time of detection by that of a poll."""
        low, high = cumulus.ROBUSTNESS
        for device in model.devices.values():
            for profile in device.qos_profiles if device.platform == "cumulus" else ():
                times = profile.watchdog
                polls, rest = divmod(times.detection_ms, times.poll_ms)
                if profile.pfc and times.enabled and (rest or not low <= polls <= high):
                    yield self.finding(
                        f"watchdog.detection_ms {times.detection_ms} is not {low} to {high} times "
                        f"poll_ms {times.poll_ms}",
                        "use a multiple of poll_ms",
                        place=model.profile_place("watchdog.detection_ms", device, profile),
                        device=device.name,
                    )
