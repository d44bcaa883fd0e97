"""Loads of the links under a traffic between groups, each flow spread evenly over its live paths.

A leaf spreads over its cables to the spines that reach the other leaf, and a spine over its cables
to it, in proportion to the speed that the cables have left. Traffic between pods is spread over the
lanes that reach the other leaf, and in a lane over the super-spines that reach its pod. All loads
are shares of a link's speed at the pace at which the busiest host of the job sends at line rate.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from fabric.placement.engine.supply import ratio

if TYPE_CHECKING:
    from fabric.placement.engine.demand import Demand
    from fabric.placement.engine.mesh import Mesh
    from fabric.placement.engine.supply import Supply
    from fabric.placement.engine.traffic import Floats
    from fabric.topology.model import Ints


#: A sort costs more than a table of the links between the first and the last one where more than
#: one in so many is used.
_SPARSE = 64
#: Flows that are counted in one go: columns times the square of the groups.
_AT_ONCE = 1 << 16


@dataclass(frozen=True, eq=False)
class Loads:
    """Loads of links, as flat arrays of one length.

    Parameters
    ----------
    link : array of int, shape (links,)
        Number of the link, see `Numbers`.
    load : array of float, shape (links,)
        Its load; infinite where there is traffic and no way.
    lost : int
        Pairs of leaves between which there is traffic and no way.
    """

    link: Ints
    load: Floats
    lost: int = 0

    @property
    def most(self) -> float:
        """Load of the fullest link; 0 without one."""
        return float(self.load.max(initial=0.0))


@dataclass(frozen=True, eq=False)
class Numbers:
    """Numbers of links: pair of leaf and spine, or of pod and super-spine; up is even, down is odd.

    Parameters
    ----------
    first : array of int, shape (pods + 1,)
        Number of the first pair of each pod; the last is that above the pods.
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
        return 2 * (int(self.first[-1]) + self.mesh.super_gbps.size)

    def leaf(self, pair: int) -> int:
        """Return the leaf of a pair of leaf and spine."""
        number = int(np.searchsorted(self.first, pair, side="right")) - 1
        pod = self.mesh.pods[number]
        return int(pod.leaves[(pair - int(self.first[number])) // len(pod.spines)])

    def ends(self, pair: int) -> tuple[list[int], int]:
        """Return the lower switches and the upper one of a pair."""
        if pair >= self.first[-1]:
            pod, above = divmod(pair - int(self.first[-1]), len(self.mesh.supers))
            lane = int((self.mesh.in_lane == above).any(axis=1).argmax())
            below = self.mesh.pods[pod].spines[self.mesh.pods[pod].lane == lane].tolist()
            return below, int(self.mesh.supers[above])
        number = int(np.searchsorted(self.first, pair, side="right")) - 1
        pod_ = self.mesh.pods[number]
        leaf, spine = divmod(pair - int(self.first[number]), len(pod_.spines))
        return [int(pod_.leaves[leaf])], int(pod_.spines[spine])

    def name(self, link: int, names: tuple[str, ...]) -> str:
        """Return the ends of a link, in the direction of its traffic."""
        pair, down = divmod(link, 2)
        below, above = self.ends(pair)
        ends = [",".join(names[switch] for switch in below), names[above]]
        return " -> ".join(reversed(ends) if down else ends)


@dataclass(frozen=True, slots=True)
class LinkLoad:
    """Load of the cables between a switch, or those of a lane, and one a tier above.

    Parameters
    ----------
    up, down : float
        Load in each direction, as a share of the speed.
    """

    lower: list[str]
    upper: str
    up: float
    down: float


#: Links that are listed, the fullest first; our choice.
MOST_LISTED = 20_000


def link_loads(numbers: Numbers, loads_: Loads, names: tuple[str, ...]) -> list[LinkLoad]:
    """Return the loads by the names of the switches at both ends, the fullest first."""
    pairs, place = np.unique(loads_.link // 2, return_inverse=True)
    both = np.zeros((2, len(pairs)))
    both[loads_.link % 2, place] = loads_.load
    listed = []
    for row in np.argsort(-both.max(axis=0), kind="stable")[:MOST_LISTED].tolist():
        below, above = numbers.ends(int(pairs[row]))
        up, down = both[:, row].tolist()
        listed.append(LinkLoad([names[one] for one in below], names[above], up, down))
    return listed


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
    step = max(1, _AT_ONCE // size**2)
    found = [
        spread(numbers, leaf.T[part], pod, volume * sent_gbps(speed.T[part]))
        for first in range(0, leaf.shape[1] if volume.any() else 0, step)
        for part in (slice(first, first + step),)
    ]
    if not demand.pxn:
        any_rail = demand.all_to_all(where, size)
        found.append(_changing_rails(numbers, leaf, pod, (any_rail, speed)))
    flat = [item for items in found for item in items]
    link = np.concatenate([item.link for item in flat] or [np.zeros(0, dtype=np.int64)])
    load = np.concatenate([item.load for item in flat] or [np.zeros(0)])
    lost = sum(item.lost for item in flat)
    least = int(link.min(initial=numbers.count))
    if _SPARSE * len(link) < int(link.max(initial=0)) - least:
        links, place = np.unique(link, return_inverse=True)
        return Loads(links, _sums(place, load), lost)
    total = _sums(link - least, load)
    links = np.flatnonzero(total)
    return Loads(links + least, total[links], lost)


def sent_gbps(speed: Floats) -> Floats:
    """Return what each port sends to each at line rate: nothing where one of them has none.

    Parameters
    ----------
    speed : array of float, shape (..., ports)
        Line rates.
    """
    return speed[..., None] * (speed[..., None, :] > 0)


def _sums(place: Ints, load: Floats) -> Floats:
    return np.bincount(place, weights=load).astype(np.float64)


def _changing_rails(
    numbers: Numbers, leaf: Ints, pod: Ints, sent: tuple[Floats, Floats]
) -> list[Loads]:
    """Return the loads of an all-to-all whose receivers are on every rail."""
    (volume, speed), columns = sent, leaf.shape[1]
    between = np.kron(volume, np.ones((columns, columns))) / columns
    between *= sent_gbps(speed.reshape(-1))
    nodes = leaf.reshape(1, -1)
    return spread(numbers, nodes, np.repeat(pod, columns), between[None])


def spread(numbers: Numbers, leaf: Ints, pod: Ints, gbps: Floats) -> list[Loads]:
    """Return the loads of flows between leaves; one leaf may be there more than once.

    Parameters
    ----------
    leaf : array of int, shape (columns, leaves)
        Leaves of each column.
    pod : array of int, shape (leaves,)
        Their pods, the same in each column.
    gbps : array of float, shape (columns, leaves, leaves)
        Traffic from the first to the second.
    """
    mesh = numbers.mesh
    inside = pod[:, None] == pod[None, :]
    gbps = np.where(leaf[:, :, None] == leaf[:, None, :], 0.0, gbps)  # switched by the leaf
    found: list[Loads] = []
    for number in np.unique(pod).tolist():
        mine = np.flatnonzero(pod == number)
        one = mesh.pods[number]
        row = mesh.place[leaf[:, mine]]
        up, down, lost = _share(one.gbps[row], gbps[:, mine[:, None], mine])
        pair = numbers.first[number] + row[..., None] * len(one.spines) + np.arange(len(one.spines))
        found += [_flat(2 * pair, up, lost), _flat(2 * pair + 1, down)]
    for one_column, sent in zip(leaf, gbps, strict=True) if not inside.all() else ():
        found += _between_pods(numbers, one_column, pod, sent * ~inside)
    return found


def _between_pods(numbers: Numbers, leaf: Ints, pod: Ints, gbps: Floats) -> list[Loads]:
    mesh = numbers.mesh
    row = mesh.place[leaf]
    lanes = np.array([mesh.to_lane[p][r] for p, r in zip(pod.tolist(), row.tolist(), strict=True)])
    up, down, lost = _share(lanes, gbps)
    found = [Loads(row[:0], gbps[0, :0], lost), *_over_lanes(numbers, lanes, pod, gbps)]
    for number in np.unique(pod).tolist():
        mine = np.flatnonzero(pod == number)
        one = mesh.pods[number]
        live = np.flatnonzero(one.lane >= 0)
        pair = numbers.first[number] + row[mine][:, None] * len(one.spines) + live
        for way, load in enumerate((up, down)):
            found.append(_flat(2 * pair + way, load[mine][:, one.lane[live]]))
    return found


def _over_lanes(numbers: Numbers, lanes: Floats, pod: Ints, gbps: Floats) -> list[Loads]:
    """Return the loads between pods and super-spines.

    Parameters
    ----------
    lanes : array of float, shape (leaves, lanes)
        Live capacity of each leaf to each lane.
    """
    mesh = numbers.mesh
    used, where = np.unique(pod, return_inverse=True)
    member = (where == np.arange(len(used))[:, None]).astype(np.float64)
    there = (lanes > 0).astype(np.float64)
    width = ratio(gbps, lanes @ there.T)
    width = np.where(np.isinf(width), 0.0, width)  # no way up to there: counted by leaves
    sent = ((member * lanes.T[:, None, :]) @ width * there.T[:, None, :]) @ member.T
    up, down, lost = _share(mesh.over_lane[:, used], sent)
    number = numbers.first[-1] + used[:, None] * len(mesh.supers) + mesh.in_lane[:, None, :]
    real = np.broadcast_to(mesh.in_lane[:, None, :] >= 0, number.shape)
    ways = ((2 * number[real], up[real], lost), (2 * number[real] + 1, down[real], 0))
    return [_flat(*way) for way in ways]


def _share(capacity: Floats, gbps: Floats) -> tuple[Floats, Floats, int]:
    """Return the loads of the links up and down, as ``capacity``, and how many pairs have none.

    Parameters
    ----------
    capacity : array of float, shape (..., leaves, spines)
        Capacity of each leaf to each spine, Gb/s.
    gbps : array of float, shape (..., leaves, leaves)
        Traffic from the first to the second.
    """
    there = (capacity > 0).astype(np.float64)
    width = ratio(gbps, capacity @ np.swapaxes(there, -1, -2))
    lost = np.isinf(width)
    width = np.where(lost, 0.0, width)
    up = (width @ there) * there
    down = np.where(capacity > 0, ratio(np.swapaxes(width, -1, -2) @ capacity, capacity), 0.0)
    if lost.any():  # no common spine: the traffic has no way
        up[lost.any(axis=-1)] = np.inf
        down[lost.any(axis=-2)] = np.inf
    return up, down, int(lost.sum())


def _flat(link: Ints, load: Floats, lost: int = 0) -> Loads:
    used = load > 0
    return Loads(link[used], load[used], lost)
