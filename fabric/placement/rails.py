"""Whether rails reach each other over the spines."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

    from fabric.topology.model import Fabric


def rails_connected(fabric: Fabric, hosts: Sequence[int], rails: Sequence[int]) -> bool:
    """Say whether every two leaves of some hosts share a spine by cables that are on.

    The way over a third leaf does not count: all spines are in one AS, so that BGP refuses it
    (RFC 4271 section 9.1.2, AS loop).

    Parameters
    ----------
    hosts, rails : sequence of int
        Rows in ``fabric.hosts``, and the rails in use.
    """
    shape = (len(fabric.hosts), fabric.rails, fabric.nic_ports)
    leaves = np.unique(fabric.nics.leaf.reshape(shape)[np.ix_(hosts, rails)])
    if len(leaves) == 1:
        return True
    up = fabric.uplinks
    spines = len(fabric.switches) - fabric.switches.leaf_count
    cabled = np.zeros((fabric.switches.leaf_count, spines), dtype=np.float32)
    cabled[up.lower[up.enabled], up.upper[up.enabled] - fabric.switches.leaf_count] = 1
    kinds = np.unique(cabled[leaves], axis=0)  # leaves that are cabled alike count once
    return bool((kinds @ kinds.T > 0).all())
