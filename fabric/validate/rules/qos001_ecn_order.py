"""QOS001: ECN thresholds are in order."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fabric.validate.rule import ModelRule, rules

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fabric.core.findings import Finding
    from fabric.validate.world import Model


@rules.add("QOS001")
class EcnOrder(ModelRule):
    """Kmin is below Kmax."""

    why = (
        "With Kmin at or above Kmax the switch rejects the profile, or marks nothing or everything."
    )
    source = "Zhu et al., Congestion Control for Large-Scale RDMA Deployments, SIGCOMM 2015, fig. 5"
    guards = ("lossless.ecn.kmin_bytes", "lossless.ecn.kmax_bytes")

    def check(self, model: Model) -> Iterator[Finding]:
        """Compare Kmin and Kmax of every policy in use."""
        for name, device in model.devices.items():
            for profile in device.qos_profiles:
                if profile.kmin_bytes >= profile.kmax_bytes:
                    yield self.finding(
                        f"ecn.kmin_bytes {profile.kmin_bytes} is not below "
                        f"ecn.kmax_bytes {profile.kmax_bytes}",
                        "lower kmin_bytes or increase kmax_bytes",
                        place=model.profile_place("ecn.kmin_bytes", device, profile),
                        device=name,
                    )
