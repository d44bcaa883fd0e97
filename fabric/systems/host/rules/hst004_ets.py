"""HST004: hosts can take the scheduler of the policy."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fabric.core.findings import Severity
from fabric.design.qos import host_qos
from fabric.validate.rule import ModelRule, rules

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fabric.core.findings import Finding
    from fabric.validate.world import Model

WHOLE_PERCENT = 100


@rules.add("HST004")
class HostEts(ModelRule):
    """The scheduler of the policy is valid on hosts."""

    why = "mlnx_qos rejects ETS shares that do not sum to 100 or that belong to a strict class."
    source = (
        "Mellanox/mlnx-tools python/mlnx_qos (checks of tsa and tcbw); IEEE 802.1Q-2018 clause 37.3"
    )
    guards = ("lossless.scheduler.lossless_percent", "lossless.cnp_traffic_class")

    def check(self, model: Model) -> Iterator[Finding]:
        """Look at the ETS shares of every distinct policy of hosts."""
        for end in model.host_ends():
            qos = host_qos(end.policy)
            shares = [
                share
                for share, tsa in zip(qos.tc_bandwidth_percent, qos.tsa, strict=True)
                if tsa == "ets"
            ]
            if sum(shares) != WHOLE_PERCENT or qos.tsa[qos.pfc_priority] != "ets":
                yield self.finding(
                    f"traffic class {qos.cnp_priority} is strict on hosts and also has a share",
                    "use a CNP class that is neither the RoCE class nor class 0",
                    place=model.policy_place("cnp_traffic_class", end.device),
                    device=end.device,
                )
            elif qos.tc_bandwidth_percent[0] == 0 and qos.pfc_priority:
                yield self.finding(
                    "the lossless class takes 100 percent on hosts and leaves nothing for best "
                    "effort",
                    "leave a share for best effort",
                    place=model.policy_place("scheduler.lossless_percent", end.device),
                    device=end.device,
                    severity=Severity.WARNING,
                )
