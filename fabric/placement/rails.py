"""Whether rails reach each other over the spines."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from fabric.topology.model import Fabric, Ints


def rails_connected(fabric: Fabric, hosts: Sequence[int], rails: Sequence[int]) -> bool:
    """Say whether every two leaves of some hosts reach each other by cables that are on.

    They share a spine, or have spines that share a super-spine; with planes, the leaves of each
    plane do. The way over a third leaf does not count: all spines (of a pod) are in one AS, so that
    BGP refuses it (RFC 4271 section 9.1.2, AS loop).

    Parameters
    ----------
    hosts, rails : sequence of int
        Rows in ``fabric.hosts``, and the rails in use.
    """
    shape = (len(fabric.hosts), fabric.rails, fabric.nic_ports)
    leaves = np.unique(fabric.nics.leaf.reshape(shape)[np.ix_(hosts, rails)])
    planes = fabric.switches.plane[leaves]
    return all(_connected(fabric, leaves[planes == plane]) for plane in np.unique(planes))


def _connected(fabric: Fabric, leaves: Ints) -> bool:
    if len(leaves) == 1:
        return True
    spines = _cabled(fabric, leaves, fabric.switches.of_tier(1))
    spines = np.unique(spines, axis=0)  # leaves that are cabled alike count once
    above = _cabled(fabric, fabric.switches.of_tier(1), fabric.switches.of_tier(2))
    tops = spines @ above
    return bool(((spines @ spines.T > 0) | (tops @ tops.T > 0)).all())


def _cabled(fabric: Fabric, lower: Ints, upper: Ints) -> NDArray[np.float32]:
    """Return 1 where a switch has an enabled cable to one above, shape (lower, upper)."""
    up, size = fabric.uplinks, len(fabric.switches)
    rows, columns = np.full(size, -1), np.full(size, -1)
    rows[lower], columns[upper] = np.arange(len(lower)), np.arange(len(upper))
    row, column = rows[up.lower[up.enabled]], columns[up.upper[up.enabled]]
    known = (row >= 0) & (column >= 0)
    cabled = np.zeros((len(lower), len(upper)), dtype=np.float32)
    cabled[row[known], column[known]] = 1
    return cabled
