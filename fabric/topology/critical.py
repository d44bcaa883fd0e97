"""What hangs on one link or one switch: all single failures at once.

A link is all cables between two switches. Every path between two leaves that turns above tier t
crosses from t to t + 1 once on its way up. So when no path turns at t or below, and one link alone
is of use for that step, the two leaves hang on it. (A link that some paths went up and others came
down would join the two leaves below it already.) For a switch, the paths through it are counted and
compared with all.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import accumulate
from typing import TYPE_CHECKING

import numpy as np

from fabric.topology.paths import meets, product

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fabric.topology.clos import Clos
    from fabric.topology.model import Bools, Ints
    from fabric.topology.paths import Counts, Layers


@dataclass(frozen=True, eq=False)
class Hanging:
    """Pairs of leaves that one failure cuts, each pair once, shape (n,) each.

    Parameters
    ----------
    what : array of int
        Number of the link, or row of the switch, that the pair hangs on.
    leaf, other : array of int
        The two leaves.
    """

    what: Ints
    leaf: Ints
    other: Ints

    def __len__(self) -> int:
        return len(self.what)


def _gathered(parts: list[tuple[Ints, Ints, Ints]]) -> Hanging:
    if not parts:
        return Hanging(*(np.empty(0, dtype=np.int64) for _ in range(3)))
    return Hanging(*(np.concatenate(column) for column in zip(*parts, strict=True)))


def link_base(layers: Layers) -> list[int]:
    """Return the number of the first link of each tier; links are numbered row by row."""
    return [0, *accumulate(table.size for table in layers.cables)]


def link_numbers(layers: Layers, network: Clos) -> Ints:
    """Return the number of the link that each cable is part of, shape (cables,)."""
    cables, base = network.cables, np.array(link_base(layers), dtype=np.int64)
    tier = network.tier[cables.lower]
    widths = np.array([table.shape[1] for table in layers.cables], dtype=np.int64)
    numbers: Ints = base[tier] + network.place[cables.lower] * widths[tier]
    return numbers + network.place[cables.upper]


def on_links(layers: Layers) -> Hanging:
    """Return the pairs of leaves that hang on one link between two switches."""
    parts = []
    for tier, base in enumerate(link_base(layers)[:-1]):
        crossing, shared = _crossing(layers, tier), _shared(layers, tier)
        for pairs, batches in ((crossing & ~shared, _all_alike), (crossing & shared, _by_as)):
            if pairs.any():
                paths_by_link = list(batches(layers, tier))
                link, leaf, other = _sole_links(layers, tier, pairs, paths_by_link)
                parts.append((link + base, leaf, other))
    return _gathered(parts)


def _crossing(layers: Layers, tier: int) -> Bools:
    """Return the pairs of leaves of which every path goes up from a tier."""
    low = np.zeros_like(layers.reach)
    for reached in layers.reach_over[:tier]:
        low |= reached
    return layers.reach & ~low


def _shared(layers: Layers, tier: int) -> Bools:
    """Return the pairs of leaves that are below one AS of a tier: some paths are refused there."""
    if not tier:
        return np.zeros_like(layers.reach)
    above = layers.above[tier]
    return meets(meets(above, layers.same_as[tier]), above.T)


def _sole_links(
    layers: Layers, tier: int, crossing: Bools, batches: list[tuple[Ints, Bools]]
) -> tuple[Ints, Ints, Ints]:
    """Return link (inside its tier), leaf and other leaf where one link up is of use."""
    useful = np.zeros(crossing.shape, dtype=np.int64)
    joined, above = layers.joined[tier], layers.above[tier]
    for lower, ends in batches:
        useful += product(product(above[:, lower], joined[lower]), ends)
    leaf, other = np.nonzero(crossing & (useful == 1))
    link = np.zeros(len(leaf), dtype=np.int64)
    if not len(leaf):
        return link, leaf, other
    rows, back = np.unique(leaf, return_inverse=True)
    width = joined.shape[1]
    for lower, ends in batches:
        numbers = (lower[:, None] * width + np.arange(width)) * joined[lower]
        link += product(product(above[np.ix_(rows, lower)], numbers), ends)[back, other]
    return link, leaf, other


def _all_alike(layers: Layers, tier: int) -> Iterator[tuple[Ints, Bools]]:
    """Yield all switches of a tier, and what the switches above them reach."""
    ends = layers.above[tier + 1].T | layers.beyond[tier + 1]
    yield np.arange(len(layers.joined[tier])), ends


def _by_as(layers: Layers, tier: int) -> Iterator[tuple[Ints, Bools]]:
    """Yield the switches of each AS of a tier, and what the switches above reach for them.

    No switch above gives a path back to the AS that it came from.
    """
    same, down = layers.same_as[tier], layers.joined[tier].T
    for group in np.unique(same.argmax(axis=1)).tolist():
        others = ~same[group]
        turned = meets(down[:, others], layers.above[tier].T[others])
        yield np.flatnonzero(same[group]), turned | layers.beyond[tier + 1]


def on_switches(layers: Layers, network: Clos) -> Hanging:
    """Return the pairs of leaves that hang on one switch above the leaves."""
    parts = []
    paths: _Paths | None = None
    for tier in range(1, len(layers) + 1):
        leaf, other = np.nonzero(_suspects(layers, tier))
        if not len(leaf):
            continue
        paths = paths or _Paths.of(layers.simple)
        for place, switch in enumerate(network.rows(tier).tolist()):
            reached = layers.above[tier][leaf, place]
            hanging = paths.hang(tier, place, leaf[reached], other[reached])
            once = (leaf[reached] < other[reached]) | ~layers.above[tier][other[reached], place]
            rows = np.flatnonzero(reached)[hanging & once]
            parts.append((np.full(len(rows), switch), leaf[rows], other[rows]))
    return _gathered(parts)


def _suspects(layers: Layers, tier: int) -> Bools:
    """Return the pairs of leaves that may hang on one switch of a tier; most do not come up here.

    Such a pair has no path that turns below. Either one end has one switch of use on its way up;
    or all paths go up and down through the switch, so that it is above both and no other turns.
    """
    above = layers.above[tier]
    useful = product(above, above.T | layers.beyond[tier])
    common = product(above, above.T)
    refused = _shared(layers, tier - 1) & (common > 0)
    alone = (useful == 1) | (useful == 1).T | (common == 1) | refused
    suspects: Bools = _crossing(layers, tier - 1) & alone
    return suspects


@dataclass(frozen=True, eq=False)
class _Paths:
    """Numbers of paths: between all leaves, and from each switch going up first, by tier."""

    layers: Layers
    total: Counts
    beyond: list[Counts]

    @classmethod
    def of(cls, layers: Layers) -> _Paths:
        return cls(layers, _all_paths(layers), _paths_beyond(layers))

    def hang(self, tier: int, place: int, leaf: Ints, other: Ints) -> Bools:
        """Return which pairs have no path but through one switch, which is above ``leaf``."""
        if not len(leaf):
            return np.zeros(0, dtype=np.bool_)
        up, over = self.layers.ways_up[tier][:, place], self.beyond[tier][place]
        under, row = np.unique(leaf, return_inverse=True)
        through = self._turning(tier, place, under)[row, other]
        through = through + up[leaf] * over[other] + over[leaf] * up[other]
        return np.asarray(through == self.total[leaf, other], dtype=np.bool_)

    def _turning(self, tier: int, place: int, under: Ints) -> Counts:
        """Return the paths that turn at a switch, from the leaves ``under`` it to every leaf."""
        layers = self.layers
        below = np.flatnonzero(layers.cables[tier - 1][:, place])
        ways = layers.ways_up[tier - 1][:, below]
        turns = (~layers.same_as[tier - 1][np.ix_(below, below)]).astype(np.int64)
        return product(product(ways[under], turns), ways.T)


def _all_paths(layers: Layers) -> Counts:
    total: Counts = np.zeros((layers.leaves, layers.leaves), dtype=np.int64)
    for counts in layers.counts_over():
        total = _sum(total, counts)
    return total


def _sum(one: Counts, other: Counts) -> Counts:
    if float(one.max(initial=0)) + float(other.max(initial=0)) < 2.0**62:
        return one + other
    total: Counts = one.astype(object) + other.astype(object)
    return total


def _paths_beyond(layers: Layers) -> list[Counts]:
    """Return the paths from each switch to each leaf that go up first, by tier."""
    beyond: list[Counts] = [np.zeros(layers.ways_up[-1].T.shape, dtype=np.int64)]
    for tier in reversed(range(len(layers))):
        table = layers.cables[tier]
        turning = np.where(layers.same_as[tier], 0, product(table, table.T))
        over = product(turning, layers.ways_up[tier].T)
        beyond.insert(0, _sum(over, product(table, beyond[0])))
    return beyond
