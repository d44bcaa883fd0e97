"""VRP006: ECN thresholds are in the range of the VRP8 family."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fabric.systems.vrp8.platforms import family_of
from fabric.validate.rule import ModelRule, rules

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fabric.core.findings import Finding
    from fabric.validate.world import Model


@rules.add("VRP006")
class EcnRange(ModelRule):
    """ECN thresholds are in the range of the VRP8 family."""

    why = "The switch rejects the line, and the whole change is rolled back."
    source = (
        "CloudEngine V300R023C00 command reference (WheaterW/INTA-project @ 9308062d), ecn "
        "(buffer-size in bytes)"
    )
    guards = ("lossless.ecn.kmin_bytes", "lossless.ecn.kmax_bytes")

    def check(self, model: Model) -> Iterator[Finding]:
        """Compare both thresholds of every policy on VRP8 with the family of the switch."""
        for device in model.devices.values():
            family = family_of(device.sku)
            if device.platform != "vrp8" or family is None:
                continue
            low, high = family.marking_bytes
            for profile in device.qos_profiles:
                for field in ("kmin_bytes", "kmax_bytes"):
                    value = getattr(profile, field)
                    if not low <= value <= high:
                        yield self.finding(
                            f"ecn.{field} {value:,} is outside {low:,} to {high:,}, the range of "
                            f"{device.sku.name}",
                            "use a threshold in the range",
                            place=model.profile_place(f"ecn.{field}", device, profile),
                            device=device.name,
                        )
