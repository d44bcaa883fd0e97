"""Which hosts a job may use, and why not the others."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from fabric.core.errors import InputError
from fabric.core.findings import Finding, Severity
from fabric.placement.engine.state import Health

if TYPE_CHECKING:
    from collections.abc import Sequence

    from fabric.placement.engine.now import Now
    from fabric.placement.engine.state import Condition, RunningJob
    from fabric.topology.model import Bools, Ints


@dataclass(frozen=True, eq=False)
class Usable:
    """Hosts for a job on some columns.

    Parameters
    ----------
    healthy, graded : array of bool, shape (hosts,)
        Hosts that may be used, and of these the degraded ones are graded, not healthy.
    reasons : dict
        Why a host is graded or cannot be used, by row; hosts that run a job are not in it.
    missing : tuple of str
        How many hosts cannot be used for which reason.
    """

    healthy: Bools
    graded: Bools
    reasons: dict[int, str]
    missing: tuple[str, ...]


@dataclass(frozen=True, eq=False)
class Availability:
    """Health and use of the hosts.

    Parameters
    ----------
    busy : array of bool, shape (hosts,)
        Hosts that run a job.
    nic_up : array of bool, shape (hosts, columns)
        NIC ports that are cabled and enabled.
    """

    now: Now
    busy: Bools
    nic_up: Bools
    _known: dict[tuple[int, ...], Usable] = field(default_factory=dict)

    @classmethod
    def of(cls, now: Now, jobs: Sequence[RunningJob]) -> Availability:
        """Return the hosts of a fabric as they are.

        Raises
        ------
        InputError
            When a job runs on a host that the fabric does not have.
        """
        fabric = now.fabric
        busy = np.zeros(len(fabric.hosts), dtype=np.bool_)
        findings = []
        for number, job in enumerate(jobs):
            for name in job.hosts:
                if name in fabric.host_row:
                    busy[fabric.host_row[name]] = True
                else:
                    message = f"job {job.name[:80]!a} runs on {name[:80]!a}, an unknown host"
                    fix = "remove the job, or correct its hosts"
                    place = f"jobs[{number}].hosts"
                    findings.append(Finding("PLC030", Severity.ERROR, message, fix, field=place))
        if findings:
            raise InputError("the state is not that of this fabric", findings)
        shape = (len(fabric.hosts), fabric.nics_per_host)
        return cls(now, busy, fabric.nics.enabled.reshape(shape))

    def usable(self, columns: Ints) -> Usable:
        """Return the hosts whose NICs of these columns can be used."""
        key = tuple(columns.tolist())
        if key not in self._known:
            self._known[key] = self._usable(columns)
        return self._known[key]

    def _usable(self, columns: Ints) -> Usable:
        now = self.now
        reasons = {row: _why(one) for row, one in now.graded.items()}
        graded, lost = set(now.graded), set(now.hosts)
        names = now.fabric.nics_per_host
        for nic, one in now.nics.items():
            if nic % names in columns:
                (graded if one.health is Health.DEGRADED else lost).add(nic // names)
                reasons[nic // names] = _why(one)
        reasons |= {row: _why(one) for row, one in now.hosts.items()}
        cabled = self.nic_up[:, columns].all(axis=1)
        free = cabled & ~self.busy
        free[sorted(lost)] = False
        mask = np.zeros_like(free)
        mask[sorted(graded)] = True
        missing = [f"{int((~cabled).sum())} without a NIC of the rails in use"]
        missing += [f"{int(self.busy.sum())} with a job"] if self.busy.any() else []
        missing += [f"{len(lost)} not as planned"] if lost else []
        return Usable(free & ~mask, free & mask, reasons, tuple(missing))


def _why(one: Condition) -> str:
    reason = f": {one.reason}" if one.reason else ""
    return f"{one.subject} is {_WORDS[one.health]}{reason}"


_WORDS = {
    Health.DOWN: "down",
    Health.DRAINED: "drained",
    Health.WINDOW: "in a change window",
    Health.DEGRADED: "degraded",
}
