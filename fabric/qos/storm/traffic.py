"""Even traffic between NICs, and how much of what comes into a switch leaves by each of its links.

Every NIC sends at line rate, in equal shares to all others that it reaches; where a link or a NIC
would carry more than its speed, all rates are lowered by one factor. Traffic is split over the next
hops of :mod:`fabric.topology.routes` by the number of their cables, as ECMP does with many flows.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

from fabric.core.units import gbps_to_bytes_per_s
from fabric.topology.routes import network, route
from fabric.topology.routes_bits import unpack

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from fabric.topology.links import Links
    from fabric.topology.model import Fabric, Ints
    from fabric.topology.routes import Network

    Floats = NDArray[np.float64]

#: Rates (links x destinations) that are worked out at a time: our choice, bounds memory to some
#: 300 MB.
_CHUNK = 2**22


@dataclass(frozen=True, eq=False)
class Traffic:
    """What comes into switches, and how it goes on.

    A channel is what comes into a switch: over a link, or from the NICs of one speed at a leaf; the
    NIC that is asked about has a channel of its own. Channels of links come first and have the row
    of their link; those of NICs follow.

    Parameters
    ----------
    links : Links
        Directed links; parallel cables are one.
    source, target : array of int, shape (channels,)
        Switches; ``source`` is -1 for NICs.
    ports : array of int, shape (channels,)
        Cables, or NICs, of the channel.
    channels_of : tuple of array of int
        Channels that come into each switch.
    links_of : tuple of array of int
        Links that leave each switch.
    onward : tuple of array of float, each of shape (channels of the switch, links of the switch)
        Bytes/s that come in by a channel and leave by a link.
    nic : int
        Row of the NIC that is asked about.
    to_nic : array of float, shape (channels of its leaf,)
        Bytes/s that come in by a channel and leave to that NIC.
    members : tuple of array of int
        Rows of the NICs of each channel of NICs.
    scale : float
        Share of the line rate at which NICs send, > 0, <= 1.
    """

    links: Links
    source: Ints
    target: Ints
    ports: Ints
    channels_of: tuple[Ints, ...]
    links_of: tuple[Ints, ...]
    onward: tuple[Floats, ...]
    nic: int
    to_nic: Floats
    members: tuple[Ints, ...]
    scale: float


def traffic(fabric: Fabric, nic: int, senders: Ints) -> Traffic:
    """Return even traffic between some NICs.

    Parameters
    ----------
    nic : int
        Row of a NIC, one of ``senders``.
    senders : array of int, shape (n,)
        Rows of the NICs that send to each other, on leaves that reach each other; n >= 2.
    """
    return _Flows(fabric, nic, senders).traffic()


class _Flows:
    """Adds up the rates, some destinations at a time."""

    def __init__(self, fabric: Fabric, nic: int, senders: Ints) -> None:
        self._fabric, self._nic = fabric, nic
        self._net: Network = network(fabric)
        links, switches = self._net.links, len(fabric.switches)
        nics = fabric.nics
        keys = np.stack([nics.leaf[senders], nics.speed_gbps[senders], senders == nic])
        groups, group = np.unique(keys, axis=1, return_inverse=True)
        count = groups.shape[1]
        self._members = tuple(senders[group.ravel() == row] for row in range(count))
        self._group_leaf = groups[0]
        sizes = np.array([len(rows) for rows in self._members])
        self._group_rate = gbps_to_bytes_per_s(1) * groups[1] * sizes
        self._leaf_rate = np.bincount(groups[0], self._group_rate, minlength=switches)
        self._leaf_nics = np.bincount(groups[0], sizes, minlength=switches)
        self.source = np.concatenate([links.source, np.full(count, -1)])
        self.target = np.concatenate([links.target, groups[0]])
        self.ports = np.concatenate([links.cables, sizes])
        self._channels_of = _rows_of(self.target, switches)
        self._links_of = _rows_of(links.source, switches)
        self._peers = len(senders) - 1

    def traffic(self) -> Traffic:
        links, leaf = self._net.links, int(self._fabric.nics.leaf[self._nic])
        onward = [
            np.zeros((len(rows), len(out)))
            for rows, out in zip(self._channels_of, self._links_of, strict=True)
        ]
        load, to_nic = np.zeros(len(links)), np.zeros(len(self._channels_of[leaf]))
        for leaves in self._chunks():
            entering, share = self._carried(leaves)
            load += entering[: len(links)].sum(axis=1)
            for switch, (rows, out) in enumerate(
                zip(self._channels_of, self._links_of, strict=True)
            ):
                onward[switch] += entering[rows] @ share[out].T
            own = np.flatnonzero(leaves == leaf)
            if len(own):
                to_nic += self._to_nic(entering[:, own[0]], leaf)
        scale = self._scale(load)
        for rates in onward:
            np.multiply(rates, scale, out=rates)  # a large fabric has gigabytes of them
        return Traffic(
            links=links,
            source=self.source,
            target=self.target,
            ports=self.ports,
            channels_of=self._channels_of,
            links_of=self._links_of,
            onward=tuple(onward),
            nic=self._nic,
            to_nic=scale * to_nic,
            members=self._members,
            scale=scale,
        )

    def _chunks(self) -> Iterator[Ints]:
        """Yield the leaves that receive, some at a time."""
        leaves = np.unique(self._group_leaf)
        width = max(1, _CHUNK // max(1, len(self._net.links)))
        for start in range(0, len(leaves), width):
            yield leaves[start : start + width]

    def _carried(self, leaves: Ints) -> tuple[Floats, Floats]:
        """Return the bytes/s of each channel to each leaf, and the share of a link of its switch.

        Returns
        -------
        entering : array of float, shape (channels, leaves)
            What NICs of a leaf send to their own leaf is left out: it takes no link.
        share : array of float, shape (links, leaves)
            Of what arrives at the source of a link, the part that takes the link.
        """
        links, columns = self._net.links, np.arange(len(leaves))
        next_hops = route(self._net, leaves).next_hops
        hops = np.where(unpack(next_hops, len(leaves)), links.cables[:, None], 0).astype(np.float64)
        total = _by_source(links, hops)
        share = hops / np.maximum(total[links.source], 1)
        wave = self._leaf_rate[:, None] * (self._leaf_nics[leaves] / self._peers)
        wave[leaves, columns] = 0
        carried = np.zeros(share.shape)
        for _ in range(links.switches):  # a path holds no switch twice
            flow = wave[links.source] * share
            if not flow.any():
                break
            carried += flow
            wave = _by_source(links, flow.take(links.reverse, axis=0))  # what enters each switch
            wave[leaves, columns] = 0
        groups = self._group_rate[:, None] * (self._leaf_nics[leaves] / self._peers)
        groups[self._group_leaf[:, None] == leaves] = 0
        return np.concatenate([carried, groups]), share

    def _to_nic(self, entering: Floats, leaf: int) -> Floats:
        """Return what each channel of the leaf brings for the NIC: one of those that share it."""
        rates = entering / self._leaf_nics[leaf]
        first = len(self._net.links)
        local = np.flatnonzero(self._group_leaf == leaf)
        rates[first + local] = self._group_rate[local] / self._peers
        own = next(row for row in local.tolist() if self._nic in self._members[row])
        rates[first + own] = 0  # it sends nothing to itself
        of_leaf: Floats = rates[self._channels_of[leaf]]
        return of_leaf

    def _scale(self, load: Floats) -> float:
        """Return the factor at which no link and no NIC has more than its speed."""
        up, links = self._fabric.uplinks, self._net.links
        speed = np.zeros(len(links))
        for ends in ((up.lower, up.upper), (up.upper, up.lower)):
            rows = links.rows(*ends)
            used = up.enabled & (rows >= 0)
            np.add.at(speed, rows[used], gbps_to_bytes_per_s(1) * up.speed_gbps[used])
        fullest = (load / np.maximum(speed, 1)).max(initial=1.0)
        slowest = min(int(self._fabric.nics.speed_gbps[rows[0]]) for rows in self._members)
        arriving = self._group_rate.sum() / (self._peers + 1)
        return float(1 / max(fullest, arriving / gbps_to_bytes_per_s(slowest)))


def _rows_of(switch: Ints, switches: int) -> tuple[Ints, ...]:
    order = np.argsort(switch, kind="stable")
    bounds = np.searchsorted(switch[order], np.arange(switches + 1))
    return tuple(order[low:high] for low, high in pairwise(bounds))


def _by_source(links: Links, rates: Floats) -> Floats:
    """Return the sums of the rates of the links that leave each switch."""
    sums = np.zeros((links.switches, rates.shape[1]))
    senders, first = np.unique(links.source, return_index=True)
    if len(senders):
        sums[senders] = np.add.reduceat(rates, first, axis=0)
    return sums
