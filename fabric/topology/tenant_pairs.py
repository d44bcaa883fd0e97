"""Pairs of hosts that may talk, where NICs have tenants."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from fabric.topology.paths import product
from fabric.topology.tenants import UNASSIGNED

if TYPE_CHECKING:
    from fabric.topology.clos import Clos
    from fabric.topology.model import Bools, Ints
from fabric.topology.tenants import Tenants


class TenantPairs:
    """The pairs of hosts that may talk, and NICs of a tenant, before and after an outage.

    Hosts are of a kind where their NICs have the same leaves and tenants. NICs may talk in their
    tenant and with its services, and without a tenant among themselves.

    Parameters
    ----------
    reaches : tuple of array of bool, shape (leaves, leaves)
        Whether a leaf reaches another one, in each network.
    """

    def __init__(
        self, tenants: Tenants, networks: tuple[Clos, Clos], reaches: tuple[Bools, Bools]
    ) -> None:
        self._tenants, self._networks, self._reaches = tenants, networks, reaches
        hosts = len(networks[0].host_unit)
        leaves = [np.where(net.nics.up, net.nics.leaf, -1).reshape(hosts, -1) for net in networks]
        table = np.hstack([*leaves, tenants.of_nic.reshape(hosts, -1)])
        kinds, self._size = np.unique(table, axis=0, return_counts=True)
        *parts, owner = np.split(kinds, 3, axis=1)
        self._before, self._after = (
            _joined(tenants, part, owner, reach) for part, reach in zip(parts, reaches, strict=True)
        )

    @cached_property
    def talk(self) -> tuple[int, int]:
        """Pairs of hosts that may talk and did, and those that no longer do."""
        before, after = (_distinct([*pairs.values()]) for pairs in (self._before, self._after))
        return _count(before, self._size), self._lost(before, after)

    @cached_property
    def hosts_cut(self) -> Ints:
        """Pairs of hosts that no longer reach each other inside each tenant, shape (tenants,)."""
        cut = [
            self._lost(self._before[row, row], self._after[row, row])
            for row in range(len(self._tenants))
        ]
        return np.array(cut, dtype=np.int64)

    def _lost(self, before: Ints, after: Ints) -> int:
        """Return the pairs of hosts in distinct pairs of kinds before, and no longer after."""
        return _count(np.setdiff1d(before, after, assume_unique=True), self._size)

    @cached_property
    def nics_cut(self) -> Ints:
        """Pairs of NICs of each tenant that are up and lost each other, shape (tenants,)."""
        tenants, nics, leaves = self._tenants, self._networks[1].nics, len(self._reaches[0])
        if tenants.is_local:
            return np.zeros(len(tenants), dtype=np.int64)
        mine = nics.up & (tenants.of_nic != UNASSIGNED)
        key = tenants.of_nic[mine] * leaves + nics.leaf[mine]
        count = np.bincount(key, minlength=len(tenants) * leaves).reshape(-1, leaves)
        lost = (self._reaches[0] & ~self._reaches[1]).astype(np.int64)
        return np.asarray((product(count, lost) * count).sum(axis=1) // 2)


def _count(pairs: Ints, size: Ints) -> int:
    """Return the pairs of hosts in ordered pairs of kinds; size is the hosts of each kind."""
    left, right = np.divmod(pairs, len(size))
    total = int((size[left] * size[right]).sum())
    return (total - int(size[left[left == right]].sum())) // 2


def _joined(
    tenants: Tenants, leaves: Ints, owner: Ints, reach: Bools
) -> dict[tuple[int, int], Ints]:
    """Return the pairs of kinds that reach each other, as row * kinds + row, by their tenants.

    A fabric has many kinds, of which a tenant has few: a table of all by all would be too large.
    """
    parts = _parts(tenants, leaves, owner)
    pairs = {}
    for row, mine in parts.items():
        is_alone = row == UNASSIGNED
        for other in (row, *(() if is_alone else tenants.partners(row))):
            far = parts[other]
            near = mine.leaves[:, None] == far.leaves
            if is_alone or not tenants.is_local:
                near |= reach[np.ix_(mine.leaves, far.leaves)]
            left, right = np.nonzero(far.holds(mine.holds(near).T).T)
            pairs[row, other] = mine.kinds[left] * len(leaves) + far.kinds[right]
    return pairs


def _parts(tenants: Tenants, leaves: Ints, owner: Ints) -> dict[int, _Members]:
    """Return the NICs of each tenant that are up, and those without a tenant."""
    rows, columns = np.nonzero(leaves >= 0)
    mine = owner[rows, columns]
    order = np.argsort(mine, kind="stable")
    bounds = np.searchsorted(mine[order], np.arange(UNASSIGNED, len(tenants) + 1))
    return {
        number: _Members.of(rows[part], leaves[rows[part], columns[part]])
        for number, part in enumerate(np.split(order, bounds[1:-1]), UNASSIGNED)
    }


def _distinct(pairs: list[Ints]) -> Ints:
    """Return the numbers, ascending; ``np.unique`` of numpy 2 hashes them and takes 100 times."""
    every = np.sort(np.concatenate([np.zeros(0, dtype=np.int64), *pairs]))
    return every[np.diff(every, prepend=-1) > 0]


@dataclass(frozen=True, eq=False)
class _Members:
    """NICs of a tenant that are up, by kind of host.

    Parameters
    ----------
    kinds : array of int, shape (n,)
        Kinds of hosts, ascending, and ``first`` where the NICs of each begin.
    leaves : array of int, shape (m,)
        Leaves in use, and ``place`` of the leaf of each NIC among them.
    """

    kinds: Ints
    first: Ints
    leaves: Ints
    place: Ints

    @classmethod
    def of(cls, rows: Ints, leaves: Ints) -> _Members:
        """Return the members by the kind, ascending, and the leaf of each NIC."""
        used, place = np.unique(leaves, return_inverse=True)
        return cls(*np.unique(rows, return_index=True), used, place)

    def holds(self, table: Bools) -> Bools:
        """Return whether a kind has any leaf for which a column holds: (m, x) to (n, x).

        A product of matrices would do too, but many small ones wait for the threads of BLAS.
        """
        if not len(self.kinds):
            return np.zeros((0, table.shape[1]), dtype=np.bool_)
        return np.logical_or.reduceat(table[self.place], self.first, axis=0)
