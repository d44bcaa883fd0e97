"""The /31 of cables between switches that the inventory names one by one."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from fabric.core.findings import Finding, Severity
from fabric.topology.layout import rank_within, spine_place

if TYPE_CHECKING:
    from fabric.intent.inventory import Intent
    from fabric.topology.layout import Layout
    from fabric.topology.model import Ints, Uplinks


def trunk_addresses(
    intent: Intent, layout: Layout, designed: Uplinks, lower: Ints, port: Ints
) -> tuple[Ints, list[Finding]]:
    """Return the upper address of explicit cables, from the links that their lower end keeps.

    A cable in the port of a designed one takes its link. Others take the links of their switch in
    the order of the file: from the first where all cables are explicit, else from the last, so
    that designed cables that are added later keep theirs.

    Parameters
    ----------
    lower, port : array of int, shape (n,)
        Lower end of each explicit cable, in the order of the file.
    """
    base, room = _links(intent, layout)
    keys = designed.lower * 65_536 + designed.lower_port
    order = np.argsort(keys)
    place = np.searchsorted(keys[order], lower * 65_536 + port)
    found = np.full(len(lower), -1)
    inside = place < len(keys)
    found[inside] = order[place[inside]]
    same = found >= 0
    same[same] = keys[found[same]] == (lower * 65_536 + port)[same]
    others = np.flatnonzero(~same)
    rank = rank_within(lower[others])
    mixed = len(designed) > 0
    slot = room[lower[others]] - 1 - rank if mixed else rank
    used = np.bincount(designed.lower, minlength=len(room))[lower[others]]
    wrong = (rank + used) >= room[lower[others]]
    address = np.zeros(len(lower), dtype=np.int64)
    address[same] = designed.upper_address[found[same]]
    address[others] = base[lower[others]] + 2 * slot
    short = sorted(set(lower[others[wrong]].tolist()))
    return address, [_short(intent, layout, row, int(room[row])) for row in short]


def _links(intent: Intent, layout: Layout) -> tuple[Ints, Ints]:
    """Return the first address of the links of each switch, and how many links it keeps."""
    pools = intent.fabric.addressing
    base, room = np.zeros(len(layout.names), dtype=np.int64), np.zeros(len(layout.names), int)
    leaves, spines = np.arange(layout.leaf_count), layout.of_tier(1)
    for pool, rows, numbers, count in (
        (pools.uplinks, leaves, leaves, pools.uplinks_per_leaf),
        (pools.core_links, spines, spine_place(intent, layout), pools.core_links_per_spine),
    ):
        if pool is not None:
            base[rows] = int(pool.network_address) + 2 * count * numbers
            fits = 2 * count * (numbers + 1) <= pool.num_addresses
            room[rows] = np.where(fits, count, 0)
    return base, room


def _short(intent: Intent, layout: Layout, row: int, room: int) -> Finding:
    spine = bool(layout.tier[row])
    path = ("addressing", "core_links_per_spine" if spine else "uplinks_per_leaf")
    pool = "core_links" if spine else "uplinks"
    message = f"{layout.names[row]} has more uplink cables than its {room} reserved links"
    return Finding(
        "TOP004",
        Severity.ERROR,
        message,
        f"increase {'.'.join(path)}, or use a larger pool for addressing.{pool}",
        ".".join(("fabric", *path)),
        intent.position(*path),
    )
