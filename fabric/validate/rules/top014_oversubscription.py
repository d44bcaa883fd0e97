"""TOP014: leaves have as much bandwidth to spines as to hosts."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fabric.core.findings import Severity
from fabric.validate.capacity import leaf_gbps
from fabric.validate.rule import ModelRule, rules

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fabric.core.findings import Finding
    from fabric.validate.world import Model


@rules.add("TOP014")
class Oversubscription(ModelRule):
    """Leaves have as much bandwidth to spines as to hosts."""

    severity = Severity.INFO
    why = (
        "Above 1:1 collectives across leaves are slower than the NICs, and congestion control "
        "works hard."
    )
    source = "NVIDIA DGX SuperPOD reference architecture (non-blocking compute fabric)"
    guards = ("spines.links_per_leaf", "spines.count")

    def check(self, model: Model) -> Iterator[Finding]:
        """Compare the enabled cables on both sides of each leaf."""
        hosts, uplinks = leaf_gbps(model.fabric)
        over = [leaf for leaf, up in enumerate(uplinks.tolist()) if 0 < up < hosts[leaf]]
        if over:
            worst = max(over, key=lambda leaf: float(hosts[leaf] / uplinks[leaf]))
            yield self.finding(
                f"oversubscribed leaves: {len(over)}, at most "
                f"{hosts[worst] / uplinks[worst]:.2f}:1 ({hosts[worst]:,} Gb/s to hosts, "
                f"{uplinks[worst]:,} Gb/s to spines)",
                "add spines or links_per_leaf if collectives cross leaves",
                place=model.place("spines"),
                device=model.fabric.switches.names[worst],
            )
