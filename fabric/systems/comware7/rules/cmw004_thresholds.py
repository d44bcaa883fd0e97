"""CMW004: on Comware 7 marking needs thresholds of the user and a known cell."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fabric.core.findings import Severity
from fabric.validate.rule import ModelRule, rules

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fabric.core.findings import Finding
    from fabric.design.model import DeviceDesign, QosProfile
    from fabric.validate.world import Model


@rules.add("CMW004")
class ThresholdsGiven(ModelRule):
    """On Comware 7 marking needs thresholds of the user and a known cell."""

    severity = Severity.WARNING
    why = (
        "Thresholds count cells of the buffer, and neither a default nor a range is published for"
        " these models; without them nothing is marked and PFC does all the work."
    )
    source = "third-party digest of the H3C RDMA technical reference 6W100 (cells)"
    guards = ("lossless.ecn.kmin_bytes", "lossless.ecn.kmax_bytes")

    def check(self, model: Model) -> Iterator[Finding]:
        """Look at the thresholds of every policy of Comware 7 and at the cell of its model."""
        for device in model.devices.values():
            for profile in device.qos_profiles if device.platform == "comware7" else ():
                reason = self._reason(device, profile)
                if reason:
                    yield self.finding(
                        f"marking is not rendered: {reason[0]}",
                        reason[1],
                        place=model.profile_place("ecn.kmin_bytes", device, profile),
                        device=device.name,
                    )

    @staticmethod
    def _reason(device: DeviceDesign, profile: QosProfile) -> tuple[str, str] | None:
        """Return why it is left out and what to do, or None."""
        if "cell_bytes" not in device.sku.own_facts:
            return (
                f"the cell of {device.sku.name} is not published",
                "give cell_bytes in a model of your own, or set marking up by hand: that is kept",
            )
        if not profile.own_thresholds:
            return (
                "the inventory gives no thresholds for it",
                "write both ecn.kmin_bytes and ecn.kmax_bytes",
            )
        return None
