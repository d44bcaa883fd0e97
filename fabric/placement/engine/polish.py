"""Tries neighbours of a choice whose links carry more than the lower bound says.

The bound sees the uplinks of a leaf as one. Where leaves lost different spines, single cables carry
more; moving hosts between groups can even that out.
"""

from __future__ import annotations

from dataclasses import replace
from itertools import islice, product
from typing import TYPE_CHECKING, Protocol, TypeVar

import numpy as np

from fabric.placement.engine.search import EPSILON, tightest

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from fabric.placement.engine.search import Problem
    from fabric.topology.model import Ints


class Costed(Protocol):
    """Something with a load."""

    @property
    def load(self) -> float:
        """Load of its fullest link."""

    @property
    def lost(self) -> int:
        """Pairs of leaves between which there is traffic and no way."""


#: Evaluations times the square of the groups of the job: what 10 ms allow.
_WORK = 8000
#: Groups up to which a proof is sought; the load of more of them is good when this near the bound.
_FEW, _CLOSE = 8, 0.01
#: Products of hosts up to which every choice is tried in the end; summing them up takes 1 ms.
_CHOICES = 4000
#: Groups that are tried to be done without: those with the fewest hosts of the job.
_LEAST = 16

T = TypeVar("T", bound=Costed)


def polished(
    problem: Problem, counts: Ints, seated: Callable[[Ints], T], enough: float, trials: int
) -> T:
    """Return the best choice that some trials come to.

    Parameters
    ----------
    counts : array of int, shape (groups,)
        Hosts of each group to begin with.
    seated : callable
        Evaluates hosts of each group.
    enough : float
        Load that needs no trial.
    trials : int
        Most evaluations.
    """
    best = seated(counts)
    if best.load > enough * (1 + EPSILON):
        for other in _starts(problem):
            tried = seated(other)
            if _better(tried, best):
                best, counts = tried, other
    used = np.count_nonzero(counts)
    good = enough * (1 + (EPSILON if used <= _FEW else _CLOSE))
    trials = min(trials, _WORK // max(int(used) ** 2, 1))
    while trials > 0 and best.load > good:
        better = None
        for moved in _neighbours(problem, counts):
            tried = seated(moved)
            trials -= 1
            if _better(tried, best):
                best, better = tried, moved
            if trials <= 0 or best.load <= good:
                break
        if better is None:
            break
        counts = better
    for other in islice(_every(problem) if best.load > good else (), max(trials, 0)):
        tried = seated(other)
        best = tried if _better(tried, best) else best
    return best


def _better(one: Costed, other: Costed) -> bool:
    if one.lost != other.lost:
        return one.lost < other.lost
    return one.load < other.load * (1 - EPSILON)


def _starts(problem: Problem) -> Iterator[Ints]:
    """Yield what rules for any traffic take: the fewest groups, the emptiest, or all the same."""
    if problem.most_groups is not None or problem.segment > 1:
        return
    free, pod, nodes = problem.usable, problem.supply.groups.pod, problem.demand.nodes
    if problem.one_pod.any():
        by_pod = np.bincount(pod, weights=free)
        fits = np.flatnonzero(problem.one_pod)
        free = free * (pod == fits[np.argmin(by_pod[fits])])
    order = np.argsort(free, kind="stable")
    fewest = tightest(free, nodes)
    yield fewest
    yield _filled(free, order, nodes)
    yield _level(free, np.argsort(-free, kind="stable")[: np.count_nonzero(fewest)], nodes)


def _level(room: Ints, places: Ints, nodes: int) -> Ints:
    """Return the same of each place, as far as each can give it; the largest place is first."""
    taken, rest = np.zeros_like(room), nodes
    for left, place in zip(range(len(places), 0, -1), places[::-1].tolist(), strict=True):
        taken[place] = min(int(room[place]), -(-rest // left))
        rest -= int(taken[place])
    return taken


def _filled(room: Ints, order: Ints, nodes: int) -> Ints:
    """Return what is taken when places are filled one after the other."""
    before = np.cumsum(room[order]) - room[order]
    taken = np.zeros_like(room)
    taken[order] = np.clip(nodes - before, 0, room[order])
    return taken


def _every(problem: Problem) -> Iterator[Ints]:
    """Yield every choice, where there are few: moves of one group to another can end too early."""
    step, pod = problem.segment, problem.supply.groups.pod
    most = problem.most_groups or len(pod)
    pods: list[int | None] = [*np.flatnonzero(problem.one_pod).tolist()]
    for one in pods or [None]:
        room = problem.usable if one is None else problem.usable * (pod == one)
        places = np.flatnonzero(room)
        if np.prod(room[places] // step + 1.0) > _CHOICES:
            continue
        for taken in product(*(range(0, free + 1, step) for free in room[places].tolist())):
            if sum(taken) == problem.demand.nodes and np.count_nonzero(taken) <= most:
                counts = np.zeros_like(room)
                counts[places] = taken
                yield counts


def _neighbours(problem: Problem, counts: Ints) -> Iterator[Ints]:
    """Yield choices without one of the groups, and those with some of its hosts moved."""
    used = np.flatnonzero(counts)
    for group in used[np.argsort(counts[used], kind="stable")][:_LEAST].tolist():
        free = problem.free.copy()
        free[group] = 0
        without = replace(problem, free=free)
        if np.isfinite(without.bound):
            yield without.choose(without.bound)
    yield from _moved(problem, counts)


def _moved(problem: Problem, counts: Ints) -> Iterator[Ints]:
    usable, step = problem.usable, problem.segment
    pod = problem.supply.groups.pod
    used = np.flatnonzero(counts)
    fits = problem.most_groups is None or len(used) < problem.most_groups
    one_pod = bool(problem.one_pod.any())
    for giver in used[np.argsort(-counts[used], kind="stable")].tolist():
        for taker in np.flatnonzero(usable > counts).tolist():
            if taker == giver or (one_pod and pod[taker] != pod[giver]):
                continue
            most = int(min(counts[giver], usable[taker] - counts[taker]))
            for moved in sorted({most, step}, reverse=True):
                if counts[taker] or fits or moved == counts[giver]:
                    other = counts.copy()
                    other[giver] -= moved
                    other[taker] += moved
                    yield other
