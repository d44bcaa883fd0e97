"""The fullest link of many choices in one go: how many hosts of each group, for each choice.

The same sums as in ``load``, for arrays of choices: trying a thousand of them takes as long as a
few dozen one by one. Ranks go pod by pod and group by group, as ``seats`` orders them.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from fabric.placement.engine.load import sent_gbps
from fabric.placement.engine.supply import ratio
from fabric.placement.engine.traffic import Collective

if TYPE_CHECKING:
    from fabric.placement.engine.demand import Demand
    from fabric.placement.engine.load import Numbers
    from fabric.placement.engine.supply import Supply
    from fabric.placement.engine.traffic import Exchange, Floats
    from fabric.topology.model import Ints

#: Numbers in the largest table of one go: 4 MB, which caches hold.
_AT_ONCE = 1 << 19
#: Sums that take as long as to handle a group that is not used.
_PER_GROUP = 8


class Scores(NamedTuple):
    """Of each choice: pairs of leaves without a way, and the load of its fullest link."""

    lost: Ints
    load: Floats


@dataclass(frozen=True, eq=False)
class Links:
    """Live capacity and load of links as tables; places without a link have no capacity.

    Parameters
    ----------
    gbps : array of float, shape (leaves, most spines of a pod)
        Of the cables of each leaf, one way.
    carried : array of float, shape (2, leaves, most spines of a pod)
        What the jobs that run load them with, up and down.
    lane : array of int, shape (pods, most spines of a pod)
        Lane of each spine; -1 for none.
    lane_gbps : array of float, shape (leaves, lanes)
        Of each leaf to the spines of each lane.
    above : array of float, shape (2, pods, super-spines)
        What the jobs that run load the links of pods to super-spines with, up and down.
    """

    gbps: Floats
    carried: Floats
    lane: Ints
    lane_gbps: Floats
    above: Floats

    @classmethod
    def of(cls, numbers: Numbers, background: Floats) -> Links:
        """Return the tables of a mesh."""
        mesh, first = numbers.mesh, numbers.first
        leaves = sum(len(pod.leaves) for pod in mesh.pods)
        width = max((len(pod.spines) for pod in mesh.pods), default=0)
        gbps, carried = np.zeros((leaves, width)), np.zeros((2, leaves, width))
        lane = np.full((len(mesh.pods), width), -1)
        lane_gbps = np.zeros((leaves, mesh.lanes))
        for number, pod in enumerate(mesh.pods):
            part = slice(0, len(pod.spines))
            own = background[2 * first[number] : 2 * first[number + 1]]
            gbps[pod.leaves, part] = pod.gbps
            carried[:, pod.leaves, part] = np.moveaxis(own.reshape(*pod.gbps.shape, 2), 2, 0)
            lane[number, part] = pod.lane
            lane_gbps[pod.leaves] = mesh.to_lane[number]
        above = background[2 * first[-1] :].reshape(*mesh.super_gbps.shape, 2)
        return cls(gbps, carried, lane, lane_gbps, np.moveaxis(above, 2, 0))


@dataclass(frozen=True, eq=False)
class Batch:
    """Scores choices for one job.

    Parameters
    ----------
    links : Links
        Those of ``numbers``.
    """

    supply: Supply
    demand: Demand
    numbers: Numbers
    links: Links

    @cached_property
    def fits(self) -> bool:
        """Whether choices of the job can be scored at once: no leaf is there twice."""
        return self.demand.pxn and self.supply.leaves_apart

    def work(self, groups: int, pods: int = 1) -> int:
        """Return how much there is to sum up for a choice of so many groups, in so many pods."""
        lanes = self.links.lane_gbps.shape[1] if pods > 1 else 0
        per_pair = self.links.gbps.shape[1] + lanes * (pods + 1)
        pairs = len(self.supply.leaf[0]) * groups**2
        edges, every = len(self.demand.edges.source), len(self.supply.groups)
        return int(_PER_GROUP * every + edges + pairs * per_pair)

    def scores(self, choices: Ints) -> Scores:
        """Return the scores of choices, shape (choices, groups)."""
        most = int(np.count_nonzero(choices, axis=1).max(initial=1))
        pods = self._pods(choices)
        step = max(1, _AT_ONCE // self.work(most, pods))
        parts = [self._scores(choices[at : at + step], most) for at in range(0, len(choices), step)]
        return Scores(*(np.concatenate(part) for part in zip(*parts, strict=True)))

    def _pods(self, choices: Ints) -> int:
        """Return the most pods of a choice."""
        member = self.supply.groups.pod[:, None] == np.arange(self.supply.pods)
        there = (choices > 0).astype(np.float64) @ member > 0
        return int(there.sum(axis=1).max(initial=1))

    def _scores(self, choices: Ints, most: int) -> Scores:
        used, count = self._used(choices, most)
        volume = self._volume(count)
        leaf = np.swapaxes(self.supply.leaf[used], 1, 2)
        speed = np.swapaxes(self.supply.speed_gbps[used], 1, 2)
        gbps = volume[:, None] * sent_gbps(speed)
        pod = self.supply.groups.pod[used]
        same = pod[:, :, None] == pod[:, None, :]
        crosses = not same[volume > 0].all()
        inside = gbps * same[:, None] if crosses else gbps
        up, down, lost = _share(self.links.gbps[leaf], inside)
        most_load = np.zeros(len(choices))
        if crosses:
            far = gbps * ~same[:, None]
            lane_up, lane_down, more = _share(self.links.lane_gbps[leaf], far)
            lost = lost + more
            if self.links.lane_gbps.shape[1]:
                up = up + _of_lanes(lane_up, self.links.lane[pod])
                down = down + _of_lanes(lane_down, self.links.lane[pod])
                most_load, missing = self._above(leaf, pod, far)
                lost = lost + missing
        for way, load in enumerate((up, down)):
            total = np.where(load > 0, load + self.links.carried[way][leaf], 0.0)
            most_load = np.maximum(most_load, total.max(axis=(1, 2, 3), initial=0.0))
        return Scores(lost, np.where(lost > 0, np.inf, most_load))

    def _used(self, choices: Ints, most: int) -> tuple[Ints, Ints]:
        """Return the groups of each choice in rank order, and their hosts; (choices, most)."""
        order = np.argsort(self.supply.groups.pod, kind="stable")
        ordered = choices[:, order]
        row, place = np.nonzero(ordered)
        number = np.arange(len(row)) - np.searchsorted(row, np.arange(len(choices)))[row]
        used, count = (np.zeros((len(choices), most), dtype=np.int64) for _ in range(2))
        used[row, number], count[row, number] = order[place], ordered[row, place]
        return used, count

    def _volume(self, count: Ints) -> Floats:
        """Return what the groups of each choice send to each other: (choices, most, most)."""
        size, most = count.shape
        where = np.repeat(np.tile(np.arange(most), size), count.reshape(-1)).reshape(size, -1)
        edges = self.demand.edges
        volume = np.zeros((size, most, most))
        if len(edges.source):
            pair = where[:, edges.source] * most + where[:, edges.target]
            pair += np.arange(size)[:, None] * most**2
            weights = np.broadcast_to(edges.volume, pair.shape).reshape(-1)
            summed = np.bincount(pair.reshape(-1), weights=weights, minlength=volume.size)
            volume += summed.reshape(volume.shape)
        for part in self.demand.parts:
            if part.kind is Collective.ALL_TO_ALL:
                volume += _all_to_all(part, where, most)
        volume[:, np.arange(most), np.arange(most)] = 0.0
        return volume

    def _above(self, leaf: Ints, pod: Ints, gbps: Floats) -> tuple[Floats, Ints]:
        """Return the fullest link above the pods, and how many pairs of pods have none."""
        mesh = self.numbers.mesh
        lanes = self.links.lane_gbps[leaf]
        there = (lanes > 0).astype(np.float64)
        width = ratio(gbps, lanes @ np.swapaxes(there, -1, -2))
        width = np.where(np.isinf(width), 0.0, width)
        pods = np.unique(pod)
        member = (pod[:, None] == pods[:, None]).astype(np.float64)[:, None, None]
        sending = member * np.swapaxes(lanes, -1, -2)[:, :, :, None, :]
        taking = np.swapaxes(there, -1, -2)[:, :, :, None, :]
        sent = (sending @ width[:, :, None] * taking) @ np.swapaxes(member, -1, -2)
        sent = sent.sum(axis=1)
        up, down, lost = _share(mesh.over_lane[None, :, pods], sent)
        column = mesh.in_lane[:, None, :]
        most = np.zeros(len(leaf))
        for way, load in enumerate((up, down)):
            carried = np.where(column >= 0, self.links.above[way][pods[None, :, None], column], 0)
            total = np.where(load > 0, load + carried, 0.0)
            most = np.maximum(most, total.max(axis=(1, 2, 3), initial=0.0))
        return most, lost


def _all_to_all(part: Exchange, where: Ints, most: int) -> Floats:
    """Return what the members of each communicator send to each other, by choice and group."""
    members, size = part.members, len(where)
    row = (np.arange(size)[:, None, None] * len(members) + np.arange(len(members))[:, None]) * most
    count = np.bincount(
        (row + where[:, members]).reshape(-1), minlength=size * len(members) * most
    ).reshape(size, len(members), most)
    ranks = np.bincount(members.reshape(-1)).max()
    others = max(int((members[0] != members[0, 0]).sum()), 1)
    pairs = np.swapaxes(count, 1, 2).astype(np.float64) @ count
    return np.asarray(pairs * (part.weight / ranks / others))


def _of_lanes(load: Floats, lane: Ints) -> Floats:
    """Return the loads of the cables to spines from those of lanes."""
    place = np.broadcast_to(np.maximum(lane, 0)[:, None], (*load.shape[:-1], lane.shape[-1]))
    return np.where(lane[:, None] >= 0, np.take_along_axis(load, place, axis=-1), 0.0)


def _share(capacity: Floats, gbps: Floats) -> tuple[Floats, Floats, Ints]:
    """Return the loads of links up and down, and how many pairs of each choice have none."""
    there = (capacity > 0).astype(np.float64)
    width = ratio(gbps, capacity @ np.swapaxes(there, -1, -2))
    lost = np.isinf(width)
    missing = lost.sum(axis=(1, 2, 3))
    if missing.any():
        width = np.where(lost, 0.0, width)
    up = (width @ there) * there
    down = np.where(capacity > 0, ratio(np.swapaxes(width, -1, -2) @ capacity, capacity), 0.0)
    return up, down, missing
