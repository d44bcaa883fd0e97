"""QOS004: PFC is on."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fabric.validate.rule import ModelRule, rules

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fabric.core.findings import Finding
    from fabric.validate.world import Model


@rules.add("QOS004")
class PfcOff(ModelRule):
    """PFC is on."""

    why = "Without PFC a full buffer drops RoCE packets, and go-back-N repeats whole windows."
    source = (
        "IEEE 802.1Q-2018 clause 36; Guo et al., RDMA over Commodity Ethernet at Scale, SIGCOMM"
        " 2016"
    )
    guards = ("lossless.pfc",)

    def check(self, model: Model) -> Iterator[Finding]:
        """Report cables with PFC off at both ends."""
        off = [
            pair for pair in model.pairs if not pair.left.policy.pfc and not pair.right.policy.pfc
        ]
        whole = len(off) == len(model.pairs)
        for pair in off:
            place, end = model.blamed("pfc", pair.left, pair.right)
            what = "PFC is off everywhere" if whole else "PFC is off at both ends of a cable"
            yield self.finding(
                f"{what}: the fabric is not lossless",
                "set pfc to true",
                place=place,
                device=end.device,
                port=end.port,
            )
