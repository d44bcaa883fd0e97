"""Tries other choices where links carry more than the lower bound says.

The bound sees the uplinks of a leaf as one. Where leaves lost different spines, single cables carry
more; moving hosts between groups can even that out. A tree loads links by the order of its ranks,
which no bound knows.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Protocol, TypeVar

import numpy as np

from fabric.placement.engine.search import EPSILON, tightest

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from fabric.placement.engine.batch import Scores
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


#: Sums of all trials together: what 10 ms allow, see `Trials.work`.
_WORK = 6_000_000
#: Groups up to which a proof is sought; the load of more of them is good when this near the bound.
_FEW, _CLOSE = 8, 0.01
#: Choices up to which every one is tried.
_CHOICES = 6_000
#: A choice to begin with may take one of so many parts of the work.
_STARTS = 8
#: Groups that are tried to be done without: those with the fewest hosts of the job.
_LEAST = 6
#: Numbers of hosts that are moved from one group to another, where there are more.
_AMOUNTS = 8

T = TypeVar("T", bound=Costed)


@dataclass(frozen=True)
class Trials:
    """How choices are tried.

    Parameters
    ----------
    scores : callable
        Scores choices, shape (choices, groups).
    work : callable
        Returns the sums that a choice of so many groups takes, in so many pods.
    """

    scores: Callable[[Ints], Scores]
    work: Callable[[int, int], int]


def polished(
    problem: Problem, counts: Ints, seated: Callable[[Ints], T], trials: Trials, enough: float
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
    """
    first = seated(counts)
    if first.load <= enough * (1 + EPSILON):
        return first
    best = _Search(problem, trials, enough).best(counts)
    other = seated(best)
    return other if _better((other.lost, other.load), (first.lost, first.load)) else first


def _better(one: tuple[int, float], other: tuple[int, float]) -> bool:
    if one[0] != other[0]:
        return one[0] < other[0]
    return one[1] < other[1] * (1 - EPSILON)


