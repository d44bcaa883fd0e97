"""VRP015: beside a switch that has ECN as a whole, every PFC watchdog drops."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fabric.systems.vrp8.platforms import FAMILY_A, FAMILY_B
from fabric.validate.rule import ModelRule, rules

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fabric.core.findings import Finding
    from fabric.validate.world import Model


@rules.add("VRP015")
class FabricDrops(ModelRule):
    """If a VRP8 switch has ECN as a whole, the PFC watchdogs of all VRP8 switches drop."""

    why = (
        "The vendor requires it of the whole fabric. One family forwards by default, also where "
        "no watchdog is configured."
    )
    source = (
        "CloudEngine V300R023C00 command reference (WheaterW/INTA-project @ 9308062d), dcb "
        "pfc deadlock recovery-behavior"
    )
    guards = ("lossless.watchdog.enabled", "lossless.watchdog.action")

    def check(self, model: Model) -> Iterator[Finding]:
        """Compare the watchdogs of all VRP8 switches beside one of the family with drop."""
        ours = [device for device in model.devices.values() if device.platform == "vrp8"]
        if all(device.sku.asic != FAMILY_A for device in ours):
            return
        for device in ours:
            for profile in device.qos_profiles:
                watchdog = profile.watchdog
                field, message = "watchdog.action", ""
                if profile.pfc and watchdog.enabled and watchdog.action == "forward":
                    message = "watchdog.action forward: its fabric requires drop"
                elif profile.pfc and not watchdog.enabled and device.sku.asic == FAMILY_B:
                    field = "watchdog.enabled"
                    message = "watchdog.enabled is false: it forwards, but its fabric requires drop"
                if message:
                    yield self.finding(
                        message,
                        "set lossless.watchdog.enabled to true, and the action to drop",
                        place=model.profile_place(field, device, profile),
                        device=device.name,
                    )
