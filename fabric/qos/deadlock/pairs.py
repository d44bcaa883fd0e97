"""Two failures at once: every pair while there are few, else a sample with its confidence."""

from __future__ import annotations

import math
from dataclasses import dataclass
from itertools import chain, combinations, islice
from typing import TYPE_CHECKING

import numpy as np

from fabric.qos.deadlock.lossless import Lossless
from fabric.qos.deadlock.proof import failure_name
from fabric.topology.routes import network
from fabric.topology.routes_failures import Failure, after

if TYPE_CHECKING:
    from collections.abc import Iterable

    from fabric.intent.resolve import PolicyResolver
    from fabric.qos.deadlock.cycle import Cycle
    from fabric.topology.model import Fabric
    from fabric.topology.routes import Network

#: Pairs that are routed at most, and at least, and the links times destinations of all of them: our
#: choice, some seconds.
MOST_PAIRS, LEAST_PAIRS, _MOST_CELLS = 2000, 20, 2**28
#: Confidence of a sample: usual in statistics, our choice.
CONFIDENCE = 0.95
#: Seed of the sample: the same fabric gives the same answer.
_SEED = 1


@dataclass(frozen=True, slots=True)
class Pairs:
    """What two failures at once do.

    Parameters
    ----------
    total, checked : int
        Pairs that there are, and that were routed.
    failed : tuple of str
        What had failed then.
    """

    total: int
    checked: int
    cycle: Cycle | None = None
    failed: tuple[str, ...] = ()

    @property
    def share_below(self) -> float:
        """Share of the pairs that may still close a cycle, with ``CONFIDENCE``; 0 where all passed.

        A share s stays unseen in n pairs with a probability of (1 - s)^n at most.
        """
        if self.checked == self.total:
            return 0.0
        return 1.0 - math.exp(math.log(1.0 - CONFIDENCE) / max(1, self.checked))


def pairs(fabric: Fabric, resolver: PolicyResolver, most: int | None = None) -> Pairs:
    """Return whether two failures at once close a cycle; the search ends at the first one.

    Parameters
    ----------
    most : int, optional
        Pairs that are routed at most, > 0; default: by the size of the fabric.

    Notes
    -----
    Of several parallel cables, one moves no path, so only pairs that move some are counted: cables
    without a parallel one and switches, two of them together, and both of two parallel cables.
    """
    net = network(fabric)
    lossless = Lossless.of(fabric, net, resolver)
    single, double = _cables(net, 1) + _switches(net), _cables(net, 2)
    most = _most(net) if most is None else most
    both = math.comb(len(single), 2)
    total = both + len(double)
    chosen = _chosen(len(single), both, max(0, most - len(double)))
    cases = chain(((one,) for one in double), ((single[a], single[b]) for a, b in chosen))
    checked = 0
    for checked, failed in enumerate(islice(cases, most), 1):
        links = np.unique(np.concatenate([one.links for one in failed]))
        cycle = lossless.cycle(net, after(net, Failure(links)))
        if cycle:
            names = tuple(failure_name(fabric, net, one) for one in failed)
            return Pairs(total, checked, cycle, names)
    return Pairs(total, checked)


def _most(net: Network) -> int:
    cells = max(1, len(net.links) * len(net.origin))
    return min(MOST_PAIRS, max(LEAST_PAIRS, _MOST_CELLS // cells))


def _cables(net: Network, parallel: int) -> list[Failure]:
    """Return the links of so many cables, each with all of them down."""
    links = net.links
    rows = np.flatnonzero((links.cables == parallel) & (links.source < links.target))
    return [Failure(np.array([row, links.reverse[row]])) for row in rows.tolist()]


def _switches(net: Network) -> list[Failure]:
    return [Failure(net.links.of(row), row) for row in range(net.links.switches)]


def _chosen(count: int, total: int, most: int) -> Iterable[tuple[int, int]]:
    """Return all pairs, or a sample of ``most`` different ones."""
    if total <= most:
        return combinations(range(count), 2)
    numbers = np.random.default_rng(_SEED).choice(total, most, replace=False)
    # of (0,1), (0,2), (1,2), (0,3) ... pair n has the larger member m, the greatest one whose first
    # pair, number m(m-1)/2, is not beyond n
    larger = ((1 + np.sqrt(1 + 8 * numbers.astype(np.float64))) / 2).astype(np.int64)
    larger -= larger * (larger - 1) // 2 > numbers
    smaller = numbers - larger * (larger - 1) // 2
    return zip(smaller.tolist(), larger.tolist(), strict=True)
