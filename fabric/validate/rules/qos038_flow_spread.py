"""QOS038: the queue pairs of the hosts spread over the uplinks of a leaf."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING

import numpy as np

from fabric.core.findings import Severity
from fabric.qos.ecmp.collective import advise_queue_pairs, spread
from fabric.validate.capacity import leaf_flows
from fabric.validate.rule import ModelRule, rules

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fabric.core.findings import Finding
    from fabric.validate.world import Model

#: Share of an even spread below which more than half of the uplinks' bandwidth is lost.
LEAST_EFFICIENCY = 0.5


@rules.add("QOS038")
class FlowSpread(ModelRule):
    """The queue pairs of the hosts spread over all uplinks of a leaf."""

    severity = Severity.INFO
    why = (
        "A few large flows collide on some uplinks while others idle, and a collective "
        "waits for its slowest flow."
    )
    source = (
        "Gangidi et al., RDMA over Ethernet for Distributed AI Training at Meta Scale, SIGCOMM "
        "2024; exact law of the maximum load of k balls in n bins"
    )
    guards = ("host.nccl_queue_pairs", "spines.count", "spines.links_per_leaf", "ecmp.mode")

    def check(self, model: Model) -> Iterator[Finding]:
        """Work out the slowest sender when all NICs of a leaf send over its uplinks."""
        if model.intent.fabric.ecmp.mode != "hash":
            return
        pairs = model.intent.fabric.host.nccl_queue_pairs
        flows = leaf_flows(model.fabric)
        for row in np.unique(flows, axis=0):
            senders, links, ratio_percent = (int(value) for value in row)
            if senders < 2 or links < 2:  # noqa: PLR2004 - nothing to collide with
                continue
            found, advice = _spread(senders, links, pairs, ratio_percent / 100)
            if found < LEAST_EFFICIENCY:
                leaf = int(np.flatnonzero((flows == row).all(axis=1))[0])
                yield self.finding(
                    f"{senders} NICs of a leaf on {links} uplinks with {pairs} queue pairs "
                    f"each reach {found:.0%} of an even spread on average",
                    f"{advice}; see `rocefab show ecmp`",
                    place=model.place("host", "nccl_queue_pairs"),
                    device=model.fabric.switches.names[leaf],
                )


@lru_cache(maxsize=256)
def _spread(senders: int, links: int, queue_pairs: int, link_ratio: float) -> tuple[float, str]:
    found = spread(senders, links, queue_pairs, link_ratio).efficiency
    advice = advise_queue_pairs(senders, links, LEAST_EFFICIENCY, link_ratio)
    if advice.reached:
        return found, f"use at least {advice.queue_pairs} queue pairs, or adaptive routing"
    return found, "use adaptive routing or packet spraying: queue pairs alone do not help enough"
