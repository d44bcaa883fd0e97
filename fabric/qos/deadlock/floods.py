"""Where copies of a lossless packet go when a switch knows the neighbour but not its MAC address.

The leaf routes such a packet into the VLAN of the receiver and sends it out of every port of that
VLAN (Guo et al., RDMA over Commodity Ethernet at Scale, SIGCOMM 2016, section 4.2). Where a VLAN
spans switches the copies go down and up again, and close cycles. Here a VLAN ends at its leaf: its
members are host ports, uplinks are routed. A copy adds the dependencies (any port of the leaf) ->
(host port), and no host passes anything on, so no cycle can go through them. What remains is that
one packet needs room at all these ports at once: any of them that is paused holds back the rest.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from fabric.qos.deadlock.classes import LOSSY, nic_classes

if TYPE_CHECKING:
    from fabric.intent.resolve import PolicyResolver
    from fabric.topology.model import Fabric


@dataclass(frozen=True, slots=True)
class Flood:
    """The largest VLAN of a leaf: lossless host ports that get a copy, and uplinks that wait."""

    leaf: str
    ports: int
    uplinks: int


def floods(fabric: Fabric, resolver: PolicyResolver) -> list[Flood]:
    """Return, for each leaf, where copies reach more than the port that they are for."""
    nics, names = fabric.nics, fabric.switches.names
    rows = np.flatnonzero(nics.enabled & (nic_classes(fabric, resolver) != LOSSY))
    vlan = fabric.subnets.vlan[nics.subnet[rows]]
    ends, ports = np.unique(np.stack([nics.leaf[rows], vlan]), axis=1, return_counts=True)
    uplinks = np.bincount(fabric.uplinks.lower[fabric.uplinks.enabled], minlength=len(names))
    largest: dict[int, Flood] = {}
    for leaf, count in zip(ends[0].tolist(), ports.tolist(), strict=True):
        known = largest.get(leaf)
        if count > (known.ports if known else 1):
            largest[leaf] = Flood(names[leaf], count, int(uplinks[leaf]))
    return list(largest.values())
