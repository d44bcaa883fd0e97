"""How far apart hosts are: hops, and metres of cable."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from fabric.topology.twins import distinct_rows, once_per_kind, two_of_each

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from fabric.topology.clos import Clos
    from fabric.topology.model import Ints
    from fabric.topology.paths import Layers

    Metres = NDArray[np.float32]


def diameter(layers: Layers) -> int:
    """Return the most cables between two leaves that reach each other, by their shortest path."""
    return 2 * int(layers.turn_tier.max(initial=0))


@dataclass(frozen=True, slots=True)
class Way:
    """The cables of a path between two hosts, in order: speed and one-way length of each.

    ``leaf`` and ``other`` are the leaves of the two hosts.
    """

    leaf: int
    other: int
    cables: tuple[tuple[int, int], ...]

    @property
    def cable_m(self) -> int:
        """Length of the whole path in metres."""
        return sum(metres for _, metres in self.cables)


def longest_way(network: Clos, layers: Layers) -> Way | None:
    """Return the shortest path between two hosts that has the most metres of cable, or None.

    Of parallel cables and of several paths of as many hops the longest counts. Where leaves reach
    each other over a pod that has lost cables, a path may be counted that BGP refuses.
    """
    return _Lengths(network, layers).longest()


class _Lengths:
    """Lengths between leaves, two of each kind: of one kind are twins with cables as long."""

    def __init__(self, network: Clos, layers: Layers) -> None:
        self._network, self._layers = network, layers

    @cached_property
    def _steps(self) -> list[Metres]:
        """Longest cable between two switches of neighbouring tiers; -inf where there is none."""
        cables, place = self._network.cables, self._network.place
        tier = self._network.tier[cables.lower]
        tables = []
        for number, shape in enumerate(table.shape for table in self._layers.cables):
            table = np.full(shape, -np.inf, dtype=np.float32)
            rows = np.flatnonzero((tier == number) & cables.up)
            ends = (place[cables.lower[rows]], place[cables.upper[rows]])
            np.maximum.at(table, ends, cables.cable_m[rows].astype(np.float32))
            tables.append(table)
        return tables

    @cached_property
    def _ends(self) -> Metres:
        """Longest NIC cable of each leaf; -inf where there is none."""
        nics = self._network.nics
        ends = np.full(self._network.leaves, -np.inf, dtype=np.float32)
        np.maximum.at(ends, nics.leaf[nics.up], nics.cable_m[nics.up].astype(np.float32))
        return ends

    @cached_property
    def _rows(self) -> Ints:
        """The leaves that stand for all pairs."""
        columns = [self._layers.twins, np.unique(self._ends, return_inverse=True)[1]]
        columns += [distinct_rows(step)[1] for step in self._steps[:1]]
        return two_of_each(distinct_rows(np.column_stack(columns))[1])[0]

    @cached_property
    def _climbs(self) -> list[Metres]:
        """Longest way up from some leaves to each switch, by tier from 1."""
        climbs = [step[self._rows] for step in self._steps[:1]]
        for step in self._steps[1:]:
            climbs.append(_longest_sum(climbs[-1], step))
        return climbs

    def longest(self) -> Way | None:
        turn_tier, ends = self._layers.of_leaves(self._rows).turn_tier, self._ends[self._rows]
        best, where = -np.inf, (0, 0, 0)
        for tier, climb in enumerate(self._climbs, 1):
            total = _longest_sum(climb, climb.T) + ends[:, None] + ends
            total[turn_tier != tier] = -np.inf
            if total.max() > best:
                one, other = divmod(int(total.argmax()), len(ends))
                best, where = float(total.max()), (one, other, tier)
        return self._way(*where) if best > 0 else self._inside_a_leaf()

    def _way(self, one: int, other: int, tier: int) -> Way:
        """Return the longest way between two of the ``_rows``."""
        climb = self._climbs[tier - 1]
        top = int((climb[one] + climb[other]).argmax())
        up, down = self._climb(one, tier, top), self._climb(other, tier, top)
        leaves = int(self._rows[one]), int(self._rows[other])
        near, far = (self._nics(leaf)[0] for leaf in leaves)
        return Way(*leaves, (near, *up, *reversed(down), far))

    def _climb(self, one: int, tier: int, top: int) -> list[tuple[int, int]]:
        """Return the cables of the longest way from one of the ``_rows`` up to a switch."""
        cables: list[tuple[int, int]] = []
        for level in range(tier, 0, -1):
            below = int(self._rows[one])
            if level > 1:
                below = int(
                    (self._climbs[level - 2][one] + self._steps[level - 1][:, top]).argmax()
                )
            cables.insert(0, self._cable(level - 1, below, top))
            top = below
        return cables

    def _cable(self, tier: int, low: int, high: int) -> tuple[int, int]:
        network, cables = self._network, self._network.cables
        mine = (cables.lower == network.rows(tier)[low]) & cables.up
        rows = np.flatnonzero(mine & (cables.upper == network.rows(tier + 1)[high]))
        row = max(rows.tolist(), key=lambda row: (cables.cable_m[row], -cables.speed_gbps[row]))
        return int(cables.speed_gbps[row]), int(cables.cable_m[row])

    def _nics(self, leaf: int) -> list[tuple[int, int]]:
        """Return the NIC cables of a leaf, longest first, one for each host."""
        nics = self._network.nics
        rows: Ints = np.flatnonzero((nics.leaf == leaf) & nics.up)
        order = rows[np.lexsort((nics.speed_gbps[rows], -nics.cable_m[rows]))].tolist()
        first = {int(nics.host[row]): row for row in reversed(order)}
        return [
            (int(nics.speed_gbps[row]), int(nics.cable_m[row]))
            for row in order
            if first[int(nics.host[row])] == row
        ]

    def _inside_a_leaf(self) -> Way | None:
        ways = []
        for leaf in range(self._network.leaves):
            ends = self._nics(leaf)
            if len(ends) > 1:
                ways.append(Way(leaf, leaf, (ends[0], ends[1])))
        return max(ways, key=lambda way: way.cable_m, default=None)


def _longest_sum(left: Metres, right: Metres) -> Metres:
    """Return the largest sum over the inner index, for all pairs of rows and columns."""
    return once_per_kind(_each_longest_sum, left, right)


def _each_longest_sum(left: Metres, right: Metres) -> Metres:
    longest = np.full((left.shape[0], right.shape[1]), -np.inf, dtype=np.float32)
    for inner in range(left.shape[1]):
        np.maximum(longest, left[:, inner, None] + right[inner], out=longest)
    return longest
