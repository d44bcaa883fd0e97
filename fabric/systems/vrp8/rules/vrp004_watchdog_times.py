"""VRP004: a VRP8 switch can count the times of its PFC watchdog."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fabric.systems.vrp8.platforms import deadlock_counts, family_of
from fabric.validate.rule import ModelRule, rules

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fabric.core.findings import Finding
    from fabric.validate.world import Model


@rules.add("VRP004")
class WatchdogTimes(ModelRule):
    """A VRP8 switch supports the times of its PFC watchdog."""

    why = (
        "One family supports 10 to 1500 ms; the other uses one unit of 10, 100, "
        "500 or 1000 ms for both times, with 1 to 15 units for detection and 1 to 31 for "
        "recovery. Other values are rejected or changed."
    )
    source = (
        "CloudEngine V300R023C00 command reference (WheaterW/INTA-project @ 9308062d), dcb "
        "pfc deadlock-detect timer, dcb pfc deadlock-detect interval, priority deadlock- "
        "detect time, priority deadlock-recovery time"
    )
    guards = ("lossless.watchdog.detection_ms", "lossless.watchdog.restoration_ms")

    def check(self, model: Model) -> Iterator[Finding]:
        """Look at the times of every watchdog on VRP8."""
        for device in model.devices.values():
            family = family_of(device.sku)
            if device.platform != "vrp8" or family is None:
                continue
            for profile in device.qos_profiles:
                watchdog = profile.watchdog
                times = (watchdog.detection_ms, watchdog.restoration_ms)
                if profile.pfc and watchdog.enabled and not deadlock_counts(family, *times):
                    yield self.finding(
                        f"watchdog: {device.sku.name} does not support {times[0]} ms and "
                        f"{times[1]} ms",
                        "use 10 to 1500 ms for both"
                        if family.timers_ms
                        else "use multiples of 100 ms up to 1500 ms for both",
                        place=model.profile_place("watchdog.detection_ms", device, profile),
                        device=device.name,
                    )
