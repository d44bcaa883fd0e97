"""Pairs of hosts that may talk, where NICs have tenants."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from fabric.topology.paths import meets
from fabric.topology.tenants import UNASSIGNED

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fabric.topology.clos import Clos
    from fabric.topology.model import Bools, Ints
    from fabric.topology.tenants import Tenants


def kinds_that_talk(
    tenants: Tenants, networks: tuple[Clos, Clos], reaches: tuple[Bools, Bools]
) -> tuple[list[Bools], Ints]:
    """Return which kinds of hosts may talk and do, in each network, and the hosts of each kind.

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
    joined = [
        _joined(tenants, part, owner, _near(reach, is_local=tenants.is_local))
        for part, reach in zip(parts, reaches, strict=True)
    ]
    return joined, size


def _near(reach: Bools, *, is_local: bool) -> Bools:
    """Return which leaves a leaf reaches for tenants; those of local tenants are only itself."""
    own = np.eye(len(reach), dtype=np.bool_)
    return own if is_local else reach | own


def _joined(tenants: Tenants, leaves: Ints, owner: Ints, reach: Bools) -> Bools:
    """Return which kinds of hosts reach each other on NICs that may talk, shape (kinds, kinds)."""
    joined = np.zeros((len(leaves), len(leaves)), dtype=np.bool_)
    parts = {row: _members(leaves, owner == row, len(reach)) for row in _rows(tenants)}
    for row, (kinds, on) in parts.items():
        far = meets(on, reach)
        for other in (row, *(tenants.partners(row) if row != UNASSIGNED else ())):
            other_kinds, other_on = parts[other]
            joined[np.ix_(kinds, other_kinds)] |= meets(far, other_on.T)
    return joined


def _rows(tenants: Tenants) -> Iterator[int]:
    yield UNASSIGNED
    yield from range(len(tenants))


def _members(leaves: Ints, mine: Bools, count: int) -> tuple[Ints, Bools]:
    """Return the kinds of hosts that have some NICs up, and the leaves of these NICs."""
    rows, columns = np.nonzero(mine & (leaves >= 0))
    kinds, place = np.unique(rows, return_inverse=True)
    on = np.zeros((len(kinds), count), dtype=np.bool_)
    on[place.reshape(-1), leaves[rows, columns]] = True
    return kinds, on
