"""Equal flows that are hashed independently on equal links: the law of the fullest link.

For k flows on n links ``P(M <= m) = k!/n^k [x^k] (sum_{j<=m} x^j/j!)^n`` (exponential generating
function of words without a letter more than m times; Flajolet and Sedgewick, Analytic
Combinatorics, section II.3.2).

The counts of the links are independent Poisson variables of mean k/n, given that their sum is k
(the same, section II.3.2, and Mitzenmacher and Upfal, Probability and Computing, section 5.4). The
coefficient is therefore a ratio of two Fourier sums of bounded terms: nothing cancels or overflows.

What ECMP can tell RoCEv2 flows apart by: the UDP source port.

Addresses, protocol and destination port 4791 are the same for all queue pairs of two NICs. Linux
makes the source port of the flow label, and the flow label, where nobody sets one, of both queue
pair numbers (include/rdma/ib_verbs.h, rdma_flow_label_to_udp_sport and rdma_calc_flow_label).
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

    Floats = NDArray[np.float64]


#: Largest case: flows and links; our choice, which bounds time and memory.
MOST_FLOWS, MOST_LINKS = 16_384, 4_096
#: Flows whose law takes about 1 ms.
_FEW_FLOWS = 256
#: Standard deviations beyond which a Poisson variable is not looked at: below 1e-30.
_DEVIATIONS = 12.0
#: Values that are looked at beyond those; our choice.
_SPARE = 40
#: Complex numbers that are held at once: our choice, 32 MB.
_CHUNK = 2_000_000


#: Bits of the source port that vary (include/rdma/ib_verbs.h).
PORT_BITS = 14


@dataclass(frozen=True, slots=True)
class MaxLoad:
    """Law of the number of flows on the fullest link.

    Parameters
    ----------
    flows, links : int
        k and n.
    loads : array of int, shape (n,)
        Loads with a probability worth looking at, ascending.
    at_most : array of float, shape (n,)
        Probability that the fullest link has at most that load; 0 below the first load.
    """

    flows: int
    links: int
    loads: NDArray[np.int64]
    at_most: Floats

    @property
    def mean(self) -> float:
        """Expected load of the fullest link."""
        return self.mean_over(1, 0.0)

    def mean_over(self, parts: int, floor: float) -> float:
        """Return the expectation of the load over ``parts``, or of ``floor`` where that is more.

        Parameters
        ----------
        parts : int
            Number to divide the load by, >= 1.
        floor : float
            Least result.
        """
        probability = np.diff(self.at_most, prepend=0.0)
        return float(np.maximum(self.loads / parts, floor) @ probability)


@lru_cache(maxsize=256)
def max_load(flows: int, links: int) -> MaxLoad:
    """Return the law of the fullest link.

    Parameters
    ----------
    flows, links : int
        1 to 16384 flows on 1 to 4096 links.

    Raises
    ------
    ValueError
        When a number is out of its range.
    """
    _check(flows, links)
    least = -(-flows // links)
    if links == 1:
        return MaxLoad(flows, links, np.array([flows]), np.ones(1))
    counts, weights = _poisson(flows / links, flows)
    period = math.ceil(2 * (_DEVIATIONS * math.sqrt(flows) + _SPARE))
    truncated = _sums_of(counts, weights, (flows, links, period))
    at_most = np.clip(truncated / truncated[-1], 0.0, 1.0)
    at_most = np.maximum.accumulate(np.where(counts < least, 0.0, at_most))
    kept = (at_most > 0.0) & (np.concatenate([[0.0], at_most[:-1]]) < 1.0)
    return MaxLoad(flows, links, counts[kept], at_most[kept])


def expected_max_load(flows: int, links: int) -> float:
    """Return the expected number of flows on the fullest link; see :func:`max_load`.

    Parameters
    ----------
    flows, links : int
        Flows, >= 0, and equal links, >= 1.

    Returns
    -------
    float
        Flows, ``flows / links`` to ``flows``.
    """
    return max_load(flows, links).mean


def quick_max_load(flows: int, links: int) -> float:
    """Return `expected_max_load` to 0.03 %, for many numbers of flows: a law takes up to 0.1 s.

    Notes
    -----
    The excess over the mean grows nearly with the square root of the flows (central limit theorem),
    so that it is interpolated over the root between the laws of two powers of two.
    """
    _check(flows, links)
    if flows <= _FEW_FLOWS:
        return expected_max_load(flows, links)
    low = 1 << (flows.bit_length() - 1)
    high = min(2 * low, MOST_FLOWS)
    share = (math.sqrt(flows) - math.sqrt(low)) / max(math.sqrt(high) - math.sqrt(low), 1.0)
    rise = _excess(high, links) - _excess(low, links) if share else 0.0
    return flows / links + _excess(low, links) + share * rise


@lru_cache(maxsize=1024)
def _excess(flows: int, links: int) -> float:
    return expected_max_load(flows, links) - flows / links


def used_share(flows: ArrayLike, links: ArrayLike) -> Floats:
    """Return the expected share of links that carry a flow: ``1 - (1 - 1/n)^k``.

    Parameters
    ----------
    flows, links : array of float
        Flows, >= 0, and equal links, >= 1.

    Returns
    -------
    array of float
        Share, 0 to 1.
    """
    count = np.asarray(links, dtype=float)
    with np.errstate(divide="ignore"):
        return np.asarray(-np.expm1(np.asarray(flows, dtype=float) * np.log1p(-1.0 / count)))


def efficiency(flows: int, links: int) -> float:
    """Return what the slowest flow gets, over what it would get with an even spread.

    With at least as many flows as links this is ``k / (n E[M])``; with fewer, where an even spread
    gives each flow a link of its own, ``1 / E[M]``.

    Parameters
    ----------
    flows, links : int
        Flows and equal links, >= 1.

    Returns
    -------
    float
        Share of an even spread, above 0, up to 1.
    """
    return max(flows / links, 1.0) / expected_max_load(flows, links)


def _check(flows: int, links: int) -> None:
    for name, value, most in (("flows", flows, MOST_FLOWS), ("links", links, MOST_LINKS)):
        if not 1 <= value <= most:
            raise ValueError(f"{name} is {value}; it must lie between 1 and {most}")


def _poisson(mean: float, most: int) -> tuple[NDArray[np.int64], Floats]:
    """Return counts from 0 or 12 deviations below the mean up to as much above, and weights.

    The weights are those of a Poisson variable up to a common factor. They grow from the mode by
    their ratios, so that each has full relative precision.
    """
    reach = _DEVIATIONS * math.sqrt(mean) + _SPARE
    low, high = max(0, math.floor(mean - reach)), min(most, math.ceil(mean + reach))
    mode = min(max(math.floor(mean), low), high)
    up = np.cumprod(mean / np.arange(mode + 1, high + 1))
    down = np.cumprod(np.arange(mode, low, -1) / mean)[::-1]
    weights = np.concatenate([down, [1.0], up])
    return np.arange(low, high + 1), weights / weights.sum()


def _sums_of(counts: NDArray[np.int64], weights: Floats, case: tuple[int, int, int]) -> Floats:
    """Return the probability that n counts sum to k while none is above each count.

    ``case`` is k, n and the period of the Fourier sum: sums that differ from k by the period have
    a probability below 1e-30.
    """
    flows, links, period = case
    harmonics = np.arange(period // 2 + 1)
    factor = np.where((harmonics == 0) | (2 * harmonics == period), 1.0, 2.0) / period
    sums = np.zeros(len(counts))
    rows = max(1, _CHUNK // len(counts))
    for first in range(0, len(harmonics), rows):
        angle = 2.0 * np.pi / period * harmonics[first : first + rows, None]
        # angles are taken from the mean, so that whole numbers stay small
        turned = weights * np.exp(1j * angle * (counts - flows / links))
        power = np.cumsum(turned, axis=1) ** links
        sums += factor[first : first + rows] @ power.real
    return sums


@dataclass(frozen=True, slots=True)
class Entropy:
    """How many paths the queue pairs between two NICs reach.

    Parameters
    ----------
    tuples : float
        Expected number of different 5-tuples.
    paths : float
        Expected number of links that carry one.
    """

    tuples: float
    paths: float
    reason: str


def entropy(queue_pairs: int, links: int, *, pinned: bool = False) -> Entropy:
    """Return how many paths the queue pairs between two NICs reach.

    Parameters
    ----------
    queue_pairs, links : int
        At least 1 each.
    pinned : bool
        Whether the host gives every queue pair one flow label, and with it one source port.

    Raises
    ------
    ValueError
        When a number is below 1.
    """
    if min(queue_pairs, links) < 1:
        raise ValueError("queue_pairs and links must be at least 1")
    ports = 1 << PORT_BITS
    if pinned:
        tuples, why = 1.0, "one flow label makes one source port: all queue pairs share a path"
    else:
        tuples = float(used_share(queue_pairs, ports)) * ports
        why = f"source ports are drawn from {ports}; each link is as likely"
    return Entropy(tuples, float(used_share(tuples, links)) * links, why)
