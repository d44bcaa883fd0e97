"""The answer to a query, with its reasons."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from fabric.placement.engine.host_health import why
from fabric.placement.engine.query import Answer, Room
from fabric.placement.engine.request import has_pods
from fabric.placement.engine.seats import changes

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fabric.placement.engine.availability import Usable
    from fabric.placement.engine.index import Index
    from fabric.placement.engine.load import Loads
    from fabric.placement.engine.request import Request
    from fabric.placement.engine.search import Problem
    from fabric.topology.model import Ints

#: A job counts as slowed when its rate falls by more than this share.
_NOTICED = 1e-6


@dataclass(frozen=True, eq=False)
class Evaluated:
    """Hosts for a job in rank order, and what the links carry by it.

    Parameters
    ----------
    rows : array of int, shape (nodes,)
        Rows of the hosts.
    own : Loads
        Loads by the job alone.
    load : float
        Load of the fullest of its links, with the jobs that run.
    nic_load : float
        Load of the fullest NIC, as it is now.
    """

    rows: Ints
    own: Loads
    load: float
    nic_load: float

    @property
    def lost(self) -> int:
        """Pairs of leaves between which there is traffic and no way."""
        return self.own.lost

    @property
    def cost(self) -> float:
        """Load of the fullest link, NIC or not; NICs that have nothing left carry nothing."""
        return max(self.load, self.nic_load if np.isfinite(self.nic_load) else 0.0)


def answer(
    index: Index, best: Evaluated, problem: Problem, usable: Usable, request: Request
) -> Answer:
    """Return the answer for hosts that were chosen."""
    target = request.query.target
    fabric, rows = index.fabric, best.rows
    unit, pod = fabric.hosts.unit[rows], index.groups.pod[index.groups.of_host[rows]]
    rate, slowed = _rates(index, best)
    taken = np.zeros(len(fabric.hosts), dtype=np.bool_)
    taken[rows] = True
    names, reasons = fabric.hosts.names, sorted(usable.reasons.items())
    left = [(row, names[row], why) for row, why in reasons if not taken[row]]
    stopped = why_stopped(index, usable, rows)
    return Answer(
        rows=rows,
        units=_runs(unit),
        rails=_rails(index, best, problem),
        cost=best.cost,
        load=best.load,
        bound=0.0 if stopped else min(problem.bound, max(best.load, target)),
        target=target,
        bottleneck=_bottleneck(index, best),
        rate=rate,
        slowed=slowed,
        crossings=changes(unit),
        pod_crossings=changes(pod),
        room=_room(index, usable, request, rows),
        graded=tuple((names[row], why) for row, why in reasons if taken[row]),
        unusable=tuple((name, why) for row, name, why in left if not usable.graded[row]),
        not_needed=tuple((name, why) for row, name, why in left if usable.graded[row]),
        links=tuple(_links(index, best, problem)),
        stopped=stopped,
        unequal=tuple(names[row] for row in _unequal(index, rows, problem.supply.columns)),
    )


def _unequal(index: Index, rows: Ints, columns: Ints) -> list[int]:
    """Return the hosts that lost a port in a plane, while others have theirs; none without planes.

    Of a NIC whose ports are fused, NCCL gives queue pair after queue pair to the next port, on each
    host by itself (NVIDIA/nccl, ``src/transport/net_ib/connect.cc``, ``ncclIbSenderQpsCreate``): of
    two ports and one, some pairs join two planes.
    """
    fabric, spared = index.fabric, index.available.now.spared
    if fabric.intent.fabric.planes == 1 or not spared:
        return []
    ports = rows[:, None] * fabric.nics_per_host + index.groups.nic[rows][:, columns]
    lost = np.isin(ports, list(spared))
    here: list[int] = rows[(lost & ~lost.all(axis=0)).any(axis=1)].tolist()
    return here


def why_stopped(index: Index, usable: Usable, rows: Ints) -> tuple[tuple[str, str], ...]:
    """Return those of some hosts that take no job now, and why."""
    names = index.fabric.hosts.names
    stopped = [names[row] for row in rows[~(usable.healthy | usable.graded)[rows]].tolist()]
    if not stopped:
        return ()
    jobs = {host: f"job {job.name} runs there" for job in index.state.jobs for host in job.hosts}
    rows_of = index.fabric.host_row
    return tuple(
        (name, jobs.get(name) or usable.reasons.get(rows_of[name], "a NIC has no cable, or is off"))
        for name in stopped
    )


def _runs(unit: Ints) -> tuple[tuple[int, int], ...]:
    """Return each unit and the number of its hosts, in rank order."""
    first = np.flatnonzero(np.concatenate([[True], unit[1:] != unit[:-1]]))
    count = np.diff(np.append(first, len(unit)))
    return tuple(zip(unit[first].tolist(), count.tolist(), strict=True))


def _rails(index: Index, best: Evaluated, problem: Problem) -> tuple[int, ...]:
    used = np.zeros(index.fabric.rails, dtype=np.bool_)
    nic = index.groups.nic[best.rows[:, None], problem.supply.columns]
    used[nic // index.fabric.nic_ports] = True
    return tuple(np.flatnonzero(used).tolist())


def _links(index: Index, best: Evaluated, problem: Problem) -> Iterator[tuple[str, str]]:
    """Yield the conditions of cables from the job's leaves, and of those above its pods."""
    links, fabric = index.available.now.links, index.fabric
    if not (links and len(best.own.link)):
        return
    groups, supply = index.groups.of_host[best.rows], problem.supply
    leaves = np.unique(supply.leaf[groups])
    below = np.zeros(len(fabric.switches), dtype=np.bool_)
    below[leaves] = True
    pods = np.unique(fabric.switches.pod[leaves])
    if len(pods) > 1:
        spines = fabric.switches.of_tier(1)
        below[spines] = np.isin(fabric.switches.pod[spines], pods)
    for cables, one in links:
        if below[fabric.uplinks.lower[cables]].any():
            yield one.subject, why(one)


def _bottleneck(index: Index, best: Evaluated) -> str:
    if not len(best.own.link) or best.load < best.nic_load:
        return "NIC"
    link = int(best.own.link[int(np.argmax(best.own.load + index.background[best.own.link]))])
    return index.numbers.name(link, index.fabric.switches.names)


def _rates(index: Index, best: Evaluated) -> tuple[float, tuple[tuple[str, float, float], ...]]:
    """Return the job's fair rate, and the jobs that it slows."""
    own = best.own
    shared = index.background[own.link] > 0
    if best.load <= 1 or not shared.any():
        return min(1.0, 1.0 / max(own.most, best.nic_load, 1.0)), ()
    after = index.shared.rates(own, best.nic_load)
    slowed = [
        (job.name, float(old), float(new))
        for job, old, new in zip(index.state.jobs, index.rates, after[1:], strict=True)
        if new < old * (1 - _NOTICED)
    ]
    return float(after[0]), tuple(slowed)


def _room(index: Index, usable: Usable, request: Request, rows: Ints) -> Room:
    """Return the largest jobs of the tenant for which there are healthy hosts besides these."""
    free, of_host = usable.healthy & request.allowed, index.groups.of_host
    free[rows] = False
    by_group = np.bincount(of_host[free], minlength=len(index.groups))
    most = int(by_group.max(initial=0))
    by_pod = np.bincount(index.groups.pod, weights=by_group)
    pod = int(by_pod.max(initial=0)) if has_pods(index.fabric) else None
    if request.is_local:
        return Room(most, None if pod is None else most, most)
    return Room(most, pod, int(by_group.sum()))
