"""Which hosts take jobs, by what is not as planned: the host, its NICs, their leaves and cables."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from fabric.placement.engine.availability import why
from fabric.placement.engine.state import Health

if TYPE_CHECKING:
    from fabric.placement.engine.now import Now
    from fabric.placement.engine.state import Condition


@dataclass(frozen=True, slots=True)
class HostHealth:
    """What is known of a host.

    Parameters
    ----------
    conditions : tuple of Condition
        What is not as planned; what keeps jobs away comes first.
    """

    conditions: tuple[Condition, ...] = ()

    @property
    def takes_jobs(self) -> bool:
        """Whether jobs may go there; a degraded host takes one where nothing better is free."""
        return all(one.health is Health.DEGRADED for one in self.conditions)

    @property
    def is_unknown(self) -> bool:
        """Whether something of it could not be read."""
        return any(one.is_unknown for one in self.conditions)

    @property
    def reason(self) -> str:
        """What is not as planned, as one line; empty where nothing is."""
        return "; ".join(map(why, self.conditions))


#: Nothing is known against a host.
HEALTHY = HostHealth()


def host_health(now: Now) -> dict[int, HostHealth]:
    """Return the hosts of which something is not as planned, by row.

    A host with several NICs needs all of them: one that carries nothing keeps jobs away, as it does
    in a placement on all rails.
    """
    found: dict[int, list[Condition]] = {}
    for table in (now.hosts, now.graded):
        for row, one in table.items():
            found.setdefault(row, []).append(one)
    for nic, one in now.nics.items():
        found.setdefault(nic // now.fabric.nics_per_host, []).append(one)
    return {
        row: HostHealth(tuple(sorted(of, key=lambda one: one.health is Health.DEGRADED)))
        for row, of in sorted(found.items())
    }
