"""How many hosts of each group: the least load that a choice can reach, and a choice that does.

The load of a group's uplinks depends on how many of its hosts take part. Under a load T that must
not be exceeded each group allows so many hosts. When all of them together are fewer than the job
needs, no choice stays under T: so the least T that allows enough is a lower bound of every choice.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import TYPE_CHECKING

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view

if TYPE_CHECKING:
    from fabric.placement.engine.demand import Demand
    from fabric.placement.engine.supply import Supply
    from fabric.placement.engine.traffic import Floats
    from fabric.topology.model import Bools, Ints

#: Loads are compared to this share: sums of doubles differ in their last digits.
EPSILON = 1e-9


@dataclass(frozen=True, eq=False)
class Problem:
    """A job and the hosts that may be used.

    Parameters
    ----------
    free : array of int, shape (groups,)
        Hosts of each group that may be used.
    floor : float
        Load that is good enough.
    segment : int
        Hosts that stay together; 1 for none.
    most_groups : int or None
        Most groups that the job may use.
    whole_pod : bool
        Whether one pod must hold the job. Without it one does where it can.
    nics : array of int or None, shape (groups,)
        Least NIC ports of a free host; of groups that are alike otherwise, the least is taken, so
        that jobs with more GPUs of a host find room. None where the job uses all of a host.
    """

    supply: Supply
    demand: Demand
    free: Ints
    floor: float = 1.0
    segment: int = 1
    most_groups: int | None = None
    whole_pod: bool = False
    nics: Ints | None = None

    @cached_property
    def usable(self) -> Ints:
        """Free hosts of each group in whole segments, at most the job's."""
        return np.minimum(self.free, self.demand.nodes) // self.segment * self.segment

    @cached_property
    def one_pod(self) -> Bools:
        """Pods that have enough free hosts for the whole job, shape (pods,)."""
        return self._by_pod(self.usable) >= self.demand.nodes

    @property
    def most_in_pod(self) -> int:
        """Free hosts of the pod that has most."""
        return int(self._by_pod(self.usable).max(initial=0))

    @cached_property
    def _table(self) -> tuple[Ints, Table]:
        """Kind of each group, and loads by kind."""
        most = int(self.usable.max(initial=0))
        if not self.supply.shares_leaves:
            return self.supply.kinds[0], _table(self.supply, self.demand, self.segment, most)
        kind, load = self._shared_leaves(most)
        return kind, Table.of(load, self.segment)

    def _shared_leaves(self, most: int) -> tuple[Ints, Floats]:
        """Return the kinds of groups of which some have a leaf in common.

        The hosts of the other groups on that leaf may take part as well: of all their numbers, that
        with the least volume counts, so that the load stays a lower bound.
        """
        kind, slope, base = self.supply.kinds
        rows = np.column_stack([kind, self.supply.others(self.usable)])
        rows, kind = np.unique(rows, axis=0, return_inverse=True)
        slope, base, others = slope[rows[:, 0]], base[rows[:, 0]], rows[:, 1:]
        counts, which = np.unique(others, return_inverse=True)
        volume = np.array([_least_of(self.demand.crossing, int(one))[: most + 1] for one in counts])
        per_column = volume[which.reshape(others.shape)]
        return kind.reshape(-1), _load(per_column, slope[..., None], base[..., None]).max(axis=1)

    @cached_property
    def _pod_load(self) -> Floats:
        """Load of a pod's cables by the number of its hosts, shape (pods, nodes + 1)."""
        supply = self.supply
        slope, base = supply.pod_slope[:, None], supply.carried.pod_load[:, None]
        return _load(self.demand.cut, slope, base)

    def _by_pod(self, hosts: Ints) -> Ints:
        pods = self.supply.pods
        return np.bincount(self.supply.groups.pod, weights=hosts, minlength=pods).astype(np.int64)

    def allowed(self, most_load: float) -> Ints:
        """Return the most hosts of each group under a load, shape (groups,)."""
        kind, table = self._table
        return _most(table, most_load)[kind, self.usable]

    def pod_allowed(self, most_load: float, hosts: Ints) -> Ints:
        """Return the most hosts of each pod whose groups allow so many, shape (pods,)."""
        total = np.minimum(self._by_pod(hosts), self.demand.nodes)
        if self.one_pod.any():
            return np.where(self.one_pod, total, 0)
        fits = _last(self._pod_load <= most_load * (1 + EPSILON))
        return np.asarray(fits[np.arange(len(total)), total])

    def enough(self, most_load: float) -> bool:
        """Tell whether the groups allow enough hosts under a load."""
        if self.whole_pod and not self.one_pod.any():
            return False
        hosts = self.allowed(most_load)
        if self.most_groups is not None:
            hosts = self._largest(hosts)
        by_pod = self.pod_allowed(most_load, hosts)
        total = by_pod.max() if self.one_pod.any() else by_pod.sum()
        return bool(total >= self.demand.nodes)

    def _largest(self, hosts: Ints) -> Ints:
        """Return the hosts of the groups with most, of each pod where one holds the job."""
        pod = self.supply.groups.pod if self.one_pod.any() else np.zeros(len(hosts), dtype=int)
        order = np.lexsort((-hosts, pod))
        place = np.arange(len(hosts)) - np.searchsorted(pod[order], pod[order])
        kept = np.zeros_like(hosts)
        first = order[place < (self.most_groups or 0)]
        kept[first] = hosts[first]
        return kept

    @cached_property
    def bound(self) -> float:
        """The least load that any choice reaches; infinite where none is possible."""
        if self.enough(self.floor):
            return self.floor
        loads = self._table[1].levels
        if not self.one_pod.any():
            loads = np.unique(np.append(loads, self._pod_load))
        loads = loads[(loads > self.floor) & np.isfinite(loads)]
        low, high = 0, len(loads)
        while low < high:
            middle = (low + high) // 2
            low, high = (low, middle) if self.enough(float(loads[middle])) else (middle + 1, high)
        return float(loads[low]) if low < len(loads) else float("inf")

    def choose(self, most_load: float) -> Ints:
        """Return how many hosts of each group to take, shape (groups,), under a load.

        The fewest pods, in each the fewest groups, and of these the tightest.
        """
        hosts, pod = self.allowed(most_load), self.supply.groups.pod
        by_pod = self.pod_allowed(most_load, hosts)
        if self.one_pod.any():
            return _tightest_pod(np.where(by_pod[pod] >= self.demand.nodes, hosts, 0), self)
        share = tightest(by_pod, self.demand.nodes)
        taken = [
            tightest(hosts * (pod == one), count, self.free, self.nics)
            for one, count in enumerate(share)
        ]
        return np.asarray(sum(taken, np.zeros_like(hosts)))


