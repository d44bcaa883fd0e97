"""EOS005: ECN thresholds are in the range of EOS."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fabric.validate.rule import ModelRule, rules

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fabric.core.findings import Finding
    from fabric.validate.world import Model

LIMIT_BYTES = 256_000_000


@rules.add("EOS005")
class EcnRange(ModelRule):
    """ECN thresholds are in the range of EOS."""

    why = "The switch rejects the line in the configuration session, and nothing is committed."
    source = "pyavd 6.4.0 schema, random_detect.ecn.threshold (1 to 256000000)"
    guards = ("lossless.ecn.kmin_bytes", "lossless.ecn.kmax_bytes")

    def check(self, model: Model) -> Iterator[Finding]:
        """Compare both thresholds of every policy on EOS with the limit."""
        for device in model.devices.values():
            for profile in device.qos_profiles if device.platform == "eos" else ():
                for field in ("kmin_bytes", "kmax_bytes"):
                    value = getattr(profile, field)
                    if value > LIMIT_BYTES:
                        yield self.finding(
                            f"ecn.{field} {value:,} is above {LIMIT_BYTES:,}, the limit of EOS",
                            f"lower {field}",
                            place=model.profile_place(f"ecn.{field}", device, profile),
                            device=device.name,
                        )
