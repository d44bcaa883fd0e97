"""The lossless channels of a fabric, as arrays and by name."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from fabric.qos.deadlock.classes import LOSSY, PRIORITIES, nic_classes, uplink_classes
from fabric.qos.deadlock.cycle import Channel, Cycle
from fabric.qos.deadlock.peel import Channels, one_cycle, remaining

if TYPE_CHECKING:
    from fabric.intent.resolve import PolicyResolver
    from fabric.topology.model import Fabric, Ints
    from fabric.topology.routes import Network
    from fabric.topology.routes_bits import Bits


@dataclass(frozen=True, eq=False)
class Lossless:
    """Channels between switches; hosts wait for nobody, so their channels are on no cycle.

    A packet keeps its DSCP on its way, and a switch may give it another priority on each port. So
    a place (see ``Channels``) is a switch and a DSCP.

    Parameters
    ----------
    fabric : Fabric
        The network.
    channels : Channels
        n channels, parallel cables of one class as one.
    links : array of int, shape (n,)
        Row of each channel in the links of the network.
    cables : array of int, shape (n,)
        Row of (the first of) its uplinks.
    priorities : array of int, shape (n,)
        PFC priority.
    """

    fabric: Fabric
    channels: Channels
    links: Ints
    cables: Ints
    priorities: Ints

    @classmethod
    def of(cls, fabric: Fabric, net: Network, resolver: PolicyResolver) -> Lossless:
        """Return the lossless channels over which routes run."""
        up, classes = fabric.uplinks, uplink_classes(fabric, resolver)
        usable = up.enabled & (classes != LOSSY) & (net.links.rows(up.lower, up.upper) >= 0)
        rows = np.flatnonzero(usable)
        switches = len(fabric.switches)
        keys = (classes[rows] * switches + up.lower[rows]) * switches + up.upper[rows]
        rows = rows[np.unique(keys, return_index=True)[1]]
        source = np.concatenate([up.lower[rows], up.upper[rows]])
        target = np.concatenate([up.upper[rows], up.lower[rows]])
        rows = np.tile(rows, 2)
        kinds, kind = np.unique(classes[rows] // PRIORITIES, return_inverse=True)
        leaves, arrives = (switch * len(kinds) + kind for switch in (source, target))
        order = np.lexsort((arrives, leaves))
        return cls(
            fabric=fabric,
            channels=Channels(leaves[order], arrives[order]),
            links=net.links.rows(source[order], target[order]),
            cables=rows[order],
            priorities=classes[rows[order]] % PRIORITIES,
        )

    def cycle(self, net: Network, carried: Bits) -> Cycle | None:
        """Return a cyclic dependency of what the links of the network carry, or None."""
        bits = carried.take(self.links, axis=0)
        live = remaining(self.channels, bits)
        if not len(live):
            return None
        found = one_cycle(self.channels, bits, live)
        return Cycle(tuple(self._channel(net, row) for row in found))

    def _channel(self, net: Network, row: int) -> Channel:
        up, names = self.fabric.uplinks, self.fabric.switches.names
        cable, link = int(self.cables[row]), int(self.links[row])
        source, target = int(net.links.source[link]), int(net.links.target[link])
        ends = {
            int(up.lower[cable]): int(up.lower_port[cable]),
            int(up.upper[cable]): int(up.upper_port[cable]),
        }
        return Channel(
            names[source],
            names[target],
            int(self.priorities[row]),
            self.fabric.switches.skus[source].port(ends[source]),
            self.fabric.switches.skus[target].port(ends[target]),
        )


def vertex_count(fabric: Fabric, resolver: PolicyResolver) -> int:
    """Return how many lossless buffers there are: both directions of every cable that is up."""
    uplinks = fabric.uplinks.enabled & (uplink_classes(fabric, resolver) != LOSSY)
    nics = fabric.nics.enabled & (nic_classes(fabric, resolver) != LOSSY)
    return 2 * int(uplinks.sum() + nics.sum())
