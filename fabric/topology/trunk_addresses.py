"""Addresses of cables between switches that the inventory names one by one."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from fabric.core.counts import counted
from fabric.topology.explicit_cables import port_keys
from fabric.topology.layout import rank_within, spine_place
from fabric.topology.peering import UNNUMBERED

if TYPE_CHECKING:
    from fabric.core.findings import Finding
    from fabric.intent.inventory import Intent
    from fabric.topology.layout import Layout
    from fabric.topology.model import Bools, Ints, Uplinks


class Trunks(NamedTuple):
    """Ends of explicit cables in the order of the file, each of shape (n,)."""

    lower: Ints
    lower_port: Ints
    upper: Ints
    upper_port: Ints


def trunk_addresses(
    intent: Intent, layout: Layout, designed: Uplinks, trunks: Trunks, lost: Bools
) -> tuple[Ints, list[Finding]]:
    """Return the upper address of explicit cables, from the links that their lower end has.

    A cable takes the link of the designed one that it replaces: that in its lower port, else that
    of the same switch in its upper port. Others take free links of their switch in the order of
    the file: from the first where all cables are explicit; else from the last spare one, so that
    designed cables that are added later keep theirs, and then those of cables that gave way.

    Parameters
    ----------
    lost : array of bool, shape (designed,)
        Which designed cables give way to those of the file.
    """
    base, room = _links(intent, layout)
    replaced = _replaced(designed, trunks)
    address = np.where(replaced >= 0, _at(designed.upper_address, replaced), 0)
    others = np.flatnonzero(replaced < 0)
    lower = trunks.lower[others]
    if not len(designed):
        slots, short = rank_within(lower), rank_within(lower) >= room[lower]
    else:
        kept = ~lost
        kept[replaced[replaced >= 0]] = True
        slots, short = _free_slots(designed, kept, base, room, lower)
    has_room = room[lower] > 0
    if intent.fabric.bgp.peering == UNNUMBERED:
        short &= has_room  # a link that needs an address all the same is reported by BGP010
    address[others] = np.where(has_room, base[lower] + 2 * slots, 0)
    rows = sorted({*lower[short].tolist()})
    return address, [_short(intent, layout, row, int(room[row])) for row in rows]


def _at(values: Ints, rows: Ints) -> Ints:
    """Return the values of some rows; any value for the row -1."""
    return values[rows] if len(values) else np.zeros(len(rows), dtype=np.int64)


def _replaced(designed: Uplinks, trunks: Trunks) -> Ints:
    """Return the designed cable whose link each explicit one takes; -1 where there is none."""
    low = _found(designed.lower, designed.lower_port, trunks.lower, trunks.lower_port)
    high = _found(designed.upper, designed.upper_port, trunks.upper, trunks.upper_port)
    is_own = (high >= 0) & (_at(designed.lower, high) == trunks.lower)
    high = np.where(is_own & ~np.isin(high, low[low >= 0]), high, -1)
    return np.where(low >= 0, low, high)


def _found(switch: Ints, port: Ints, wanted: Ints, wanted_port: Ints) -> Ints:
    """Return the row of each wanted port among the ports of cables; -1 where it has none."""
    keys, values = port_keys(switch, port), port_keys(wanted, wanted_port)
    order = np.argsort(keys)
    place = np.searchsorted(keys[order], values)
    rows = np.full(len(values), -1)
    inside = place < len(keys)
    rows[inside] = order[place[inside]]
    return np.where((rows >= 0) & (_at(keys, rows) == values), rows, -1)


def _free_slots(
    designed: Uplinks, kept: Bools, base: Ints, room: Ints, lower: Ints
) -> tuple[Ints, Bools]:
    """Return a free link for each further cable of its switch, and which cables get none."""
    slots = np.zeros(len(lower), dtype=np.int64)
    short = np.zeros(len(lower), dtype=np.bool_)
    for row in np.unique(lower).tolist():
        mine = designed.lower == row
        taken = (designed.upper_address[mine] - base[row]) // 2
        spare = np.setdiff1d(np.arange(room[row]), taken)[::-1]
        free = np.concatenate([spare, np.sort(taken[~kept[mine]])])
        cables = np.flatnonzero(lower == row)
        count = min(len(cables), len(free))
        slots[cables[:count]], short[cables[count:]] = free[:count], True
    return slots, short


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
    message = (
        f"{layout.names[row]} has more uplink cables than its {counted(room, 'reserved link')}"
    )
    fix = (
        f"remove a cable, or, before the fabric is built, increase {'.'.join(path)} or use a "
        f"larger pool for addressing.{pool}: addresses of other cables change with it"
    )
    return intent.finding("TOP004", message, fix, *path)
