"""Which hosts take jobs, by what is not as planned: the host, its NICs, their leaves and cables.

A NIC with several ports serves its GPUs while one of them carries traffic: what takes the other
ports down costs bandwidth, and no host.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from fabric.core.units import percent_left
from fabric.placement.engine.state import Health, speed_left

if TYPE_CHECKING:
    from fabric.placement.engine.now import Now
    from fabric.placement.engine.state import Condition
    from fabric.topology.model import Bools


@dataclass(frozen=True, slots=True)
class HostHealth:
    """What is known of a host.

    Parameters
    ----------
    conditions : tuple of Condition
        What is not as planned; what keeps jobs away comes first.
    keeps_away : str
        What keeps jobs away; empty where they may go there.
    share_left : float
        Share of its bandwidth that the slowest NIC has left, 0 to 1.
    """

    conditions: tuple[Condition, ...] = ()
    keeps_away: str = ""
    share_left: float = 1.0

    @property
    def takes_jobs(self) -> bool:
        """Whether jobs may go there; a degraded host takes one where nothing better is free."""
        return not self.keeps_away

    @property
    def is_unknown(self) -> bool:
        """Whether something of it could not be read."""
        return any(one.is_unknown for one in self.conditions)

    @property
    def reasons(self) -> list[str]:
        """What is not as planned; empty where nothing is."""
        words = [*dict.fromkeys(map(why, self.conditions))]
        if self.takes_jobs and self.share_left < 1:
            words.append(f"a NIC has {percent_left(self.share_left, 1)} of its bandwidth left")
        return words

    @property
    def reason(self) -> str:
        """What is not as planned, as one line; empty where nothing is."""
        return "; ".join(self.reasons)

    @property
    def main_reason(self) -> str:
        """What keeps jobs away, or all that is not as planned where nothing does."""
        return self.keeps_away or self.reason


#: Nothing is known against a host.
HEALTHY = HostHealth()


def host_health(now: Now, used: Bools | None = None) -> dict[int, HostHealth]:
    """Return the hosts of which something is not as planned, by row.

    A host with several NICs needs all of them: one that carries nothing keeps jobs away, as it does
    in a placement on all rails.

    Parameters
    ----------
    used : array of bool, shape (hosts, NIC ports of a host), or None
        NIC ports that count; None for all.
    """
    known: dict[int, list[tuple[str, Condition]]] = {}
    for table in (now.hosts, now.graded):
        for row, condition in table.items():
            keeps_away = "" if speed_left(condition) else why(condition)
            known.setdefault(row, []).append((keeps_away, condition))
    for nic, condition in now.nics.items():
        row, port = divmod(nic, now.fabric.nics_per_host)
        if used is None or used[row, port]:
            is_lost = not speed_left(condition) and nic not in now.spared
            keeps_away = _lost_nic(now, nic) if is_lost else ""
            known.setdefault(row, []).append((keeps_away, condition))
    share_left = _shares_left(now, used)
    return {
        row: HostHealth(
            tuple(condition for _, condition in sorted(items, key=lambda item: not item[0])),
            keeps_away=next((keeps_away for keeps_away, _ in items if keeps_away), ""),
            share_left=share_left[row],
        )
        for row, items in sorted(known.items())
    }


def _lost_nic(now: Now, port: int) -> str:
    """Return why the NIC of a port carries nothing: what is known of each of its ports."""
    size = now.fabric.nic_ports
    ports = range(port - port % size, port - port % size + size)
    reasons = "; ".join(dict.fromkeys(why(now.nics[one]) for one in ports if one in now.nics))
    if size == 1:
        return reasons
    rail = port % now.fabric.nics_per_host // size
    return f"no port of the NIC of rail {rail} carries traffic: {reasons}"


def _shares_left(now: Now, used: Bools | None) -> list[float]:
    """Return the share of its bandwidth that the slowest NIC of each host has left.

    All ports of a NIC count together. The NICs of a host carry the same traffic, so that a
    collective ends with the slowest of them.
    """
    nics, hosts = now.fabric.nics, len(now.fabric.hosts)
    gbps = np.where(nics.enabled, nics.speed_gbps, 0).reshape(hosts, now.fabric.nics_per_host)
    gbps = gbps if used is None else gbps * used
    by_port = hosts, -1, now.fabric.nic_ports
    left = (gbps.ravel() * now.share_left).reshape(by_port).sum(axis=2)
    total = gbps.reshape(by_port).sum(axis=2)
    shares: list[float] = (
        np.divide(left, total, out=np.ones(left.shape), where=total > 0).min(axis=1).tolist()
    )
    return shares


def why(condition: Condition) -> str:
    """Return what a thing is that is not as planned, and why."""
    reason = f": {condition.reason}" if condition.reason else ""
    return f"{condition.subject} is {_WORDS[condition.health]}{reason}"


_WORDS = {
    Health.DOWN: "down",
    Health.DRAINED: "drained",
    Health.WINDOW: "in a change window",
    Health.DEGRADED: "degraded",
}
