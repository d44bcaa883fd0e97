"""The order of change: spines, leaves, hosts; one rail or one unit at a time."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from fabric.topology.model import Fabric

WaveBy = Literal["rail", "unit", "device"]


def waves(fabric: Fabric, by: WaveBy) -> list[list[str]]:
    """Return device names in waves.

    Spines and super-spines change one at a time, so that the others carry the traffic. Leaves
    change by rail (jobs keep the other rails), by unit (the other units are untouched) or one at a
    time; of two leaves that serve the same rail of a unit, by two ports of its NICs, the second one
    changes in a later wave. Hosts change by unit.
    """
    switches, hosts = fabric.switches, fabric.hosts
    spines = [[name] for name in switches.names[switches.leaf_count :]]
    leaves: dict[tuple[int, int], list[str]] = {}
    served: Counter[tuple[int, int]] = Counter()
    for row, name in enumerate(switches.names[: switches.leaf_count]):
        rail, unit = int(switches.rail[row]), int(switches.unit[row])
        key = {"rail": rail if rail >= 0 else unit, "unit": unit, "device": row}[by]
        leaves.setdefault((key, served[unit, rail]), []).append(name)
        served[unit, rail] += 1
    by_unit: dict[int, list[str]] = {}
    for row, name in enumerate(hosts.names):
        by_unit.setdefault(int(hosts.unit[row]), []).append(name)
    return [*spines, *leaves.values(), *by_unit.values()]
