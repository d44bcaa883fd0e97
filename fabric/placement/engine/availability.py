"""Which hosts a job may use, and why not the others."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from fabric.core import hostlist
from fabric.core.errors import InputError
from fabric.core.findings import Finding, Severity
from fabric.placement.engine.host_health import host_health
from fabric.placement.engine.now import NOT_OF_THIS_FABRIC, alternative, shown_name
from fabric.placement.engine.state import STATE_RULE
from fabric.topology.naming import hint, unknown

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from fabric.placement.engine.host_health import HostHealth
    from fabric.placement.engine.now import Now
    from fabric.placement.engine.state import RunningJob
    from fabric.placement.engine.traffic import Floats
    from fabric.topology.model import Bools, Fabric, Ints


@dataclass(frozen=True, eq=False)
class Usable:
    """Hosts for a job on some columns.

    Parameters
    ----------
    healthy, graded : array of bool, shape (hosts,)
        Hosts that may be used, and of these the degraded ones are graded, not healthy.
    share_left : array of float, shape (hosts,)
        Share of the bandwidth of their NICs that is left, 0 to 1.
    uncabled, busy, lost : array of bool, shape (hosts,)
        Hosts that may not be used: a NIC has no cable, a job runs, or they are not as planned.
    reasons : dict
        Why a host is graded or lost, by row.
    """

    healthy: Bools
    graded: Bools
    share_left: Floats
    uncabled: Bools
    busy: Bools
    lost: Bools
    reasons: dict[int, str]

    @cached_property
    def late(self) -> Floats:
        """0 of a healthy host; of degraded ones those with more come later; shape (hosts,)."""
        return np.where(self.healthy, 0.0, 2.0 - self.share_left)

    @cached_property
    def shares(self) -> list[float]:
        """Shares that degraded hosts have left, each once, the largest first."""
        shares: list[float] = np.unique(self.share_left[self.graded])[::-1].tolist()
        return shares

    def with_share(self, least: float) -> Bools:
        """Return the healthy hosts, and the degraded ones that have such a share left or more."""
        return self.healthy | self.graded & (self.share_left >= least)

    def missing(self, among: Bools) -> list[tuple[str, str]]:
        """Return how many of some hosts cannot be used and why, and what to do about each kind."""
        lost = np.flatnonzero(self.lost & among).tolist()
        such = f"not as planned, such as {self.reasons[lost[0]]}" if lost else ""
        kinds = (
            (self.uncabled, "without a NIC of the rails in use", "connect the NICs"),
            (self.busy, "with a job", "wait for a job to end"),
            (self.lost, such, "repair the devices that differ from the plan"),
        )
        return [
            (f"{count} {words}", fix)
            for mask, words, fix in kinds
            if (count := int((mask & among).sum()))
        ]


@dataclass(frozen=True, eq=False)
class Availability:
    """Health and use of the hosts.

    Parameters
    ----------
    busy : array of bool, shape (hosts,)
        Hosts that run a job.
    nic : array of int, shape (hosts, columns)
        NIC port that serves each column.
    nic_up : array of bool, shape (hosts, columns)
        Columns whose NIC port is cabled and enabled.
    """

    now: Now
    busy: Bools
    nic: Ints
    nic_up: Bools
    _known: dict[tuple[int, ...], Usable] = field(default_factory=dict)

    @classmethod
    def of(cls, now: Now, jobs: Sequence[RunningJob], nic: Ints) -> Availability:
        """Return the hosts of a fabric as they are.

        Raises
        ------
        InputError
            When a job runs on a host that the fabric does not have, on none or on one twice, or has
        a layout of another size.
        """
        fabric = now.fabric
        busy = np.zeros(len(fabric.hosts), dtype=np.bool_)
        findings = wrong_jobs(fabric, jobs)
        for job in jobs:
            busy[[fabric.host_row[name] for name in job.hosts if name in fabric.host_row]] = True
        if findings:
            raise InputError(NOT_OF_THIS_FABRIC, findings)
        shape = (len(fabric.hosts), fabric.nics_per_host)
        up = np.take_along_axis(fabric.nics.enabled.reshape(shape), nic, axis=1)
        return cls(now, busy, nic, up)

    @cached_property
    def hosts(self) -> dict[int, HostHealth]:
        """What is known of hosts for jobs on all of their NICs, by row."""
        return host_health(self.now)

    def usable(self, columns: Ints) -> Usable:
        """Return the hosts whose NICs of these columns can be used."""
        key = tuple(columns.tolist())
        if key not in self._known:
            self._known[key] = self._usable(columns)
        return self._known[key]

    def _usable(self, columns: Ints) -> Usable:
        cabled: Bools = np.logical_and.reduce(self.nic_up[:, columns], axis=1)
        used = np.zeros((len(cabled), self.now.fabric.nics_per_host), dtype=np.bool_)
        np.put_along_axis(used, self.nic[:, columns], values=True, axis=1)
        known = host_health(self.now, used)
        graded, lost = np.zeros_like(cabled), np.zeros_like(cabled)
        graded[[row for row, health in known.items() if health.takes_jobs]] = True
        lost[[row for row, health in known.items() if not health.takes_jobs]] = True
        free = cabled & ~self.busy & ~lost
        share_left = np.ones(len(cabled))
        share_left[[*known]] = [health.share_left for health in known.values()]
        reasons = {row: health.main_reason for row, health in known.items()}
        return Usable(free & ~graded, free & graded, share_left, ~cabled, self.busy, lost, reasons)


def wrong_jobs(fabric: Fabric, jobs: Sequence[RunningJob]) -> list[Finding]:
    """Return what is wrong with jobs that run, each by its name."""
    return [
        Finding(
            STATE_RULE, Severity.ERROR, message, fix, field=f"jobs.{shown_name(job.name)}.{member}"
        )
        for job in jobs
        for member, message, fix in _wrong(fabric, job)
    ]


def _wrong(fabric: Fabric, job: RunningJob) -> Iterator[tuple[str, str, str]]:
    """Yield what is wrong with a job: member, message, remedy."""
    name, fix = f"job {job.name[:80]!a}", "remove the job, or correct its hosts"
    strange = [host for host in dict.fromkeys(job.hosts) if host not in fabric.host_row]
    if strange:
        close = hint("host", strange[0], fabric.hosts.names)
        message = f"{name}: {unknown('host', [host[:80] for host in strange])}"
        yield "hosts", message, alternative(close, "remove the job")
    if not job.hosts:
        yield "hosts", f"{name} runs on no host", fix
    if twice := hostlist.doubled(job.hosts):
        shown = shown_name(hostlist.in_short(twice))
        yield "hosts", f"{name} names {shown} twice", "name each host once"
    if job.traffic.layout:
        try:
            gpus = job.gpus_per_node or fabric.intent.fabric.host.gpus
            job.traffic.layout.check(len(job.hosts), gpus)
        except ValueError as error:
            yield "traffic.layout", f"{name}: {error}", "correct its layout or its hosts"
