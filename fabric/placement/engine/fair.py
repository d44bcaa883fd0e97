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


class SharedLinks:
    """Jobs on their links, made once for many that may come to them.

    All flows of a job keep pace with each other, as in a collective. Rates rise together until a
    link is full; the jobs on it stop there, and the others rise on (progressive filling,
    Bertsekas and Gallager, Data Networks, section 6.5.2).

    Links that all jobs load alike, as the cables of a leaf are, are of one kind: of these the one
    counts that a job that comes loads most.

    Parameters
    ----------
    carried : array of float, shape (links,)
        Load of each link by all jobs, at least.
    """

    def __init__(self, jobs: Sequence[Loads], carried: Floats) -> None:
        self._jobs, self._carried = jobs, carried
        self._blocked = np.array([_is_blocked(job) for job in jobs], dtype=np.bool_)

    def _use(self, links: Ints) -> Floats:
        """Return the load of some links by each job that is not blocked, shape (links, jobs)."""
        use, place = np.zeros((len(links), len(self._jobs))), np.full(len(self._carried), -1)
        place[links] = np.arange(len(links))
        for number in np.flatnonzero(~self._blocked).tolist() if len(links) else ():
            row = place[self._jobs[number].link]
            use[row[row >= 0], number] = self._jobs[number].load[row >= 0]
        return use

    @cached_property
    def _full(self) -> tuple[Ints, Floats]:
        """Kind of each link that the jobs over-fill, -1 of others, and loads: (kinds, jobs)."""
        links = np.flatnonzero(self._carried > 1)
        use = self._use(links)
        weights = np.random.default_rng(_SEED).random((len(self._jobs), 2))
        keys = np.round(use @ weights, _DIGITS) @ np.array([1, 1j])
        _, first, kind = np.unique(keys, return_index=True, return_inverse=True)
        of = np.full(len(self._carried), -1)
        of[links] = kind
        return of, use[first]

    def rates(self, own: Loads | None = None, nic_load: float = 0.0) -> Floats:
        """Return the rates of a job that comes, if there is one, and of all others.

        Each is a share of the NICs' line rate, at most 1; shape (jobs,).

        Parameters
        ----------
        nic_load : float
            Load of the fullest NIC of the job that comes.
        """
        kind, use = self._full
        blocked = self._blocked
        if own is not None:
            blocked = np.append(_is_blocked(own) or np.isinf(nic_load), blocked)
            load = np.where(blocked[0], 0.0, own.load)
            of = kind[own.link]
            column = np.zeros(len(use))
            np.maximum.at(column, of[of >= 0], load[of >= 0])
            more = (of < 0) & (self._carried[own.link] + load > 1)
            use = np.concatenate([use, self._use(own.link[more])])
            use = np.column_stack([np.append(column, load[more]), use])
            nic = np.zeros((1, len(blocked)))
            nic[0, 0] = 0.0 if blocked[0] else nic_load
            use = np.concatenate([use, nic])
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
