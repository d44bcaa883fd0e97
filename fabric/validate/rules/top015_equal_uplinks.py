"""TOP015: all leaves have the same bandwidth to spines."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fabric.core.findings import Severity
from fabric.validate.capacity import leaf_gbps
from fabric.validate.origins import leaf_uplink_place
from fabric.validate.rule import ModelRule, rules

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fabric.core.findings import Finding
    from fabric.validate.world import Model


@rules.add("TOP015")
class EqualUplinks(ModelRule):
    """All leaves have the same bandwidth to spines."""

    severity = Severity.WARNING
    why = "A collective runs at the speed of its slowest leaf."
    source = "NVIDIA DGX SuperPOD reference architecture (rails are symmetric)"
    guards = ("spines.links_per_leaf",)

    def check(self, model: Model) -> Iterator[Finding]:
        """Compare the uplink bandwidth of the leaves."""
        fabric = model.fabric
        _, uplinks = leaf_gbps(fabric)
        most = int(uplinks.max())
        for leaf in (uplinks < most).nonzero()[0].tolist():
            yield self.finding(
                f"uplinks carry {uplinks[leaf]:,} Gb/s, those of other leaves {most:,}",
                "correct the override of the uplink, or plan for it",
                place=leaf_uplink_place(fabric, leaf, "enabled", "speed_gbps", "peer")
                or model.place("spines"),
                device=fabric.switches.names[leaf],
            )
