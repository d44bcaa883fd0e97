"""What the service was told: conditions and running jobs, with the version of their whole."""

from __future__ import annotations

import time
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from fabric.placement.engine.state import Condition, RunningJob, State
from fabric.placement.engine.traffic import RING

if TYPE_CHECKING:
    from collections.abc import Mapping

    from fabric.placement.condition import ConditionBody
    from fabric.placement.engine.traffic import Traffic
    from fabric.serve.requests import JobBody
    from fabric.topology.model import Fabric


@dataclass(frozen=True)
class BookedJob:
    """A running job: as it was sent, and as the engine takes it."""

    body: JobBody
    hosts: tuple[str, ...]
    traffic: Traffic


@dataclass(frozen=True)
class Book:
    """The state at one version.

    Parameters
    ----------
    conditions : mapping
        By subject.
    jobs : mapping
        By name.
    version : int
        Counts changes.
    changed_s : float or None
        Time of the last change, seconds since 1970; None before the first.
    """

    conditions: Mapping[str, ConditionBody] = field(default_factory=dict)
    jobs: Mapping[str, BookedJob] = field(default_factory=dict)
    version: int = 0
    changed_s: float | None = None

    def state(self, fabric: Fabric, unknown: frozenset[str] = frozenset()) -> State:
        """Return what the engine gets: what the fabric has, without subjects that it does not know.

        A job loses hosts that the fabric does not have; its layout then fits no more, and its
        traffic counts as a ring.
        """
        conditions = (
            Condition(subject, one.health, one.reason, one.capacity)
            for subject, one in self.conditions.items()
            if subject not in unknown
        )
        jobs = (_running(name, job, fabric) for name, job in self.jobs.items())
        return State(tuple(conditions), tuple(job for job in jobs if job.hosts))

    def unknown_hosts(self, fabric: Fabric) -> set[str]:
        """Return hosts of jobs that the fabric does not have."""
        return {host for job in self.jobs.values() for host in job.hosts} - set(fabric.host_row)

    def with_conditions(self, conditions: Mapping[str, ConditionBody]) -> Book:
        """Return the next version, with other conditions."""
        return self._next(conditions=conditions)

    def patched(self, changes: Mapping[str, ConditionBody | None]) -> Book:
        """Return the next version; None removes a condition."""
        kept = {name: one for name, one in self.conditions.items() if name not in changes}
        return self.with_conditions({**kept, **{k: v for k, v in changes.items() if v}})

    def with_job(self, job: BookedJob) -> Book:
        """Return the next version, with one more job."""
        return self._next(jobs={**self.jobs, job.body.name: job})

    def without_job(self, name: str) -> Book:
        """Return the next version, without a job."""
        return self._next(jobs={key: job for key, job in self.jobs.items() if key != name})

    def _next(self, **changes: object) -> Book:
        return replace(self, version=self.version + 1, changed_s=time.time(), **changes)  # type: ignore[arg-type]


def _running(name: str, job: BookedJob, fabric: Fabric) -> RunningJob:
    hosts = tuple(host for host in job.hosts if host in fabric.host_row)
    traffic, all_gpus = job.traffic, fabric.intent.fabric.host.gpus
    gpus = min(job.body.gpus_per_node or all_gpus, all_gpus)
    if traffic.layout:
        try:
            traffic.layout.check(len(hosts), gpus)
        except ValueError:
            traffic = RING
    return RunningJob(name, hosts, traffic, gpus)
