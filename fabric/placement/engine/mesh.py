"""Capacity between leaves and spines, pod by pod, and from pods to the super-spines by lanes.

A lane is a set of spines and super-spines that cables connect: traffic between two pods that goes
up in a lane comes down in it, over the super-spines that reach both pods. Where every spine of a
pod has super-spines of its own, as in most designs, a lane holds one spine of each pod.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from fabric.placement.engine.traffic import Floats
    from fabric.topology.model import Bools, Fabric, Ints


@dataclass(frozen=True, eq=False)
class Pod:
    """Leaves and spines of a pod, or of a fabric without pods.

    Parameters
    ----------
    leaves, spines : array of int
        Their rows in ``fabric.switches``.
    gbps : array of float, shape (leaves, spines)
        Live capacity, one way.
    lane : array of int, shape (spines,)
        Lane of each spine; -1 of one without a live cable to a super-spine.
    """

    leaves: Ints
    spines: Ints
    gbps: Floats
    lane: Ints


@dataclass(frozen=True, eq=False)
class Mesh:
    """All pods, and their lanes.

    Parameters
    ----------
    place : array of int, shape (switches,)
        Position of each leaf in its pod.
    supers : array of int, shape (supers,)
        Rows of the super-spines in ``fabric.switches``.
    super_gbps : array of float, shape (pods, supers)
        Live capacity of the spines of a pod to each super-spine, one way.
    in_lane : array of int, shape (lanes, most super-spines of one)
        Super-spines of each lane by position in ``supers``; -1 fills up.
    """

    pods: tuple[Pod, ...]
    place: Ints
    supers: Ints
    super_gbps: Floats
    in_lane: Ints

    @cached_property
    def lanes(self) -> int:
        """Number of lanes."""
        return len(self.in_lane)

    @cached_property
    def over_lane(self) -> Floats:
        """Live capacity of the pods to each super-spine of a lane: (lanes, pods, super-spines)."""
        gbps = np.where(self.in_lane >= 0, self.super_gbps[:, self.in_lane], 0.0)
        return np.moveaxis(gbps, 1, 0)

    @cached_property
    def to_lane(self) -> tuple[Floats, ...]:
        """Live capacity of each leaf to the spines of each lane, by pod: (leaves, lanes)."""
        return tuple(self._to_lane(pod) for pod in self.pods)

    def _to_lane(self, pod: Pod) -> Floats:
        known = pod.lane >= 0
        out = np.zeros((self.lanes, len(pod.leaves)))
        np.add.at(out, pod.lane[known], pod.gbps[:, known].T)
        return out.T


def mesh(fabric: Fabric, cable_gbps: Floats) -> Mesh:
    """Return the capacities of a fabric.

    Parameters
    ----------
    cable_gbps : array of float, shape (uplinks,)
        Speed of each cable between switches; 0 of one that carries nothing.
    """
    switches, up = fabric.switches, fabric.uplinks
    number = np.maximum(switches.pod, 0)
    spines = switches.of_tier(1)
    lane = _lanes(fabric)
    supers = switches.of_tier(2)
    super_gbps = np.zeros((int(number.max(initial=0)) + 1, len(supers)))
    above = switches.tier[up.lower] == 1
    live = above & (cable_gbps > 0)
    column = np.searchsorted(supers, up.upper[live])
    np.add.at(super_gbps, (number[up.lower[live]], column), cable_gbps[live])
    connected = np.zeros(len(switches), dtype=np.bool_)
    connected[up.lower[live]] = True
    place = np.zeros(len(switches), dtype=np.int64)
    pods = []
    for pod in range(len(super_gbps)):
        mine = np.flatnonzero(number[: switches.leaf_count] == pod)
        over = spines[number[spines] == pod]
        place[mine], place[over] = np.arange(len(mine)), np.arange(len(over))
        gbps = np.zeros((len(mine), len(over)))
        first = ~above & (number[up.lower] == pod)
        np.add.at(gbps, (place[up.lower[first]], place[up.upper[first]]), cable_gbps[first])
        pods.append(Pod(mine, over, gbps, np.where(connected[over], lane[over], -1)))
    in_lane = _by_lane(lane[supers], int(lane.max(initial=-1)) + 1)
    return Mesh(tuple(pods), place, supers, super_gbps, in_lane)


def _by_lane(lane: Ints, lanes: int) -> Ints:
    """Return the positions that each lane has in an array, filled up with -1."""
    count = np.bincount(lane, minlength=lanes)
    order = np.argsort(lane, kind="stable")
    place = np.arange(len(lane)) - np.repeat(np.cumsum(count) - count, count)
    found = np.full((lanes, int(count.max(initial=0))), -1)
    found[lane[order], place] = order
    return found


def _lanes(fabric: Fabric) -> Ints:
    """Return the lane of each switch, by the cables of the design; -1 of leaves."""
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components

    switches, up = fabric.switches, fabric.uplinks
    lane = np.full(len(switches), -1)
    if not (switches.tier > 1).any():
        return lane
    mine: Bools = switches.tier[up.lower] == 1
    ends = (up.lower[mine], up.upper[mine])
    graph = coo_array((np.ones(int(mine.sum())), ends), shape=(len(switches), len(switches)))
    _, label = connected_components(graph, directed=False)
    upper = switches.tier >= 1
    _, lane[upper] = np.unique(label[upper], return_inverse=True)
    return lane
