"""NXO007: ECN thresholds are in the range of NX-OS."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fabric.validate.rule import ModelRule, rules

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fabric.core.findings import Finding
    from fabric.validate.world import Model

#: The model gives no unit with it; in bytes it holds whichever is meant.
LIMIT_BYTES = 52_428_800


@rules.add("NXO007")
class EcnRange(ModelRule):
    """ECN thresholds are in the range of NX-OS."""

    why = "The switch rejects the line, and the whole change is rolled back."
    source = "YangModels/yang Cisco NX-OS 9.3(2): thresholds of random-detect 0 to 52428800"
    guards = ("lossless.ecn.kmin_bytes", "lossless.ecn.kmax_bytes")

    def check(self, model: Model) -> Iterator[Finding]:
        """Compare both thresholds of every policy on NX-OS with the limit."""
        for device in model.devices.values():
            for profile in device.qos_profiles if device.platform == "nxos" else ():
                for field in ("kmin_bytes", "kmax_bytes"):
                    value = getattr(profile, field)
                    if value > LIMIT_BYTES:
                        yield self.finding(
                            f"ecn.{field} {value:,} is above {LIMIT_BYTES:,}, the limit of NX-OS",
                            f"lower {field}",
                            place=model.profile_place(f"ecn.{field}", device, profile),
                            device=device.name,
                        )