@dataclass(frozen=True, eq=False)
class Table:
    """Loads of the uplinks of a group by its kind and the number of its hosts.

    Parameters
    ----------
    load : array of float, shape (kinds, most + 1)
        Loads; infinite where no whole segments have so many hosts.
    levels : array of float
        Each load once, ascending.
    """

    load: Floats
    levels: Floats

    @classmethod
    def of(cls, load: Floats, segment: int) -> Table:
        """Return the table of loads by any number of hosts, for whole segments."""
        whole = np.arange(load.shape[1]) % segment == 0
        kept = np.where(whole, load, np.inf)
        return cls(kept, np.unique(kept))


# Jobs of one size and traffic have one table while the state is the same.
@lru_cache(maxsize=32)
def _table(supply: Supply, demand: Demand, segment: int, most: int) -> Table:
    """Return the loads by up to so many hosts."""
    _, slope, base = supply.kinds
    volume = demand.crossing[: most + 1]
    load = _load(volume, slope[:, :, None], base[:, :, None]).max(axis=1)
    return Table.of(load, segment)


@lru_cache(maxsize=64)
def _most(table: Table, most_load: float) -> Ints:
    """Return the most of x hosts that stay under a load, by kind and x; shape as the loads."""
    return _last(table.load <= most_load * (1 + EPSILON))


