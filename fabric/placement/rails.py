"""Whether the rails of a placement reach each other over the spines."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from fabric.placement.place import Placement
    from fabric.topology.model import Fabric


def rails_connected(fabric: Fabric, placement: Placement) -> bool:
    """Say whether every two leaves of a placement share a spine by cables that are on.

    The way over a third leaf does not count: all spines are in one AS, so that BGP refuses it
    (RFC 4271 section 9.1.2, AS loop).
    """
    leaves = _leaves(fabric, placement)
    up = fabric.uplinks
    spines = len(fabric.switches) - fabric.switches.leaf_count
    cabled = np.zeros((fabric.switches.leaf_count, spines), dtype=np.float32)
    on = up.enabled
    cabled[up.leaf[on], up.spine[on] - fabric.switches.leaf_count] = 1
    shared = cabled[leaves] @ cabled[leaves].T > 0
    np.fill_diagonal(shared, val=True)
    return bool(shared.all())


def _leaves(fabric: Fabric, placement: Placement) -> list[int]:
    hosts = np.array([fabric.host_row[name] for name in placement.hosts])
    rows = (hosts[:, None] * fabric.rails + np.array(placement.rails)[None, :]).ravel()
    leaves: list[int] = np.unique(fabric.nics.leaf[rows]).tolist()
    return leaves
