"""Who pauses whom, walked from the victims to the roots over the cables of the model.

A switch pauses what comes in by a port when it cannot pass it on: because it is paused itself on a
port where that traffic may leave, or because a port of its own is congested. Traffic from below may
leave by any other port, traffic from above goes down only, as no route of a Clos fabric turns up
again (up-down routes; Hu et al., Tagger: Practical PFC Deadlock Prevention in Data Center Networks,
CoNEXT 2017). A NIC pauses for a reason of its own. What no NIC and no route explains is a cycle, or
a switch where the pauses begin.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import TYPE_CHECKING

import numpy as np

from fabric.health.flags import any_of_end

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fabric.health.ends import Ends, Floats
    from fabric.health.window import Window
    from fabric.topology.model import Bools, Ints


@dataclass(frozen=True, eq=False)
class Root:
    """Where pauses begin.

    Parameters
    ----------
    rows : array of int
        Ends that pause their other end without another reason: that of a NIC, those of a switch,
        or those of a cycle.
    reached : array of int
        Ends that pause because of them, themselves included.
    kind : str
        ``nic``, ``cycle`` or ``switch``.
    """

    priority: int
    rows: Ints
    reached: Ints
    kind: str

    def victims(self, ends: Ends) -> Ints:
        """Return the ends that are paused because of it."""
        victims: Ints = ends.far[self.reached]
        return victims


#: How much longer a pause upstream lasts than the one that explains it: the buffer that filled in
#: that time drains at the speed of the link, which takes as long again at most.
LONGER = 2.0


class PauseGraph:
    """The pauses of one priority.

    A pause explains those behind it that last up to `LONGER` times as long.

    Parameters
    ----------
    pauses : array of bool, shape (ends,)
        Whether each end pauses its other end.
    strength : array of float, shape (ends,)
        How much; the strongest root takes the symptoms that several explain.
    stands : array of bool, shape (ends,)
        Whether nothing moves that it pauses: only such ends are in a cycle.
    """

    def __init__(
        self, ends: Ends, priority: int, pauses: Bools, strength: Floats, stands: Bools
    ) -> None:
        self._ends, self._priority = ends, priority
        self._pauses, self._strength, self._stands = pauses, strength, stands
        self._taken = np.zeros(len(ends), dtype=np.bool_)

    def roots(self) -> Iterator[Root]:
        """Yield the NICs that pause, then cycles, then switches where pauses begin."""
        nics = np.flatnonzero(self._pauses & self._ends.is_nic)
        for row in nics[np.argsort(-self._strength[nics], kind="stable")].tolist():
            yield self._root(np.array([row]), "nic")
        for rows in self._cycles():
            yield self._root(rows, "cycle")
        begins = self._pauses & ~self._taken & ~self._explained(self._pauses & ~self._taken)
        for switch in np.unique(self._ends.device[begins]).tolist():
            yield self._root(np.flatnonzero(begins & (self._ends.device == switch)), "switch")

    def _root(self, rows: Ints, kind: str) -> Root:
        return Root(self._priority, rows, self._reach(rows), kind)

    @cached_property
    def _pausing_of(self) -> dict[int, Ints]:
        rows = np.flatnonzero(self._pauses)
        return _grouped(rows, self._ends.device[rows])

    def _reach(self, rows: Ints) -> Ints:
        """Take and return what pauses because of some ends: from root to victims."""
        ends, todo, reached = self._ends, list(rows.tolist()), list(rows.tolist())
        self._taken[rows] = True
        while todo:
            victim = int(ends.far[todo.pop()])
            mine = self._pausing_of.get(int(ends.device[victim]))
            if mine is None or ends.is_nic[victim]:
                continue
            # what leaves by the port of the victim comes from below, or, where the port leads
            # down, from above too
            comes = ends.is_below[mine] | ends.is_below[victim]
            comes &= self._strength[mine] <= LONGER * self._strength[ends.far[victim]]
            fresh = mine[comes & (mine != victim) & ~self._taken[mine]]
            self._taken[fresh] = True
            todo += fresh.tolist()
            reached += fresh.tolist()
        return np.array(reached)

    def _explained(self, pauses: Bools) -> Bools:
        """Return the ends whose switch is paused on a port where their traffic may leave."""
        ends = self._ends
        paused = np.where(pauses[ends.far], self._strength[ends.far], 0.0)
        any_port = _strongest_others(ends.device, paused, len(ends.names))
        below = _strongest_others(
            ends.device, np.where(ends.is_below, paused, 0.0), len(ends.names)
        )
        strongest = np.where(ends.is_below, any_port, below)
        explained: Bools = pauses & (strongest > 0) & (self._strength <= LONGER * strongest)
        return explained

    def _cycles(self) -> Iterator[Ints]:
        """Yield the ends of each cycle of pauses that stand, where any port explains any other.

        A cycle that NICs explain as a whole is theirs.
        """
        from scipy.sparse import coo_array
        from scipy.sparse.csgraph import connected_components

        rows = self._circling(self._stands & self._pauses & ~self._ends.is_nic)
        if not len(rows):
            return
        sources, targets = self._waits(rows)
        table = coo_array((np.ones(len(sources)), (sources, targets)), (len(rows), len(rows)))
        _, label = connected_components(table, directed=True, connection="strong")
        for number in np.flatnonzero(np.bincount(label) > 1).tolist():
            if not self._taken[rows[label == number]].all():
                yield rows[label == number]

    def _circling(self, stands: Bools) -> Ints:
        """Return the ends that another one waits for, and that wait for another one."""
        ends, count = self._ends, len(self._ends.names)
        while True:
            paused = stands[ends.far]  # at the switch that waits
            waiting = np.bincount(ends.device[paused], minlength=count)[ends.device] - paused
            pausing = np.bincount(ends.device[stands], minlength=count)[ends.device] - stands
            kept: Bools = stands & (waiting > 0) & (pausing[ends.far] > 0)
            if (kept == stands).all():
                return np.flatnonzero(stands)
            stands = kept

    def _waits(self, rows: Ints) -> tuple[Ints, Ints]:
        """Return pairs of places in ``rows``: the first pauses a switch, which pauses the second.

        A cable whose ends pause each other is no pair: what comes in by it does not go back.
        """
        ends = self._ends
        order = np.argsort(ends.device[rows], kind="stable")
        of_switch = ends.device[rows][order]
        victims = ends.far[rows]
        first = np.searchsorted(of_switch, ends.device[victims], side="left")
        counts = np.searchsorted(of_switch, ends.device[victims], side="right") - first
        source = np.repeat(np.arange(len(rows)), counts)
        within = np.arange(len(source)) - np.repeat(np.cumsum(counts) - counts, counts)
        target = order[np.repeat(first, counts) + within]
        apart = rows[target] != victims[source]
        return source[apart], target[apart]


def _strongest_others(device: Ints, values: Floats, count: int) -> Floats:
    """Return for each end the largest value at the other ends of its device."""
    order = np.lexsort((-values, device))
    first = np.searchsorted(device[order], np.arange(count))
    known = np.bincount(device, minlength=count)
    best, second = np.zeros(count), np.zeros(count)
    best[known > 0] = values[order[first[known > 0]]]
    second[known > 1] = values[order[first[known > 1] + 1]]
    top = np.full(count, -1)
    top[known > 0] = order[first[known > 0]]
    others: Floats = np.where(top[device] == np.arange(len(device)), second[device], best[device])
    return others


def _grouped(rows: Ints, key: Ints) -> dict[int, Ints]:
    order = np.argsort(key, kind="stable")
    keys, first = np.unique(key[order], return_index=True)
    parts = np.split(rows[order], first[1:])
    return dict(zip(keys.tolist(), parts, strict=False))  # of no rows there is one empty part


@lru_cache(maxsize=1)
def roots(window: Window) -> tuple[Root, ...]:
    """Return where pauses begin, by priority."""
    found: list[Root] = []
    standing = window.pausing >= window.settings.storm_percent / 100
    planned = window.plan.paused | window.plan.paused[window.ends.far]
    is_paused = window.is_paused & (planned | ~any_of_end(planned)[:, None])
    for priority in np.flatnonzero(is_paused.any(axis=0)).tolist():
        pauses, strength = is_paused[:, priority], window.pausing[:, priority]
        stands = standing[:, priority] & ~_moves(window, priority)
        found += PauseGraph(window.ends, priority, pauses, strength, stands).roots()
    return tuple(found)


def _moves(window: Window, priority: int) -> Bools:
    """Return the ends towards which the lossless queue of the far end sends packets."""
    queue = window.plan.queue_of[:, priority]
    packets = window.rise("queue_packets")[np.arange(len(queue)), queue]
    moves: Bools = (packets > 0)[window.ends.far]
    return moves
