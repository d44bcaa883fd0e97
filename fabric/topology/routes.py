"""Which link carries traffic to which leaf: BGP as it is configured, for all leaves at once.

Every switch speaks eBGP over each cable, takes all paths whose AS path is shortest (over different
neighbour ASes too: SONiC sets ``bestpath as-path multipath-relax``, EOS does so by default), tells
its neighbours one of them, and refuses a path that holds its own AS number (RFC 4271 section
9.1.2) more often than ``allowas-in`` says. Which of the equal paths it tells depends on router ids
and on age, and which it uses on ``max_paths`` when there are more. So this counts every path that
*may* be used, whatever is told: a superset, which is the safe side for a proof of freedom from
deadlock. Where no two switches share an AS, or all spines do and no leaf does, or all spines have
one and all leaves another, and ``max_paths`` is enough, the result is exact.

Left out: cables between switches with the same AS number (that is internal BGP, which spreads no
route to a third switch; rule BGP004 refuses it) and SONiC's BGP_BBR, which lets a leaf take a path
that holds its own AS number; such a path is never shorter than the leaf's own.

Sources: sonic-net/sonic-buildimage dockers/docker-fpm-frr/frr/bgpd/bgpd.main.conf.j2 and
templates/general/peer-group.conf.j2 (``allowas-in`` only for ToRRouter, and LeafRouter with
BGP_BBR; commit 0157618724cc3ad4cf8633307599c88d5559b178); RFC 7938 section 5.2.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from fabric.topology.links import Links
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
    allowed : array of int, shape (switches,)
        How often the own AS number may stand in a path that a switch takes, >= 0.
    """

    links: Links
    asn: Ints
    origin: Ints
    sends: Bools
    allowed: Ints

    def part(self, rows: Ints) -> Network:
        """Return the network of some switches alone.

        Parameters
        ----------
        rows : array of int, shape (n,)
            Rows of these switches, ascending.
        """
        place = np.full(self.links.switches, -1)
        place[rows] = np.arange(len(rows))
        origin = place[self.origin]
        return Network(
            links=self.links.part(place, len(rows)),
            asn=self.asn[rows],
            origin=origin[origin >= 0],
            sends=self.sends[rows],
            allowed=self.allowed[rows],
        )


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
    is_leaf = np.arange(len(switches)) < switches.leaf_count
    return Network(
        links=Links.between(up.lower[used], up.upper[used], len(switches)),
        asn=switches.asn,
        origin=leaves,
        sends=is_leaf,
        allowed=np.where(is_leaf, fabric.intent.fabric.bgp.allowas_in, 0),
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
    for _ in range(_longest(net)):
        if not search.step():
            break
    return Routing(search.next_hops, search.certain, tuple(search.known))


def _longest(net: Network) -> int:
    """Return how many AS numbers a path holds at most: each once, and as often as is allowed."""
    _, group, counts = np.unique(net.asn, return_inverse=True, return_counts=True)
    often = np.zeros(len(counts), dtype=np.int64)
    np.maximum.at(often, group, net.allowed)
    return len(counts) + int(often[counts > 1].sum())


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
    ``may`` holds who may have a path of exactly this length. For each tracked AS and each number
    that some switch allows, `_Tally` says which of these paths hold the AS more often.
    """

    def __init__(self, net: Network, origin: Ints, down: Bits) -> None:
        links = self._links = net.links
        self._up = ~down
        self._may = no_bits(links.switches, len(origin))
        set_bits(self._may, origin, np.arange(len(origin)))
        self._fresh = self._may
        self._tallies = [_Tally.first(net, asn, self._may) for asn in _shared(net.asn)]
        self._past: list[list[Bits]] = []
        self.known = [self._may]
        self.next_hops, self.certain = np.zeros_like(down), np.zeros_like(down)

    def step(self) -> bool:
        """Lengthen every path by one hop; return whether there is more to find."""
        links, known = self._links, self.known[-1]
        free = self._up & ~known.take(links.source, axis=0)
        offers = self._may.take(links.target, axis=0) & free
        certain = self._fresh.take(links.target, axis=0) & free
        for tally in self._tallies:
            tally.refuse(links, offers, certain)
        self.next_hops |= offers
        self.certain |= certain
        self._may = links.union_by_source(offers)
        self._fresh = links.union_by_source(certain) & ~known
        self.known.append(known | self._fresh)
        for tally in self._tallies:
            tally.follow(links, offers, self._may)
        return bool(self._may.any()) and not self._repeats()

    def _repeats(self) -> bool:
        """Tell whether all is as two steps ago, so that no step will find anything new.

        Neighbours that have no certain path may go on to offer each other longer ones for ever.
        """
        state = [self._may, self.known[-1]]
        for tally in self._tallies:
            state += [*tally.within, *tally.beyond]
        self._past = [*self._past[-2:], state]
        return len(self._past) > 2 and all(  # noqa: PLR2004 - two steps, as said above
            np.array_equal(now, before) for now, before in zip(state, self._past[0], strict=True)
        )


def _shared(asn: Ints) -> list[int]:
    """Return the AS numbers that several switches have."""
    numbers, counts = np.unique(asn, return_counts=True)
    shared: list[int] = numbers[counts > 1].tolist()
    return shared


@dataclass(eq=False)
class _Tally:
    """How often the paths of a search hold one AS number.

    ``within[n]`` tells whether a path of exactly this length may hold it n times or less;
    ``beyond[n]`` whether any path so far may hold it more often. ``takers`` are the links over
    which a switch of the AS takes a path, by the number that it allows.
    """

    members: Ints
    takers: dict[int, Ints]
    within: list[Bits]
    beyond: list[Bits]

    @classmethod
    def first(cls, net: Network, asn: int, own: Bits) -> _Tally:
        """Return the tally of the paths without a hop, which each origin has to itself."""
        members = np.flatnonzero(net.asn == asn)
        allowed = np.unique(net.allowed[members]).tolist()
        mine = net.asn[net.links.source] == asn
        asked = net.allowed[net.links.source]
        takers = {number: np.flatnonzero(mine & (asked == number)) for number in allowed}
        within = [_without(own, members)] + [own] * max(allowed)
        return cls(members, takers, within, [own & ~bits for bits in within])

    def refuse(self, links: Links, offers: Bits, certain: Bits) -> None:
        """Take out the paths that hold the AS too often for a switch that has it."""
        for number, rows in self.takers.items():
            target = links.target[rows]
            offers[rows] &= self.within[number].take(target, axis=0)
            certain[rows] &= ~self.beyond[number].take(target, axis=0)

    def follow(self, links: Links, offers: Bits, may: Bits) -> None:
        """Count in the new paths; a switch of the AS adds it to each of them."""
        within, beyond = (
            [links.union_by_source(offers & bits.take(links.target, axis=0)) for bits in tables]
            for tables in (self.within, self.beyond)
        )
        rows = self.members
        # once more than before: what held it n - 1 times or less now holds it n times or less
        fewer = [np.zeros_like(may[rows]), *(bits[rows] for bits in within[:-1])]
        more = [may[rows], *(bits[rows] for bits in beyond[:-1])]
        for number in range(len(within)):
            within[number][rows] = fewer[number]
            beyond[number][rows] = more[number]
            beyond[number] |= self.beyond[number]
        self.within, self.beyond = within, beyond


def _without(bits: Bits, rows: Ints) -> Bits:
    changed = bits.copy()
    changed[rows] = 0
    return changed
