"""Chooses pairs of NICs: few, yet every kind of path and every NIC in both directions.

NICs of one rail on one leaf form a cell; what kind of path lies between two NICs follows from
their cells. In every class each cell has a partner, the next cell of that kind in a circle, and
NIC i of a cell is paired with NIC i + 1 of its partner: each is once a source and once a target.

Puts pairs of hosts into rounds in which no host is in two pairs.

Each round is a maximal matching, found as in Luby's algorithm: a pair with the lowest lot at both
of its ends is taken (M. Luby, A Simple Parallel Algorithm for the Maximal Independent Set Problem,
SIAM J. Comput. 15(4), 1986). A pair waits only while one of its ends is busy, so that there are
fewer than twice as many rounds as a host has pairs.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from fabric.topology.paths import islands
from fabric.topology.tenants import UNASSIGNED

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from fabric.topology.model import Fabric

    Ints = NDArray[np.int64]
    Bools = NDArray[np.bool_]


#: Kinds of path: through one leaf; in one rail, through the spines; between rails of one unit;
#: between rails and units.
CLASSES = ("same-leaf", "same-rail", "cross-rail", "cross-unit")
SAME_LEAF, SAME_RAIL, CROSS_RAIL, CROSS_UNIT = range(4)


_SEED = 0


class Ends(NamedTuple):
    """NICs that take part: row in the fabric, and what decides on the kind of a path.

    NICs of two islands (planes, leaves without spines, tenants) have no path.
    """

    row: Ints
    host: Ints
    rail: Ints
    unit: Ints
    leaf: Ints
    island: Ints


@dataclass(frozen=True, eq=False)
class Probes:
    """Pairs of NICs, by their rows in the fabric; arrays of one length.

    Parameters
    ----------
    source, target : array of int, shape (n,)
        NIC rows; their hosts differ.
    kind : array of int, shape (n,)
        Index into ``CLASSES``.
    round : array of int, shape (n,)
        In a round each host is in one pair at most.
    """

    source: Ints
    target: Ints
    kind: Ints
    round: Ints

    def __len__(self) -> int:
        return len(self.source)


def ends_of(fabric: Fabric, hosts: Bools | None = None) -> Ends:
    """Return the enabled NICs of a fabric, of these hosts (mask, shape (hosts,)) or of all."""
    nics = fabric.nics
    chosen = nics.enabled if hosts is None else nics.enabled & hosts[nics.host]
    row = np.flatnonzero(chosen)
    host = nics.host[row]
    leaf = nics.leaf[row]
    unit = fabric.hosts.unit[host]
    return Ends(row, host, nics.rail[row], unit, leaf, _islands(fabric, row))


def _islands(fabric: Fabric, row: Ints) -> Ints:
    """Return the island of each NIC: with tenants, a part for each; a leaf, where they are local.

    Only pairs inside a tenant are promised, so that no probe is sent from one to another.
    """
    leaf = fabric.nics.leaf[row]
    island, tenants = islands(fabric)[leaf], fabric.tenants
    if tenants is None:
        return island
    owner = tenants.of_nic[row]
    inside = np.where(owner == UNASSIGNED, 0, leaf + 1) if tenants.is_local else owner * 0
    parts = np.stack([island, owner, inside])
    return np.unique(parts, axis=1, return_inverse=True)[1].reshape(-1)


def kind_of(ends: Ends, source: Ints, target: Ints) -> Ints:
    """Return the class of each pair of places in ``ends``; -1 where there is no path to probe.

    That is within one host, and between islands.
    """
    same_rail = ends.rail[source] == ends.rail[target]
    same_unit = ends.unit[source] == ends.unit[target]
    kind = np.where(same_rail, SAME_RAIL, np.where(same_unit, CROSS_RAIL, CROSS_UNIT))
    kind = np.where(ends.leaf[source] == ends.leaf[target], SAME_LEAF, kind)
    none = ends.host[source] == ends.host[target]
    none |= ends.island[source] != ends.island[target]
    return np.where(none, -1, kind)


def pairs(ends: Ends) -> tuple[Ints, Ints, Ints]:
    """Return source, target (places in ``ends``) and class of every pair.

    Notes
    -----
    In each class a NIC that has a partner at all is a source and a target: with cells of equal
    size once, else at most twice, so that there are no more than 8 pairs for each NIC.
    """
    if not len(ends.row):
        return ends.row, ends.row, ends.row
    classes = [_of_class(ends, kind) for kind in range(len(CLASSES))]
    source = np.concatenate([pair[0] for pair in classes])
    target = np.concatenate([pair[1] for pair in classes])
    kinds = np.repeat(np.arange(len(CLASSES)), [len(pair[0]) for pair in classes])
    return source, target, kinds


def _of_class(ends: Ends, kind: int) -> tuple[Ints, Ints]:
    """Return pairs so that each NIC is a source, and those that make each a target too."""
    circle = _Circle(ends, kind)
    source, target = circle.partners(np.arange(len(ends.row)))
    idle = np.setdiff1d(np.arange(len(ends.row)), target)
    more_target, more_source = circle.partners(idle, backwards=True)
    return np.concatenate([source, more_source]), np.concatenate([target, more_target])


class _Circle:
    """The cells of one class in the order in which partners are sought."""

    def __init__(self, ends: Ends, kind: int) -> None:
        self._ends, self._kind = ends, kind
        first = (ends.rail, ends.unit) if kind == SAME_RAIL else (ends.unit, ends.rail)
        group = {SAME_LEAF: ends.leaf, SAME_RAIL: ends.rail, CROSS_RAIL: ends.unit}.get(
            kind, np.zeros_like(ends.leaf)
        )
        _, group = np.unique(np.stack([ends.island, group]), axis=1, return_inverse=True)
        # cells are runs of equal (group, order, leaf, rail); members of a cell lie side by side
        self._order = np.lexsort((ends.host, ends.leaf, first[1], first[0], group))
        table = np.stack([group, first[0], first[1], ends.leaf])[:, self._order]
        starts = np.flatnonzero(np.r_[True, (table[:, 1:] != table[:, :-1]).any(axis=0)])
        self._start = starts
        self._size = np.diff(np.r_[starts, len(self._order)])
        cell = np.repeat(np.arange(len(starts)), self._size)
        self._cell = np.empty_like(cell)
        self._cell[self._order] = cell
        self._rank = np.empty_like(cell)
        self._rank[self._order] = np.arange(len(cell)) - np.repeat(starts, self._size)
        _, self._first_of, self._group_of_cell, self._cells_in = np.unique(
            table[0, starts], return_index=True, return_inverse=True, return_counts=True
        )
        self._rails = len(np.unique(ends.rail))

    def partners(self, who: Ints, *, backwards: bool = False) -> tuple[Ints, Ints]:
        """Return those that found a partner, and the partners."""
        left, mine, theirs = who, [], []
        for jump in self._jumps():
            for shift in (1, 2):
                if not len(left):
                    break
                other = self._at(left, -jump if backwards else jump, -shift if backwards else shift)
                pair = (other, left) if backwards else (left, other)
                good = kind_of(self._ends, *pair) == self._kind
                mine.append(left[good])
                theirs.append(other[good])
                left = left[~good]
        return np.concatenate([left[:0], *mine]), np.concatenate([left[:0], *theirs])

    def _jumps(self) -> Iterator[int]:
        """Yield distances on the circle: what fits a regular fabric, then all others."""
        longest = int(self._cells_in.max(initial=0))
        likely = {SAME_LEAF: 0, CROSS_UNIT: self._rails + 1}.get(self._kind, 1)
        if self._possible():
            yield likely
            yield from (jump for jump in range(longest) if jump != likely)

    def _possible(self) -> bool:
        """Return whether the fabric has more than one of what must differ."""
        ends = self._ends
        differ = {
            SAME_LEAF: (ends.host,),
            SAME_RAIL: (ends.leaf,),
            CROSS_RAIL: (ends.leaf, ends.rail),
            CROSS_UNIT: (ends.leaf, ends.rail, ends.unit),
        }
        return all(len(np.unique(values)) > 1 for values in differ[self._kind])

    def _at(self, who: Ints, jump: int, shift: int) -> Ints:
        """Return the NIC ``shift`` ranks on, in the cell ``jump`` places on in its group."""
        cell = self._cell[who]
        group = self._group_of_cell[cell]
        first = self._first_of[group]
        cell_at = first + (cell - first + jump) % self._cells_in[group]
        rank = (self._rank[who] + shift) % self._size[cell_at]
        at: Ints = self._order[self._start[cell_at] + rank]
        return at


def probes(fabric: Fabric, hosts: Bools | None = None) -> Probes:
    """Return the pairs to probe and their rounds; the same for the same fabric.

    Parameters
    ----------
    hosts : array of bool, shape (hosts,), optional
        Hosts that take part; default: all.
    """
    ends = ends_of(fabric, hosts)
    source, target, kind = pairs(ends)
    turn = rounds(ends.host[source], ends.host[target], len(fabric.hosts))
    order = np.lexsort((source, kind, turn))
    return Probes(ends.row[source[order]], ends.row[target[order]], kind[order], turn[order])


def rounds(source: Ints, target: Ints, hosts: int) -> Ints:
    """Return the round of each pair, from 0.

    Parameters
    ----------
    source, target : array of int, shape (n,)
        Hosts of each pair; they differ.
    """
    turns = np.full(len(source), -1, dtype=np.int64)
    lots = np.random.default_rng(_SEED).permutation(len(source))
    waiting = np.argsort(lots)
    number = 0
    while len(waiting):
        taken = _matching(source[waiting], target[waiting], hosts)
        turns[waiting[taken]] = number
        waiting = waiting[~taken]
        number += 1
    return turns


def _matching(source: Ints, target: Ints, hosts: int) -> NDArray[np.bool_]:
    """Return which pairs are in a maximal matching; earlier ones go first."""
    taken = np.zeros(len(source), dtype=bool)
    busy = np.zeros(hosts, dtype=bool)
    free = np.arange(len(source))
    while len(free):
        lowest = np.full(hosts, len(source), dtype=np.int64)
        # of repeated places the last assignment counts: written backwards it is the first pair
        lowest[target[free][::-1]] = free[::-1]
        other = np.full(hosts, len(source), dtype=np.int64)
        other[source[free][::-1]] = free[::-1]
        lowest = np.minimum(lowest, other)
        chosen = free[(lowest[source[free]] == free) & (lowest[target[free]] == free)]
        taken[chosen] = True
        busy[source[chosen]] = True
        busy[target[chosen]] = True
        free = free[~(busy[source[free]] | busy[target[free]])]
    return taken
