"""How unlikely a spread over equal links is, where flows are hashed independently.

Both tails of the fabric's ECMP model are looked at: a link that is too full, and links without any
flow. Source: Mitzenmacher and Upfal, Probability and Computing, chapter 5 (balls into bins).
"""

from __future__ import annotations

import math
from functools import lru_cache
from typing import TYPE_CHECKING

import numpy as np

from fabric.qos.ecmp.load import MOST_FLOWS, max_load

if TYPE_CHECKING:
    from fabric.health.ends import Floats

#: Share of the mean below which a link has no flow of its own: what routing protocols send.
IDLE = 0.01


def spread_probability(load: Floats, flows: int) -> float:
    """Return the probability that hashing gives so full a link, or so many idle ones.

    Parameters
    ----------
    load : array of float, shape (links,)
        What each link carries, any unit; the sum is > 0.
    flows : int
        Equal flows on all of them, >= 1.

    Returns
    -------
    float
        0 to 1: twice the smaller tail.
    """
    flows = min(flows, MOST_FLOWS)
    fullest = math.floor(float(load.max() / load.sum()) * flows + 1e-9)
    idle = int((load < IDLE * load.mean()).sum())
    tails = _at_least(flows, len(load), fullest), idle_tail(flows, len(load), idle)
    return min(1.0, 2 * min(tails))


def _at_least(flows: int, links: int, fullest: int) -> float:
    """Return the probability that the fullest link has at least so many flows."""
    law = max_load(flows, links)
    below = law.at_most[law.loads < fullest]
    return 1.0 - float(below[-1]) if len(below) else 1.0


@lru_cache(maxsize=1024)
def idle_tail(flows: int, links: int, idle: int) -> float:
    """Return the probability that at least so many links have no flow.

    Notes
    -----
    One flow after the other: from u used links the next flow takes a new one with probability
    (n - u) / n.
    """
    used = np.zeros(links + 1)
    used[0] = 1.0
    stay = np.arange(links + 1) / links
    for _ in range(min(flows, links * 64)):  # after that no link is idle
        used[1:] = used[1:] * stay[1:] + used[:-1] * (1 - stay[:-1])
        used[0] = 0.0
    return float(used[: links - idle + 1].sum())
