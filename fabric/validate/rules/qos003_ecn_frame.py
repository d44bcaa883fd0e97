"""QOS003: ECN marking starts above one frame."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fabric.core.findings import Severity
from fabric.design.qos import ETHERNET_OVERHEAD_BYTES
from fabric.validate.rule import ModelRule, rules

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fabric.core.findings import Finding
    from fabric.validate.world import Model


@rules.add("QOS003")
class EcnFrame(ModelRule):
    """ECN marking starts above one frame."""

    severity = Severity.WARNING
    why = "With Kmin below one frame every queued packet is marked, and the rate collapses."
    source = (
        "Zhu et al., Congestion Control for Large-Scale RDMA Deployments, SIGCOMM 2015, section 4"
    )
    guards = ("lossless.ecn.kmin_bytes", "lossless.mtu.port_bytes")

    def check(self, model: Model) -> Iterator[Finding]:
        """Compare Kmin with the largest frame that a host sends."""
        frames = [end.policy.mtu.host_bytes for end in model.host_ends()]
        largest = max(frames, default=0) + ETHERNET_OVERHEAD_BYTES
        for device in model.devices.values():
            for profile in device.qos_profiles:
                if profile.kmin_bytes < largest:
                    yield self.finding(
                        f"ecn.kmin_bytes {profile.kmin_bytes} is below one frame of {largest} "
                        "bytes",
                        "increase kmin_bytes; 150000 is a common value",
                        place=model.profile_place("ecn.kmin_bytes", device, profile),
                        device=device.name,
                    )
