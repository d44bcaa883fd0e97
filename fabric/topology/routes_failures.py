"""After which failures some link may carry what it did not carry before.

A failure of a cable or switch takes next hops away. As long as every other switch keeps a certain
next hop (``Routing.certain``), no path gets longer, and by induction over the length no switch gets
a new next hop: what a link carries after the failure is a subset of what it carried before. A
switch that loses its last certain next hop may look for longer paths. That is still harmless when
no traffic enters the fabric there, and every neighbour had a path that is at most one hop longer
and another certain next hop: then nobody turns to the longer paths, and nothing arrives. (One end
of every cable is a leaf, where traffic does enter.) Everything else is routed again, for the
destinations in question only, and compared with what was before.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from fabric.topology.routes import own, route, uses
from fabric.topology.routes_bits import filled, no_bits, set_bits, unpack

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fabric.topology.model import Bools, Ints
    from fabric.topology.routes import Network, Routing
    from fabric.topology.routes_bits import Bits

#: Truth values (links x destinations) that are unpacked at a time: our choice, bounds memory to
#: some 100 MB.
_CHUNK = 2**25


@dataclass(frozen=True, eq=False)
class Failure:
    """What is down: one link in both directions, or all links of a switch.

    ``switch`` is -1 for a link.
    """

    links: Ints
    switch: int = -1


@dataclass(frozen=True, eq=False)
class _Doubt:
    """Destinations for which the network after a failure must be routed again."""

    failure: Failure
    columns: Ints


def alone(net: Network) -> Ints:
    """Return the links (from the lower row only) that one cable failure takes down."""
    links = net.links
    return np.flatnonzero((links.cables == 1) & (links.source < links.target))


def growing(net: Network, base: Routing, carried: Bits) -> Iterator[Failure]:
    """Yield the single failures after which some link carries more than ``carried``."""
    width = max(1, _CHUNK // max(1, len(net.links)))
    batch: list[_Doubt] = []
    for doubt in _doubts(net, base):
        batch.append(doubt)
        if sum(len(item.columns) for item in batch) >= width:
            yield from _grown(net, carried, batch)
            batch = []
    yield from _grown(net, carried, batch)


def after(net: Network, failure: Failure) -> Bits:
    """Return which links carry traffic to which destination once something has failed."""
    down = no_bits(len(net.links), len(net.origin))
    down[failure.links] = ~down[failure.links]
    return uses(net, route(net, down=down))


def _doubts(net: Network, base: Routing) -> Iterator[_Doubt]:
    links, columns = net.links, len(net.origin)
    lost, weak = _lost(net, base)
    sends = net.sends[links.source]
    harm = lost.copy()
    harm[~sends] &= weak.take(links.source[~sends], axis=0)
    harm |= harm.take(links.reverse, axis=0)
    rows = alone(net)
    rows = rows[filled(harm[rows])]
    for row, needed in zip(rows.tolist(), unpack(harm[rows], columns), strict=True):
        yield _Doubt(Failure(np.array([row, links.reverse[row]])), np.flatnonzero(needed))
    harm = links.union_by_target(lost) & ~own(net)
    switches = np.flatnonzero(filled(harm))
    for switch, needed in zip(switches.tolist(), unpack(harm[switches], columns), strict=True):
        yield _Doubt(Failure(links.of(switch), switch), np.flatnonzero(needed))


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


def _grown(net: Network, carried: Bits, batch: list[_Doubt]) -> Iterator[Failure]:
    if not batch:
        return
    columns = np.concatenate([doubt.columns for doubt in batch])
    first = np.cumsum([0, *(len(doubt.columns) for doubt in batch)])
    down = no_bits(len(net.links), len(columns))
    for doubt, start in zip(batch, first.tolist(), strict=False):
        places = np.arange(start, start + len(doubt.columns))
        rows = doubt.failure.links
        set_bits(down, np.repeat(rows, len(places)), np.tile(places, len(rows)))
    now = uses(net, route(net, net.origin[columns], down))
    new = unpack(now, len(columns)) & ~_columns(carried, columns)
    more = np.logical_or.reduceat(new.any(axis=0), first[:-1])
    yield from (doubt.failure for doubt, grew in zip(batch, more.tolist(), strict=True) if grew)


def _columns(bits: Bits, columns: Ints) -> Bools:
    """Return some columns of sets as truth values, shape (rows, columns)."""
    words = bits[:, columns // 64]
    return (words >> (columns % 64).astype(np.uint64) & np.uint64(1)).astype(np.bool_)
