"""How many flows of a collective each leaf sends over its uplinks, and what becomes of them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from fabric.collective.published import CollectiveKind
from fabric.qos.ecmp.collective import spread
from fabric.qos.ecmp.load import MOST_FLOWS, MOST_LINKS

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from fabric.topology.clos import Clos
    from fabric.topology.model import Bools, Ints

    Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class MemberPorts:
    """The NIC ports that take part: one row for each host in rank order.

    Parameters
    ----------
    leaf : array of int, shape (hosts, columns)
        Leaf of each NIC port. A column is a port of a rail.
    gbps : array of float, shape (hosts, columns)
        Its speed; 0 of one that is down.
    """

    leaf: Ints
    gbps: Floats


@dataclass(frozen=True, eq=False)
class Crossing:
    """What leaves one leaf for others.

    Parameters
    ----------
    leaf : int
        Row of the leaf.
    flows : int
        Flows of equal rate, >= 1.
    gbps : float
        Their rates together, where every NIC sends at line rate.
    """

    leaf: int
    flows: int
    gbps: float


@dataclass(frozen=True, slots=True)
class Left:
    """Share of its line rate that the slowest NIC keeps.

    Parameters
    ----------
    even, hashed, worst : float
        With flows that are spread evenly, hashed independently (on average), and all on one link.
    leaf : int
        Row of the leaf whose uplinks leave least; -1 where the NICs are the limit.
    """

    even: float = 1.0
    hashed: float = 1.0
    worst: float = 1.0
    leaf: int = -1


def crossings(kind: CollectiveKind, ends: MemberPorts) -> list[Crossing]:
    """Return what crosses the uplinks of each leaf, for every leaf that sends or receives.

    A ring sends from each host to the next. An all-to-all sends evenly to the same rail of every
    other host (NCCL's PXN).
    """
    leaves, first = np.unique(ends.leaf, return_inverse=True)
    place: Ints = first.reshape(ends.leaf.shape)
    flows, gbps = np.zeros((2, len(leaves))), np.zeros((2, len(leaves)))
    for column in range(place.shape[1]):
        mine, speed = place[:, column], ends.gbps[:, column]
        if kind is CollectiveKind.ALL_REDUCE:
            after = np.roll(mine, -1)
            out = mine != after
            for way, rows in enumerate((mine, after)):
                np.add.at(flows[way], rows[out], 1)
                np.add.at(gbps[way], rows[out], speed[out])
        else:
            same = np.bincount(mine, minlength=len(leaves))
            others = len(mine) - same
            flows += same * others
            gbps += np.bincount(mine, speed, len(leaves)) * others / max(len(mine) - 1, 1)
    most: Floats = gbps.max(axis=0)
    return [
        Crossing(int(leaves[row]), int(flows[:, row].max()), float(most[row]))
        for row in np.flatnonzero(most).tolist()
    ]


def between_leaves(kind: CollectiveKind, ends: MemberPorts) -> Iterator[tuple[Ints, Floats]]:
    """Yield the leaves of each column, and what each of them sends to each, in Gb/s."""
    for mine, gbps in zip(ends.leaf.T, ends.gbps.T, strict=True):
        leaves, place = np.unique(mine, return_inverse=True)
        sent = np.zeros((len(leaves), len(leaves)))
        if kind is CollectiveKind.ALL_REDUCE:
            np.add.at(sent, (place, np.roll(place, -1)), gbps)
        else:
            hosts = np.bincount(place) / max(len(mine) - 1, 1)
            sent = np.bincount(place, gbps)[:, None] * hosts
        yield leaves, sent


def left(network: Clos, crossing: Crossing, queue_pairs: int) -> Left:
    """Return what the uplinks of a leaf leave to its flows."""
    cables = network.cables
    mine = cables.up & (cables.lower == crossing.leaf)
    speeds = cables.speed_gbps[mine].astype(np.float64)
    if not len(speeds):
        return Left(0.0, 0.0, 0.0, crossing.leaf)
    even = min(1.0, float(speeds.sum()) / crossing.gbps)
    worst = min(1.0, float(speeds.min()) / crossing.gbps)
    rate = crossing.gbps / crossing.flows
    flows, links = min(crossing.flows, MOST_FLOWS), min(len(speeds), MOST_LINKS)
    rate *= crossing.flows / flows
    law = spread(flows, links, max(1, min(queue_pairs, MOST_FLOWS // flows)), speeds.mean() / rate)
    return Left(even, max(worst, even * law.efficiency), worst, crossing.leaf)


def connected(ends: MemberPorts, reach: Bools) -> bool:
    """Whether each host reaches the next one, and so all others, in every column."""
    after = np.roll(ends.leaf, -1, axis=0)
    return bool((reach[ends.leaf, after] | (ends.leaf == after)).all())
