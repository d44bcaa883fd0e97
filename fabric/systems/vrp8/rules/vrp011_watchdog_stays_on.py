"""VRP011: the PFC watchdog of VRP8 cannot be switched off."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fabric.core.findings import Severity
from fabric.validate.rule import ModelRule, rules

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fabric.core.findings import Finding
    from fabric.validate.world import Model


@rules.add("VRP011")
class WatchdogStaysOn(ModelRule):
    """The PFC watchdog of VRP8 cannot be disabled."""

    severity = Severity.INFO
    why = (
        "Deadlock detection runs by default and cannot be disabled: it keeps "
        "its default of 100 ms, and after 30 deadlocks in 20 s it disables PFC on the port."
    )
    source = (
        "CloudEngine V300R023C00 command reference (WheaterW/INTA-project @ 9308062d), "
        "priority deadlock-detect time, dcb pfc deadlock-detect timer, priority turn-off"
    )
    guards = ("lossless.watchdog.enabled",)

    def check(self, model: Model) -> Iterator[Finding]:
        """Look for policies without a watchdog on VRP8."""
        for device in model.devices.values():
            for profile in device.qos_profiles if device.platform == "vrp8" else ():
                if profile.pfc and not profile.watchdog.enabled:
                    yield self.finding(
                        "watchdog.enabled is false, but the watchdog runs with its defaults",
                        "set suitable times instead",
                        place=model.profile_place("watchdog.enabled", device, profile),
                        device=device.name,
                    )
