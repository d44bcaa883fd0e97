"""VRP009: on VRP8 the paths of ECMP have the same AS numbers."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fabric.systems.vrp8.platforms import MAX_PATHS
from fabric.validate.rule import ModelRule, rules

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fabric.core.findings import Finding
    from fabric.validate.world import Model


@rules.add("VRP009")
class EqualPaths(ModelRule):
    """On VRP8 ECMP paths have the same AS path."""

    why = (
        "Paths share load only if their AS paths are the same; spines with different "
        "AS numbers leave one path, and so does a max_paths value that the switch rejects."
    )
    source = (
        "CloudEngine V300R023C00 command reference (WheaterW/INTA-project @ 9308062d), "
        "maximum load-balancing (1 to 128), load-balancing as-path-relax (can make loops, so "
        "it is not used)"
    )
    guards = ("bgp.max_paths", "bgp.spine_asn", "devices.asn")

    def check(self, model: Model) -> Iterator[Finding]:
        """Look at the AS numbers above every leaf, and at the number of paths."""
        for device in model.devices.values():
            if device.platform != "vrp8":
                continue
            asns = sorted({peer.asn for peer in device.above})
            if len(asns) > 1:
                listed = ", ".join(map(str, asns))
                yield self.finding(
                    f"the spines above it have the AS numbers {listed}: one path is used",
                    "use one AS number for all spines",
                    place=model.place("bgp", "spine_asn"),
                    device=device.name,
                )
            if device.bgp.max_paths > MAX_PATHS:
                yield self.finding(
                    f"bgp.max_paths {device.bgp.max_paths} is above {MAX_PATHS}",
                    f"use at most {MAX_PATHS}",
                    place=model.place("bgp", "max_paths"),
                    device=device.name,
                )
