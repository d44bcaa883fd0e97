"""Bandwidth of switches downwards and upwards."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from fabric.topology.model import Fabric, Ints, Nics, Uplinks


def switch_gbps(fabric: Fabric) -> tuple[Ints, Ints]:
    """Return the bandwidth of the enabled cables of each switch down and up, in Gb/s.

    Down is towards hosts and lower tiers.
    """

    def total(switch: Ints, cables: Nics | Uplinks) -> Ints:
        speed = cables.speed_gbps * cables.enabled
        sums = np.bincount(switch, weights=speed, minlength=len(fabric.switches))
        return sums.astype(np.int64)

    nics, uplinks = fabric.nics, fabric.uplinks
    down = total(nics.leaf, nics) + total(uplinks.upper, uplinks)
    return down, total(uplinks.lower, uplinks)


def leaf_gbps(fabric: Fabric) -> tuple[Ints, Ints]:
    """Return the bandwidth of the enabled cables of each leaf to hosts and to spines, in Gb/s."""
    down, up = switch_gbps(fabric)
    return down[: fabric.switches.leaf_count], up[: fabric.switches.leaf_count]


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
    mine = uplinks.enabled & (uplinks.lower < leaves)
    rows[:, 1] = np.bincount(uplinks.lower[mine], minlength=leaves)[:leaves]
    np.minimum.at(slowest, uplinks.lower[mine], uplinks.speed_gbps[mine])
    np.maximum.at(fastest, nics.leaf[nics.enabled], nics.speed_gbps[nics.enabled])
    both = (rows[:, :2] > 0).all(axis=1)
    rows[both, 2] = 100 * slowest[both] // fastest[both]
    return rows
