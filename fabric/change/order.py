"""The order of change: spines, leaves, hosts; one rail or one unit at a time."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from fabric.topology.model import Fabric

WaveBy = Literal["rail", "unit", "device"]


def waves(fabric: Fabric, by: WaveBy) -> list[list[str]]:
    """Return device names in waves.

    Spines change one at a time, so that the others carry the traffic. Leaves change by rail
    (jobs keep the other rails), by unit (the other units are untouched) or one at a time.
    Hosts change by unit.
    """
    switches, hosts = fabric.switches, fabric.hosts
    spines = [[name] for name in switches.names[switches.leaf_count :]]
    leaves: dict[int, list[str]] = {}
    for row, name in enumerate(switches.names[: switches.leaf_count]):
        rail, unit = int(switches.rail[row]), int(switches.unit[row])
        key = {"rail": rail if rail >= 0 else unit, "unit": unit, "device": row}[by]
        leaves.setdefault(key, []).append(name)
    by_unit: dict[int, list[str]] = {}
    for row, name in enumerate(hosts.names):
        by_unit.setdefault(int(hosts.unit[row]), []).append(name)
    return [*spines, *leaves.values(), *by_unit.values()]
