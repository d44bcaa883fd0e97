"""Bandwidth of leaves."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from fabric.topology.model import Fabric, Ints, Nics, Uplinks


def leaf_gbps(fabric: Fabric) -> tuple[Ints, Ints]:
    """Return the bandwidth of the enabled cables of each leaf to hosts and to spines, in Gb/s."""
    leaves = fabric.switches.leaf_count

    def total(cables: Nics | Uplinks) -> Ints:
        speed = cables.speed_gbps * cables.enabled
        return np.bincount(cables.leaf, weights=speed, minlength=leaves).astype(np.int64)

    return total(fabric.nics), total(fabric.uplinks)
