"""QOS019: all hosts have the same MTU."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fabric.core.findings import Severity
from fabric.validate.rule import ModelRule, rules

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fabric.core.findings import Finding
    from fabric.validate.world import Model


@rules.add("QOS019")
class MtuHosts(ModelRule):
    """All hosts have the same MTU."""

    severity = Severity.WARNING
    why = (
        "RDMA connections between hosts take the smaller MTU, and ICMP or TCP between them stalls."
    )
    source = (
        "InfiniBand Architecture Specification 1.4 volume 1, section 12.11 (path MTU is agreed)"
    )
    guards = ("lossless.mtu.host_bytes",)

    def check(self, model: Model) -> Iterator[Finding]:
        """Compare the hosts that have an MTU of their own with the others."""
        ends = model.host_ends()
        common = model.intent.fabric.lossless.mtu.host_bytes
        for end in ends if len(ends) > 1 else ():
            value = end.policy.mtu.host_bytes
            if value != common:
                yield self.finding(
                    f"mtu.host_bytes is {value} here and {common} on the other hosts",
                    "use one MTU on all hosts",
                    place=model.policy_place("mtu.host_bytes", end.device),
                    device=end.device,
                )
