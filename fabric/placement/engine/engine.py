"""Chooses hosts for jobs."""

from __future__ import annotations

from bisect import bisect_left
from dataclasses import replace
from functools import cache
from typing import TYPE_CHECKING

import numpy as np

from fabric.placement.engine.answer import Evaluated, answer, why_stopped
from fabric.placement.engine.batch import Batch, Scores
from fabric.placement.engine.demand import Demand
from fabric.placement.engine.index import Index
from fabric.placement.engine.load import LinkLoad, Loads, link_loads
from fabric.placement.engine.polish import Trials, polished
from fabric.placement.engine.query import Within
from fabric.placement.engine.rails import used_columns
from fabric.placement.engine.request import (
    impossible,
    never_fits,
    no_way,
    resolve,
    stays_on_rails,
)
from fabric.placement.engine.search import Problem
from fabric.placement.engine.seats import blocks, seats
from fabric.placement.engine.state import State
from fabric.placement.engine.supply import ratio
from fabric.placement.engine.tenancy import usable_nics

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from fabric.core.errors import NoRoomError
    from fabric.placement.engine.availability import Usable
    from fabric.placement.engine.query import Answer, Query
    from fabric.placement.engine.request import Request
    from fabric.placement.engine.supply import Supply
    from fabric.placement.engine.traffic import Floats
    from fabric.topology.model import Bools, Fabric, Ints

#: How much longer a choice takes by itself than among many.
_ONE_BY_ONE = 50


