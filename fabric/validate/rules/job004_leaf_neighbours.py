"""JOB004: the neighbour table of a leaf holds the pods that come and go."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fabric.core.findings import Severity
from fabric.validate.pods import pods_of
from fabric.validate.rule import ModelRule, rules

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fabric.core.findings import Finding
    from fabric.validate.world import Model


@rules.add("JOB004")
class LeafNeighbours(ModelRule):
    """The neighbour table of a leaf holds the pods that come and go."""

    severity = Severity.WARNING
    why = (
        "Above its limit a leaf refuses new neighbours: jobs fail at scale, on some leaves, at "
        "some hours."
    )
    source = (
        "Linux Documentation/networking/ip-sysctl.rst, neigh/default/gc_thresh3; capacity of "
        "the switch from its data sheet"
    )
    guards = (
        "kubernetes.pod_starts_per_hour",
        "kubernetes.pods_per_nic",
        "arp.neighbour_capacity",
        "arp.timeout_s",
    )

    def check(self, model: Model) -> Iterator[Finding]:
        """Count hosts and pods, those that ended within the ARP timeout too."""
        groups = [(pods, set(pods.cluster.hosts)) for pods in pods_of(model)]
        fabric = model.fabric
        for row in range(fabric.switches.leaf_count) if groups else ():
            device = model.devices[fabric.switches.names[row]]
            table, nics = device.neighbours, fabric.nics_of_leaf(row)
            hosts = [fabric.hosts.names[host] for host in fabric.nics.host[nics].tolist()]
            need = len(nics) + fabric.trunk_count(row)
            for pods, names in groups:
                count = sum(name in names for name in hosts)
                need += count * max(pods.addresses_in(table.arp_timeout_s), 0)
            limits = [item for item in (table.capacity, device.sku.host_entries) if item]
            if need > min(limits):
                yield self.finding(
                    f"{need} neighbours are possible with pods, the table holds {min(limits)}",
                    "raise arp.neighbour_capacity if the switch can, or say "
                    "kubernetes.pod_starts_per_hour",
                    place=model.place("arp", "neighbour_capacity"),
                    device=device.name,
                )
