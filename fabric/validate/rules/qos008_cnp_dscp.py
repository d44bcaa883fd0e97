"""QOS008: CNPs and RoCE data have different DSCPs."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fabric.validate.rule import ModelRule, rules

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fabric.core.findings import Finding
    from fabric.validate.world import Model


@rules.add("QOS008")
class CnpDscp(ModelRule):
    """CNPs and RoCE data have different DSCPs."""

    why = "CNPs that wait in the congested queue arrive too late to slow down the senders."
    source = (
        "Zhu et al., Congestion Control for Large-Scale RDMA Deployments, SIGCOMM 2015, section 3"
    )
    guards = ("lossless.cnp_dscp", "lossless.roce_dscp")

    def check(self, model: Model) -> Iterator[Finding]:
        """Compare the two code points of every policy."""
        for device in model.devices.values():
            for profile in device.qos_profiles:
                if profile.cnp_dscp == profile.roce_dscp:
                    yield self.finding(
                        f"cnp_dscp and roce_dscp are both {profile.cnp_dscp}",
                        "use a separate DSCP for CNPs, such as 48",
                        place=model.profile_place("cnp_dscp", device, profile),
                        device=device.name,
                    )
