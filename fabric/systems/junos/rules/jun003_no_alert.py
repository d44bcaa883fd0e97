"""JUN003: junos has no watchdog action alert."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fabric.validate.rule import ModelRule, rules

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fabric.core.findings import Finding
    from fabric.validate.world import Model


@rules.add("JUN003")
class NoAlert(ModelRule):
    """Junos has no watchdog action alert."""

    why = "The actions are drop and forward; both also log to syslog."
    source = "Juniper/yang @ 2a696d62 24.4R1 junos-qfx-conf-class-of-service (watchdog-action)"
    guards = ("lossless.watchdog.action",)

    def check(self, model: Model) -> Iterator[Finding]:
        """Look at the action of every policy on Junos."""
        for device in model.devices.values():
            for profile in device.qos_profiles if device.platform == "junos" else ():
                if profile.watchdog.enabled and profile.watchdog.action == "alert":
                    yield self.finding(
                        "watchdog.action alert does not exist on Junos",
                        "use drop or forward",
                        place=model.profile_place("watchdog.action", device, profile),
                        device=device.name,
                    )
