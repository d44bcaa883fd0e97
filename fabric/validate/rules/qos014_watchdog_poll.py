"""QOS014: the watchdog polls often enough."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fabric.validate.rule import ModelRule, rules

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fabric.core.findings import Finding
    from fabric.validate.world import Model


@rules.add("QOS014")
class WatchdogPoll(ModelRule):
    """The watchdog polls often enough."""

    why = "A detector that polls less often than its detection time is rejected or detects nothing."
    source = (
        "sonic-net/sonic-utilities pfcwd/main.py; Arista EOS manual, PFC watchdog (poll at most"
        " half of the shorter time)"
    )
    guards = (
        "lossless.watchdog.detection_ms",
        "lossless.watchdog.restoration_ms",
        "lossless.watchdog.poll_ms",
    )

    def check(self, model: Model) -> Iterator[Finding]:
        """Compare the poll interval with the shorter of the two times."""
        for device in model.devices.values():
            for profile in device.qos_profiles:
                times = profile.watchdog
                shorter = min(times.detection_ms, times.restoration_ms)
                limit = shorter // 2 if device.platform == "eos" else shorter
                if times.enabled and times.poll_ms > limit:
                    yield self.finding(
                        f"watchdog.poll_ms {times.poll_ms} is above {limit}, the "
                        f"limit of {device.platform} for {times.detection_ms} ms detection and "
                        f"{times.restoration_ms} ms "
                        "restoration",
                        "lower poll_ms or increase the other two",
                        place=model.profile_place("watchdog.poll_ms", device, profile),
                        device=device.name,
                    )
