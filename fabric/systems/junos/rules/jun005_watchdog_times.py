"""JUN005: on Junos only the default times of the watchdog are known to be taken."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fabric.core.findings import Severity
from fabric.systems.junos.platforms import DEFAULT_WATCHDOG_MS
from fabric.validate.rule import ModelRule, rules

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fabric.core.findings import Finding
    from fabric.validate.world import Model


@rules.add("JUN005")
class WatchdogTimes(ModelRule):
    """On Junos only the default watchdog times are confirmed."""

    severity = Severity.WARNING
    why = (
        "Ranges and steps of the timers are not published; a switch may reject other values, "
        "and with them the whole commit."
    )
    source = (
        "juniper.net cos-pfc-watchdog-configure (poll 100 ms, detection 2 polls, recovery 200 ms)"
    )
    guards = (
        "lossless.watchdog.detection_ms",
        "lossless.watchdog.restoration_ms",
        "lossless.watchdog.poll_ms",
    )

    def check(self, model: Model) -> Iterator[Finding]:
        """Compare the times of every policy on Junos with the defaults."""
        for device in model.devices.values():
            for profile in device.qos_profiles if device.platform == "junos" else ():
                watchdog = profile.watchdog
                times = (watchdog.poll_ms, watchdog.detection_ms, watchdog.restoration_ms)
                if profile.pfc and watchdog.enabled and times != DEFAULT_WATCHDOG_MS:
                    yield self.finding(
                        f"watchdog of {times[1]} ms detection, {times[2]} ms restoration and "
                        f"{times[0]} ms poll is not the default of Junos",
                        "use 200, 200 and 100 ms, or try the values on one switch first",
                        place=model.profile_place("watchdog.detection_ms", device, profile),
                        device=device.name,
                    )
