"""QOS033: the watchdog stays off for at least as long as it took to act."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fabric.core.findings import Severity
from fabric.validate.rule import ModelRule, rules

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fabric.core.findings import Finding
    from fabric.validate.world import Model


@rules.add("QOS033")
class Restoration(ModelRule):
    """The watchdog restoration time is at least the detection time."""

    severity = Severity.INFO
    why = "If restored sooner, a queue that is still in a storm is paused again at once."
    source = (
        "sonic-net/sonic-utilities 691b1bbc pfcwd/main.py (restoration = 2 x detection when "
        "it is not set)"
    )
    guards = ("lossless.watchdog.restoration_ms", "lossless.watchdog.detection_ms")

    def check(self, model: Model) -> Iterator[Finding]:
        """Compare the two times of each policy."""
        for device in model.devices.values():
            for profile in device.qos_profiles:
                watchdog = profile.watchdog
                if watchdog.enabled and watchdog.restoration_ms < watchdog.detection_ms:
                    yield self.finding(
                        f"watchdog.restoration_ms {watchdog.restoration_ms} is below "
                        f"detection_ms {watchdog.detection_ms}",
                        "use one or two times the detection time, as SONiC does",
                        place=model.profile_place("watchdog.restoration_ms", device, profile),
                        device=device.name,
                    )
