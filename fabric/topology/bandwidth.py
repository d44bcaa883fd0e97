"""Bandwidth of a layered network: over-subscription, uplinks of use, bisection."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from fabric.topology.paths import meets

if TYPE_CHECKING:
    from fabric.topology.clos import Clos
    from fabric.topology.model import Bools, Ints
    from fabric.topology.paths import Layers


@dataclass(frozen=True, slots=True)
class Ratio:
    """Bandwidth below and above one thing, in Gb/s."""

    down_gbps: int
    up_gbps: int

    @property
    def oversubscription(self) -> float | None:
        """Bandwidth below over bandwidth above; None where nothing goes up."""
        return self.down_gbps / self.up_gbps if self.up_gbps else None


def switch_gbps(network: Clos) -> tuple[Ints, Ints]:
    """Return the bandwidth of the cables that are up, below and above each switch, in Gb/s.

    Returns
    -------
    tuple of two arrays, shape (switches,)
        Below a leaf are its NICs.
    """
    size, cables, nics = len(network.tier), network.cables, network.nics
    below = _total(nics.leaf, nics.speed_gbps * nics.up, size)
    below += _total(cables.upper, cables.speed_gbps * cables.up, size)
    return below, _total(cables.lower, cables.speed_gbps * cables.up, size)


def _total(rows: Ints, gbps: Ints, size: int) -> Ints:
    return np.bincount(rows, weights=gbps, minlength=size).astype(np.int64)


def by_tier(network: Clos) -> list[Ratio]:
    """Return the bandwidth below and above all switches of each tier but the highest."""
    below, above = switch_gbps(network)
    rows = [network.rows(tier) for tier in range(max(1, network.tiers - 1))]
    return [Ratio(int(below[row].sum()), int(above[row].sum())) for row in rows]


def by_rail(network: Clos) -> dict[int, Ratio]:
    """Return, for each rail, the bandwidth of its NICs and of the uplinks of their leaves.

    A leaf that several rails share is shared out by the bandwidth of their NICs.
    """
    nics = network.nics
    below, above = switch_gbps(network)
    share = np.divide(above, below, out=np.zeros(len(above)), where=below > 0)
    speed = nics.speed_gbps * nics.up
    ups = np.bincount(nics.rail, weights=speed * share[nics.leaf])
    downs = np.bincount(nics.rail, weights=speed)
    return {
        rail: Ratio(int(down), round(up))
        for rail, (down, up) in enumerate(zip(downs.tolist(), ups.tolist(), strict=True))
    }


def useful_uplinks(network: Clos, layers: Layers) -> Bools:
    """Return which cables of leaves lead to some other leaf, shape (cables,).

    A cable that is up and ends on a spine without another way down carries nothing.
    """
    cables, leaves = network.cables, network.leaves
    useful: Bools = cables.up & (cables.lower < leaves)
    if not len(layers):
        return useful
    some, _, first = layers.quotient
    leads = meets(some.above[1].T | some.beyond[1], ~some.refused.T)
    useful[useful] = leads[network.place[cables.upper[useful]], first[cables.lower[useful]]]
    return useful


def unit_gbps(network: Clos, layers: Layers) -> tuple[Ints, Ints]:
    """Return the bandwidth of each unit: of its NICs, and of its uplinks of use, in Gb/s."""
    cables, nics = network.cables, network.nics
    speed = cables.speed_gbps * useful_uplinks(network, layers)
    mine = network.unit[cables.lower] >= 0
    return (
        _total(network.host_unit[nics.host], nics.speed_gbps * nics.up, network.units),
        _total(network.unit[cables.lower[mine]], speed[mine], network.units),
    )


def pod_gbps(network: Clos) -> Ints:
    """Return the bandwidth of each pod to other pods, in Gb/s, shape (pods,).

    It is that of the cables of its spines that lead to some other pod.
    """
    cables = network.cables
    pod = network.pod[cables.lower]
    mine = _useful_above_spines(network) & (pod >= 0)
    return _total(pod[mine], cables.speed_gbps[mine], network.pods)


def _useful_above_spines(network: Clos) -> Bools:
    """Return which cables of spines lead to some other pod, shape (cables,).

    Both spines of the way have a leaf, and they are of two ASes.
    """
    cables, size = network.cables, len(network.tier)
    below_spine = cables.lower < network.leaves
    has_leaf = np.isin(np.arange(size), cables.upper[cables.up & below_spine])
    useful: Bools = cables.up & ~below_spine & has_leaf[cables.lower]
    low, high = cables.lower[useful], cables.upper[useful]
    spines = np.stack([network.pod[low], network.asn[low]], axis=1)
    kinds, kind = np.unique(spines, axis=0, return_inverse=True)
    joined = np.zeros((len(kinds), size), dtype=np.bool_)
    joined[kind.reshape(-1), high] = True
    is_other = (kinds[:, None] != kinds).all(axis=2)
    useful[useful] = meets(is_other, joined)[kind.reshape(-1), high]
    return useful


def halves(network: Clos) -> tuple[Ints, Ints]:
    """Return the leaves of the first half of the units, and those of the others.

    One unit alone is cut between its leaves.
    """
    leaves, half = np.arange(network.leaves), network.units // 2
    if network.units < 2:  # noqa: PLR2004 - two halves
        return leaves[: len(leaves) // 2], leaves[len(leaves) // 2 :]
    first = network.unit[leaves] < half
    return leaves[first], leaves[~first]


class Cut(NamedTuple):
    """The smallest bandwidth whose cables part the leaves of two sides, in Gb/s, one way.

    ``pod`` is the first side; -1 where the sides are the two `halves`.
    """

    gbps: int
    sides: tuple[Ints, Ints]
    pod: int


def bisection(network: Clos) -> Cut:
    """Return the smallest cut: of the two `halves`, and below super-spines of a pod and the others.

    Of equal cuts it is that of the halves.
    """
    every = [(halves(network), -1)]
    if network.tiers > 2:  # noqa: PLR2004 - leaves, spines and super-spines
        leaves = np.arange(network.leaves)
        own = ((network.pod[leaves] == pod, pod) for pod in range(network.pods))
        every += [((leaves[mine], leaves[~mine]), pod) for mine, pod in own if 0 < mine.mean() < 1]
    cuts = (Cut(_cut_gbps(network, *sides), sides, pod) for sides, pod in every)
    return min(cuts, key=lambda cut: cut.gbps)


def _cut_gbps(network: Clos, first: Ints, second: Ints) -> int:
    """Return the smallest bandwidth whose cables part two sides.

    It is the largest flow that goes up and then down (max-flow min-cut): exact for two tiers as
    the sum over spines of the smaller side; for more by Dinic's algorithm of scipy, where detours
    inside one AS count too, so that it is a bound from above where a pod has lost cables.
    """
    if network.tiers == 1:
        return 0
    if network.tiers == 2:  # noqa: PLR2004 - leaves and spines
        return int(np.minimum(*(_to_spines(network, side) for side in (first, second))).sum())
    return _largest_flow(network, first, second)


def _to_spines(network: Clos, leaves: Ints) -> Ints:
    cables = network.cables
    mine = np.isin(cables.lower, leaves) & cables.up
    return _total(cables.upper[mine], cables.speed_gbps[mine], len(network.tier))


def _largest_flow(network: Clos, first: Ints, second: Ints) -> int:
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import maximum_flow

    size, cables = len(network.tier), network.cables
    low, high, gbps = (
        column[cables.up] for column in (cables.lower, cables.upper, cables.speed_gbps)
    )
    every = np.arange(network.leaves, size)
    source, sink = 2 * size, 2 * size + 1
    limit = min(int(gbps.sum()), np.iinfo(np.int32).max)  # capacities of scipy have 32 bits
    one = np.concatenate([low, high + size, every, np.full(len(first), source), second + size])
    other = np.concatenate([high, low + size, every + size, first, np.full(len(second), sink)])
    free = np.full(len(every) + len(first) + len(second), limit)
    capacity = np.concatenate([gbps, gbps, free]).astype(np.int32)
    graph = coo_array((capacity, (one, other)), shape=(2 * size + 2,) * 2).tocsr()
    return int(maximum_flow(graph, source, sink).flow_value)
