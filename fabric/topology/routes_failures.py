"""After which failures some link may carry what it did not carry before.

A failure of a cable or switch takes next hops away. As long as every other switch keeps a certain
next hop (``Routing.certain``), no path gets longer, and by induction over the length no switch gets
a new next hop: what a link carries after the failure is a subset of what it carried before. A
switch that loses its last certain next hop may look for longer paths. That is still harmless when
no traffic enters the fabric there, and every neighbour had a path that is at most one hop longer
and another certain next hop: then nobody turns to the longer paths, and nothing arrives. (One end
of every cable is a leaf, where traffic does enter.) Everything else is routed again, for the
destinations in question only, and compared with what was before.

What a symmetry of the fabric maps onto each other (`fabric.topology.symmetry`) fails alike: one
failure of each kind is routed, and to one destination of each kind.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from itertools import chain
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from fabric.topology.routes import own, route, uses
from fabric.topology.routes_bits import WORD_BITS, filled, no_bits, set_bits, unpack
from fabric.topology.symmetry import Alike

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from fabric.topology.model import Ints
    from fabric.topology.routes import Network, Routing
    from fabric.topology.routes_bits import Bits

#: Truth values (links x destinations) that are unpacked at a time: our choice, bounds memory to
#: some 100 MB.
_CHUNK = 2**25


class Mapped(Protocol):
    """Works on each item, in order, as `map` does: here, in processes or on a cluster."""

    def __call__(self, work: Callable[[Any], Any], items: Iterable[Any], /) -> Iterable[Any]:
        """Return the results; what is called, the items and the results can be pickled."""


@dataclass(frozen=True, eq=False)
class Failure:
    """What is down: one link in both directions, or all links of a switch.

    ``switch`` is -1 for a link. Failures of one ``kind`` do the same, up to names; -1 is unknown.
    """

    links: Ints
    switch: int = -1
    kind: int = -1


@dataclass(frozen=True, eq=False)
class _Doubt:
    """Destinations for which the network after a failure must be routed again."""

    failure: Failure
    columns: Ints


def alone(net: Network) -> Ints:
    """Return the links (from the lower row only) that one cable failure takes down."""
    links = net.links
    return np.flatnonzero((links.cables == 1) & (links.source < links.target))


def growing(
    net: Network,
    base: Routing,
    carried: Bits,
    alike: Alike | None = None,
    mapped: Mapped = map,
) -> Iterator[Failure]:
    """Yield the single failures after which some link carries more than ``carried``.

    Parameters
    ----------
    net : Network
        Links and AS numbers.
    base : Routing
        Its next hops while nothing has failed.
    carried : bits, shape (links, columns)
        Destinations to which each link carries traffic then.
    alike : Alike, optional
        One failure of each kind is routed, to one destination of each kind. Default: every switch
        and every link is of its own kind.
    mapped : callable, optional
        Routes batches of failures; default: this process.
    """
    alike = alike or Alike.nothing(net)
    both = list(_suspects(net, base, alike))
    batches = chain.from_iterable(suspects.batches(net, alike.twins) for suspects in both)
    done = mapped(partial(_grown, net, carried), batches)
    grew = np.fromiter(chain.from_iterable(done), dtype=np.bool_)
    base_kind = 0
    for suspects in both:
        kinds = base_kind + np.arange(len(suspects.first))
        yield from suspects.failures(net, np.flatnonzero(grew[kinds][suspects.kind]), base_kind)
        base_kind += len(kinds)


def after(net: Network, failure: Failure) -> Bits:
    """Return which links carry traffic to which destination once something has failed."""
    down = no_bits(len(net.links), len(net.origin))
    down[failure.links] = ~down[failure.links]
    return uses(net, route(net, down=down))


@dataclass(frozen=True, eq=False)
class _Suspects:
    """Failures that the shortcut does not find harmless, all of links or all of switches.

    Parameters
    ----------
    rows : array of int, shape (n,)
        Links, or switches.
    harm : bits, shape (n, columns)
        Destinations in question.
    kind : array of int, shape (n,)
        Kind of each failure.
    first : array of int, shape (kinds,)
        The first failure of each kind.
    of_switches : bool
        Whether the rows are switches.
    """

    rows: Ints
    harm: Bits
    kind: Ints
    first: Ints
    of_switches: bool

    @classmethod
    def of(cls, rows: Ints, harm: Bits, kinds: Ints, *, of_switches: bool) -> _Suspects:
        """Return the failures with any harm; ``kinds`` has a number for each of them."""
        some = filled(harm)
        _, first, kind = np.unique(kinds[some], return_index=True, return_inverse=True)
        return cls(rows[some], harm[some], kind, first, of_switches)

    def failures(self, net: Network, places: Ints, base_kind: int = 0) -> Iterator[Failure]:
        """Yield some of the failures."""
        links = net.links
        for row, kind in zip(
            self.rows[places].tolist(), (self.kind[places] + base_kind).tolist(), strict=True
        ):
            if self.of_switches:
                yield Failure(links.of(row), row, kind)
            else:
                yield Failure(np.array([row, links.reverse[row]]), kind=kind)

    def batches(self, net: Network, twins: Ints) -> Iterator[list[_Doubt]]:
        """Yield the first failure of each kind, as many at a time as are routed together."""
        width = max(1, _CHUNK // max(1, len(net.links)))
        batch: list[_Doubt] = []
        room = width
        for doubt in self._doubts(net, twins):
            batch.append(doubt)
            room -= len(doubt.columns)
            if room <= 0:
                yield batch
                batch, room = [], width
        if batch:
            yield batch

    def _doubts(self, net: Network, twins: Ints) -> Iterator[_Doubt]:
        needed = unpack(self.harm[self.first], len(net.origin))
        failures = self.failures(net, self.first)
        for failure, columns in zip(failures, map(np.flatnonzero, needed), strict=True):
            yield _Doubt(failure, columns[_distinct(net, failure, net.origin[columns], twins)])


def _suspects(net: Network, base: Routing, alike: Alike) -> Iterator[_Suspects]:
    links = net.links
    lost, weak = _lost(net, base)
    sends = net.sends[links.source]
    harm = lost.copy()
    harm[~sends] &= weak.take(links.source[~sends], axis=0)
    harm |= harm.take(links.reverse, axis=0)
    rows = alone(net)
    yield _Suspects.of(rows, harm[rows], alike.links[rows], of_switches=False)
    harm = links.union_by_target(lost) & ~own(net)
    yield _Suspects.of(np.arange(links.switches), harm, alike.switches, of_switches=True)


def _distinct(net: Network, failure: Failure, origin: Ints, twins: Ints) -> Ints:
    """Return places of origins of which no two could be swapped once something has failed."""
    ends = failure.switch if failure.switch >= 0 else net.links.source[failure.links]
    own_kind = np.where(np.isin(origin, ends), -1 - origin, twins[origin])
    return np.unique(own_kind, return_index=True)[1]


def _lost(net: Network, base: Routing) -> tuple[Bits, Bits]:
    """Return what ends with each link, and where that is not plainly harmless.

    Returns
    -------
    lost : bits, shape (links, columns)
        The source has no certain next hop left without the link.
    weak : bits, shape (switches, columns)
        Some neighbour depends on the switch alone, or is further away than one hop more.
    """
    links = net.links
    once, twice = links.once_and_twice(base.certain)
    kept = twice.take(links.source, axis=0)
    kept |= once.take(links.source, axis=0) & ~base.certain
    weak = links.union_by_target(base.certain & ~twice.take(links.source, axis=0))
    before = np.zeros_like(base.known[0])
    for known, later in zip(base.known, (*base.known[1:], base.known[-1]), strict=True):
        late = links.union_by_target(~later.take(links.source, axis=0))
        weak |= known & ~before & late
        before = known
    return base.next_hops & ~kept, weak


def _grown(net: Network, carried: Bits, batch: list[_Doubt]) -> list[bool]:
    """Return whether each failure adds anything to ``carried``."""
    columns = np.concatenate([doubt.columns for doubt in batch])
    first = np.cumsum([0, *(len(doubt.columns) for doubt in batch)])
    down = no_bits(len(net.links), len(columns))
    for doubt, start in zip(batch, first.tolist(), strict=False):
        places = np.arange(start, start + len(doubt.columns))
        rows = doubt.failure.links
        set_bits(down, np.repeat(rows, len(places)), np.tile(places, len(rows)))
    now = uses(net, route(net, net.origin[columns], down))
    new = np.bitwise_or.reduce(now & ~_columns(carried, columns), axis=0)
    more = unpack(new[None], len(columns))[0]
    grew: list[bool] = np.logical_or.reduceat(more, first[:-1]).tolist()
    return grew


def _columns(bits: Bits, columns: Ints) -> Bits:
    """Return the sets with some columns alone, in this order; a column may come several times."""
    some, one = no_bits(len(bits), len(columns)), np.uint64(1)
    for column in np.unique(columns).tolist():
        places = np.flatnonzero(columns == column)
        mask = no_bits(1, len(columns))
        set_bits(mask, 0 * places, places)
        bit = bits[:, column // WORD_BITS] >> np.uint64(column % WORD_BITS) & one
        for word in np.flatnonzero(mask[0]).tolist():
            some[:, word] |= bit * mask[0, word]
    return some
