"""CUM005: on Cumulus Linux the watchdog can only drop."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fabric.validate.rule import ModelRule, rules

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fabric.core.findings import Finding
    from fabric.validate.world import Model


@rules.add("CUM005")
class WatchdogDrops(ModelRule):
    """On Cumulus Linux the watchdog can only drop."""

    why = (
        "In a storm the switch ignores the pause and drops new packets for the "
        "queue; there is no other action."
    )
    source = "CumulusNetworks/docs content/cumulus-linux-514, Quality of Service"
    guards = ("lossless.watchdog.action",)

    def check(self, model: Model) -> Iterator[Finding]:
        """Look at the action of every policy."""
        for device in model.devices.values():
            for profile in device.qos_profiles if device.platform == "cumulus" else ():
                action = profile.watchdog.action
                if profile.pfc and profile.watchdog.enabled and action != "drop":
                    yield self.finding(
                        f"watchdog.action {action} does not exist on Cumulus Linux",
                        "use drop",
                        place=model.profile_place("watchdog.action", device, profile),
                        device=device.name,
                    )
