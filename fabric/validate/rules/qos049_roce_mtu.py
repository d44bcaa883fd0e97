"""QOS049: the MTU of the hosts carries the largest RoCE packet."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fabric.core.findings import Severity
from fabric.qos.path import line_rate_efficiency
from fabric.validate.rule import ModelRule, rules

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fabric.core.findings import Finding
    from fabric.validate.world import Model

#: Path MTUs of InfiniBand, which RoCE takes over (InfiniBand Architecture Specification 1.4, 9.4).
PATH_MTUS_BYTES = (4096, 2048, 1024, 512, 256)
#: IPv4 20, UDP 8, BTH 12, RETH 16 and ICRC 4 (InfiniBand Architecture Specification annex A17).
OVERHEAD_BYTES = 60


@rules.add("QOS049")
class RoceMtu(ModelRule):
    """The MTU of the hosts carries the largest RoCE packet."""

    severity = Severity.WARNING
    why = "RDMA uses the next smaller path MTU, and headers take a larger share."
    source = "InfiniBand Architecture Specification 1.4, section 9.4 and annex A17"
    guards = ("lossless.mtu.host_bytes",)

    def check(self, model: Model) -> Iterator[Finding]:
        """Find the path MTU of each policy of hosts."""
        for end in model.host_ends():
            mtu = end.policy.mtu.host_bytes
            path = next((p for p in PATH_MTUS_BYTES if p + OVERHEAD_BYTES <= mtu), None)
            if path != PATH_MTUS_BYTES[0]:
                assert path
                loss = line_rate_efficiency(PATH_MTUS_BYTES[0]) - line_rate_efficiency(path)
                yield self.finding(
                    f"mtu.host_bytes {mtu:,} gives RDMA a path MTU of {path:,}, which costs "
                    f"{loss:.1%} of the line rate",
                    f"use at least {PATH_MTUS_BYTES[0] + OVERHEAD_BYTES:,}, usually 9000",
                    place=model.policy_place("mtu.host_bytes", end.device),
                    device=end.device,
                )
