"""ARP003: the neighbour table holds every NIC."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fabric.core.findings import Severity
from fabric.validate.rule import ModelRule, rules

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fabric.core.findings import Finding
    from fabric.validate.world import Model


@rules.add("ARP003")
class NeighbourRoom(ModelRule):
    """The neighbour table has room for every NIC."""

    why = (
        "Above gc_thresh3 the kernel rejects new neighbours, above gc_thresh2 it evicts live ones."
    )
    source = "Linux Documentation/networking/ip-sysctl.rst, neigh/default/gc_thresh1..3"
    guards = ("arp.neighbour_capacity",)

    def check(self, model: Model) -> Iterator[Finding]:
        """Count the NICs and uplinks of every switch."""
        for row, name in enumerate(model.fabric.switches.names):
            table = model.devices[name].neighbours
            nics = len(model.fabric.nics_of_leaf(row))
            need = nics + model.fabric.trunk_count(row)
            if need > table.gc_thresholds[1]:
                above = need > table.capacity
                yield self.finding(
                    f"{need} neighbours are expected, "
                    + (
                        f"the table has room for {table.capacity}"
                        if above
                        else f"above {table.gc_thresholds[1]} the kernel evicts live entries"
                    ),
                    "increase arp.neighbour_capacity",
                    place=model.place("arp", "neighbour_capacity"),
                    device=name,
                    severity=None if above else Severity.WARNING,
                )
