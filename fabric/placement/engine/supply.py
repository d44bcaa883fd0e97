"""The fabric as a search sees it: groups of hosts on the same leaves, and what these carry now."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from fabric.placement.engine.rails import nic_of_column

if TYPE_CHECKING:
    from fabric.placement.engine.now import Now
    from fabric.placement.engine.traffic import Floats
    from fabric.topology.model import Fabric, Ints


@dataclass(frozen=True, eq=False)
class Groups:
    """Hosts whose NICs end on the same leaves, which are units as a rule.

    Parameters
    ----------
    of_host : array of int, shape (hosts,)
        Group of each host.
    nic : array of int, shape (hosts, columns)
        NIC port of each host that serves a column.
    leaf : array of int, shape (groups, columns)
        Leaf of each column.
    speed_gbps : array of float, shape (groups, columns)
        Line rate of the column.
    pod : array of int, shape (groups,)
        Pod, numbered from 0; 0 where there are none.
    """

    of_host: Ints
    nic: Ints
    leaf: Ints
    speed_gbps: Floats
    pod: Ints

    def __len__(self) -> int:
        return len(self.leaf)

    @cached_property
    def _sorted(self) -> tuple[Ints, Ints]:
        """Hosts by group, and where each group begins."""
        order = np.argsort(self.of_host, kind="stable")
        return order, np.searchsorted(self.of_host[order], np.arange(len(self) + 1))

    def hosts(self, groups: Ints) -> Ints:
        """Return the rows of the hosts of some groups, group by group."""
        order, first = self._sorted
        parts = [order[first[group] : first[group + 1]] for group in groups.tolist()]
        return np.concatenate([order[:0], *parts])


def groups(fabric: Fabric) -> Groups:
    """Return the groups of a fabric, in the order of their first host."""
    shape = (len(fabric.hosts), fabric.nics_per_host)
    nic = nic_of_column(fabric)
    leaf = np.take_along_axis(fabric.nics.leaf.reshape(shape), nic, axis=1)
    speed = np.take_along_axis(fabric.nics.speed_gbps.reshape(shape), nic, axis=1)
    key = np.unique(leaf @ _mixing(leaf.shape[1]), return_inverse=True)[1]
    _, first = np.unique(key, return_index=True)
    if (leaf != leaf[first[key]]).any():  # two rows of one key: compare them whole
        _, first, key = np.unique(leaf, axis=0, return_index=True, return_inverse=True)
    order = np.argsort(first)
    number = np.empty(len(order), dtype=np.int64)
    number[order] = np.arange(len(order))
    first = first[order]
    return Groups(
        of_host=number[key.reshape(-1)],
        nic=nic,
        leaf=leaf[first],
        speed_gbps=speed[first].astype(np.float64),
        pod=np.maximum(fabric.switches.pod[leaf[first, 0]], 0),
    )


def live_gbps(groups: Groups, now: Now) -> Floats:
    """Return the line rate of each group and column as it is now, shape (groups, columns).

    It is 0 where the port of a NIC carries nothing on any host of the group, and another port does.
    """
    per_nic, columns = now.fabric.nic_ports, groups.leaf.shape[1]
    first = now.fabric.nics_per_host * np.arange(len(groups.of_host))
    carries = np.zeros((len(groups), columns), dtype=np.bool_)
    np.logical_or.at(carries, groups.of_host, now.carries[first[:, None] + groups.nic])
    of_nic = carries.reshape(len(groups), -1, per_nic).any(axis=2)
    is_spare = ~carries & np.repeat(of_nic, per_nic, axis=1)
    return np.where(is_spare, 0.0, groups.speed_gbps)


def _mixing(columns: int) -> Ints:
    """Return odd factors that make one number of the leaves of a host."""
    return np.random.default_rng(0).integers(1, 1 << 31, columns) | 1


@dataclass(frozen=True, eq=False)
class Carried:
    """What links carry now.

    Parameters
    ----------
    leaf_gbps, leaf_load : array of float, shape (switches,)
        Live capacity of the uplinks of a leaf, and their load by the jobs that run, on average.
    pod_gbps, pod_load : array of float, shape (pods,)
        The same of the cables of a pod to the super-spines.
    """

    leaf_gbps: Floats
    leaf_load: Floats
    pod_gbps: Floats
    pod_load: Floats


@dataclass(frozen=True, eq=False)
class Supply:
    """What the groups can carry of a job that uses some columns.

    One unit of volume is the NICs of a host in these columns at line rate.

    Parameters
    ----------
    all_gbps : array of float, shape (groups, columns)
        Line rate of every column as it is now: 0 where another port of the NIC does its work.
    """

    groups: Groups
    carried: Carried
    columns: Ints
    all_gbps: Floats

    @cached_property
    def _merged(self) -> tuple[Ints, Floats]:
        """Leaf and speed of each column in use; columns on the same leaves are one."""
        leaf = self.groups.leaf[:, self.columns]
        speed = self.all_gbps[:, self.columns]
        _, first, inverse = np.unique(leaf[0], return_index=True, return_inverse=True)
        if (leaf != leaf[:, first[inverse]]).any():  # a cable out of place: columns stay apart
            return leaf, speed
        summed = np.zeros((len(leaf), len(first)))
        np.add.at(summed.T, inverse, speed.T)
        return leaf[:, first], summed

    @property
    def leaf(self) -> Ints:
        """Leaf of each group and column in use, shape (groups, columns)."""
        return self._merged[0]

    @cached_property
    def leaves(self) -> int:
        """Leaves that a host has in use; of the hosts with the fewest."""
        row = np.sort(self.leaf, axis=1)
        return 1 + int((np.diff(row, axis=1) > 0).sum(axis=1).min())

    @property
    def speed_gbps(self) -> Floats:
        """Line rate of each group and column in use, shape (groups, columns)."""
        return self._merged[1]

    @cached_property
    def _sure_gbps(self) -> Floats:
        """Line rate of columns in which every group has one, as traffic needs both ends."""
        return np.where((self.speed_gbps > 0).all(axis=0), self.speed_gbps, 0.0)

    @cached_property
    def slope(self) -> Floats:
        """Least load of the uplinks by one unit that leaves a group, shape (groups, columns)."""
        same = self.leaf[:, :, None] == self.leaf[:, None, :]
        demand = np.asarray((same * self._sure_gbps[:, None, :]).sum(axis=2), dtype=np.float64)
        return ratio(demand, self.carried.leaf_gbps[self.leaf])

    @cached_property
    def base(self) -> Floats:
        """Load of the uplinks by the jobs that run, on average, shape (groups, columns)."""
        return np.asarray(self.carried.leaf_load[self.leaf])

    @cached_property
    def kinds(self) -> tuple[Ints, Floats, Floats]:
        """Kind of each group, and slope and base of each kind: (kinds, columns)."""
        pairs = np.concatenate([self.slope, self.base], axis=1)
        kinds, kind = np.unique(pairs, axis=0, return_inverse=True)
        slope, base = np.split(kinds, 2, axis=1)
        return kind.reshape(-1), slope, base

    @cached_property
    def shares_leaves(self) -> bool:
        """Whether a leaf has hosts of several groups in a column, as after a crossed cable."""
        ordered = np.sort(self.leaf, axis=0)
        return bool((ordered[1:] == ordered[:-1]).any())

    @cached_property
    def leaves_apart(self) -> bool:
        """Whether no leaf has hosts of two groups, or two columns of a group."""
        return len(np.unique(self.leaf)) == self.leaf.size

    def others(self, hosts: Ints) -> Ints:
        """Return the hosts of other groups on the same leaves, shape (groups, columns).

        Parameters
        ----------
        hosts : array of int, shape (groups,)
            Hosts of each group.
        """
        columns = np.arange(self.leaf.shape[1])
        place = columns * (int(self.leaf.max()) + 1) + self.leaf
        total = np.bincount(place.reshape(-1), weights=np.repeat(hosts, len(columns)))
        on_leaf = total[place].astype(np.int64) - hosts[:, None]
        same = self.leaf[:, :, None] == self.leaf[:, None, :]
        return np.asarray((on_leaf[:, None, :] * same).max(axis=2))

    @cached_property
    def pods(self) -> int:
        """Number of pods."""
        return len(self.carried.pod_gbps)

    @cached_property
    def pod_slope(self) -> Floats:
        """Least load of a pod's cables to the super-spines by one unit that leaves it: (pods,)."""
        demand = np.full(self.pods, np.inf)
        np.minimum.at(demand, self.groups.pod, self._sure_gbps.sum(axis=1))
        return ratio(demand, self.carried.pod_gbps)


def ratio(part: Floats, whole: Floats) -> Floats:
    """Return the quotient; nothing of nothing is 0."""
    out = np.where(part > 0, np.inf, 0.0)
    return np.divide(part, whole, out=out, where=whole > 0)
