"""QOS013: watchdog times are in the range of the platform."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fabric.platforms import platforms
from fabric.validate.rule import ModelRule, rules

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fabric.core.findings import Finding
    from fabric.validate.world import Model


@rules.add("QOS013")
class WatchdogRanges(ModelRule):
    """Watchdog times are in the range of the platform."""

    why = "A time outside the range is rejected and the watchdog does not start."
    source = "sonic-net/sonic-buildimage sonic-pfcwd.yang; pyavd 6.4.0 schema"
    guards = (
        "lossless.watchdog.detection_ms",
        "lossless.watchdog.restoration_ms",
        "lossless.watchdog.poll_ms",
    )

    def check(self, model: Model) -> Iterator[Finding]:
        """Compare the three times with what the platform takes."""
        for device in model.devices.values():
            ranges = platforms[device.platform].watchdog_range_ms(device.sku.release)
            for profile in device.qos_profiles:
                for what, (low, high) in ranges.items():
                    value = getattr(profile.watchdog, f"{what}_ms")
                    if profile.watchdog.enabled and not low <= value <= high:
                        yield self.finding(
                            f"watchdog.{what}_ms {value} is outside {low} to {high} of "
                            f"{device.platform}{device.sku.release and ' '}{device.sku.release}",
                            "use a time in the range",
                            place=model.profile_place(f"watchdog.{what}_ms", device, profile),
                            device=device.name,
                        )
