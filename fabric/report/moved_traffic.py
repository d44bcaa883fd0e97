"""Where traffic moves by an outage: switches that lose uplinks, and what the others carry."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from fabric.topology.bandwidth import switch_gbps
from fabric.topology.clos import failed

if TYPE_CHECKING:
    from fabric.topology.clos import Clos, Outage
    from fabric.topology.model import Fabric


@dataclass(frozen=True)
class Moved:
    """Switches of one tier that lose uplinks: those left carry up to ``times`` as much.

    ``times`` is None where no uplink is left.
    """

    role: str
    switches: int
    times: float | None


def moved_traffic(fabric: Fabric, network: Clos, lost: Outage) -> list[Moved]:
    """Return the switches that lose uplinks by an outage, and stay up, tier by tier."""
    moves = []
    before, after = (switch_gbps(part)[1] for part in (network, failed(network, lost)))
    for tier in range(network.tiers - 1):
        rows = network.rows(tier)
        rows = rows[~lost.switches[rows] & (after[rows] < before[rows])]
        kept, cut_off = rows[after[rows] > 0], rows[after[rows] == 0]
        role = fabric.switches.role(int(network.rows(tier)[0]))
        if len(kept):
            times = float((before[kept] / after[kept]).max())
            moves.append(Moved(role, len(kept), times))
        if len(cut_off):
            moves.append(Moved(role, len(cut_off), None))
    return moves
