"""HST005: the neighbour table of a host holds every NIC of its subnets."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from fabric.validate.rule import ModelRule, rules

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fabric.core.findings import Finding
    from fabric.validate.world import Model


@rules.add("HST005")
class NeighbourTable(ModelRule):
    """The neighbour table of a host has room for every NIC of its subnets."""

    why = "Above gc_thresh3 the kernel rejects new neighbours: RDMA connections fail only at scale."
    source = "Linux Documentation/networking/ip-sysctl.rst, neigh/default/gc_thresh1..3"
    guards = ("units.hosts",)

    def check(self, model: Model) -> Iterator[Finding]:
        """Count the NICs in the subnets of every host."""
        fabric, nics = model.fabric, model.fabric.nics
        peers = np.bincount(nics.subnet, minlength=len(fabric.subnets))
        need = peers[nics.subnet].reshape(len(fabric.hosts), fabric.nics_per_host).sum(axis=1)
        for host, count in zip(model.hosts.values(), need.tolist(), strict=True):
            if count > host.gc_thresholds[1]:
                yield self.finding(
                    f"{count} neighbours are expected, gc_thresh2 is {host.gc_thresholds[1]}",
                    "use smaller units, or vlan_per nic",
                    place=model.place("units"),
                    device=host.name,
                )
