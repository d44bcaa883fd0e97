"""Puts pairs of hosts into rounds in which no host is in two pairs.

Each round is a maximal matching, found as in Luby's algorithm: a pair with the lowest lot at both
of its ends is taken (M. Luby, A Simple Parallel Algorithm for the Maximal Independent Set Problem,
SIAM J. Comput. 15(4), 1986). A pair waits only while one of its ends is busy, so that there are
fewer than twice as many rounds as a host has pairs.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Ints = NDArray[np.int64]

_SEED = 0


def rounds(source: Ints, target: Ints, hosts: int) -> Ints:
    """Return the round of each pair, from 0.

    Parameters
    ----------
    source, target : array of int, shape (n,)
        Hosts of each pair; they differ.
    hosts : int
        Number of hosts.
    """
    found = np.full(len(source), -1, dtype=np.int64)
    lots = np.random.default_rng(_SEED).permutation(len(source))
    waiting = np.argsort(lots)
    number = 0
    while len(waiting):
        taken = _matching(source[waiting], target[waiting], hosts)
        found[waiting[taken]] = number
        waiting = waiting[~taken]
        number += 1
    return found


def _matching(source: Ints, target: Ints, hosts: int) -> NDArray[np.bool_]:
    """Return which pairs are in a maximal matching; earlier ones go first."""
    taken = np.zeros(len(source), dtype=bool)
    busy = np.zeros(hosts, dtype=bool)
    free = np.arange(len(source))
    while len(free):
        lowest = np.full(hosts, len(source), dtype=np.int64)
        # of repeated places the last assignment counts: written backwards it is the first pair
        lowest[target[free][::-1]] = free[::-1]
        other = np.full(hosts, len(source), dtype=np.int64)
        other[source[free][::-1]] = free[::-1]
        lowest = np.minimum(lowest, other)
        chosen = free[(lowest[source[free]] == free) & (lowest[target[free]] == free)]
        taken[chosen] = True
        busy[source[chosen]] = True
        busy[target[chosen]] = True
        free = free[~(busy[source[free]] | busy[target[free]])]
    return taken
