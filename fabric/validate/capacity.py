"""Bandwidth of leaves."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from fabric.topology.model import Fabric, Ints, Nics, Uplinks


def leaf_gbps(fabric: Fabric) -> tuple[Ints, Ints]:
    """Return the bandwidth of the enabled cables of each leaf to hosts and to spines, in Gb/s."""
    leaves = fabric.switches.leaf_count

    def total(switch: Ints, cables: Nics | Uplinks) -> Ints:
        speed = cables.speed_gbps * cables.enabled
        sums = np.bincount(switch, weights=speed, minlength=leaves)
        return sums[:leaves].astype(np.int64)

    nics, uplinks = fabric.nics, fabric.uplinks
    return total(nics.leaf, nics), total(uplinks.lower, uplinks)


def leaf_flows(fabric: Fabric) -> Ints:
    """Return, for each leaf, its enabled NICs, its enabled uplinks, and how fast an uplink is.

    The array has the shape (leaves, 3); the last column is the slowest uplink in percent of the
    fastest NIC, and 0 where there is none of one of them.
    """
    leaves = fabric.switches.leaf_count
    rows = np.zeros((leaves, 3), dtype=np.int64)
    slowest = np.full(leaves, np.iinfo(np.int64).max)
    fastest = np.zeros(leaves, dtype=np.int64)
    nics, uplinks = fabric.nics, fabric.uplinks
    rows[:, 0] = np.bincount(nics.leaf[nics.enabled], minlength=leaves)[:leaves]
    rows[:, 1] = np.bincount(uplinks.lower[uplinks.enabled], minlength=leaves)[:leaves]
    np.minimum.at(slowest, uplinks.lower[uplinks.enabled], uplinks.speed_gbps[uplinks.enabled])
    np.maximum.at(fastest, nics.leaf[nics.enabled], nics.speed_gbps[nics.enabled])
    both = (rows[:, :2] > 0).all(axis=1)
    rows[both, 2] = 100 * slowest[both] // fastest[both]
    return rows
