"""Thresholds of the shared buffer (Choudhury-Hahne dynamic thresholds).

``T = alpha * (B - Q)``, so that n equally greedy users settle at ``alpha * B / (1 + n * alpha)``
each. SONiC writes ``dynamic_th = log2(alpha)`` (SAI convention).
"""

from __future__ import annotations


def alpha(dynamic_th: int) -> float:
    """Return alpha of a ``dynamic_th``, which is its binary logarithm."""
    return 2.0**dynamic_th


def pause_threshold_bytes(dynamic_th: int, pool_bytes: int, users: int = 1) -> float:
    """Return the occupancy at which each of ``users`` congested priority groups sends a pause.

    Parameters
    ----------
    dynamic_th : int
        log2(alpha) of the lossless priority group, -8 to 7.
    pool_bytes : int
        Shared pool, net of headroom.
    users : int
        Priority groups that fill at the same time, >= 1.
    """
    share = alpha(dynamic_th)
    return share * pool_bytes / (1.0 + users * share)
