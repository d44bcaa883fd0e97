"""TOP014: switches have as much bandwidth upwards as downwards."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from fabric.core.findings import Severity
from fabric.validate.capacity import switch_gbps
from fabric.validate.rule import ModelRule, rules

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fabric.core.findings import Finding
    from fabric.validate.world import Model

#: Switches of a tier, what is below and above, and what to do.
_TIERS = (
    (
        "leaves",
        "hosts",
        "spines",
        "add spines or links_per_leaf if collectives cross leaves",
    ),
    (
        "spines",
        "leaves",
        "super-spines",
        "add super-spines or links_per_spine if collectives cross pods",
    ),
)


@rules.add("TOP014")
class Oversubscription(ModelRule):
    """Uplinks are not oversubscribed."""

    severity = Severity.INFO
    why = "Above 1:1 collectives across leaves run below NIC speed, and congestion is frequent."
    source = "NVIDIA DGX SuperPOD reference architecture (non-blocking compute fabric)"
    guards = (
        "spines.links_per_leaf",
        "spines.count",
        "super_spines.count",
        "super_spines.links_per_spine",
    )

    def check(self, model: Model) -> Iterator[Finding]:
        """Compare the enabled cables on both sides of each switch, tier by tier."""
        switches, (down, up) = model.fabric.switches, switch_gbps(model.fabric)
        for tier, (kind, below, above, fix) in enumerate(_TIERS):
            rows = switches.of_tier(tier)
            over = rows[(up[rows] > 0) & (up[rows] < down[rows])]
            if not len(over):
                continue
            worst = int(over[np.argmax(down[over] / up[over])])
            yield self.finding(
                f"oversubscribed {kind}: {len(over)}, at most "
                f"{down[worst] / up[worst]:.2f}:1 ({down[worst]:,} Gb/s to {below}, "
                f"{up[worst]:,} Gb/s to {above})",
                fix,
                place=model.above_place(tier),
                device=switches.names[worst],
            )
