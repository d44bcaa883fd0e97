"""Whether switches reach loopbacks and tunnel end points of others in the default VRF."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from fabric.prove.forwarding import destinations, forwarding

if TYPE_CHECKING:
    from collections.abc import Mapping

    from fabric.prove.routes import Tables
    from fabric.prove.wiring import Network
    from fabric.topology.model import Bools


@dataclass(frozen=True, eq=False)
class Underlay:
    """Which switch of a network reaches which address of another one.

    Parameters
    ----------
    column : dict of int to int
        Column of each address.
    ever, always : array of bool, shape (switches, addresses)
        Over some path, and over every path.
    """

    column: Mapping[int, int]
    ever: Bools
    always: Bools

    def reaches(self, row: int, address: int) -> bool:
        """Return whether the switch of a row reaches an address over every path."""
        return address in self.column and bool(self.always[row, self.column[address]])


def underlay(network: Network, tables: Tables, owners: Mapping[int, str]) -> Underlay:
    """Return what routes make of addresses.

    Parameters
    ----------
    network : Network
        Files of the default VRF.
    tables : Tables
        Their routes.
    owners : mapping of int to str
        Switch of each address.
    """
    shape = len(network.switches), len(owners)
    if not len(tables.prefixes) or not owners:
        nothing = np.zeros(shape, dtype=np.bool_)
        return Underlay(dict(zip(owners, range(len(owners)), strict=True)), nothing, nothing)
    addresses = np.array(list(owners), dtype=np.int64)
    rows = np.array([network.row[name] for name in owners.values()], dtype=np.int64)
    ways = forwarding(tables, destinations(tables, addresses, rows))
    column = dict(zip(owners, ways.to.of_nic.tolist(), strict=True))
    return Underlay(column, ways.reaching, ways.delivered)


def as_designed(network: Network, owners: Mapping[int, str]) -> Underlay:
    """Return the underlay of a fabric whose default VRF was proved before: all reach all."""
    everything = np.ones((len(network.switches), 1), dtype=np.bool_)
    return Underlay(dict.fromkeys(owners, 0), everything, everything)
