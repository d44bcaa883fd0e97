"""TOP015: all switches of a tier have the same bandwidth upwards."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fabric.core.findings import Severity
from fabric.validate.capacity import switch_gbps
from fabric.validate.origins import uplinks_place
from fabric.validate.rule import ModelRule, rules

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fabric.core.findings import Finding
    from fabric.validate.world import Model


@rules.add("TOP015")
class EqualUplinks(ModelRule):
    """All switches of a tier have the same uplink bandwidth."""

    severity = Severity.WARNING
    why = "A collective runs at the speed of its slowest leaf."
    source = "NVIDIA DGX SuperPOD reference architecture (rails are symmetric)"
    guards = ("spines.links_per_leaf", "super_spines.links_per_spine")

    def check(self, model: Model) -> Iterator[Finding]:
        """Compare the uplink bandwidth of the leaves, and of the spines."""
        fabric = model.fabric
        _, uplinks = switch_gbps(fabric)
        for tier, kind in enumerate(("leaves", "spines")):
            rows = fabric.switches.of_tier(tier)
            most = int(uplinks[rows].max(initial=0))
            for row in rows[uplinks[rows] < most].tolist():
                yield self.finding(
                    f"uplinks carry {uplinks[row]:,} Gb/s, those of other {kind} {most:,}",
                    "correct the override of the uplink, or accept it",
                    place=uplinks_place(fabric, row, "enabled", "speed_gbps", "peer")
                    or model.above_place(tier),
                    device=fabric.switches.names[row],
                )
