"""Tries neighbours of a choice whose links carry more than the lower bound says.

The bound sees the uplinks of a leaf as one. Where leaves lost different spines, single cables carry
more; moving hosts between groups can even that out.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol, TypeVar

import numpy as np

from fabric.placement.engine.search import EPSILON

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from fabric.placement.engine.search import Problem
    from fabric.topology.model import Ints


class Costed(Protocol):
    """Something with a cost."""

    @property
    def cost(self) -> float:
        """Load of its fullest link."""


T = TypeVar("T", bound=Costed)


def polished(problem: Problem, counts: Ints, seated: Callable[[Ints], T], trials: int) -> T:
    """Return the best choice that some trials come to.

    Parameters
    ----------
    counts : array of int, shape (groups,)
        Hosts of each group to begin with.
    seated : callable
        Evaluates hosts of each group.
    trials : int
        Most evaluations.
    """
    best = seated(counts)
    good = problem.bound * (1 + EPSILON)
    while trials > 0 and best.cost > good:
        better = None
        for moved in _neighbours(problem, counts):
            tried = seated(moved)
            trials -= 1
            if tried.cost < best.cost * (1 - EPSILON):
                best, better = tried, moved
            if trials <= 0 or best.cost <= good:
                break
        if better is None:
            return best
        counts = better
    return best


def _neighbours(problem: Problem, counts: Ints) -> Iterator[Ints]:
    """Yield choices with some hosts of one group moved to another."""
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
