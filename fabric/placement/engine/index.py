"""A fabric as it is now, made once for many questions: groups, live capacities, running jobs."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from fabric.core.errors import InputError
from fabric.placement.engine.availability import Availability, wrong_jobs
from fabric.placement.engine.batch import Links
from fabric.placement.engine.demand import Demand
from fabric.placement.engine.fair import SharedLinks
from fabric.placement.engine.load import Loads, Numbers, loads
from fabric.placement.engine.mesh import mesh
from fabric.placement.engine.now import now
from fabric.placement.engine.rails import used_columns
from fabric.placement.engine.supply import Carried, Supply, groups, live_gbps

if TYPE_CHECKING:
    from fabric.placement.engine.availability import Usable
    from fabric.placement.engine.now import Now
    from fabric.placement.engine.state import RunningJob, State
    from fabric.placement.engine.supply import Groups
    from fabric.placement.engine.traffic import Floats
    from fabric.topology.model import Fabric, Ints


class Index:
    """What answers need of a fabric in a state.

    Parameters
    ----------
    state : State
        What is not as planned, and the jobs that run.
    before : Index or None
        The same fabric in another state: what is the same in both is not made twice.

    Raises
    ------
    InputError
        When the state names what the fabric does not have.
    """

    def __init__(self, fabric: Fabric, state: State, before: Index | None = None) -> None:
        self.fabric, self.state = fabric, state
        self.groups: Groups = before.groups if before else groups(fabric)
        same = before if before and before.state.conditions == state.conditions else None
        current = same.available.now if same else _current(fabric, state)
        self.available: Availability = Availability.of(current, state.jobs, self.groups.nic)
        self.live_gbps: Floats = same.live_gbps if same else live_gbps(self.groups, current)
        self.numbers: Numbers = (
            same.numbers if same else Numbers.of(mesh(fabric, current.cable_gbps))
        )
        self.background = np.zeros(self.numbers.count)
        self._supplies: dict[bytes, Supply] = {}
        self._healthy: dict[Usable, Ints] = {}
        self._carried = self._carry()
        known = dict(zip(same.state.jobs, same.jobs, strict=True)) if same else {}
        self.jobs: list[Loads] = [known.get(job) or self._loads_of(job) for job in state.jobs]
        for job in self.jobs:
            carried = np.isfinite(job.load)  # what has no way loads no link
            self.background[job.link[carried]] += job.load[carried]
        self._supplies, self._carried = {}, self._carry()

    def _carry(self) -> Carried:
        """Return capacities and mean loads of leaves and pods."""
        of, first = self.numbers.mesh, self.numbers.first * 2
        gbps, load = (np.zeros(len(self.fabric.switches)) for _ in range(2))
        for number, pod in enumerate(of.pods):
            part = self.background[first[number] : first[number + 1]]
            gbps[pod.leaves] = pod.gbps.sum(axis=1)
            load[pod.leaves] = _mean(part, pod.gbps)
        above = _mean(self.background[first[-1] :], of.super_gbps)
        return Carried(gbps, load, of.super_gbps.sum(axis=1), above)

    def healthy(self, usable: Usable) -> Ints:
        """Return how many healthy hosts each group has, shape (groups,)."""
        if usable not in self._healthy:
            of = self.groups.of_host[usable.healthy]
            self._healthy[usable] = np.bincount(of, minlength=len(self.groups))
        return self._healthy[usable]

    def supply(self, columns: Ints) -> Supply:
        """Return what the groups carry of a job on some columns."""
        key = columns.tobytes()
        if key not in self._supplies:
            self._supplies[key] = Supply(self.groups, self._carried, columns, self.live_gbps)
        return self._supplies[key]

    def _loads_of(self, job: RunningJob) -> Loads:
        """Return the loads of a job that runs."""
        gpus = job.gpus_per_node or self.fabric.intent.fabric.host.gpus
        supply = self.supply(used_columns(self.fabric, gpus))
        demand = Demand.of(job.traffic, len(job.hosts), gpus, supply.leaf.shape[1])
        rows = np.array([self.fabric.host_row[name] for name in job.hosts], dtype=np.int64)
        return self.loads(supply, demand, rows)

    def loads(self, supply: Supply, demand: Demand, rows: Ints) -> Loads:
        """Return the loads of the links by hosts in rank order."""
        used, where = np.unique(self.groups.of_host[rows], return_inverse=True)
        return loads(supply, self.numbers, demand, used, where)

    @cached_property
    def links(self) -> Links:
        """Capacities and loads of the links as tables."""
        return Links.of(self.numbers, self.background)

    @cached_property
    def shared(self) -> SharedLinks:
        """The jobs that run, on their links."""
        return SharedLinks(self.jobs, self.background)

    @cached_property
    def rates(self) -> Floats:
        """Fair rates of the jobs that run, shape (jobs,)."""
        return self.shared.rates()


def _mean(both_ways: Floats, gbps: Floats) -> Floats:
    """Return the mean load of the links of each row, of the fuller direction; shape (rows,)."""
    width = gbps[..., None]
    carried = (np.where(width > 0, both_ways.reshape(*gbps.shape, 2), 0.0) * width).sum(axis=1)
    total = gbps.sum(axis=1, keepdims=True)
    mean = np.divide(carried, total, out=np.zeros_like(carried), where=total > 0)
    return np.asarray(mean.max(axis=1, initial=0.0))


def _current(fabric: Fabric, state: State) -> Now:
    """Return the fabric under the conditions of a state; the error names wrong jobs too."""
    try:
        return now(fabric, state.conditions)
    except InputError as error:
        findings = [*error.findings, *wrong_jobs(fabric, state.jobs)]
        raise InputError(str(error), findings) from error
