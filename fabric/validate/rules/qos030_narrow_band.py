"""QOS030: the marking band is wider than a few frames."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fabric.core.findings import Severity
from fabric.validate.rule import ModelRule, rules

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fabric.core.findings import Finding
    from fabric.validate.world import Model

#: Frames that a band must have room for: with one, the marking is all or nothing.
LEAST_FRAMES = 2


@rules.add("QOS030")
class NarrowBand(ModelRule):
    """The marking band is wider than a few frames."""

    severity = Severity.WARNING
    why = (
        "All-or-nothing marking cuts all flows at once: the queue oscillates and "
        "flows share unfairly."
    )
    source = "Zhu et al., SIGCOMM 2015, section 5.2 (cut-off against RED-like marking)"
    guards = ("lossless.ecn.kmin_bytes", "lossless.ecn.kmax_bytes")

    def check(self, model: Model) -> Iterator[Finding]:
        """Compare Kmax - Kmin with the frames of the class."""
        for device in model.devices.values():
            for profile in device.qos_profiles:
                frame = profile.mtu_bytes
                band = profile.kmax_bytes - profile.kmin_bytes
                if 0 < band < LEAST_FRAMES * frame:
                    yield self.finding(
                        f"from ecn.kmin_bytes {profile.kmin_bytes:,} to ecn.kmax_bytes "
                        f"{profile.kmax_bytes:,} there is less room than {LEAST_FRAMES} "
                        f"frames of {frame:,} bytes",
                        "increase ecn.kmax_bytes; see `rocefab show ecn --recommend`",
                        place=model.profile_place("ecn.kmax_bytes", device, profile),
                        device=device.name,
                    )
