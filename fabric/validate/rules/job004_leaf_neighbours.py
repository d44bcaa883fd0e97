"""JOB004: the neighbour table of a leaf holds the pods that come and go."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fabric.core.findings import Severity
from fabric.platforms import platforms
from fabric.validate.pods import pods_of
from fabric.validate.rule import ModelRule, rules

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fabric.core.findings import Finding
    from fabric.design.model import DeviceDesign
    from fabric.validate.pods import Pods
    from fabric.validate.world import Model


@rules.add("JOB004")
class LeafNeighbours(ModelRule):
    """The neighbour table of a leaf has room for short-lived pods."""

    severity = Severity.WARNING
    why = (
        "Above its limit a leaf rejects new neighbours: jobs fail intermittently, and "
        "only at scale."
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
        """Count hosts and pods, and pods that ended and are not forgotten yet."""
        groups = [(pods, set(pods.cluster.hosts)) for pods in pods_of(model)]
        fabric = model.fabric
        for row in range(fabric.switches.leaf_count) if groups else ():
            device = model.devices[fabric.switches.names[row]]
            table, nics = device.neighbours, fabric.nics_of_leaf(row)
            hosts = [fabric.hosts.names[host] for host in fabric.nics.host[nics].tolist()]
            counts = [(pods, sum(name in names for name in hosts)) for pods, names in groups]
            need = len(nics) + fabric.trunk_count(row) + _entries(device, counts)
            limits = [item for item in (table.capacity, device.sku.host_entries) if item]
            if need > min(limits):
                yield self.finding(
                    f"{need} neighbours are possible with pods, but the table has room for "
                    f"{min(limits)}",
                    "increase arp.neighbour_capacity if the switch "
                    "supports it, or set kubernetes.pod_starts_per_hour",
                    place=model.place("arp", "neighbour_capacity"),
                    device=device.name,
                )


def _entries(device: DeviceDesign, counts: list[tuple[Pods, int]]) -> int:
    """Return the most entries of pods in the table of a leaf; ``counts`` has NICs by mode."""
    table = device.neighbours
    if not platforms[device.platform].neighbour_refresh.keeps_stale:
        return sum(nics * max(pods.addresses_in(table.arp_timeout_s), 0) for pods, nics in counts)
    alive = sum(nics * pods.pods_per_nic for pods, nics in counts)
    every = sum(nics * max(pods.free_addresses, 0) for pods, nics in counts)
    return max(alive, min(every, table.gc_thresholds[0]))