class Engine:
    """Answers where a job should run.

    Parameters
    ----------
    state : State or None
        What is not as planned, and the jobs that run.

    Raises
    ------
    InputError
        When the state names what the fabric does not have.
    """

    def __init__(self, fabric: Fabric, state: State | None = None) -> None:
        self.index = Index(fabric, state or State())

    @property
    def fabric(self) -> Fabric:
        """The network."""
        return self.index.fabric

    @property
    def state(self) -> State:
        """What is not as planned, and the jobs that run."""
        return self.index.state

    def updated(self, state: State) -> Engine:
        """Return an engine of the same fabric in another state; raises as the constructor."""
        other = object.__new__(Engine)
        other.index = Index(self.fabric, state, self.index)
        return other

    def why_not(self, hosts: Sequence[str], gpus: int) -> list[str]:
        """Return why hosts of the fabric are not as planned, for a job with GPUs of each."""
        usable = self.index.available.usable(used_columns(self.fabric, gpus))
        rows = (self.fabric.host_row[name] for name in hosts)
        return [usable.reasons[row] for row in rows if row in usable.reasons]

    def stopped(self, hosts: Sequence[str], columns: Ints) -> dict[str, str]:
        """Return those of some hosts that take no job on these columns now, and why."""
        rows = np.array([self.fabric.host_row[name] for name in hosts], dtype=np.int64)
        return dict(why_stopped(self.index, self.index.available.usable(columns), rows))

    def place(self, query: Query) -> Answer:
        """Return hosts for a job.

        Raises
        ------
        UnplaceableError
            When the query is wrong, there are not enough hosts for it, or no way between them.
        """
        request = resolve(self.fabric, query)
        supply = self.index.supply(request.columns)
        demand = Demand.of(query.traffic, query.nodes, request.gpus, supply.leaves)
        stays_on_rails(request, demand)
        usable = self.index.available.usable(request.columns)
        block, nics = self._blocks(query), self._nics(query, request)

        def evaluated(rows: Ints) -> Evaluated:
            own = self.index.loads(supply, demand, rows)
            if own.lost:
                return Evaluated(rows, own, float("inf"), 0.0)
            shared = float((own.load + self.index.background[own.link]).max(initial=0.0))
            nic_load = _nic_load(demand, rows, block, usable.share_left)
            return Evaluated(rows, own, shared, nic_load)

        def searched(admitted: Bools) -> tuple[Problem, Evaluated | None]:
            free = self._eligible(request, admitted, block)
            counts = self._counts(request, usable, free)
            problem = self._problem(request, supply, demand, counts)
            problem = replace(problem, nics=self._least(nics, free))
            if query.hosts:
                return problem, evaluated(request.hosts)
            if np.isinf(problem.bound):
                return problem, None

            def seated(counts: Ints) -> Evaluated:
                groups, late = self.index.groups, usable.late
                return evaluated(seats(groups, counts, late, free, block=block, nics=nics))

            enough = problem.bound * (1 + query.room)
            trials = self._trials(supply, demand, seated)
            return problem, polished(problem, problem.choose(enough), seated, trials, enough)

        problem, best = searched(usable.healthy)
        if not _has_hosts(best) and usable.shares and not query.hosts:
            problem, best = _among_degraded(usable, searched)
        if best is None:
            raise self._refused(request, problem, usable, block)
        if best.own.lost:
            raise no_way(self.index, best.own, len(best.rows))
        return answer(self.index, best, problem, usable, request)

    def _refused(
        self, request: Request, problem: Problem, usable: Usable, block: Ints | None
    ) -> NoRoomError:
        """Return the error of a query that has no room now, or would have none if all were free."""
        groups, names_all = self.index.groups, replace(request, exclude=request.exclude[:0])
        free = self._eligible(names_all, request.allowed, block)
        every = replace(problem, free=np.bincount(groups.of_host[free], minlength=len(groups)))
        if every.enough(float("inf")):
            return impossible(self.fabric, request, problem, usable)
        return never_fits(request, every)

    def _trials(
        self, supply: Supply, demand: Demand, seated: Callable[[Ints], Evaluated]
    ) -> Trials:
        """Return how choices are tried: all at once where that is possible."""
        batch = Batch(supply, demand, self.index.numbers, self.index.links)
        if batch.fits:
            return Trials(batch.scores, batch.work)

        def scores(choices: Ints) -> Scores:
            evaluated = [seated(counts) for counts in choices]
            lost, load = ([getattr(one, name) for one in evaluated] for name in ("lost", "load"))
            return Scores(np.array(lost), np.array(load))

        return Trials(scores, lambda groups, pods: _ONE_BY_ONE * batch.work(groups, pods))

    def link_loads(self, query: Query, rows: Ints) -> list[LinkLoad]:
        """Return what a job would load the links that it uses with, the fullest first.

        Parameters
        ----------
        rows : array of int, shape (nodes,)
            Its hosts in rank order, as `place` returns them.
        """
        request = resolve(self.fabric, query)
        supply = self.index.supply(request.columns)
        demand = Demand.of(query.traffic, query.nodes, request.gpus, supply.leaves)
        own = self.index.loads(supply, demand, rows)
        total = Loads(own.link, own.load + self.index.background[own.link])
        return link_loads(self.index.numbers, total, self.fabric.switches.names)

    def _eligible(self, request: Request, usable: Bools, block: Ints | None) -> Bools:
        """Return the hosts that the query admits, shape (hosts,)."""
        free = usable.copy()
        if len(request.include):
            named = np.zeros_like(free)
            named[request.include] = True
            free &= named
        free[request.exclude] = False
        if request.query.within is Within.BLOCK and block is not None:
            count = np.bincount(block[free], minlength=int(block.max()) + 1)
            enough = np.flatnonzero(count >= request.query.nodes)
            free &= block == (enough[np.argmin(count[enough])] if len(enough) else -1)
        return free

    def _counts(self, request: Request, usable: Usable, free: Bools) -> Ints:
        """Return how many hosts of each group may be used, shape (groups,)."""
        healthy, of_host = self.index.healthy(usable), self.index.groups.of_host
        if usable.graded.any() or len(request.include) or request.query.within is Within.BLOCK:
            return np.bincount(of_host[free], minlength=len(healthy))
        gone = np.unique(request.exclude)
        gone = gone[usable.healthy[gone]]
        return healthy - np.bincount(of_host[gone], minlength=len(healthy))

    def _problem(self, request: Request, supply: Supply, demand: Demand, free: Ints) -> Problem:
        query = request.query
        return Problem(
            supply=supply,
            demand=demand,
            free=free,
            floor=query.target,
            segment=query.segment or 1,
            most_groups=request.most_groups,
            whole_pod=query.within is not None,
        )

    def _nics(self, query: Query, request: Request) -> Ints | None:
        """Return the NICs of each host that a job may use; None where it uses all of a host."""
        fabric = self.fabric
        part = len(request.columns) < fabric.nics_per_host
        return usable_nics(fabric, query.tenant) if part else None

    def _least(self, nics: Ints | None, free: Bools) -> Ints | None:
        """Return the least NICs of a free host of each group, shape (groups,); None for None."""
        if nics is None:
            return None
        groups = self.index.groups
        least = np.full(len(groups.pod), self.fabric.nics_per_host)
        np.minimum.at(least, groups.of_host[free], nics[free])
        return least

    def _blocks(self, query: Query) -> Ints | None:
        """Return the NVLink domain of each host; None where it is one host."""
        per_block = (query.nvlink_gpus or 0) // self.fabric.intent.fabric.host.gpus
        if per_block > 1 or query.within is Within.BLOCK:
            return blocks(self.fabric.hosts, min(max(per_block, 1), len(self.fabric.hosts)))
        return None


_Searched = tuple[Problem, Evaluated | None]


def _has_hosts(best: Evaluated | None) -> bool:
    """Tell whether a search came to hosts that reach each other."""
    return best is not None and not best.own.lost


def _among_degraded(usable: Usable, searched: Callable[[Bools], _Searched]) -> _Searched:
    """Return the search that leaves out most degraded hosts, those with the least left first.

    Where no search comes to hosts, it is that among all of them.
    """
    search = cache(lambda share: searched(usable.with_share(share)))
    first = bisect_left(usable.shares, x=True, key=lambda share: _has_hosts(search(share)[1]))
    return search(usable.shares[min(first, len(usable.shares) - 1)])


def _nic_load(demand: Demand, rows: Ints, block: Ints | None, share_left: Floats) -> float:
    """Return the most that the NICs of a host send, per line rate that they have left.

    Hosts of an NVLink domain send the same.
    """
    sent = np.full(len(rows), 1.0 if len(rows) > 1 else 0.0)
    if block is not None:
        of, where = np.unique(block[rows], return_inverse=True)
        sent = (demand.between(where, len(of)).sum(axis=1) / np.bincount(where))[where]
    return float(ratio(sent, share_left[rows]).max(initial=0.0))
