"""ESO003: ECN thresholds are in the range of Enterprise SONiC."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fabric.systems.esonic.platforms import THRESHOLD_BYTES
from fabric.validate.rule import ModelRule, rules

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fabric.core.findings import Finding
    from fabric.validate.world import Model


@rules.add("ESO003")
class EcnRange(ModelRule):
    """ECN thresholds are in the range of Enterprise SONiC."""

    why = "The switch rejects the line, and the whole change is rolled back."
    source = "ansible-collections/dellemc.enterprise_sonic @ 9851e680 sonic_qos_wred"
    guards = ("lossless.ecn.kmin_bytes", "lossless.ecn.kmax_bytes")

    def check(self, model: Model) -> Iterator[Finding]:
        """Compare both thresholds of every policy on Enterprise SONiC with the range."""
        low, high = THRESHOLD_BYTES
        for device in model.devices.values():
            for profile in device.qos_profiles if device.platform == "esonic" else ():
                for field in ("kmin_bytes", "kmax_bytes"):
                    value = getattr(profile, field)
                    if not low <= value <= high:
                        yield self.finding(
                            f"ecn.{field} {value:,} is outside {low:,} to {high:,}, the range of "
                            "Enterprise SONiC",
                            "use a value in the range",
                            place=model.profile_place(f"ecn.{field}", device, profile),
                            device=device.name,
                        )
