"""Hosts that may take part in the same test: a test stays in one tenant, as a job does."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from fabric.topology.tenants import QUARANTINED, UNASSIGNED

if TYPE_CHECKING:
    from collections.abc import Sequence

    from fabric.topology.model import Bools, Fabric, Ints


@dataclass(frozen=True, eq=False)
class HostGroup:
    """Hosts of one owner whose NICs reach each other.

    Parameters
    ----------
    owner : int
        Row of the tenant; ``UNASSIGNED`` without one.
    hosts : array of int
        Rows of the hosts of which the owner has a NIC, ascending.
    """

    owner: int
    hosts: Ints


def host_groups(fabric: Fabric) -> list[HostGroup]:
    """Return the hosts of each owner; all hosts in one group where the fabric has no tenants."""
    tenants, every = fabric.tenants, np.arange(len(fabric.hosts))
    if tenants is None:
        return [HostGroup(UNASSIGNED, every)]
    owner = tenants.owner.reshape(len(every), -1)
    leaf = fabric.nics.leaf.reshape(owner.shape)
    groups = []
    for row in (UNASSIGNED, *range(len(tenants))):
        mine = owner == row
        hosts = np.flatnonzero(mine.any(axis=1))
        where = np.where(mine, leaf, -1)[hosts]
        if not tenants.is_local or row == UNASSIGNED:
            where = np.zeros((len(hosts), 1), dtype=np.int64)
        _, number = np.unique(where, axis=0, return_inverse=True)
        number = number.reshape(-1)
        groups += [
            HostGroup(row, hosts[number == split]) for split in range(number.max(initial=-1) + 1)
        ]
    return groups


def rails_by_owner(fabric: Fabric, hosts: Sequence[int]) -> dict[int, tuple[int, ...]]:
    """Return the rails on which hosts reach each other, by the owner of their NICs there."""
    tenants, rails = fabric.tenants, tuple(range(fabric.rails))
    if tenants is None:
        return {UNASSIGNED: rails}
    shape = (len(fabric.hosts), fabric.rails, fabric.nic_ports)
    owner = tenants.owner.reshape(shape)[hosts]
    first = owner[0, :, 0]
    together = (owner == first[:, None]).all(axis=(0, 2)) & (first != QUARANTINED)
    if tenants.is_local:
        together &= (first == UNASSIGNED) | _on_one_leaf(fabric.nics.leaf.reshape(shape)[hosts])
    by_owner: dict[int, tuple[int, ...]] = {}
    for rail in np.flatnonzero(together).tolist():
        mine = int(first[rail])
        by_owner[mine] = (*by_owner.get(mine, ()), rail)
    return by_owner


def _on_one_leaf(leaf: Ints) -> Bools:
    """Say of each rail whether each port of it is behind the same leaf on all hosts."""
    same: Bools = (leaf == leaf[0]).all(axis=(0, 2))
    return same
