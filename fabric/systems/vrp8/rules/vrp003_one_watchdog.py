"""VRP003: a VRP8 switch has one PFC watchdog, which drops or forwards."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fabric.systems.vrp8.platforms import FAMILY_A, FAMILY_B
from fabric.validate.rule import ModelRule, rules

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fabric.core.findings import Finding
    from fabric.design.model import DeviceDesign, QosProfile
    from fabric.validate.world import Model


@rules.add("VRP003")
class OneWatchdog(ModelRule):
    """A VRP8 switch has one PFC watchdog, which drops or forwards."""

    why = (
        "Timers and action of deadlock detection apply to the whole switch, "
        "and there is no alert-only action. If the fabric has a switch of the family with ECN as "
        "a whole, the vendor requires every switch to drop; one family forwards by default."
    )
    source = (
        "CloudEngine V300R023C00 command reference (WheaterW/INTA-project @ 9308062d), dcb "
        "pfc deadlock recovery-behavior, dcb pfc deadlock-detect timer, priority deadlock- "
        "detect time"
    )
    guards = (
        "lossless.watchdog.enabled",
        "lossless.watchdog.action",
        "lossless.watchdog.detection_ms",
        "lossless.watchdog.restoration_ms",
    )

    def check(self, model: Model) -> Iterator[Finding]:
        """Compare the watchdogs of all policies of every VRP8 switch."""
        ours = [device for device in model.devices.values() if device.platform == "vrp8"]
        drops = any(device.sku.asic == FAMILY_A for device in ours)
        for device in ours:
            if drops:
                yield from self._silent(model, device)
            pausing = [p for p in device.qos_profiles if p.pfc and p.watchdog.enabled]
            for profile in pausing:
                yield from self._apart(model, device, pausing[0], profile)
                action = profile.watchdog.action
                if action == "alert" or (action == "forward" and drops):
                    reason = "its fabric requires drop" if action == "forward" else "it cannot"
                    yield self.finding(
                        f"watchdog.action {action}: {reason}",
                        "set lossless.watchdog.action to drop",
                        place=model.profile_place("watchdog.action", device, profile),
                        device=device.name,
                    )

    def _silent(self, model: Model, device: DeviceDesign) -> Iterator[Finding]:
        """Look for what forwards because nothing is said, beside switches that drop."""
        for profile in device.qos_profiles if device.sku.asic == FAMILY_B else ():
            if profile.pfc and not profile.watchdog.enabled:
                yield self.finding(
                    "watchdog.enabled is false: then it forwards, but its fabric requires drop",
                    "set lossless.watchdog.enabled to true, and the action to drop",
                    place=model.profile_place("watchdog.enabled", device, profile),
                    device=device.name,
                )

    def _apart(
        self, model: Model, device: DeviceDesign, first: QosProfile, other: QosProfile
    ) -> Iterator[Finding]:
        for field in ("detection_ms", "restoration_ms", "action"):
            here, there = getattr(first.watchdog, field), getattr(other.watchdog, field)
            if here != there:
                yield self.finding(
                    f"watchdog.{field} is {there} on some ports and {here} on others, but it "
                    "applies to the whole switch",
                    "use the same value on all ports of the switch",
                    place=model.profile_place(f"watchdog.{field}", device, other),
                    device=device.name,
                )
