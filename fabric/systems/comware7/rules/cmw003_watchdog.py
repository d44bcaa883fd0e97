"""CMW003: the PFC watchdog of Comware 7 is not set up."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fabric.core.findings import Severity
from fabric.validate.rule import ModelRule, rules

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fabric.core.findings import Finding
    from fabric.validate.world import Model


@rules.add("CMW003")
class NoWatchdog(ModelRule):
    """The PFC watchdog of Comware 7 is not rendered."""

    severity = Severity.WARNING
    why = (
        "The unit of its interval and delay depends on a precision that no public "
        "source specifies, and without an interval a storm is not detected."
    )
    source = "H3C configuration guide, Configuring PFC: priority-flow-control deadlock precision"
    guards = ("lossless.watchdog.enabled",)

    def check(self, model: Model) -> Iterator[Finding]:
        """Look for a watchdog in every policy of Comware 7."""
        for device in model.devices.values():
            for profile in device.qos_profiles if device.platform == "comware7" else ():
                if profile.pfc and profile.watchdog.enabled:
                    yield self.finding(
                        "the PFC watchdog is not rendered for Comware 7: the "
                        "unit of its times is not known",
                        "configure it manually; the configuration on the switch is kept",
                        place=model.profile_place("watchdog.enabled", device, profile),
                        device=device.name,
                    )
