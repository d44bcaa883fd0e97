"""Capacity between leaves and spines, pod by pod, and from pods to the super-spines by lanes.

A lane is a set of spines and super-spines that cables connect: traffic between two pods that goes
up in a lane comes down in it. Where every spine of a pod has super-spines of its own, as in most
designs, a lane holds one spine of each pod.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

    from fabric.placement.engine.now import Now
    from fabric.placement.engine.traffic import Floats
    from fabric.topology.model import Bools, Ints


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
    lane_gbps : array of float, shape (pods, lanes)
        Live capacity of the spines of a pod to the super-spines of a lane, one way.
    """

    pods: tuple[Pod, ...]
    place: Ints
    lane_gbps: Floats

    @cached_property
    def lanes(self) -> int:
        """Number of lanes."""
        return int(self.lane_gbps.shape[1])

    @cached_property
    def to_lane(self) -> tuple[Floats, ...]:
        """Live capacity of each leaf to the spines of each lane, by pod: (leaves, lanes)."""
        return tuple(self._to_lane(pod) for pod in self.pods)

    def _to_lane(self, pod: Pod) -> Floats:
        known = pod.lane >= 0
        out = np.zeros((self.lanes, len(pod.leaves)))
        np.add.at(out, pod.lane[known], pod.gbps[:, known].T)
        return out.T


def mesh(now: Now) -> Mesh:
    """Return the capacities of a fabric as it is now."""
    switches, up = now.fabric.switches, now.fabric.uplinks
    number = np.maximum(switches.pod, 0)
    spines = switches.of_tier(1)
    lane = _lanes(now)
    lane_gbps = np.zeros((int(number.max(initial=0)) + 1, int(lane.max(initial=-1)) + 1))
    above = switches.tier[up.lower] == 1
    live = above & (now.cable_gbps > 0)
    np.add.at(lane_gbps, (number[up.lower[live]], lane[up.lower[live]]), now.cable_gbps[live])
    connected = np.zeros(len(switches), dtype=np.bool_)
    connected[up.lower[live]] = True
    place = np.zeros(len(switches), dtype=np.int64)
    pods = []
    for pod in range(len(lane_gbps)):
        mine = np.flatnonzero(number[: switches.leaf_count] == pod)
        over = spines[number[spines] == pod]
        place[mine], place[over] = np.arange(len(mine)), np.arange(len(over))
        gbps = np.zeros((len(mine), len(over)))
        first = ~above & (number[up.lower] == pod)
        np.add.at(gbps, (place[up.lower[first]], place[up.upper[first]]), now.cable_gbps[first])
        pods.append(Pod(mine, over, gbps, np.where(connected[over], lane[over], -1)))
    return Mesh(tuple(pods), place, lane_gbps)


def _lanes(now: Now) -> Ints:
    """Return the lane of each switch, by the cables of the design; -1 of leaves."""
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components

    switches, up = now.fabric.switches, now.fabric.uplinks
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


def leaf_totals(mesh: Mesh, by_pod: Sequence[Floats], switches: int) -> Floats:
    """Return the sum over the spines of each leaf, shape (switches,)."""
    total = np.zeros(switches)
    for pod, gbps in zip(mesh.pods, by_pod, strict=True):
        total[pod.leaves] = gbps.sum(axis=1)
    return total
