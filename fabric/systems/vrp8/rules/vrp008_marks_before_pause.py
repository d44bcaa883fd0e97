"""VRP008: a VRP8 switch marks before it pauses."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fabric.core.findings import Severity
from fabric.core.units import kib_to_bytes
from fabric.systems.vrp8.platforms import DEFAULT_PAUSE_KIB, FAMILY_A
from fabric.validate.rule import ModelRule, rules

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fabric.core.findings import Finding
    from fabric.validate.world import Model


@rules.add("VRP008")
class MarksBeforePause(ModelRule):
    """A VRP8 switch marks ECN before it pauses."""

    severity = Severity.WARNING
    why = (
        "One family pauses at 125 kbytes in an ingress queue by default, "
        "which rocefab does not change; with later marking the senders are already paused."
    )
    source = (
        "CloudEngine V300R023C00 command reference (WheaterW/INTA-project @ 9308062d), dcb "
        "pfc buffer (xoff static 125 kbytes by default on CE6866, CE8850-SAN, "
        "CE8851-32CQ8DQ-P and their like)"
    )
    guards = ("lossless.ecn.kmin_bytes",)

    def check(self, model: Model) -> Iterator[Finding]:
        """Compare kmin_bytes with where a switch without a pool pauses."""
        pause_bytes = kib_to_bytes(DEFAULT_PAUSE_KIB)
        for device in model.devices.values():
            ours = device.platform == "vrp8" and device.sku.asic == FAMILY_A
            for profile in device.qos_profiles if ours else ():
                if profile.pfc and profile.kmin_bytes >= pause_bytes:
                    yield self.finding(
                        f"ecn.kmin_bytes {profile.kmin_bytes:,} is not below {pause_bytes:,.0f}, "
                        f"where one sender makes {device.sku.name} pause",
                        "lower lossless.ecn.kmin_bytes for these switches",
                        place=model.profile_place("ecn.kmin_bytes", device, profile),
                        device=device.name,
                    )
