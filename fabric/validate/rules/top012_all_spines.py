"""TOP012: every leaf reaches every spine."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from fabric.core.findings import Severity
from fabric.validate.origins import leaf_uplink_place
from fabric.validate.rule import ModelRule, rules

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fabric.core.findings import Finding
    from fabric.validate.world import Model


@rules.add("TOP012")
class AllSpines(ModelRule):
    """Every leaf reaches every spine."""

    severity = Severity.WARNING
    why = (
        "A leaf without a cable to a spine leaves that spine's bandwidth unused and hashes "
        "unevenly."
    )
    source = "RFC 7938 section 3.2 (Clos topology)"
    guards = ("spines.count", "spines.links_per_leaf")

    def check(self, model: Model) -> Iterator[Finding]:
        """Count the enabled cables between each leaf and spine."""
        fabric, up = model.fabric, model.fabric.uplinks
        leaves = fabric.switches.leaf_count
        cables = np.zeros((leaves, len(fabric.switches) - leaves), dtype=np.int64)
        np.add.at(cables, (up.lower[up.enabled], up.upper[up.enabled] - leaves), 1)
        for leaf, spine in np.argwhere(cables == 0).tolist():
            alone = not cables[leaf].any()
            yield self.finding(
                "no uplink at all"
                if alone
                else f"no cable to {fabric.switches.names[leaves + spine]}",
                "correct the override that moved or disabled the cable",
                place=leaf_uplink_place(fabric, leaf, "enabled", "peer")
                or model.place("spines", "count"),
                device=fabric.switches.names[leaf],
                severity=Severity.ERROR if alone else None,
            )
