"""QOS031: the ASIC keeps the ECN thresholds that it is told."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fabric.core.findings import Severity
from fabric.qos.ecn.edge import programmed_bytes
from fabric.validate.rule import ModelRule, rules

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fabric.core.findings import Finding
    from fabric.validate.world import Model


@rules.add("QOS031")
class EcnStep(ModelRule):
    """The ASIC does not round Kmin and Kmax to the same value."""

    severity = Severity.WARNING
    why = "Thresholds that round to the same ASIC step mark everything or nothing."
    source = "NVIDIA Cumulus Linux 5.14 user guide, RoCE: 150000 is shown as 156 KB on Spectrum-4"
    guards = ("lossless.ecn.kmin_bytes", "lossless.ecn.kmax_bytes")

    def check(self, model: Model) -> Iterator[Finding]:
        """Round both thresholds of each policy up to the step of the ASIC."""
        for device in model.devices.values():
            step = device.sku.asic_facts.integer("ecn_quantum_bytes", unconfirmed=True)
            for profile in device.qos_profiles if step else ():
                assert step
                low, high = (
                    programmed_bytes(value, step)
                    for value in (profile.kmin_bytes, profile.kmax_bytes)
                )
                if profile.kmin_bytes < profile.kmax_bytes and low >= high:
                    yield self.finding(
                        f"{device.sku.name} rounds ecn.kmin_bytes {profile.kmin_bytes:,} and "
                        f"ecn.kmax_bytes {profile.kmax_bytes:,} both up to {high:,}",
                        f"keep them at least {step:,} bytes apart",
                        place=model.profile_place("ecn.kmax_bytes", device, profile),
                        device=device.name,
                    )
