"""NXO005: the PFC watchdog of NX-OS drops."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fabric.validate.rule import ModelRule, rules

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fabric.core.findings import Finding
    from fabric.validate.world import Model


@rules.add("NXO005")
class WatchdogDrops(ModelRule):
    """The PFC watchdog of NX-OS drops."""

    why = (
        "It shuts the stalled queue; there is no forward action, and the syntax "
        "for logging only is not published."
    )
    source = "Cisco Nexus 9000 QoS configuration guide 10.5(x), PFC watchdog"
    guards = ("lossless.watchdog.action",)

    def check(self, model: Model) -> Iterator[Finding]:
        """Look at the action of every policy on NX-OS."""
        for device in model.devices.values():
            for profile in device.qos_profiles if device.platform == "nxos" else ():
                watchdog = profile.watchdog
                if profile.pfc and watchdog.enabled and watchdog.action != "drop":
                    yield self.finding(
                        f"watchdog.action {watchdog.action} is not supported on NX-OS",
                        "use drop, or disable the watchdog there",
                        place=model.profile_place("watchdog.action", device, profile),
                        device=device.name,
                    )