def _tightest_pod(hosts: Ints, problem: Problem) -> Ints:
    """Return the tightest choice in one pod: of the pods the one with the fewest groups.

    Of these pods the one whose groups lose least, then the one with the fewest free hosts, and
    then the one with the fewest NICs of a host.

    Parameters
    ----------
    hosts : array of int, shape (groups,)
        Hosts that each group can give; 0 in pods that cannot hold the job.
    """
    pod, free, nodes = problem.supply.groups.pod, problem.free, problem.demand.nodes
    order = np.flatnonzero(hosts)
    order = order[np.lexsort((-hosts[order], pod[order]))]
    room, left = hosts[order], free[order]
    new = _new(pod[order])
    first, number, total = np.flatnonzero(new), np.cumsum(new) - 1, np.cumsum(room)
    whole = total - (total[first] - room[first])[number] < nodes
    rest = nodes - np.add.reduceat(room * whole, first)
    groups = np.add.reduceat(whole, first, dtype=np.int64)
    fits = np.flatnonzero(~whole & (room >= rest[number]) & (groups == groups.min())[number])
    few = np.zeros_like(order) if problem.nics is None else problem.nics[order]
    fits = fits[np.lexsort((order[fits], few[fits], left[fits], number[fits]))]
    last = fits[_new(number[fits])]  # the tightest of each pod
    mine = number[last]
    used = np.add.reduceat(left * whole, first)[mine] + left[last]
    size = np.bincount(pod, weights=free)[pod[order[last]]]
    best = int(np.lexsort((few[last], size, used))[0])
    taken = np.zeros_like(hosts)
    chosen = order[whole & (number == mine[best])]
    taken[chosen] = hosts[chosen]
    taken[order[last[best]]] = rest[mine[best]]
    return taken


def _new(values: Ints) -> Bools:
    """Tell which values differ from the one before."""
    new = np.ones(len(values), dtype=np.bool_)
    np.not_equal(values[1:], values[:-1], out=new[1:])
    return new


def tightest(room: Ints, need: int, size: Ints | None = None, nics: Ints | None = None) -> Ints:
    """Return how much to take of each place: the largest ones whole, the rest of the tightest.

    No choice takes fewer places, and small pieces are used up before large ones are broken.

    Parameters
    ----------
    room : array of int, shape (places,)
        What each can give; together at least ``need``.
    size : array of int or None, shape (places,)
        What each has: of places that can give the rest, the smallest one is the tightest.
    nics : array of int or None, shape (places,)
        Of places of one size, the one with the least is the tightest.
    """
    taken = np.zeros_like(room)
    if need <= 0:
        return taken
    order = np.argsort(-room, kind="stable")
    total = np.cumsum(room[order])
    whole, others = np.split(order, [int(np.searchsorted(total, need))])
    taken[whole] = room[whole]
    rest = need - int(room[whole].sum())
    fits = others[room[others] >= rest]
    few = room * 0 if nics is None else nics
    taken[fits[np.lexsort((fits, few[fits], (room if size is None else size)[fits]))[0]]] = rest
    return taken


def _least_of(volume: Floats, more: int) -> Floats:
    """Return for each x the least volume of x to x + ``more`` hosts."""
    padded = np.append(volume, np.full(min(more, len(volume)), np.inf))
    return np.asarray(sliding_window_view(padded, min(more, len(volume)) + 1).min(axis=1))


def _load(volume: Floats, slope: Floats, base: Floats) -> Floats:
    """Return the loads of uplinks, which are 0 where nothing is sent."""
    sent = volume > EPSILON
    with np.errstate(invalid="ignore"):
        return np.where(sent, slope * volume + base, 0.0)


def _last(fits: Bools) -> Ints:
    """Return for each x the largest x' <= x that fits; shape as ``fits``, whose x = 0 does."""
    number = np.where(fits, np.arange(fits.shape[1]), 0)
    return np.asarray(np.maximum.accumulate(number, axis=1))
