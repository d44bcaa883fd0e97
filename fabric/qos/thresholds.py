"""Thresholds of the shared buffer, and the order of ECN before PFC.

Dynamic threshold (Choudhury and Hahne, IEEE/ACM Transactions on Networking 6, 1998):
``T = alpha * (B - Q)``, so that n equally greedy users settle at ``alpha * B / (1 + n * alpha)``
each. SONiC writes ``dynamic_th = log2(alpha)`` (SAI convention).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, overload

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

    Floats = NDArray[np.float64]


#: Least log2(alpha) that SONiC takes (sonic-net/sonic-buildimage sonic-buffer-profile.yang).
LOWEST_THRESHOLD = -8


def alpha(dynamic_th: float) -> float:
    """Return alpha of a ``dynamic_th``, which is its binary logarithm.

    Parameters
    ----------
    dynamic_th : float
        Binary logarithm of alpha, such as -3 to 3.

    Returns
    -------
    float
        Share of the free pool that one queue may take, > 0.
    """
    return float(2.0**dynamic_th)


@overload
def pause_threshold_bytes(dynamic_th: int, pool_bytes: float, users: int = 1) -> float: ...
@overload
def pause_threshold_bytes(
    dynamic_th: ArrayLike, pool_bytes: ArrayLike, users: ArrayLike = 1
) -> float | Floats: ...
def pause_threshold_bytes(
    dynamic_th: ArrayLike, pool_bytes: ArrayLike, users: ArrayLike = 1
) -> float | Floats:
    """Return the occupancy at which each of ``users`` congested priority groups sends a pause.

    Parameters
    ----------
    dynamic_th : array_like of int
        log2(alpha) of the lossless priority group, -8 to 7.
    pool_bytes : array_like of float
        Shared pool, net of headroom.
    users : array_like of int
        Priority groups that fill at the same time, >= 1.
    """
    share = np.exp2(np.asarray(dynamic_th, dtype=float))
    result = share * np.asarray(pool_bytes) / (1.0 + np.asarray(users) * share)
    return float(result) if result.ndim == 0 else result


def ecn_limit_bytes(
    dynamic_th: int, pool_bytes: float, congested_ports: int = 1, lossless_classes: int = 1
) -> float:
    """Return the marking threshold below which ECN acts before PFC in the worst case.

    All bytes of n congested egress queues came in by one port:
    ``alpha * (B - q * n * t) > n * t``, so ``t < alpha * B / (n * (1 + q * alpha))``. With
    ``alpha = beta / 8`` and q = 8 this is the limit of the DCQCN paper.

    Parameters
    ----------
    dynamic_th : int
        log2(alpha) of the lossless priority group.
    pool_bytes : float
        Shared pool, net of headroom.
    congested_ports : int
        Egress ports that congest at once, all fed by one ingress port; >= 1.
    lossless_classes : int
        Lossless classes that fill at once; >= 1.
    """
    share = alpha(dynamic_th)
    return share * pool_bytes / (congested_ports * (1.0 + lossless_classes * share))


def occupancies_bytes(
    alphas: ArrayLike, loads_bytes: ArrayLike, pool_bytes: float
) -> tuple[Floats, float]:
    """Return what users of one pool hold, and what stays free, where thresholds are dynamic.

    User i holds the less of its load and of its threshold, alpha_i times the free part of the
    pool; the free part is the F for which F + sum(min(load_i, alpha_i F)) is the pool. Where all
    loads are unlimited, F is B / (1 + sum(alpha_i)).

    Parameters
    ----------
    alphas : array_like of float, shape (n,)
        Share of the free pool that each user may take, > 0.
    loads_bytes : array_like of float, shape (n,)
        What each user would hold without a limit, >= 0; infinite for one that is congested.
    pool_bytes : float
        Shared pool, net of headroom and of reserved bytes, >= 0.

    Returns
    -------
    tuple of (array of float, shape (n,), float)
        Bytes of each user, and the free bytes.

    Notes
    -----
    Choudhury and Hahne, IEEE/ACM Transactions on Networking 6, 1998, equation 1 with an alpha for
    each queue.
    """
    shares, loads = np.asarray(alphas, dtype=float), np.asarray(loads_bytes, dtype=float)
    edges = np.divide(loads, shares, out=np.full(shares.shape, np.inf), where=shares > 0)
    order = np.argsort(edges, kind="stable")
    # With the first k users at their loads and the others at their thresholds, F follows from the
    # sum; the right k is the first for which F is not above the edge of the next user.
    filled = np.concatenate([[0.0], np.cumsum(loads[order])])
    greedy = shares.sum() - np.concatenate([[0.0], np.cumsum(shares[order])])
    free = (pool_bytes - filled) / (1.0 + np.maximum(greedy, 0.0))
    last = np.concatenate([edges[order], [np.inf]])
    chosen = max(float(free[int(np.argmax(free <= last))]), 0.0)
    return np.minimum(loads, shares * chosen), chosen
