"""QOS034: ECN acts before PFC even if one port fills two queues."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fabric.core.findings import Severity
from fabric.design.pool import lossless_pool_bytes
from fabric.qos.thresholds import alpha, ecn_limit_bytes
from fabric.validate.rule import ModelRule, rules

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fabric.core.findings import Finding
    from fabric.validate.world import Model

#: Two congested egress ports fed by one ingress port: the least that a fabric of more than two
#: hosts must stand.
CONGESTED_PORTS = 2


@rules.add("QOS034")
class TwoQueues(ModelRule):
    """ECN acts before PFC even if one port fills two queues."""

    severity = Severity.WARNING
    why = (
        "All queues filled by one port count against a single pause threshold, but Kmin "
        "applies to each queue separately."
    )
    source = (
        "Zhu et al., SIGCOMM 2015, section 4 (t_ECN < beta (B - 8 n t_flight) / (8 n (beta + 1)))"
    )
    guards = ("lossless.ecn.kmin_bytes", "lossless.dynamic_th")

    def check(self, model: Model) -> Iterator[Finding]:
        """Compare Kmin with the worst case of two congested ports."""
        seen = set()
        for kind in model.lossless_kinds:
            pool, profile = lossless_pool_bytes(kind.device), kind.port.qos
            assert profile
            key = (kind.device.name, profile.index, kind.headroom.dynamic_th)
            if pool is None or key in seen:
                continue
            seen.add(key)
            threshold = kind.headroom.dynamic_th
            limit = ecn_limit_bytes(threshold, pool, CONGESTED_PORTS)
            if limit <= profile.kmin_bytes < ecn_limit_bytes(threshold, pool):
                yield self.finding(
                    f"ecn.kmin_bytes {profile.kmin_bytes:,} is not below {limit:,.0f}: with "
                    f"{CONGESTED_PORTS} congested ports fed by one port, PFC pauses before ECN "
                    f"marks (pool {pool:,} bytes, alpha {alpha(threshold):g})",
                    "lower ecn.kmin_bytes, or increase dynamic_th",
                    place=model.profile_place("ecn.kmin_bytes", kind.device, profile),
                    device=kind.device.name,
                )
