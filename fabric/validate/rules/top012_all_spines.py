"""TOP012: every switch reaches all that it should of the tier above."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from fabric.core.findings import Severity
from fabric.topology.layout import designed_pairs
from fabric.validate.origins import uplinks_place
from fabric.validate.rule import ModelRule, rules

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fabric.core.findings import Finding
    from fabric.validate.world import Model


@rules.add("TOP012")
class AllSpines(ModelRule):
    """Every switch is connected to every switch it should reach in the tier above.

    A leaf should reach the spines of its pod and plane, a spine the super-spines of its plane and
    group.
    """

    severity = Severity.WARNING
    why = (
        "A leaf without a cable to a spine cannot use its bandwidth, and spreads traffic unevenly."
    )
    source = "RFC 7938 section 3.2 (Clos topology)"
    guards = ("spines.count", "spines.links_per_leaf", "super_spines.count", "super_spines.groups")

    def check(self, model: Model) -> Iterator[Finding]:
        """Count the enabled cables between each switch and those above it."""
        fabric, up, switches = model.fabric, model.fabric.uplinks, model.fabric.switches
        size = len(switches)
        there = np.unique(up.lower[up.enabled] * size + up.upper[up.enabled])
        lower, upper = designed_pairs(fabric)
        missing = ~np.isin(lower * size + upper, there)
        connected = np.isin(np.arange(size), up.lower[up.enabled])
        for row, above in zip(lower[missing].tolist(), upper[missing].tolist(), strict=True):
            alone = not connected[row]
            yield self.finding(
                "no uplink at all" if alone else f"no cable to {switches.names[above]}",
                "correct the override that moved or disabled the cable",
                place=uplinks_place(fabric, row, "enabled", "peer")
                or model.above_place(int(switches.tier[row]), "count"),
                device=switches.names[row],
                severity=Severity.ERROR if alone else None,
            )
