"""Every single failure of a network, each alone: what it cuts, and the worst first."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from fabric.topology.critical import Hanging, link_numbers, on_links, on_switches
from fabric.topology.impact import host_leaves, members, rail_leaves
from fabric.topology.paths import Layers, product

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from fabric.topology.clos import Clos
    from fabric.topology.model import Bools, Ints

    Shares = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Singles:
    """Failures of one kind of thing; row = row of the thing in its table, shape (n,) each.

    Parameters
    ----------
    leaf_pairs, host_pairs : array of int
        Pairs that the failure of the thing alone cuts.
    rails : array of int
        Rails of which leaves lose each other.
    rail_lost : array of int
        Hosts that lose the last port of a rail.
    left : array of float
        Smallest share of its bandwidth that a unit (above the spines: an AS of spines) keeps; for
        a NIC, its host.
    """

    leaf_pairs: Ints
    host_pairs: Ints
    rails: Ints
    rail_lost: Ints
    left: Shares

    def __len__(self) -> int:
        return len(self.left)

    def ranked(self) -> Ints:
        """Return the rows, worst first; equal ones keep their order."""
        worst = (self.host_pairs, self.leaf_pairs, self.rails, self.rail_lost)
        return np.lexsort((self.left, *(-column for column in reversed(worst))))


class SingleFailures:
    """The failures of each cable, NIC cable and switch of a network, each alone."""

    def __init__(self, network: Clos) -> None:
        self._network = network
        self._layers = Layers.of(network)
        self._hosts = _Hosts(network, self._layers.reach)

    def cables(self) -> Singles:
        """Return what the failure of each cable between switches does."""
        network, cables = self._network, self._network.cables
        numbers = link_numbers(self._layers, network)
        size = sum(table.size for table in self._layers.cables)
        parallel = np.bincount(numbers[cables.up], minlength=size)
        alone = cables.up & (parallel[numbers] == 1)
        pairs, hosts, rails = self._cut(on_links(self._layers), size)
        group = _groups(network)
        total = np.bincount(group, weights=cables.speed_gbps * cables.up)
        loss = np.divide(cables.speed_gbps, total[group], out=np.zeros(len(group)), where=cables.up)
        alone = alone.astype(np.int64)
        pairs, hosts, rails = (column[numbers] * alone for column in (pairs, hosts, rails))
        return Singles(pairs, hosts, rails, 0 * alone, 1 - loss)

    def switches(self) -> Singles:
        """Return what the failure of each switch does; a leaf takes its NICs with it."""
        network, size = self._network, len(self._network.tier)
        pairs, hosts, rails = self._cut(on_switches(self._layers, network), size)
        for leaf in range(network.leaves):
            pairs[leaf] = self._layers.reach[leaf].sum()
            hosts[leaf] = self._hosts.lost_with_leaf(leaf)
        leaves, _ = _last_ports(network)
        rail_lost = np.bincount(leaves, minlength=size)
        return Singles(pairs, hosts, rails, rail_lost, self._left_of_groups())

    def nics(self) -> Singles:
        """Return what the failure of each cable between a NIC and a leaf does."""
        nics = self._network.nics
        nothing = np.zeros(len(nics), dtype=np.int64)
        speed = nics.speed_gbps * nics.up
        total = np.bincount(nics.host, weights=speed, minlength=len(self._network.host_unit))
        loss = np.divide(speed, total[nics.host], out=np.zeros(len(nics)), where=nics.up)
        _, last = _last_ports(self._network)
        return Singles(nothing, self._hosts.lost_with_nics(), nothing, last, 1 - loss)

    def _cut(self, hanging: Hanging, size: int) -> tuple[Ints, Ints, Ints]:
        """Return pairs of leaves, pairs of hosts and rails that each thing cuts."""
        rails = np.zeros(size, dtype=np.int64)
        for carries in rail_leaves(self._network):
            both = carries[hanging.leaf] & carries[hanging.other]
            rails[np.unique(hanging.what[both])] += 1
        pairs = np.bincount(hanging.what, minlength=size)
        return pairs, self._hosts.lost_with(hanging, size), rails

    def _left_of_groups(self) -> Shares:
        """Return the smallest share that a unit or AS keeps without each switch."""
        network, left = self._network, np.ones(len(self._network.tier))
        cables, nics, group = network.cables, network.nics, _groups(network)
        speed = cables.speed_gbps * cables.up
        for end in (cables.lower, cables.upper):
            _keep(left, group, end, speed)
        _keep(left, network.host_unit[nics.host], nics.leaf, nics.speed_gbps * nics.up)
        return left


def _last_ports(network: Clos) -> tuple[Ints, Ints]:
    """Return what is the last of a rail of a host.

    Returns
    -------
    leaves : array of int
        A leaf for each host that has all up ports of some rail there.
    nics : array of int, shape (nics,)
        1 for a NIC port that is the only one up of its rail, else 0.
    """
    nics = network.nics
    rows = np.flatnonzero(nics.up)
    key = nics.host[rows] * (int(nics.rail.max(initial=0)) + 1) + nics.rail[rows]
    _, first, back, ports = np.unique(
        key, return_index=True, return_inverse=True, return_counts=True
    )
    leaf = nics.leaf[rows]
    elsewhere = np.bincount(back, weights=leaf != leaf[first][back]) > 0
    alone = first[~elsewhere]
    hosts = np.unique(np.stack([leaf[alone], nics.host[rows[alone]]]), axis=1)
    counts = np.zeros(len(nics), dtype=np.int64)
    counts[rows[ports[back] == 1]] = 1
    return hosts[0], counts


def _keep(left: Shares, group: Ints, end: Ints, gbps: Ints) -> None:
    """Lower ``left`` of each switch to what a group keeps without the cables that end there."""
    total = np.bincount(group, weights=gbps)
    keys, back = np.unique(group * len(left) + end, return_inverse=True)
    whole = total[keys // len(left)]
    lost = np.bincount(back, weights=gbps)
    share = np.divide(lost, whole, out=np.zeros(len(keys)), where=whole > 0)
    np.minimum.at(left, keys % len(left), 1 - share)


def _groups(network: Clos) -> Ints:
    """Return what shares the bandwidth of each cable: a unit, or above it an AS of spines."""
    low = network.cables.lower
    _, number = np.unique(network.asn, return_inverse=True)
    return np.where(network.tier[low] == 0, network.unit[low] + 1, network.units + 1 + number[low])


class _Hosts:
    """Hosts by kind: those with the same leaves.

    Two kinds are joined over so many pairs of leaves; a failure cuts them when it cuts as many.
    """

    def __init__(self, network: Clos, reach: Bools) -> None:
        self._nics, leaves = network.nics, len(reach)
        kinds, self._kind, self._size = np.unique(
            host_leaves(network), axis=0, return_inverse=True, return_counts=True
        )
        self._kind = self._kind.reshape(-1)
        self._on = members(kinds, leaves)
        meets_itself = (reach | np.eye(leaves, dtype=np.bool_)).astype(np.int64)
        self._from_leaf: Ints = product(meets_itself, self._on.T)
        self._ways: Ints = product(self._on, self._from_leaf)

    def lost_with(self, hanging: Hanging, size: int) -> Ints:
        """Return how many pairs of hosts each thing cuts that pairs of leaves hang on."""
        kinds = len(self._on)
        what = np.concatenate([hanging.what, hanging.what])
        one, other = self._expanded(hanging)
        repeats = self._per_pair(hanging)
        keys = (np.repeat(what, repeats) * kinds + one) * kinds + other
        keys, lost = np.unique(keys, return_counts=True)
        what, one, other = keys // kinds**2, keys // kinds % kinds, keys % kinds
        cut = lost == self._ways[one, other]
        pairs = self._size[one] * (self._size[other] - (one == other)) * cut
        return np.bincount(what, weights=pairs, minlength=size).astype(np.int64) // 2

    def _per_pair(self, hanging: Hanging) -> Ints:
        count = self._on.sum(axis=0)
        return np.tile(count[hanging.leaf] * count[hanging.other], 2)

    def _expanded(self, hanging: Hanging) -> tuple[Ints, Ints]:
        """Return all kinds at one leaf with all kinds at the other, in both directions."""
        leaf = np.concatenate([hanging.leaf, hanging.other])
        other = np.concatenate([hanging.other, hanging.leaf])
        count = self._on.sum(axis=0)
        first = np.cumsum(count) - count
        kind = np.nonzero(self._on.T)[1]
        repeats = count[leaf] * count[other]
        start = np.cumsum(repeats) - repeats
        number = np.arange(int(repeats.sum())) - np.repeat(start, repeats)
        leaf, other = np.repeat(leaf, repeats), np.repeat(other, repeats)
        width = count[other]
        return kind[first[leaf] + number // width], kind[first[other] + number % width]

    def lost_with_leaf(self, leaf: int) -> int:
        """Return how many pairs of hosts have no way but over NICs of one leaf."""
        attached = np.flatnonzero(self._on[:, leaf])
        own = self._on[:, leaf].astype(np.int64)
        over = self._from_leaf[leaf]
        lost = over + own * over[attached, None] - own
        cut = (lost == self._ways[attached]) & (self._ways[attached] > 0)
        once = np.where(own > 0, 0.5, 1.0)  # both kinds are here: met twice
        pairs = float((cut * self._size[attached, None] * self._size * once).sum())
        itself = float((cut[np.arange(len(attached)), attached] * self._size[attached]).sum())
        return round(pairs - itself / 2)

    def lost_with_nics(self) -> Ints:
        """Return how many hosts the host of each NIC no longer reaches without it."""
        nics, leaves = self._nics, self._on.shape[1]
        lost = np.zeros((len(self._on), leaves), dtype=np.int64)
        for leaf in range(leaves):
            attached = np.flatnonzero(self._on[:, leaf])
            cut = (self._from_leaf[leaf] == self._ways[attached]) & (self._ways[attached] > 0)
            lost[attached, leaf] = cut @ self._size - cut[np.arange(len(attached)), attached]
        rows = np.flatnonzero(nics.up)
        ends = nics.host[rows] * leaves + nics.leaf[rows]
        _, back, count = np.unique(ends, return_inverse=True, return_counts=True)
        counts = np.zeros(len(nics), dtype=np.int64)
        alone = count[back] == 1
        counts[rows] = lost[self._kind[nics.host[rows]], nics.leaf[rows]] * alone
        return counts
