"""How other schedulers choose: small versions after their documents, and every choice there is.

They return how many hosts of each group they take; None where they take none.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np

from fabric.placement.engine.demand import Demand
from fabric.placement.engine.engine import Engine
from fabric.placement.engine.query import Query
from fabric.placement.engine.request import resolve
from fabric.placement.engine.seats import seats

Rule = Callable[[np.ndarray, int], np.ndarray | None]


def slurm_tree(free: np.ndarray, nodes: int) -> np.ndarray | None:
    """Slurm's topology/tree: the tightest leaf that holds the rest, else the largest one.

    slurm.schedmd.com/topology.html, "Hierarchical Networks": a best-fit algorithm on the leaves.
    """
    left, taken, need = free.copy(), np.zeros_like(free), nodes
    if free.sum() < nodes:
        return None
    while need:
        fits = np.flatnonzero(left >= need)
        leaf = int(fits[np.argmin(left[fits])]) if len(fits) else int(np.argmax(left))
        taken[leaf] = min(left[leaf], need)
        need -= int(taken[leaf])
        left[leaf] = 0
    return taken


def kueue_best_fit(free: np.ndarray, nodes: int) -> np.ndarray | None:
    """Kueue's BestFit: largest domains first, and the last one as tight as can be.

    kueue.sigs.k8s.io/docs/concepts/topology_aware_scheduling, "Default algorithm".
    """
    if free.sum() < nodes:
        return None
    taken, need = np.zeros_like(free), nodes
    for largest in np.argsort(-free, kind="stable").tolist():
        if not need:
            break
        fits = np.flatnonzero((free >= need) & (taken == 0))
        domain = int(fits[np.argmin(free[fits])]) if len(fits) else largest
        taken[domain] = min(int(free[domain]), need)
        need -= int(taken[domain])
    return taken


def kueue_least_free(free: np.ndarray, nodes: int) -> np.ndarray | None:
    """Kueue's LeastFreeCapacity: the domains with the least free hosts first; one where it fits."""
    if free.sum() < nodes:
        return None
    fits = np.flatnonzero(free >= nodes)
    taken, need = np.zeros_like(free), nodes
    order = (
        fits[np.argsort(free[fits], kind="stable")]
        if len(fits)
        else np.argsort(free, kind="stable")
    )
    for domain in order.tolist():
        taken[domain] = min(int(free[domain]), need)
        need -= int(taken[domain])
        if not need:
            break
    return taken


def kueue_balanced(free: np.ndarray, nodes: int) -> np.ndarray | None:
    """Kueue's balanced placement: the fewest domains, each with the same share."""
    if free.sum() < nodes:
        return None
    order = np.argsort(-free, kind="stable")
    count = int(np.searchsorted(np.cumsum(free[order]), nodes)) + 1
    chosen, taken, need = order[:count], np.zeros_like(free), nodes
    for place, domain in enumerate(chosen[::-1].tolist()):
        share = -(-need // (count - place))
        taken[domain] = min(int(free[domain]), share if place < count - 1 else need)
        need -= int(taken[domain])
    if need:
        for domain in chosen.tolist():
            more = min(int(free[domain] - taken[domain]), need)
            taken[domain] += more
            need -= more
    return taken


def in_one_pod(rule: Rule, free: np.ndarray, nodes: int, pod: np.ndarray) -> np.ndarray | None:
    """Apply a rule in the tightest pod that holds the job, as all of them do, else everywhere."""
    by_pod = np.bincount(pod, weights=free)
    fits = np.flatnonzero(by_pod >= nodes)
    if len(fits):
        free = free * (pod == fits[np.argmin(by_pod[fits])])
    return rule(free, nodes)


RIVALS: dict[str, Rule] = {
    "Slurm tree": slurm_tree,
    "Kueue BestFit": kueue_best_fit,
    "Kueue LeastFree": kueue_least_free,
    "Kueue Balanced": kueue_balanced,
}


def every_choice(free: np.ndarray, nodes: int) -> Iterator[np.ndarray]:
    """Yield every number of hosts of each group that sums up to those needed."""
    after = np.append(np.cumsum(free[::-1])[::-1], 0)
    taken = np.zeros_like(free)

    def fill(group: int, need: int) -> Iterator[np.ndarray]:
        if group == len(free):
            yield taken.copy()
            return
        for count in range(max(0, need - int(after[group + 1])), min(int(free[group]), need) + 1):
            taken[group] = count
            yield from fill(group + 1, need - count)
        taken[group] = 0

    if after[0] >= nodes:
        yield from fill(0, nodes)


def free_hosts(engine: Engine) -> np.ndarray:
    """Return the healthy free hosts of each group."""
    index = engine.index
    healthy = index.available.usable(np.arange(engine.fabric.nics_per_host)).healthy
    return np.bincount(index.groups.of_host[healthy], minlength=len(index.groups))


def cost(engine: Engine, query: Query, counts: np.ndarray | None) -> float:
    """Return what so many hosts of each group cost, at least the target; no choice is infinite."""
    if counts is None:
        return float("inf")
    index = engine.index
    request = resolve(engine.fabric, query)
    healthy = index.available.usable(request.columns).healthy
    rows = seats(index.groups, counts, np.zeros(len(healthy)), healthy, block=None)
    supply = index.supply(request.columns)
    demand = Demand.of(query.traffic, query.nodes, request.gpus, supply.leaves)
    own = index.loads(supply, demand, rows)
    shared = float((own.load + index.background[own.link]).max(initial=0.0))
    return max(shared, query.target)
