"""Which link carries traffic to which leaf: BGP as it is configured, for all leaves at once.

Every switch speaks eBGP over each cable, takes all paths whose AS path is shortest (over different
neighbour ASes too: SONiC sets ``bestpath as-path multipath-relax``, EOS does so by default), tells
its neighbours one of them, and refuses a path that holds its own AS number (RFC 4271 section
9.1.2). Which of the equal paths it tells depends on router ids and on age, and which it uses on
``max_paths`` when there are more. So this counts every path that *may* be used, whatever is told: a
superset, which is the safe side for a proof of freedom from deadlock. Where no two switches share
an AS, or all spines do and no leaf does, and ``max_paths`` is enough, the result is exact.

Left out: cables between switches with the same AS number (that is internal BGP, which spreads no
route to a third switch; rule BGP004 refuses it) and SONiC's BGP_BBR, which lets a leaf take a path
that holds its own AS number; such a path is never shorter than the leaf's own.

Sources: sonic-net/sonic-buildimage dockers/docker-fpm-frr/frr/bgpd/bgpd.main.conf.j2 and
templates/general/peer-group.conf.j2 (``allowas-in`` only for ToRRouter, and LeafRouter with
BGP_BBR; commit 0157618724cc3ad4cf8633307599c88d5559b178); RFC 7938 section 5.2.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from fabric.topology.routes_bits import no_bits, set_bits

if TYPE_CHECKING:
    from fabric.topology.model import Bools, Fabric, Ints
    from fabric.topology.routes_bits import Bits


@dataclass(frozen=True, eq=False)
class Network:
    """What routing depends on.

    Parameters
    ----------
    links : Links
        Links over which BGP runs.
    asn : array of int, shape (switches,)
        AS number of each switch.
    origin : array of int, shape (columns,)
        Switch that announces each destination.
    sends : array of bool, shape (switches,)
        Whether traffic to every destination may enter the fabric at a switch.
    """

    links: Links
    asn: Ints
    origin: Ints
    sends: Bools


@dataclass(frozen=True, eq=False)
class Routing:
    """Next hops of every switch to every destination.

    Parameters
    ----------
    next_hops : bits, shape (links, columns)
        Links that may be a next hop of their source.
    certain : bits, shape (links, columns)
        Next hops of shortest length that are offered, and taken, whatever is told.
    known : tuple of bits, each of shape (switches, columns)
        ``known[k]``: switches that have a path of at most k AS hops, whatever is told.
    """

    next_hops: Bits
    certain: Bits
    known: tuple[Bits, ...]


def network(fabric: Fabric) -> Network:
    """Return the switches and enabled uplinks of a fabric; every leaf is sender and destination."""
    up, switches = fabric.uplinks, fabric.switches
    used = up.enabled & (switches.asn[up.lower] != switches.asn[up.upper])
    leaves = np.arange(switches.leaf_count)
    return Network(
        links=Links.between(up.lower[used], up.upper[used], len(switches)),
        asn=switches.asn,
        origin=leaves,
        sends=np.arange(len(switches)) < switches.leaf_count,
    )


def route(net: Network, origin: Ints | None = None, down: Bits | None = None) -> Routing:
    """Return the next hops of every switch.

    Parameters
    ----------
    net : Network
        Links and AS numbers.
    origin : array of int, shape (columns,), optional
        Switch that announces each destination; default: those of the network.
    down : bits, shape (links, columns), optional
        Links that are down, by destination: so one call answers for many failures.
    """
    columns = net.origin if origin is None else origin
    search = _Search(net, columns, no_bits(len(net.links), len(columns)) if down is None else down)
    # a path without a loop holds each AS number once
    for _ in range(len(np.unique(net.asn))):
        if not search.step():
            break
    return Routing(search.next_hops, search.certain, tuple(search.known))


def uses(net: Network, routing: Routing) -> Bits:
    """Return which links carry traffic to which destination, shape (links, columns).

    A link carries what is sent into the fabric at its source or arrives there.
    """
    arrived = np.zeros((net.links.switches, routing.next_hops.shape[1]), routing.next_hops.dtype)
    arrived[net.sends] = ~arrived[net.sends]
    while True:
        carried = routing.next_hops & arrived.take(net.links.source, axis=0)
        more = arrived | net.links.union_by_target(carried)
        if np.array_equal(more, arrived):
            return carried
        arrived = more


def own(net: Network) -> Bits:
    """Return the destinations that each switch announces, shape (switches, columns)."""
    bits = no_bits(net.links.switches, len(net.origin))
    set_bits(bits, net.origin, np.arange(len(net.origin)))
    return bits


def transit_leaves(net: Network, carried: Bits) -> Ints:
    """Return the switches that announce destinations and still pass on traffic for others.

    When there are none, every path goes up once and down once.
    """
    passed = net.links.union_by_target(carried) & ~own(net)
    passes: Ints = np.flatnonzero(passed.any(axis=1))
    return np.intersect1d(passes, net.origin)


class _Search:
    """Breadth first by length of the AS path, for all destinations together.

    Only AS numbers that several switches share are tracked: a path that holds a switch's own
    number because it went through that very switch is longer than the path that the switch has.
    ``may`` holds who may have a path of exactly this length; of these paths ``avoids[g]`` tells
    whether one may be without AS ``g``; ``holds[g]`` tells whether any path so far may have it.
    """

    def __init__(self, net: Network, origin: Ints, down: Bits) -> None:
        links = self._links = net.links
        self._up = ~down
        asns, group, counts = np.unique(net.asn, return_inverse=True, return_counts=True)
        shared = [group == number for number in range(len(asns)) if counts[number] > 1]
        self._members = [np.flatnonzero(mask) for mask in shared]
        self._takers = [np.flatnonzero(mask[links.source]) for mask in shared]
        self._may = no_bits(links.switches, len(origin))
        set_bits(self._may, origin, np.arange(len(origin)))
        self._fresh = self._may
        self._avoids = [_without(self._may, rows) for rows in self._members]
        self._holds = [self._may & ~avoids for avoids in self._avoids]
        self._past: list[list[Bits]] = []
        self.known = [self._may]
        self.next_hops, self.certain = np.zeros_like(down), np.zeros_like(down)

    def step(self) -> bool:
        """Lengthen every path by one hop; return whether there is more to find."""
        links, known = self._links, self.known[-1]
        free = self._up & ~known.take(links.source, axis=0)
        offers = self._may.take(links.target, axis=0) & free
        certain = self._fresh.take(links.target, axis=0) & free
        for takers, avoids, holds in zip(self._takers, self._avoids, self._holds, strict=True):
            offers[takers] &= avoids.take(links.target[takers], axis=0)
            certain[takers] &= ~holds.take(links.target[takers], axis=0)
        self.next_hops |= offers
        self.certain |= certain
        self._may = links.union_by_source(offers)
        self._fresh = links.union_by_source(certain) & ~known
        self.known.append(known | self._fresh)
        self._follow(offers)
        return bool(self._may.any()) and not self._repeats()

    def _follow(self, offers: Bits) -> None:
        """Note which of the new paths hold which shared AS number."""
        links = self._links
        for number, rows in enumerate(self._members):
            avoids, holds = (
                links.union_by_source(offers & table[number].take(links.target, axis=0))
                for table in (self._avoids, self._holds)
            )
            self._avoids[number] = _without(avoids, rows)
            self._holds[number] = self._holds[number] | holds
            self._holds[number][rows] |= self._may[rows]

    def _repeats(self) -> bool:
        """Tell whether all is as two steps ago, so that no step will find anything new.

        Neighbours that have no certain path may go on to offer each other longer ones for ever.
        """
        state = [self._may, self.known[-1], *self._avoids, *self._holds]
        self._past = [*self._past[-2:], state]
        return len(self._past) > 2 and all(  # noqa: PLR2004 - two steps, as said above
            np.array_equal(now, before) for now, before in zip(state, self._past[0], strict=True)
        )


def _without(bits: Bits, rows: Ints) -> Bits:
    changed = bits.copy()
    changed[rows] = 0
    return changed


@dataclass(frozen=True, eq=False)
class Links:
    """Directed links; parallel cables between two switches are one link in each direction.

    Parameters
    ----------
    switches : int
        Number of switches.
    source, target : array of int, shape (m,)
        Row of the switch that sends and of the one that receives, sorted by both.
    cables : array of int, shape (m,)
        How many cables the link stands for.
    """

    switches: int
    source: Ints
    target: Ints
    cables: Ints

    def __len__(self) -> int:
        return len(self.source)

    @classmethod
    def between(cls, left: Ints, right: Ints, switches: int) -> Links:
        """Return the links of cables whose ends are ``left[i]`` and ``right[i]``.

        Parameters
        ----------
        left, right : array of int, shape (cables,)
            Rows of the switches at both ends.
        switches : int
            Number of all switches.
        """
        keys = np.concatenate([left * switches + right, right * switches + left])
        distinct, cables = np.unique(keys, return_counts=True)
        return cls(switches, distinct // switches, distinct % switches, cables)

    @cached_property
    def reverse(self) -> Ints:
        """Row of the link in the other direction."""
        return self.rows(self.target, self.source)

    @cached_property
    def _groups(self) -> tuple[Ints, Ints]:
        """Switches that send at all, and the first link of each."""
        senders, first = np.unique(self.source, return_index=True)
        return senders, first.astype(np.int64)

    def rows(self, source: Ints, target: Ints) -> Ints:
        """Return the row of the link from ``source[i]`` to ``target[i]``, or -1.

        Parameters
        ----------
        source, target : array of int, shape (n,)
            Rows of switches.

        Returns
        -------
        array of int, shape (n,)
            Row of the link; -1 where there is none.
        """
        keys = self.source * self.switches + self.target
        pairs = source * self.switches + target
        rows = np.searchsorted(keys, pairs)
        inside = rows < len(keys)
        inside[inside] = keys[rows[inside]] == pairs[inside]
        return np.where(inside, rows, -1)

    def of(self, switch: int) -> Ints:
        """Return the rows of all links to and from a switch."""
        return np.flatnonzero((self.source == switch) | (self.target == switch))

    def union_by_source(self, bits: Bits) -> Bits:
        """Return the union of the sets of the links that leave each switch."""
        union = np.zeros((self.switches, bits.shape[1]), dtype=bits.dtype)
        senders, first = self._groups
        if len(senders):
            union[senders] = np.bitwise_or.reduceat(bits, first, axis=0)
        return union

    def union_by_target(self, bits: Bits) -> Bits:
        """Return the union of the sets of the links that enter each switch."""
        return self.union_by_source(bits.take(self.reverse, axis=0))

    def once_and_twice(self, bits: Bits) -> tuple[Bits, Bits]:
        """Return what is in at least one, and in at least two sets of the links of each switch."""
        once = np.zeros((self.switches, bits.shape[1]), dtype=bits.dtype)
        twice = once.copy()
        senders, first = self._groups
        degree = np.diff(np.append(first, len(self)))
        for rank in range(int(degree.max(initial=0))):
            more = degree > rank
            new = bits.take(first[more] + rank, axis=0)
            twice[senders[more]] |= once[senders[more]] & new
            once[senders[more]] |= new
        return once, twice
