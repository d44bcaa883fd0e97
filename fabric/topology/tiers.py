"""What follows from tiers: who should be cabled to whom, and how many paths lead down."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from fabric.topology.layout import rank_within

if TYPE_CHECKING:
    from fabric.topology.model import Bools, Fabric, Ints


def designed_pairs(fabric: Fabric) -> tuple[Ints, Ints]:
    """Return lower and upper switch of every pair that the design cables.

    A leaf belongs to the spines of its pod and plane; a spine to the super-spines of its plane,
    and of its group where there are groups. -1 for pod or plane stands for all.
    """
    switches, top = fabric.switches, fabric.intent.fabric.super_spines
    groups = top.groups if top else 1
    leaves, spines, cores = (switches.of_tier(tier) for tier in range(3))
    number = np.zeros(len(switches), dtype=np.int64)
    for rows in (spines, cores):
        number[rows] = rank_within(switches.pod[rows] * 2 + switches.plane[rows]) % groups
    low, high = (
        _alike(switches.pod, leaves, spines) & _alike(switches.plane, leaves, spines),
        (_alike(switches.plane, spines, cores) & _alike(number, spines, cores)),
    )
    pairs = [(leaves, spines, low), (spines, cores, high)]
    return (
        np.concatenate([below[np.nonzero(mask)[0]] for below, _, mask in pairs]),
        np.concatenate([above[np.nonzero(mask)[1]] for _, above, mask in pairs]),
    )


def down_paths(fabric: Fabric, row: int) -> int:
    """Return the equal paths down from a switch: cables to one leaf, or to the spines of a pod."""
    up, switches = fabric.uplinks, fabric.switches
    below = up.lower[fabric.downlinks_of(row)]
    same = switches.pod[below] + 1 if switches.tier[row] > 1 else below
    return int(np.bincount(same).max(initial=0))


def _alike(column: Ints, lower: Ints, upper: Ints) -> Bools:
    here, there = column[lower][:, None], column[upper][None, :]
    mask: Bools = (here == there) | (here < 0) | (there < 0)
    return mask
