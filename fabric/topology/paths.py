"""Shortest paths between all leaves of a layered network, by products of matrices.

A path goes up and then down, once: a spine refuses a route that holds its own AS number, and the
spines of a pod share one (RFC 7938 section 5.2.1). So two leaves are joined over a switch of tier
k when each has a way up to it, and the two ways come through different ASes of the tier below it.
Leaves that share an AS number drop each other's routes too, unless they allow it.
That is exact for two and three tiers; with more, where ASes nest as pods do. A detour over a leaf,
which only spines of different ASes allow, is no path here: rules QOS060 to QOS063 look for those.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from fabric.topology.twins import distinct_rows, once_per_kind, two_of_each

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from fabric.topology.clos import Clos
    from fabric.topology.model import Bools, Ints

    Counts = NDArray[Any]
    Floats = NDArray[np.float32]
    from fabric.topology.model import Fabric


#: Below this every integer is a float64 (IEEE 754), so that BLAS multiplies exactly.
_FLOAT_EXACT = 2.0**53
#: Below this sums fit an int64, with room for the rounding of the estimate.
_INT_EXACT = 2.0**62


def product(left: Counts, right: Counts) -> Counts:
    """Return the exact matrix product of matrices of integers >= 0.

    The result is int64, or Python integers where it could be too large for that. Equal rows and
    equal columns are multiplied once.

    Parameters
    ----------
    left, right : array of int, shapes (n, k) and (k, m)
        Numbers >= 0; beyond 2**63 they are Python integers.
    """
    return once_per_kind(_product, left, right)


def _product(left: Counts, right: Counts) -> Counts:
    bound = float(left.max(initial=0)) * float(right.max(initial=0)) * left.shape[1]
    if bound < _FLOAT_EXACT:
        return (left.astype(np.float64) @ right.astype(np.float64)).astype(np.int64)
    if bound < _INT_EXACT:
        return left.astype(np.int64) @ right.astype(np.int64)
    counts: Counts = left.astype(object) @ right.astype(object)
    return counts


def meets(left: Bools, right: Bools) -> Bools:
    """Return the product of truth values: whether any inner index is true on both sides.

    Parameters
    ----------
    left, right : array of bool, shapes (n, k) and (k, m)
        Truth values.

    Returns
    -------
    array of bool, shape (n, m)
        Whether row and column share an index.
    """
    return once_per_kind(_meets, left, right)


def _meets(left: Bools, right: Bools) -> Bools:
    joined: Floats = left.astype(np.float32) @ right.astype(np.float32)
    return joined > 0


@dataclass(frozen=True, eq=False)
class Layers:
    """The cables that are up, as one matrix for each pair of neighbouring tiers.

    Parameters
    ----------
    cables : tuple of array, shape (switches of tier t, switches of tier t + 1)
        How many cables there are between two switches.
    same_as : tuple of array of bool, shape (switches of tier t, switches of tier t)
        For each tier but the highest, and for leaves in any case.
        Whether a path that goes up through one may not come down through the other. For leaves:
        the leaf itself.
    refused : array of bool, shape (leaves, leaves)
        Whether a leaf drops the routes of another, because both have one AS number; and itself.
    """

    cables: tuple[Ints, ...]
    same_as: tuple[Bools, ...]
    refused: Bools

    @classmethod
    def of(cls, network: Clos) -> Layers:
        """Return the layers of a network.

        Raises
        ------
        ValueError
            When a cable skips a tier.
        """
        links = network.cables
        low = network.tier[links.lower]
        if (network.tier[links.upper] != low + 1).any():
            raise ValueError("a cable joins switches that are not in neighbouring tiers")
        sizes = [len(network.rows(tier)) for tier in range(network.tiers)]
        cables = []
        for tier, size in enumerate(sizes[:-1]):
            rows = np.flatnonzero((low == tier) & links.up)
            table = np.zeros((size, sizes[tier + 1]), dtype=np.int64)
            ends = (network.place[links.lower[rows]], network.place[links.upper[rows]])
            np.add.at(table, ends, 1)
            cables.append(table)
        asns = [network.asn[network.rows(tier)] for tier in range(1, network.tiers - 1)]
        same = [np.eye(sizes[0], dtype=np.bool_), *(asn[:, None] == asn for asn in asns)]
        asn = network.asn[network.rows(0)]
        refused = same[0] if network.allowas_in else asn[:, None] == asn
        return cls(tuple(cables), tuple(same), refused)

    def __len__(self) -> int:
        return len(self.cables)

    def of_leaves(self, rows: Ints) -> Layers:
        """Return the layers with these leaves alone.

        Parameters
        ----------
        rows : array of int, shape (leaves,)
            Leaves that are kept.
        """
        cables = tuple(table[rows] if not tier else table for tier, table in enumerate(self.cables))
        own = np.eye(len(rows), dtype=np.bool_)
        return Layers(cables, (own, *self.same_as[1:]), self.refused[np.ix_(rows, rows)])

    @cached_property
    def twins(self) -> Ints:
        """Kind of each leaf, shape (leaves,): leaves of one kind could be swapped."""
        sharing = self.refused.sum(axis=1) > 1
        group = np.where(sharing, self.refused.argmax(axis=1), -1)
        return distinct_rows(np.column_stack([group, *self.cables[:1]]))[1]

    @cached_property
    def quotient(self) -> tuple[Layers, Ints, Ints]:
        """The layers with two leaves of each kind, and what `two_of_each` returns for the kinds."""
        rows, first = two_of_each(self.twins)
        return self.of_leaves(rows), rows, first

    @property
    def leaves(self) -> int:
        """Number of leaves."""
        return len(self.same_as[0])

    @cached_property
    def joined(self) -> tuple[Bools, ...]:
        """Whether there is a cable, by tier."""
        return tuple(table > 0 for table in self.cables)

    @cached_property
    def simple(self) -> Layers:
        """The same with parallel cables as one."""
        simple = tuple(table.astype(np.int64) for table in self.joined)
        return Layers(simple, self.same_as, self.refused)

    @cached_property
    def ways_up(self) -> tuple[Counts, ...]:
        """Ways from each leaf up to each switch, by tier: shape (leaves, switches)."""
        ways: list[Counts] = [np.eye(self.leaves, dtype=np.int64)]
        for table in self.cables:
            ways.append(product(ways[-1], table))
        return tuple(ways)

    @cached_property
    def above(self) -> tuple[Bools, ...]:
        """Whether a leaf has a way up to a switch, by tier: shape (leaves, switches)."""
        tables = [np.eye(self.leaves, dtype=np.bool_)]
        for table in self.joined:
            tables.append(meets(tables[-1], table))
        return tuple(tables)

    @cached_property
    def turns(self) -> tuple[Bools, ...]:
        """Whether a path may go from a switch over the tier above to another, by tier."""
        return tuple(
            meets(table, table.T) & ~same
            for table, same in zip(self.joined, self.same_as, strict=False)
        )

    def counts_over(self) -> Iterator[Counts]:
        """Yield the paths between all leaves that turn at each tier above, lowest first."""
        for tier, (table, same) in enumerate(zip(self.cables, self.same_as, strict=False)):
            up = self.ways_up[tier]
            down = product(product(up, table), table.T)
            for group in _groups(same) if tier else ():  # leaves: each is refused to itself
                ways = product(up[:, group], table[group])
                down[:, group] -= product(ways, table[group].T)
            counts = product(down, up.T)
            counts[self.refused] = 0
            yield counts

    @cached_property
    def reach_over(self) -> tuple[Bools, ...]:
        """Whether two leaves have a path that turns at each tier above, lowest first."""
        return tuple(
            meets(meets(up, turn), up.T) & ~self.refused
            for up, turn in zip(self.above, self.turns, strict=False)
        )

    @cached_property
    def turn_tier(self) -> Ints:
        """Tier at which the shortest path between two leaves turns; 0 where there is none."""
        tiers = np.zeros((self.leaves, self.leaves), dtype=np.int64)
        for tier in reversed(range(len(self))):
            tiers[self.reach_over[tier]] = tier + 1
        return tiers

    @cached_property
    def reach(self) -> Bools:
        """Whether two different leaves reach each other, shape (leaves, leaves)."""
        return self.turn_tier > 0

    @cached_property
    def beyond(self) -> tuple[Bools, ...]:
        """Whether a switch reaches a leaf by going up first, by tier: (switches, leaves)."""
        tables = [np.zeros(self.above[-1].T.shape, dtype=np.bool_)]
        for tier in reversed(range(len(self))):
            over = meets(self.turns[tier], self.above[tier].T)
            tables.insert(0, over | meets(self.joined[tier], tables[0]))
        return tuple(tables)


def _groups(same: Bools) -> Iterator[Ints]:
    """Yield the switches of each AS."""
    number = same.argmax(axis=1)
    for group in np.unique(number).tolist():
        yield np.flatnonzero(number == group)


@dataclass(frozen=True, eq=False)
class Pairs:
    """Pairs of leaves, one for all that are alike; shape (n,) each.

    Parameters
    ----------
    layers : Layers
        The network with two leaves of each kind.
    leaf, other : array of int
        The first such pair, by the rows of all leaves.
    place : tuple of two arrays of int
        The pair by the rows of ``layers``.
    count : array of int
        How many pairs are alike.
    """

    layers: Layers
    leaf: Ints
    other: Ints
    place: tuple[Ints, Ints]
    count: Ints

    @classmethod
    def of(cls, layers: Layers) -> Pairs:
        """Return the pairs of a network."""
        kind, (some, rows, first) = layers.twins, layers.quotient
        size = np.bincount(kind)
        one, other = np.triu_indices(len(rows), k=1)
        left, right = kind[rows[one]], kind[rows[other]]
        is_second = first[rows] != np.arange(len(rows))
        keep = (left == right) | ~(is_second[one] | is_second[other])
        one, other, left, right = (column[keep] for column in (one, other, left, right))
        count = size[left] * np.where(left == right, size[left] - 1, 2 * size[right]) // 2
        return cls(some, rows[one], rows[other], (one, other), count)


def path_counts(layers: Layers) -> Counts:
    """Return how many shortest paths there are between all leaves; parallel cables count.

    Returns
    -------
    array, shape (leaves, leaves)
        0 where there is no path, and on the diagonal.
    """
    total: Counts = np.zeros((layers.leaves, layers.leaves), dtype=np.int64)
    for counts in layers.counts_over():
        total = np.where(total == 0, counts, total)
        if (total > 0).sum() == layers.leaves * (layers.leaves - 1):
            break
    return total


def next_hop_counts(layers: Layers) -> Ints:
    """Return over how many switches, and over how many cables, traffic leaves each leaf.

    Returns
    -------
    array of int, shape (2, leaves, leaves)
        Switches and cables that the leaf of the row uses towards the leaf of the column.
    """
    counts = np.zeros((2, layers.leaves, layers.leaves), dtype=np.int64)
    for tier in range(1, len(layers) + 1):
        ways = _towards(layers, tier)
        turning = layers.turn_tier == tier
        for number, table in enumerate((layers.joined[0], layers.cables[0])):
            counts[number][turning] = product(table.astype(np.int64), ways)[turning]
    return counts


def next_hops(layers: Layers, leaf: int, other: int) -> Ints:
    """Return the switches of the tier above (by place) over which one leaf sends to another.

    Parameters
    ----------
    leaf, other : int
        Rows of the leaves.
    """
    tier = int(layers.turn_tier[leaf, other])
    if not tier:
        return np.empty(0, dtype=np.int64)
    return np.flatnonzero(layers.joined[0][leaf] & (_towards(layers, tier)[:, other] > 0))


def _towards(layers: Layers, tier: int) -> Ints:
    """Return whether a path from a spine to a leaf turns at ``tier``, as 0 or 1."""
    if tier == 1:
        return layers.joined[0].T.astype(np.int64)
    ways = meets(layers.turns[tier - 1], layers.above[tier - 1].T)
    for lower in reversed(range(1, tier - 1)):
        ways = meets(layers.joined[lower], ways)
    return ways.astype(np.int64)


def islands(fabric: Fabric) -> Ints:
    """Return a number for each switch, shape (switches,): equal where cables join them.

    Planes are islands, and so is each leaf of a rail-only fabric. Cables that are off join nothing.
    """
    return joined_by(fabric, fabric.uplinks.enabled)


def joined_by(fabric: Fabric, cables: Bools) -> Ints:
    """Return a number for each switch, shape (switches,): equal where some of the cables join them.

    Parameters
    ----------
    cables : array of bool, shape (uplinks,)
        Which cables count.
    """
    uplinks = fabric.uplinks
    return joined(len(fabric.switches), uplinks.lower[cables], uplinks.upper[cables])


def joined(count: int, lower: Ints, upper: Ints) -> Ints:
    """Return a number for each of ``count`` things: equal where pairs of ends join them."""
    # in numpy, as loading scipy's graphs takes longer than all that `check` does of a small fabric
    first = np.arange(count, dtype=np.int64)
    while True:
        lowest = np.minimum(first[lower], first[upper])
        nearer = first.copy()
        np.minimum.at(nearer, lower, lowest)
        np.minimum.at(nearer, upper, lowest)
        nearer = nearer[nearer]
        if np.array_equal(nearer, first):
            return np.unique(first, return_inverse=True)[1]
        first = nearer
