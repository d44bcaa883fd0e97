"""Pairs of hosts that may talk, where NICs have tenants."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from fabric.topology.tenants import UNASSIGNED

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from fabric.topology.clos import Clos
    from fabric.topology.model import Bools, Ints
    from fabric.topology.tenants import Tenants


def pairs_that_talk(
    tenants: Tenants, networks: tuple[Clos, Clos], reaches: tuple[Bools, Bools]
) -> tuple[int, int]:
    """Return the pairs of hosts that may talk and did, and those that no longer do.

    Hosts are of a kind where their NICs have the same leaves and tenants. NICs may talk in their
    tenant and with its services, and without a tenant among themselves.

    Parameters
    ----------
    reaches : tuple of array of bool, shape (leaves, leaves)
        Whether a leaf reaches another one, in each network.
    """
    hosts = len(networks[0].host_unit)
    leaves = [np.where(net.nics.up, net.nics.leaf, -1).reshape(hosts, -1) for net in networks]
    table = np.hstack([*leaves, tenants.of_nic.reshape(hosts, -1)])
    kinds, size = np.unique(table, axis=0, return_counts=True)
    *parts, owner = np.split(kinds, 3, axis=1)
    before, after = (
        _joined(tenants, part, owner, reach) for part, reach in zip(parts, reaches, strict=True)
    )
    return _count(before, size), _count(np.setdiff1d(before, after), size)


def _count(pairs: Ints, size: Ints) -> int:
    """Return the pairs of hosts in ordered pairs of kinds; size is the hosts of each kind."""
    left, right = np.divmod(pairs, len(size))
    total = int((size[left] * size[right]).sum())
    return (total - int(size[left[left == right]].sum())) // 2


def _joined(tenants: Tenants, leaves: Ints, owner: Ints, reach: Bools) -> Ints:
    """Return the pairs of kinds that reach each other on NICs that may talk, as row * kinds + row.

    A fabric has many kinds, of which a tenant has few: a table of all by all would be too large.
    """
    parts = {row: _Members.of(leaves, owner == row) for row in _rows(tenants)}
    pairs = [np.zeros(0, dtype=np.int64)]
    for row, mine in parts.items():
        is_alone = row == UNASSIGNED
        for other in (row, *(() if is_alone else tenants.partners(row))):
            far = parts[other]
            near = mine.leaves[:, None] == far.leaves
            if is_alone or not tenants.is_local:
                near |= reach[np.ix_(mine.leaves, far.leaves)]
            left, right = np.nonzero(mine.on @ near.astype(np.float32) @ far.on.T)
            pairs.append(mine.kinds[left] * len(leaves) + far.kinds[right])
    return np.unique(np.concatenate(pairs))


def _rows(tenants: Tenants) -> Iterator[int]:
    yield UNASSIGNED
    yield from range(len(tenants))


@dataclass(frozen=True, eq=False)
class _Members:
    """NICs of a tenant that are up: kinds of hosts, their leaves, and which kind has which."""

    kinds: Ints
    leaves: Ints
    on: NDArray[np.float32]

    @classmethod
    def of(cls, leaves: Ints, mine: Bools) -> _Members:
        rows, columns = np.nonzero(mine & (leaves >= 0))
        kinds, row = np.unique(rows, return_inverse=True)
        used, column = np.unique(leaves[rows, columns], return_inverse=True)
        on = np.zeros((len(kinds), len(used)), dtype=np.float32)
        on[row.reshape(-1), column.reshape(-1)] = 1
        return cls(kinds, used, on)
