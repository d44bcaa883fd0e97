"""Where packets to every NIC go: longest prefix first, over every equal path, to the leaf."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from fabric.prove.routes import Tables
    from fabric.topology.model import Bools, Ints


@dataclass(frozen=True, eq=False)
class Destinations:
    """NICs whose addresses every switch treats alike, and that hang on one leaf.

    Parameters
    ----------
    chain : array of int, shape (destinations, k)
        Rows of the prefixes that cover it, longest first; -1 where there is none.
    leaf : array of int, shape (destinations,)
        Row of its leaf in the network; -1 where the leaf is out of order.
    of_nic : array of int, shape (nics,)
        Destination of each NIC.
    """

    chain: Ints
    leaf: Ints
    of_nic: Ints

    def __len__(self) -> int:
        return len(self.leaf)


def destinations(tables: Tables, addresses: Ints, leaf: Ints) -> Destinations:
    """Return the destinations of NICs.

    Parameters
    ----------
    addresses : array of int, shape (nics,)
        Addresses; of objects for IPv6.
    leaf : array of int, shape (nics,)
        Row of the leaf of each.
    """
    columns = [leaf]
    for length in sorted(set(tables.prefixes.length.tolist()), reverse=True):
        rows = np.flatnonzero(tables.prefixes.length == length)
        networks = tables.prefixes.network[rows] >> (tables.prefixes.bits - length)
        wanted = addresses >> (tables.prefixes.bits - length)
        place = np.minimum(np.searchsorted(networks, wanted), len(rows) - 1)
        same = np.asarray(networks[place] == wanted, dtype=np.bool_)
        columns.append(np.where(same, rows[place], -1))
    table = np.stack(columns, axis=1)
    kinds, of_nic = np.unique(table, axis=0, return_inverse=True)
    chain = kinds[:, 1:]
    # prefixes that cover nothing last, so that a chain is as short as it can be
    order = np.argsort(chain < 0, axis=1, kind="stable")
    chain = np.take_along_axis(chain, order, axis=1)
    width = max(1, int((chain >= 0).sum(axis=1).max(initial=0)))
    return Destinations(chain[:, :width], kinds[:, 0], of_nic.reshape(-1))


@dataclass(frozen=True, eq=False)
class Forwarding:
    """What every switch does with packets to every destination.

    Parameters
    ----------
    local : array of bool, shape (switches, destinations)
        The switch has the network on a port of its own.
    dropped : array of bool, shape (switches, destinations)
        It has no route, or one that discards.
    next_hops : array of bool, shape (sessions, destinations)
        Sessions over which it forwards.
    """

    tables: Tables
    to: Destinations
    local: Bools
    dropped: Bools
    next_hops: Bools

    @cached_property
    def delivered(self) -> Bools:
        """Whether every path from a switch ends at the leaf of the destination.

        Shape (switches, destinations). A packet that may go around in a circle is not delivered.
        """
        here = np.arange(len(self.local))[:, None] == self.to.leaf
        return self._fixpoint(self.local & here)

    @cached_property
    def looping(self) -> Bools:
        """Whether a packet from a switch may go around for ever, shape (switches, destinations)."""
        circling: Bools = ~self._fixpoint(self.local | self.dropped)
        return circling

    @cached_property
    def reaching(self) -> Bools:
        """Whether any path from a switch ends at the leaf, shape (switches, destinations)."""
        here = np.arange(len(self.local))[:, None] == self.to.leaf
        reached: Bools = self.local & here
        while True:
            more = reached.copy()
            np.logical_or.at(more, self.tables.source, self.next_hops & reached[self.tables.target])
            if np.array_equal(more, reached):
                return reached
            reached = more

    def _fixpoint(self, ends: Bools) -> Bools:
        """Return from where every path ends in one of some places."""
        source, target = self.tables.source, self.tables.target
        settled = ends.copy()
        forwards = np.zeros_like(ends)
        np.logical_or.at(forwards, source, self.next_hops)
        while True:
            stuck = np.zeros_like(ends)
            np.logical_or.at(stuck, source, self.next_hops & ~settled[target])
            more = ends | (forwards & ~stuck)
            if np.array_equal(more, settled):
                return settled
            settled = more


def forwarding(tables: Tables, to: Destinations) -> Forwarding:
    """Return what every switch does with packets to every destination."""
    switches = len(tables.connected)
    chosen = np.full((switches, len(to)), -1)
    for step in range(to.chain.shape[1]):
        column = to.chain[:, step]
        has = (column >= 0) & tables.known[:, column] & (chosen < 0)
        chosen = np.where(has, column, chosen)
    some = chosen >= 0
    local = _taken(tables.connected, chosen)
    dropped = ~some | (_taken(tables.dropped, chosen) & ~local)
    next_hops = _taken(tables.next_hops, chosen[tables.source])
    return Forwarding(tables, to, local, dropped & ~local, next_hops)


def _taken(table: Bools, columns: Ints) -> Bools:
    """Return the values of a table in a column for each row and place; False for column -1."""
    if not table.shape[1]:  # nobody knows a prefix
        return np.zeros(columns.shape, dtype=np.bool_)
    rows = np.arange(len(table))[:, None]
    values: Bools = (columns >= 0) & table[rows, columns]
    return values
