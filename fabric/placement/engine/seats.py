"""Which hosts of the chosen groups, and in which order the ranks go through them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from fabric.placement.engine.search import tightest

if TYPE_CHECKING:
    from fabric.placement.engine.supply import Groups
    from fabric.placement.engine.traffic import Floats
    from fabric.topology.model import Bools, Hosts, Ints


def blocks(hosts: Hosts, hosts_per_block: int) -> Ints:
    """Return the NVLink domain of each host: neighbours of a unit, in order; shape (hosts,)."""
    per_unit = int(hosts.slot.max(initial=0)) // hosts_per_block + 1
    return np.asarray(hosts.unit * per_unit + hosts.slot // hosts_per_block)


def seats(
    groups: Groups,
    counts: Ints,
    late: Floats,
    free: Bools,
    *,
    block: Ints | None,
    nics: Ints | None = None,
) -> Ints:
    """Return rows of hosts in rank order.

    Ranks go pod by pod and group by group, so that a ring leaves each of them once: no order
    has fewer crossings, for a ring that visits a group has to leave it. In a group hosts that are
    less late come first, then the fewest NVLink domains are used; else hosts with fewer NICs come
    first.

    Parameters
    ----------
    counts : array of int, shape (groups,)
        Hosts to take of each group.
    late : array of float, shape (hosts,)
        0 of hosts that come first; of others those with more come later.
    free : array of bool, shape (hosts,)
        Hosts that may be used.
    block : array of int or None, shape (hosts,)
        NVLink domain of each host.
    nics : array of int or None, shape (hosts,)
        NIC ports of each host that may be used; None where the job uses all of a host.
    """
    used = np.flatnonzero(counts)
    rows = groups.hosts(used[np.argsort(groups.pod[used], kind="stable")])
    rows = rows[free[rows]]
    of = groups.of_host[rows]
    if block is not None or nics is not None or late[rows].any():
        inner = of * 0 if block is None else _block_order(of, block[rows], counts)
        few = of * 0 if nics is None else nics[rows]
        order = np.lexsort((rows, few, inner, late[rows], of, groups.pod[of]))
        rows, of = rows[order], of[order]
    first = np.flatnonzero(np.concatenate([[True], of[1:] != of[:-1]]))
    place = np.arange(len(rows)) - np.repeat(first, np.diff(np.append(first, len(rows))))
    return rows[place < counts[of]]


def _block_order(of: Ints, block: Ints, counts: Ints) -> Ints:
    """Return a key that puts the hosts of the chosen domains of a group first."""
    key = np.zeros(len(of), dtype=np.int64)
    for group in np.unique(of).tolist():
        mine = np.flatnonzero(of == group)
        names, back = np.unique(block[mine], return_inverse=True)
        taken = tightest(np.bincount(back), min(int(counts[group]), len(mine)))
        place = np.empty(len(names), dtype=np.int64)
        place[np.lexsort((np.arange(len(names)), -taken))] = np.arange(len(names))
        key[mine] = place[back]
    return key


def changes(of: Ints) -> int:
    """Return how often a ring over hosts changes the group."""
    return int((of != np.roll(of, -1)).sum())
