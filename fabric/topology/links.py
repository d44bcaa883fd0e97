"""Links between switches as arrays, each a cable or several, in both directions."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from fabric.topology.model import Ints
    from fabric.topology.routes_bits import Bits


@dataclass(frozen=True, eq=False)
class Links:
    """Directed links; parallel cables between two switches are one link in each direction.

    Parameters
    ----------
    source, target : array of int, shape (m,)
        Row of the switch that sends and of the one that receives, sorted by both.
    cables : array of int, shape (m,)
        How many cables the link stands for.
    """

    switches: int
    source: Ints
    target: Ints
    cables: Ints

    def __len__(self) -> int:
        return len(self.source)

    @classmethod
    def between(cls, left: Ints, right: Ints, switches: int) -> Links:
        """Return the links of cables whose ends are ``left[i]`` and ``right[i]``.

        Parameters
        ----------
        left, right : array of int, shape (cables,)
            Rows of the switches at both ends.
        switches : int
            Number of all switches.
        """
        keys = np.concatenate([left * switches + right, right * switches + left])
        distinct, cables = np.unique(keys, return_counts=True)
        return cls(switches, distinct // switches, distinct % switches, cables)

    def part(self, place: Ints, switches: int) -> Links:
        """Return the links between some switches.

        Parameters
        ----------
        place : array of int, shape (switches,)
            Row that each switch has among these, in the same order; -1 where it is none of them.
        switches : int
            Number of these.
        """
        source, target = place[self.source], place[self.target]
        kept = (source >= 0) & (target >= 0)
        return Links(switches, source[kept], target[kept], self.cables[kept])

    @cached_property
    def reverse(self) -> Ints:
        """Row of the link in the other direction."""
        return self.rows(self.target, self.source)

    @cached_property
    def _groups(self) -> tuple[Ints, Ints]:
        """Switches that send at all, and the first link of each."""
        senders, first = np.unique(self.source, return_index=True)
        return senders, first.astype(np.int64)

    def rows(self, source: Ints, target: Ints) -> Ints:
        """Return the row of the link from ``source[i]`` to ``target[i]``, or -1.

        Parameters
        ----------
        source, target : array of int, shape (n,)
            Rows of switches.

        Returns
        -------
        array of int, shape (n,)
            Row of the link; -1 where there is none.
        """
        keys = self.source * self.switches + self.target
        pairs = source * self.switches + target
        rows = np.searchsorted(keys, pairs)
        inside = rows < len(keys)
        inside[inside] = keys[rows[inside]] == pairs[inside]
        return np.where(inside, rows, -1)

    def of(self, switch: int) -> Ints:
        """Return the rows of all links to and from a switch."""
        return np.flatnonzero((self.source == switch) | (self.target == switch))

    def union_by_source(self, bits: Bits) -> Bits:
        """Return the union of the sets of the links that leave each switch."""
        union = np.zeros((self.switches, bits.shape[1]), dtype=bits.dtype)
        senders, first = self._groups
        if len(senders):
            union[senders] = np.bitwise_or.reduceat(bits, first, axis=0)
        return union

    def union_by_target(self, bits: Bits) -> Bits:
        """Return the union of the sets of the links that enter each switch."""
        return self.union_by_source(bits.take(self.reverse, axis=0))

    def once_and_twice(self, bits: Bits) -> tuple[Bits, Bits]:
        """Return what is in at least one, and in at least two sets of the links of each switch."""
        once = np.zeros((self.switches, bits.shape[1]), dtype=bits.dtype)
        twice = once.copy()
        senders, first = self._groups
        degree = np.diff(np.append(first, len(self)))
        for rank in range(int(degree.max(initial=0))):
            more = degree > rank
            new = bits.take(first[more] + rank, axis=0)
            twice[senders[more]] |= once[senders[more]] & new
            once[senders[more]] |= new
        return once, twice
