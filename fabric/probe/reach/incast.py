"""Chooses NICs that all send to one: one group for each leaf and rail.

The senders are the next NICs of the rail that reach it, on the leaf of the target first, so that
their packets meet where the target hangs; where a leaf has too few hosts, they come through the
spines.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from fabric.probe.reach.plan import ends_of

if TYPE_CHECKING:
    from fabric.probe.reach.plan import Bools, Ends, Ints
    from fabric.topology.model import Fabric


@dataclass(frozen=True, eq=False)
class Incasts:
    """Groups of NICs, by their rows in the fabric.

    Parameters
    ----------
    target : array of int, shape (n,)
        The NIC that receives.
    sources : array of int, shape (n, senders)
        The NICs that send; all hosts of a group differ.
    round : array of int, shape (n,)
        In a round each host is in one group at most.
    """

    target: Ints
    sources: Ints
    round: Ints

    def __len__(self) -> int:
        return len(self.target)


def incasts(fabric: Fabric, senders: int, hosts: Bools | None = None) -> Incasts:
    """Return the groups; none of a rail with fewer hosts than a group needs.

    Parameters
    ----------
    senders : int
        NICs that send to one.
    hosts : array of bool, shape (hosts,), optional
        Hosts that take part; default: all.
    """
    ends = ends_of(fabric, hosts)
    circles = np.unique(np.stack([ends.rail, ends.island]), axis=1).T.tolist()
    groups = [_of_rail(ends, rail, island, senders) for rail, island in circles]
    places = np.concatenate([np.empty((0, senders + 1), dtype=np.int64), *groups])
    rows = ends.row[places]
    return Incasts(rows[:, 0], rows[:, 1:], _rounds(ends.host[places]))


def _of_rail(ends: Ends, rail: int, island: int, senders: int) -> Ints:
    """Return groups of places in ``ends``, target first, shape (leaves of the rail, senders + 1).

    One NIC of each host counts: a host has several where NICs have several ports.
    """
    mine = np.flatnonzero((ends.rail == rail) & (ends.island == island))
    mine = mine[np.lexsort((ends.host[mine], ends.leaf[mine]))]
    rows = []
    for leaf in np.unique(ends.leaf[mine]).tolist():
        start = int(np.searchsorted(ends.leaf[mine], leaf))
        circle = np.roll(mine, -start)
        _, first = np.unique(ends.host[circle], return_index=True)
        chosen = circle[np.sort(first)][: senders + 1]
        if len(chosen) == senders + 1:
            rows.append(chosen)
    return np.array(rows, dtype=np.int64).reshape(-1, senders + 1)


def _rounds(hosts: Ints) -> Ints:
    """Return the first round of each group in which none of its hosts is busy."""
    busy: list[set[int]] = []
    turns = []
    for group in hosts.tolist():
        turn = next((n for n, taken in enumerate(busy) if taken.isdisjoint(group)), len(busy))
        if turn == len(busy):
            busy.append(set())
        busy[turn].update(group)
        turns.append(turn)
    return np.array(turns, dtype=np.int64)
