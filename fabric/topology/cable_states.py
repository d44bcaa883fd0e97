"""What is to be said of each cable in a picture of the network."""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum
from typing import TYPE_CHECKING

import numpy as np

from fabric.topology.bandwidth import switch_gbps

if TYPE_CHECKING:
    from collections.abc import Collection

    from fabric.topology.cabling import End
    from fabric.topology.clos import Clos
    from fabric.topology.model import Fabric, Ints


class CableState(IntEnum):
    """State of a cable; of several the highest is shown."""

    PLANNED = 0
    OVERSUBSCRIBED = 1
    DOWN = 2
    LOSSLESS = 3
    WRONG = 4

    @property
    def words(self) -> str:
        """Words for a legend."""
        return (
            "planned",
            "uplink of an oversubscribed switch",
            "down or missing",
            "fails a lossless rule",
            "wrong cable",
        )[self]


#: More than the ports of any switch.
_PORTS = 1 << 20


@dataclass(frozen=True, eq=False)
class CableStates:
    """State of each cable between switches, and of each NIC cable, as numbers of `CableState`."""

    cables: Ints
    nics: Ints


def cable_states(
    fabric: Fabric,
    network: Clos,
    *,
    wrong: Collection[End] = (),
    missing: Collection[End] = (),
    failing: Collection[End] = (),
) -> CableStates:
    """Return the state of every cable.

    Parameters
    ----------
    fabric : Fabric
        Names of devices and ports.
    network : Clos
        Its arrays.
    wrong, missing, failing : collections of End
        Switch ports whose cable is wrong, is missing, or whose settings fail a lossless rule.
    """
    cables, nics = network.cables, network.nics
    below, above = switch_gbps(network)
    over = (below > above)[cables.lower] & (above > 0)[cables.lower]
    states = CableStates(
        np.where(over, CableState.OVERSUBSCRIBED, CableState.PLANNED).astype(np.int64),
        np.zeros(len(nics), dtype=np.int64),
    )
    states.cables[~cables.up] = CableState.DOWN
    states.nics[~nics.up] = CableState.DOWN
    for state, ends in (
        (CableState.DOWN, missing),
        (CableState.LOSSLESS, failing),
        (CableState.WRONG, wrong),
    ):
        keys = _keys(fabric, ends)
        mine = np.isin(cables.lower * _PORTS + cables.lower_port, keys)
        mine |= np.isin(cables.upper * _PORTS + cables.upper_port, keys)
        states.cables[mine] = state
        states.nics[np.isin(nics.leaf * _PORTS + nics.leaf_port, keys)] = state
    return states


def _keys(fabric: Fabric, ends: Collection[End]) -> Ints:
    found = []
    for device, port in ends:
        row = fabric.switch_row.get(device)
        number = fabric.switches.skus[row].port_numbers().get(port) if row is not None else None
        if row is not None and number is not None:
            found.append(row * _PORTS + number)
    return np.array(found, dtype=np.int64)
