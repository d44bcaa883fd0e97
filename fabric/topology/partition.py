"""Which leaves are meant to reach each other, and which of them do not."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from fabric.topology.paths import joined_by
from fabric.topology.routes import network, route
from fabric.topology.routes_bits import unpack
from fabric.topology.twins import twins, two_of_each

if TYPE_CHECKING:
    from fabric.topology.model import Bools, Fabric
    from fabric.topology.routes import Network


def reached(fabric: Fabric) -> Bools:
    """Return which pairs of leaves have routes to each other, shape (leaves, leaves).

    BGP is followed as it decides, AS loops included; see `fabric.topology.routes`.
    """
    return reached_in(network(fabric), fabric.switches.leaf_count)


def reached_in(net: Network, leaves: int) -> Bools:
    """Return which pairs of the first switches, the leaves, have routes to each other.

    Returns
    -------
    array of bool, shape (leaves, leaves)
        Whether both have a route to the other.
    """
    ways = ways_in(net, leaves)
    both: Bools = ways & ways.T
    return both


def ways_in(net: Network, leaves: int) -> Bools:
    """Return which of the first switches, the leaves, have a route to which.

    Two switches of each kind of twins stand for all: a path over a third one is as long over one of
    these.

    Returns
    -------
    array of bool, shape (leaves, leaves)
        Whether the leaf of the row has a route to that of the column, or is that leaf.
    """
    rows, first = two_of_each(twins(net)[1])
    lead, last = first[:leaves], np.arange(len(rows))
    last[first[rows]] = np.arange(len(rows))  # the second of each kind, where there is one
    columns, column = np.unique(lead, return_inverse=True)
    known = unpack(route(net.part(rows), columns).known[-1], len(columns))
    to_twin = known[last[lead], column][:, None]
    ways: Bools = np.where(lead[:, None] == lead, to_twin, known[lead][:, column])
    np.fill_diagonal(ways, val=True)
    return ways


def promised(fabric: Fabric) -> Bools:
    """Return which pairs of leaves the design means to join, shape (leaves, leaves).

    Leaves of one plane with NICs. A list of switches (``design: explicit``) may keep rails apart,
    each with spines of its own: there, leaves of one rail, and leaves that cables join, those
    included that are off.
    """
    switches, nics = fabric.switches, fabric.nics
    count = switches.leaf_count
    used = np.bincount(nics.leaf[nics.enabled], minlength=count)[:count] > 0
    plane = switches.plane[:count]
    pairs: Bools = (plane[:, None] == plane) & used[:, None] & used & ~np.eye(count, dtype=np.bool_)
    if fabric.intent.fabric.design == "explicit":
        cabled = joined_by(fabric, np.ones(len(fabric.uplinks), dtype=np.bool_))[:count]
        rail = switches.rail[:count]
        pairs &= (cabled[:, None] == cabled) | (rail[:, None] == rail)
    return pairs


def cut_pairs(fabric: Fabric) -> Bools:
    """Return the pairs of leaves that are meant to reach each other and do not."""
    return promised(fabric) & ~reached(fabric)
