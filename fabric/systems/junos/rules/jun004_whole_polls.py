"""JUN004: on Junos the watchdog counts detection in polls."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fabric.validate.rule import ModelRule, rules

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fabric.core.findings import Finding
    from fabric.validate.world import Model


@rules.add("JUN004")
class WholePolls(ModelRule):
    """On Junos the watchdog counts detection in polls."""

    why = (
        "The configuration takes a number of polls, so a time between two polls "
        "cannot be expressed."
    )
    source = "juniper.net cos-pfc-watchdog-configure (detection: number of polls)"
    guards = ("lossless.watchdog.detection_ms", "lossless.watchdog.poll_ms")

    def check(self, model: Model) -> Iterator[Finding]:
        """Divide the detection time of every policy on Junos."""
        for device in model.devices.values():
            for profile in device.qos_profiles if device.platform == "junos" else ():
                times = profile.watchdog
                if times.enabled and times.detection_ms % times.poll_ms:
                    places = [
                        model.profile_place(field, device, profile)
                        for field in ("watchdog.detection_ms", "watchdog.poll_ms")
                    ]
                    yield self.finding(
                        f"watchdog.detection_ms {times.detection_ms} is not a multiple of poll_ms "
                        f"{times.poll_ms}",
                        "use a multiple",
                        place=max(places, key=lambda place: place.specific),
                        device=device.name,
                    )
