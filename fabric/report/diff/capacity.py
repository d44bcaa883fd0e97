"""What the network carries, and what its single failures do, before and after."""

from __future__ import annotations

import math
import re
from typing import TYPE_CHECKING

import numpy as np

from fabric.core.units import share_to_percent
from fabric.report.capacity import GBPS
from fabric.report.capacity import capacity as capacity_of
from fabric.report.diff.model import Compared, Consequence
from fabric.report.diff.risks import DiffRisk
from fabric.topology.clos import clos
from fabric.topology.singles import SingleFailures

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping
    from typing import Any

    from fabric.design.designs import Designs
    from fabric.topology.clos import Clos
    from fabric.topology.model import Bools
    from fabric.topology.singles import Singles

_ABSENT = "-"
#: Items, by their first words, that are worse when they grow, and when they fall. Lengths of
#: cables are neither.
_OVERSUBSCRIPTION = "oversubscription"
_SINGLE_POINTS = "single points of failure"
_WORSE_HIGHER = (_OVERSUBSCRIPTION, _SINGLE_POINTS, "host pairs cut", "diameter")
_WORSE_LOWER = (
    *("uplinks in use", "uplinks of the weakest unit", "bisection", "leaf pairs with a path"),
    *("equal paths of a leaf pair", "path MTU", "bandwidth left"),
)
_FIRST_NUMBER = re.compile(r"\d[\d,]*(\.\d+)?")
_PERCENT = re.compile(r"([\d.]+) %")


def capacity(before: Designs, after: Designs) -> list[Compared]:
    """Return the items of ``show capacity`` and of single failures that differ."""
    sides = [
        {**_carried(designs), **_failures(clos(designs.fabric))} for designs in (before, after)
    ]
    return [
        Compared(item, sides[0].get(item, _ABSENT), sides[1].get(item, _ABSENT))
        for item in dict.fromkeys((*sides[0], *sides[1]))
        if sides[0].get(item) != sides[1].get(item)
    ]


def worse(items: Iterable[Compared]) -> list[Compared]:
    """Return the items that get worse; by their first number, where both sides have one."""
    return [one for one in items if _is_worse(one)]


def less_bandwidth(items: Iterable[Compared]) -> Iterator[Consequence]:
    """Yield where uplinks carry less of what is below them than before, if that is not all."""
    where: dict[str, str] = {}  # tiers, rails and the worst leaf often change alike
    for one in worse(items):
        if one.item.startswith(_OVERSUBSCRIPTION) and _numbers(one)[1] > 1:
            name = one.item.removeprefix(_OVERSUBSCRIPTION).strip(", ")
            where.setdefault(f"{one.before} -> {one.after}", name)
    if where:
        rows = ", ".join(f"{name} {change}" for change, name in where.items())
        words = f"uplinks carry less of the bandwidth below them: {rows}"
        yield Consequence(DiffRisk.LESS_PROTECTION.value, words)


def _numbers(one: Compared) -> tuple[float, float]:
    """Return what counts of both sides; not a number where a side has none."""
    return _number(one.before), _number(one.after)


def _number(text: str) -> float:
    """Return the share that a text says, else its first number.

    A fabric that grows has more of everything, and its smallest part may be a new one.
    """
    if share := _PERCENT.search(text):
        return _as_number(share[1])
    number, whole = _as_number(text), _as_number(text.partition(" of ")[2])
    return number / whole if whole > 0 else number


def _as_number(text: str) -> float:
    match = _FIRST_NUMBER.match(text)
    return float(match[0].replace(",", "")) if match else math.nan


def _is_worse(one: Compared) -> bool:
    old, new = _numbers(one)
    return (new > old and one.item.startswith(_WORSE_HIGHER)) or (
        new < old and one.item.startswith(_WORSE_LOWER)
    )


def _carried(designs: Designs) -> dict[str, str]:
    table = capacity_of(designs)
    items = zip(table.rows, table.members, strict=True)
    return {str(item): f"{value}{_of_nics(members)}" for (item, value, _), members in items}


def _of_nics(members: Mapping[str, Any]) -> str:
    """Return which share of the bandwidth of its NICs an item is; empty for all but bandwidth."""
    if members["unit"] != GBPS or not members.get("of"):
        return ""
    return f" ({share_to_percent(members['number'] / members['of']):.1f} % of NICs)"


def _failures(network: Clos) -> dict[str, str]:
    """Return, for each kind of thing, how many are single points of failure, and the worst one."""
    every = SingleFailures(network)
    switches = every.switches()
    alive = np.ones(len(network.tier), dtype=bool)
    kinds: list[tuple[str, Singles, Bools]] = [
        ("leaf", switches, alive & (network.tier == 0)),
        ("switch above the leaves", switches, alive & (network.tier > 0)),
        ("cable between switches", every.cables(), network.cables.up),
        ("NIC cable", every.nics(), network.nics.up),
    ]
    items, pairs = {}, math.comb(len(network.host_unit), 2)
    for kind, effects, chosen in kinds:
        if not chosen.any():
            continue
        lost = effects.host_pairs + effects.rails + effects.rail_lost
        number, every_one = int((lost[chosen] > 0).sum()), int(chosen.sum())
        items[f"{_SINGLE_POINTS}, {kind}"] = f"{number:,} of {every_one:,}"
        cut = int(effects.host_pairs[chosen].max())
        percent = share_to_percent(cut / max(1, pairs))
        items[f"host pairs cut by the worst {kind}"] = f"{cut:,} ({percent:.1f} % of all)"
        least = share_to_percent(float(effects.left[chosen].min()))
        items[f"bandwidth left after the worst {kind}"] = f"{least:.1f} %"
    return items
