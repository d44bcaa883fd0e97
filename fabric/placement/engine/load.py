"""Loads of the links under a traffic between groups, each flow spread evenly over its live paths.

A leaf spreads over its cables to the spines that reach the other leaf, and a spine over its cables
to it: equal-cost multipath by cable, with packets or enough queue pairs to be even. Traffic
between pods is spread over the lanes that reach the other pod. All loads are shares of a link's
speed at the pace at which the busiest host of the job sends at line rate.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from fabric.placement.engine.demand import Demand
    from fabric.placement.engine.mesh import Mesh
    from fabric.placement.engine.supply import Supply
    from fabric.placement.engine.traffic import Floats
    from fabric.topology.model import Ints


#: A sort costs more than a table of all links where more than one in so many is used.
_SPARSE = 64


@dataclass(frozen=True, eq=False)
class Loads:
    """Loads of links, as flat arrays of one length.

    Parameters
    ----------
    link : array of int, shape (links,)
        Number of the link, see `Numbers`.
    load : array of float, shape (links,)
        Its load; infinite where there is traffic and no way.
    """

    link: Ints
    load: Floats

    @property
    def most(self) -> float:
        """Load of the fullest link; 0 without one."""
        return float(self.load.max(initial=0.0))


@dataclass(frozen=True, eq=False)
class Numbers:
    """Numbers of links: pair of leaf and spine, or of pod and lane; up is even, down is odd.

    Parameters
    ----------
    first : array of int, shape (pods + 1,)
        Number of the first pair of each pod; the last is that of the lanes.
    """

    mesh: Mesh
    first: Ints

    @classmethod
    def of(cls, mesh: Mesh) -> Numbers:
        """Return the numbers of a mesh."""
        return cls(mesh, np.cumsum([0, *(pod.gbps.size for pod in mesh.pods)]))

    @property
    def count(self) -> int:
        """How many links there are."""
        return 2 * (int(self.first[-1]) + self.mesh.lane_gbps.size)

    def name(self, link: int, names: tuple[str, ...]) -> str:
        """Return the ends of a link, in the direction of its traffic."""
        pair, down = divmod(link, 2)
        if pair >= self.first[-1]:
            pod, lane = divmod(pair - int(self.first[-1]), self.mesh.lanes)
            ends = [f"pod {pod}", f"super-spines of lane {lane}"]
        else:
            number = int(np.searchsorted(self.first, pair, side="right")) - 1
            pod_ = self.mesh.pods[number]
            leaf, spine = divmod(pair - int(self.first[number]), len(pod_.spines))
            ends = [names[pod_.leaves[leaf]], names[pod_.spines[spine]]]
        return " -> ".join(reversed(ends) if down else ends)


def loads(supply: Supply, numbers: Numbers, demand: Demand, used: Ints, where: Ints) -> Loads:
    """Return the loads of a job.

    Parameters
    ----------
    used : array of int, shape (groups,)
        Groups of the job.
    where : array of int, shape (nodes,)
        Position in ``used`` of the group of each host, in rank order.
    """
    size = len(used)
    leaf, speed = supply.leaf[used], supply.speed_gbps[used]
    pod, volume = supply.groups.pod[used], demand.on_rail(where, size)
    found = [
        _spread(numbers, leaf[:, column], pod, volume * speed[:, [column]])
        for column in range(leaf.shape[1])
    ]
    if not demand.pxn:
        any_rail = demand.all_to_all(where, size)
        found.append(_changing_rails(numbers, leaf, pod, (any_rail, speed)))
    flat = [item for items in found for item in items]
    link = np.concatenate([item.link for item in flat] or [np.zeros(0, dtype=np.int64)])
    load = np.concatenate([item.load for item in flat] or [np.zeros(0)])
    if _SPARSE * len(link) < numbers.count:
        links, place = np.unique(link, return_inverse=True)
        return Loads(links, _sums(place, load))
    total = _sums(link, load)
    links = np.flatnonzero(total)
    return Loads(links, total[links])


def _sums(place: Ints, load: Floats) -> Floats:
    return np.bincount(place, weights=load).astype(np.float64)


def _changing_rails(
    numbers: Numbers, leaf: Ints, pod: Ints, sent: tuple[Floats, Floats]
) -> list[Loads]:
    """Return the loads of an all-to-all whose receivers are on every rail."""
    (volume, speed), columns = sent, leaf.shape[1]
    between = np.kron(volume, np.ones((columns, columns))) / columns
    between *= speed.reshape(-1, 1)
    nodes = leaf.reshape(-1)
    between[nodes[:, None] == nodes[None, :]] = 0.0
    return _spread(numbers, nodes, np.repeat(pod, columns), between)


def _spread(numbers: Numbers, leaf: Ints, pod: Ints, gbps: Floats) -> list[Loads]:
    """Return the loads of flows between leaves; one leaf may be there more than once."""
    mesh = numbers.mesh
    inside = pod[:, None] == pod[None, :]
    found: list[Loads] = []
    for number in np.unique(pod).tolist():
        mine = np.flatnonzero(pod == number)
        one = mesh.pods[number]
        row = mesh.place[leaf[mine]]
        up, down = _share(one.gbps[row], gbps[np.ix_(mine, mine)])
        pair = numbers.first[number] + row[:, None] * len(one.spines) + np.arange(len(one.spines))
        found += [_flat(2 * pair, up), _flat(2 * pair + 1, down)]
    if not inside.all():
        found += _between_pods(numbers, leaf, pod, gbps * ~inside)
    return found


def _between_pods(numbers: Numbers, leaf: Ints, pod: Ints, gbps: Floats) -> list[Loads]:
    mesh = numbers.mesh
    row = mesh.place[leaf]
    lanes = np.array([mesh.to_lane[p][r] for p, r in zip(pod.tolist(), row.tolist(), strict=True)])
    up, down = _share(lanes, gbps)
    found: list[Loads] = []
    for number in np.unique(pod).tolist():
        mine = np.flatnonzero(pod == number)
        one = mesh.pods[number]
        live = np.flatnonzero(one.lane >= 0)
        pair = numbers.first[number] + row[mine][:, None] * len(one.spines) + live
        above = numbers.first[-1] + number * mesh.lanes + np.arange(mesh.lanes)
        for way, load in enumerate((up, down)):
            found.append(_flat(2 * pair + way, load[mine][:, one.lane[live]]))
            width = lanes[mine]
            sent = np.where(width > 0, load[mine] * np.where(width > 0, width, 1), 0.0).sum(axis=0)
            over = _ratio(sent, mesh.lane_gbps[number])
            found.append(_flat(2 * above + way, over))
    return found


def _share(capacity: Floats, gbps: Floats) -> tuple[Floats, Floats]:
    """Return the loads of the links up and down, shape (leaves, spines) as ``capacity``.

    Parameters
    ----------
    capacity : array of float, shape (leaves, spines)
        Capacity of each leaf to each spine, Gb/s.
    gbps : array of float, shape (leaves, leaves)
        Traffic from the first to the second.
    """
    there = (capacity > 0).astype(np.float64)
    width = _ratio(gbps, capacity @ there.T)
    lost = np.isinf(width)
    width = np.where(lost, 0.0, width)
    up = (width @ there) * there
    down = np.where(capacity > 0, _ratio(width.T @ capacity, capacity), 0.0)
    if lost.any():  # no common spine: the traffic has no way
        up[lost.any(axis=1)] = np.inf
        down[lost.any(axis=0)] = np.inf
    return up, down


def _ratio(part: Floats, whole: Floats) -> Floats:
    """Return the quotient; nothing of nothing is 0."""
    out = np.where(part > 0, np.inf, 0.0)
    return np.divide(part, whole, out=out, where=whole > 0)


def _flat(link: Ints, load: Floats) -> Loads:
    used = load > 0
    return Loads(link[used], load[used])