class _Search:
    """Goes from choice to choice while they get better, and the work lasts."""

    def __init__(self, problem: Problem, trials: Trials, enough: float) -> None:
        self._problem, self._trials, self._enough = problem, trials, enough
        self._left = _WORK

    def _work(self, counts: Ints) -> int:
        """Return the sums that a choice like one takes, or one with a group more."""
        pods = self._problem.supply.groups.pod[counts > 0]
        return self._trials.work(int(np.count_nonzero(counts)) + 1, len(np.unique(pods)))

    def best(self, counts: Ints) -> Ints:
        """Return the best of all choices, where they are few, else of those on some ways."""
        problem = self._problem
        every = _every(problem, min(_CHOICES, self._left // self._work(counts)))
        if every is not None:
            return self._picked(every)[0]
        rules = [one for one in _starts(problem) if self._work(one) * _STARTS < self._left]
        starts = np.array([counts, *rules])
        scored = self._trials.scores(starts)
        best, score = counts, (int(scored.lost[0]), float(scored.load[0]))
        for at in np.lexsort((scored.load, scored.lost)).tolist():
            end, reached = self._descended(starts[at], (int(scored.lost[at]), scored.load[at]))
            if _better(reached, score):
                best, score = end, reached
            if self._left <= 0 or self._is_good(best, score):
                break
        return best

    def _descended(self, counts: Ints, score: tuple[int, float]) -> tuple[Ints, tuple[int, float]]:
        """Return the choice that steps to better ones lead to, and its score."""
        while self._left > 0 and not self._is_good(counts, score):
            limit = self._left // self._work(counts) + 1
            choices = _neighbours(self._problem, counts, limit)[:limit]
            if not len(choices):
                break
            other, reached = self._picked(choices)
            if not _better(reached, score):
                break
            counts, score = other, reached
        return counts, score

    def _is_good(self, counts: Ints, score: tuple[int, float]) -> bool:
        margin = EPSILON if np.count_nonzero(counts) <= _FEW else _CLOSE
        return score[0] == 0 and score[1] <= self._enough * (1 + margin)

    def _picked(self, choices: Ints) -> tuple[Ints, tuple[int, float]]:
        """Return the choice with the least load, of several the one with the fewest groups."""
        groups = np.count_nonzero(choices, axis=1)
        self._left -= len(choices) * self._work(choices[0])
        scored = self._trials.scores(choices)
        lost = scored.lost == scored.lost.min()
        least = scored.load[lost].min()
        same = np.flatnonzero(lost & (scored.load <= least * (1 + EPSILON)))
        at = int(same[np.argmin(groups[same])])
        return choices[at], (int(scored.lost[at]), float(scored.load[at]))


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
    yield _level(free, np.argsort(-free, kind="stable")[: np.count_nonzero(free)], nodes)


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


def _every(problem: Problem, most: int) -> Ints | None:
    """Return every choice, shape (choices, groups); None where there are more than so many."""
    step, pod = problem.segment, problem.supply.groups.pod
    pods: list[int | None] = [*np.flatnonzero(problem.one_pod).tolist()]
    parts = []
    for one in pods or [None]:
        room = problem.usable if one is None else problem.usable * (pod == one)
        places = np.flatnonzero(room)
        taken = _sums(room[places] // step, problem.demand.nodes // step, most)
        if taken is None:
            return None
        if problem.most_groups is not None:
            taken = taken[np.count_nonzero(taken, axis=1) <= problem.most_groups]
        counts = np.zeros((len(taken), len(room)), dtype=np.int64)
        counts[:, places] = taken * step
        parts.append(counts)
        most -= len(counts)
    every = np.concatenate(parts)
    return every if len(every) and most >= 0 else None


def _sums(room: Ints, need: int, most: int) -> Ints | None:
    """Return every way to take so many of some places; None where there are more than so many."""
    taken, rest = np.zeros((1, 0), dtype=np.int64), np.array([need])
    after = int(room.sum())
    for own in room.tolist():
        after -= own
        least, largest = np.maximum(rest - after, 0), np.minimum(rest, own)
        ways = np.maximum(largest - least + 1, 0)
        if ways.sum() > most:  # each begins at least one whole choice
            return None
        row = np.repeat(np.arange(len(rest)), ways)
        first = np.cumsum(ways) - ways
        value = least[row] + np.arange(len(row)) - first[row]
        taken, rest = np.column_stack([taken[row], value]), rest[row] - value
    return taken


def _neighbours(problem: Problem, counts: Ints, limit: int) -> Ints:
    """Return some choices without one of the groups, and those with some of its hosts moved."""
    used = np.flatnonzero(counts)
    others = []
    for group in used[np.argsort(counts[used], kind="stable")][:_LEAST].tolist():
        free = problem.free.copy()
        free[group] = 0
        without = replace(problem, free=free)
        if np.isfinite(without.bound):
            others.append(without.choose(without.bound))
    return np.concatenate([*(one[None] for one in others), _moved(problem, counts, limit)])


def _moved(problem: Problem, counts: Ints, limit: int) -> Ints:
    """Return choices with hosts of one group moved to another, the fullest givers first."""
    spare, step, pod = problem.usable - counts, problem.segment, problem.supply.groups.pod
    used = np.flatnonzero(counts)
    giver, taker = (
        grid.reshape(-1)
        for grid in np.meshgrid(
            used[np.argsort(-counts[used], kind="stable")], np.flatnonzero(spare), indexing="ij"
        )
    )
    right = giver != taker
    if problem.one_pod.any():
        right &= pod[giver] == pod[taker]
    giver, taker = giver[right], taker[right]
    most = np.minimum(counts[giver], spare[taker]) // step
    if problem.most_groups is not None and len(used) >= problem.most_groups:
        right = (counts[taker] > 0) | (most * step == counts[giver])
        giver, taker, most = giver[right], taker[right], most[right]
    amount, pair = _amounts(most)
    giver, taker, amount = giver[pair][:limit], taker[pair][:limit], amount[:limit] * step
    choices = np.repeat(counts[None], len(amount), axis=0)
    row = np.arange(len(amount))
    choices[row, giver] -= amount
    choices[row, taker] += amount
    if problem.most_groups is not None:
        choices = choices[np.count_nonzero(choices, axis=1) <= problem.most_groups]
    return choices


def _amounts(most: Ints) -> tuple[Ints, Ints]:
    """Return what each pair moves, and its pair: all, then one, two, four and so on.

    Parameters
    ----------
    most : array of int, shape (pairs,)
        Most that each can move.
    """
    powers = [np.full_like(most, 1 << power) for power in range(_AMOUNTS)]
    amount = np.array([most, *powers])
    right = amount < most
    right[0] = most > 0
    number, pair = np.nonzero(right)
    return amount[number, pair], pair
