"""How far apart hosts are: hops, and metres of cable."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from fabric.topology.paths import joined

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from numpy.typing import NDArray

    from fabric.topology.clos import Cables, Clos, Edge
    from fabric.topology.model import Ints
    from fabric.topology.paths import Layers

    Costs = NDArray[np.float64]
    #: What each cable costs, from its speed in Gbit/s and its length in m.
    Cost = Callable[[Ints, Ints], Costs]


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


def metres(_speed_gbps: Ints, cable_m: Ints) -> Costs:
    """Return the lengths: the cost by which the longest path is the one of most cable."""
    return cable_m.astype(np.float64)


def longest_way(network: Clos, cost: Cost = metres) -> Way | None:
    """Return the path between two hosts whose cables cost most, or None without such a path.

    A path turns between two leaves below one spine, or between two pods: switches that cables
    join, or an AS. A path counts that BGP refuses because leaves of two pods have one AS.
    """
    climbs = _Climbs(network, cost)
    return max(climbs.ways(), key=lambda way: way[0], default=(0.0, None))[1]


class _Climbs:
    """The dearest way from a host up to each switch: its cost, and its last cable."""

    def __init__(self, network: Clos, cost: Cost) -> None:
        self._network, self._cost = network, cost
        self._climb = np.full(len(network.tier), -np.inf)
        self._last = np.full(len(network.tier), -1)

    def ways(self) -> Iterator[tuple[float, Way]]:
        """Yield the dearest path that turns in each tier, with its cost."""
        network = self._network
        nics, cables = network.nics, network.cables
        own = self._cost(nics.speed_gbps, nics.cable_m)
        yield from self._turn(0, np.flatnonzero(nics.up), nics.leaf, nics.host, own)
        step = self._cost(cables.speed_gbps, cables.cable_m)
        for tier in range(network.tiers - 1):
            below, side = self._climb[cables.lower], self._pods(tier)[cables.lower]
            rows = np.flatnonzero(cables.up & (network.tier[cables.lower] == tier) & (below >= 0))
            yield from self._turn(tier + 1, rows, cables.upper, side, below + step)

    def _pods(self, tier: int) -> Ints:
        """Return a number for each switch: equal where no path turns between two above the tier."""
        network = self._network
        if tier == 0 and network.allowas_in:
            return np.arange(len(network.tier))
        rows = network.rows(tier)
        one_of, place = np.unique(network.asn[rows], return_index=True, return_inverse=True)[1:]
        below = network.cables.up & (network.tier[network.cables.upper] <= tier)
        ends = (
            (network.cables.lower[below], rows),
            (network.cables.upper[below], rows[one_of][place]),
        )
        return joined(len(network.tier), *(np.concatenate(end) for end in ends))

    def _turn(
        self, tier: int, rows: Ints, upper: Ints, side: Ints, cost: Costs
    ) -> Iterator[tuple[float, Way]]:
        """Climb to a tier by some of its cables; yield the dearest path that turns there."""
        rows = rows[np.lexsort((-cost[rows], upper[rows]))]
        first = rows[np.unique(upper[rows], return_index=True)[1]]
        self._climb[upper[first]], self._last[upper[first]] = cost[first], first
        others = rows[side[rows] != side[self._last[upper[rows]]]]
        if len(others):
            total = cost[others] + self._climb[upper[others]]
            other = int(others[total.argmax()])
            yield float(total.max()), self._way(tier, int(self._last[upper[other]]), other)

    def _way(self, tier: int, up: int, down: int) -> Way:
        leaf, climb = self._down(tier, up)
        other, fall = self._down(tier, down)
        return Way(leaf, other, (*climb, *reversed(fall)))

    def _down(self, tier: int, row: int) -> tuple[int, list[tuple[int, int]]]:
        """Return the leaf below a cable, and the cables from the host up to it."""
        way: list[tuple[int, int]] = []
        for _ in range(tier):
            way.insert(0, _cable(self._network.cables, row))
            row = int(self._last[self._network.cables.lower[row]])
        nics = self._network.nics
        return int(nics.leaf[row]), [_cable(nics, row), *way]


def _cable(cables: Cables | Edge, row: int) -> tuple[int, int]:
    return int(cables.speed_gbps[row]), int(cables.cable_m[row])
