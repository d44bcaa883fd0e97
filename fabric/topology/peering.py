"""Which cables between switches have addresses: both ends have to want sessions without any."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from fabric.topology.model import Bools, Fabric, Ints

UNNUMBERED = "unnumbered"


def numbered_links(fabric: Fabric) -> Bools:
    """Tell of each cable between switches whether its sessions are between addresses."""
    up = fabric.uplinks
    lower = _unnumbered(fabric, up.lower, up.lower_port)
    return ~(lower & _unnumbered(fabric, up.upper, up.upper_port))


def _unnumbered(fabric: Fabric, rows: Ints, numbers: Ints) -> Bools:
    """Tell of each end of a cable whether it wants none: its port, its switch, or the fabric."""
    of_switch = np.full(len(fabric.switches), fabric.intent.fabric.bgp.peering == UNNUMBERED)
    of_port: dict[tuple[int, int], bool] = {}
    for name, overrides in fabric.intent.device_overrides.items():
        row = fabric.switch_row[name]
        for override in overrides:
            if override.value.peering:
                of_switch[row] = override.value.peering == UNNUMBERED
            for port, change in override.value.ports.items():
                if change.peering:
                    number = fabric.switches.skus[row].port_numbers()[port]
                    of_port[row, number] = change.peering == UNNUMBERED
    ends: Bools = of_switch[rows]
    for (row, number), wants in of_port.items():
        ends[(rows == row) & (numbers == number)] = wants
    return ends
