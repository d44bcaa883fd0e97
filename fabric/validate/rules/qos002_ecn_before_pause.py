"""QOS002: ECN marks before PFC pauses."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fabric.core.findings import Severity
from fabric.design.pool import lossless_pool_bytes
from fabric.qos.thresholds import pause_threshold_bytes
from fabric.validate.rule import ModelRule, rules

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fabric.core.findings import Finding
    from fabric.design.model import DeviceDesign
    from fabric.validate.world import Model


@rules.add("QOS002")
class EcnBeforePause(ModelRule):
    """ECN marks before PFC pauses."""

    why = (
        "Above the pause threshold PFC acts first and ECN never slows the senders, so pauses "
        "spread."
    )
    source = (
        "Zhu et al., Congestion Control for Large-Scale RDMA Deployments, SIGCOMM 2015, section 4"
    )
    guards = ("lossless.ecn.kmin_bytes", "lossless.ecn.kmax_bytes", "lossless.dynamic_th")

    def check(self, model: Model) -> Iterator[Finding]:
        """Compare Kmin and Kmax with the pause threshold of one congested port."""
        for device in model.devices.values():
            pool_bytes = lossless_pool_bytes(device)
            if pool_bytes is None:
                yield self.finding(
                    f"the buffer pools of {device.sku.name} are not known, so "
                    "ECN-before-PFC is not checked",
                    "",
                    place=model.sku_place(device),
                    device=device.name,
                    severity=Severity.INFO,
                )
                continue
            for index, threshold in _thresholds(device, pool_bytes).items():
                profile = device.qos_profiles[index]
                for field, value, severity in (
                    ("kmin_bytes", profile.kmin_bytes, Severity.ERROR),
                    ("kmax_bytes", profile.kmax_bytes, Severity.WARNING),
                ):
                    if value >= threshold:
                        places = [
                            model.profile_place(name, device, profile)
                            for name in (f"ecn.{field}", "dynamic_th")
                        ]
                        yield self.finding(
                            f"ecn.{field} {value:,} is not below the pause threshold of "
                            f"{threshold:,.0f} bytes",
                            "lower it, or increase dynamic_th",
                            place=max(places, key=lambda place: place.specific),
                            device=device.name,
                            severity=severity,
                        )


def _thresholds(device: DeviceDesign, pool_bytes: int) -> dict[int, float]:
    """Return the lowest pause threshold among the ports of each policy."""
    lowest: dict[int, int] = {}
    for port in device.ports:
        if port.qos and port.headroom:
            known = lowest.get(port.qos.index, port.headroom.dynamic_th)
            lowest[port.qos.index] = min(known, port.headroom.dynamic_th)
    return {index: pause_threshold_bytes(th, pool_bytes) for index, th in lowest.items()}
