"""Rates of jobs that share links, max-min fair: none can get more without one that has less."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

    from fabric.placement.engine.load import Loads
    from fabric.placement.engine.traffic import Floats
    from fabric.topology.model import Bools, Ints

_FULL = 1e-12
#: Links are alike when two sums of their loads, with random weights, are alike to so many digits.
_DIGITS = 9
#: Seed of these weights: any.
_SEED = 1


def fair_rates(jobs: Sequence[Loads]) -> Floats:
    """Return the rate of each job as a share of the NICs' line rate, at most 1; shape (jobs,).

    All flows of a job keep pace with each other, as in a collective. Rates rise together until a
    link is full; the jobs on it stop there, and the others rise on (progressive filling,
    Bertsekas and Gallager, Data Networks, section 6.5.2).
    """
    return SharedLinks(jobs).rates()


class SharedLinks:
    """Jobs on their links, made once for many that may come to them.

    Links that all jobs load alike, as the cables of a leaf are, are of one kind: of these the one
    counts that a job that comes loads most.
    """

    def __init__(self, jobs: Sequence[Loads]) -> None:
        self._jobs = jobs
        self._blocked = np.array([_is_blocked(job) for job in jobs], dtype=np.bool_)

    @cached_property
    def _kinds(self) -> tuple[Ints, Floats]:
        """Kind of each link, the last one without a job, and loads: (kinds, jobs)."""
        jobs = [job for job in self._jobs if not _is_blocked(job)]
        number = np.repeat(np.flatnonzero(~self._blocked), [len(job.link) for job in jobs])
        link = np.concatenate([*(job.link for job in jobs), np.zeros(0, dtype=np.int64)])
        load = np.concatenate([*(job.load for job in jobs), np.zeros(0)])
        size = int(link.max(initial=-1)) + 2
        weights = np.random.default_rng(_SEED).random((2, len(self._jobs)))
        mixed = [np.bincount(link, load * weight[number], minlength=size) for weight in weights]
        keys = np.round(mixed[0], _DIGITS) + 1j * np.round(mixed[1], _DIGITS)
        _, first, kind = np.unique(keys, return_index=True, return_inverse=True)
        use = np.zeros((len(first), len(self._jobs)))
        mine = first[kind[link]] == link
        use[kind[link[mine]], number[mine]] = load[mine]
        return kind, use

    def rates(self, own: Loads | None = None) -> Floats:
        """Return the rates of a job that comes, if there is one, and of all others."""
        kind, use = self._kinds
        blocked = self._blocked
        if own is not None:
            blocked, column = np.append(_is_blocked(own), blocked), np.zeros(len(use))
            if not blocked[0]:
                of = kind[np.minimum(own.link, len(kind) - 1)]
                np.maximum.at(column, of, own.load)
            use = np.column_stack([column, use])
        return _filled(use[use.sum(axis=1) > 1], blocked)  # no other one slows a job


def _is_blocked(job: Loads) -> bool:
    return bool(job.lost > 0 or np.isinf(job.load).any())


def _filled(use: Floats, blocked: Bools) -> Floats:
    """Return the rates of jobs on some links, shape (links, jobs)."""
    rate = np.where(blocked, 0.0, 1.0)
    rising, left, level = ~blocked, np.ones(len(use)), 0.0
    while rising.any():
        slope = use[:, rising].sum(axis=1)
        busy = slope > _FULL
        step = min(float((left[busy] / slope[busy]).min(initial=np.inf)), 1.0 - level)
        level += step
        left = left - slope * step
        full = use[left <= _FULL * 1e3].any(axis=0) if level < 1.0 else rising
        rate[rising & full] = level
        rising = rising & ~full
        if level >= 1.0:
            break
    return rate
