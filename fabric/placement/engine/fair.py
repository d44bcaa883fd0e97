"""Rates of jobs that share links, max-min fair: none can get more without one that has less."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

    from fabric.placement.engine.load import Loads
    from fabric.placement.engine.traffic import Floats
    from fabric.topology.model import Ints

_FULL = 1e-12


def fair_rates(jobs: Sequence[Loads]) -> Floats:
    """Return the rate of each job as a share of the NICs' line rate, at most 1; shape (jobs,).

    All flows of a job keep pace with each other, as in a collective. Rates rise together until a
    link is full; the jobs on it stop there, and the others rise on (progressive filling,
    Bertsekas and Gallager, Data Networks, section 6.5.2).
    """
    links = _contended(jobs)
    use = np.zeros((len(links), len(jobs)))
    for number, job in enumerate(jobs):
        mine = np.isin(job.link, links, assume_unique=True)
        use[np.searchsorted(links, job.link[mine]), number] = job.load[mine]
    blocked = np.array([job.lost > 0 or np.isinf(job.load).any() for job in jobs], dtype=np.bool_)
    rate = np.where(blocked, 0.0, 1.0)
    rising, left, level = ~blocked, np.ones(len(links)), 0.0
    use[:, blocked] = 0.0
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


def _contended(jobs: Sequence[Loads]) -> Ints:
    """Return the links that all jobs together would over-fill: no other one slows a job."""
    link = np.concatenate([job.link for job in jobs] or [np.zeros(0, dtype=np.int64)])
    load = np.concatenate([job.load for job in jobs] or [np.zeros(0)])
    return np.flatnonzero(np.bincount(link, weights=load) > 1)
