"""TOP013: there is more than one spine, and super-spine."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from fabric.core.findings import Severity
from fabric.validate.rule import ModelRule, rules

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fabric.core.findings import Finding
    from fabric.validate.world import Model


@rules.add("TOP013")
class OneSpine(ModelRule):
    """There is more than one spine and super-spine."""

    severity = Severity.WARNING
    why = "With a single spine, its failure or upgrade stops all traffic between leaves."
    source = "RFC 7938 section 3.2 (Clos topology)"
    guards = ("spines.count", "super_spines.count")

    def check(self, model: Model) -> Iterator[Finding]:
        """Count the spines of each pod, and the super-spines."""
        switches = model.fabric.switches
        for tier, name in enumerate(("spine", "super-spine")):
            pods = np.bincount(switches.pod[switches.of_tier(tier + 1)] + 1)
            if (pods == 1).any():
                yield self.finding(
                    f"there is only one {name}, without redundancy",
                    f"use at least two {name}s",
                    place=model.above_place(tier, "count"),
                )
