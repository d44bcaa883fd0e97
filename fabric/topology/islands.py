"""Which leaves reach each other at all."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from fabric.topology.model import Fabric, Ints


def islands(fabric: Fabric) -> Ints:
    """Return a number for each switch, shape (switches,): equal where cables join them.

    Planes are islands, and so is each leaf of a rail-only fabric. Cables that are off join nothing.
    """
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components

    up, size = fabric.uplinks, len(fabric.switches)
    on = up.enabled
    cables = coo_array((np.ones(on.sum()), (up.lower[on], up.upper[on])), shape=(size, size))
    _, found = connected_components(cables, directed=False)
    return np.asarray(found, dtype=np.int64)
