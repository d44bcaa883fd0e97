"""Routes of every switch as the files make them: connected, static, and BGP by rounds.

eBGP as RFC 4271 has it, and as all our systems do it: the shortest AS path wins, a path with the
own AS number is rejected unless the file allows it, equal paths are used together up to
``max_paths`` (over different AS paths only where the file relaxes that), and the path of the lowest
router id, then the lowest address, is told on. Rounds are run until nothing changes.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from ipaddress import IPv4Address, ip_address
from typing import TYPE_CHECKING

import numpy as np

from fabric.observe.configuration import Discard
from fabric.observe.configuration.model import is_address
from fabric.prove.aggregates import aggregates
from fabric.prove.policies import Prefixes, permitted

if TYPE_CHECKING:
    from collections.abc import Iterable

    from fabric.observe.configuration import Configured, StaticRoute
    from fabric.prove.aggregates import Aggregates
    from fabric.prove.sessions import Session
    from fabric.prove.wiring import Network
    from fabric.topology.model import Bools, Ints

#: Length of a path that does not exist; longer than any.
_FAR = 1 << 30

#: AS numbers of a path that are kept; a longer path is no path. Our choice: twice the longest
#: valley-free path of three tiers, so that a path through a valley is still seen.
MAX_HOPS = 10

#: Rounds after which BGP is said not to settle; our choice: every path is known after
#: ``MAX_HOPS`` rounds, and choices between equal paths settle in as many more.
_MAX_ROUNDS = 4 * MAX_HOPS


@dataclass(frozen=True, eq=False)
class _Hops:
    """Established sessions, those of a switch side by side, the preferred one first."""

    sessions: tuple[Session, ...]
    source: Ints
    target: Ints

    @classmethod
    def of(cls, network: Network, established: Iterable[Session]) -> _Hops:
        ranked = sorted(
            established, key=lambda item: (network.row[item.switch], _rank(network, item))
        )
        source = np.array([network.row[item.switch] for item in ranked], dtype=np.int64)
        target = np.array([network.row[item.peer] for item in ranked], dtype=np.int64)
        return cls(tuple(ranked), source, target)


@dataclass(frozen=True, eq=False)
class Tables:
    """Routes of all switches.

    Parameters
    ----------
    prefixes : Prefixes
        Every prefix that some switch knows.
    sessions : tuple of Session
        Established sessions; a row of ``next_hops`` is the end that receives.
    source, target : array of int, shape (sessions,)
        Row of the switch that forwards, and of its peer.
    connected : array of bool, shape (switches, prefixes)
        Prefixes of ports that are up.
    dropped : array of bool, shape (switches, prefixes)
        Prefixes with a route that discards: a static one, or that of an aggregate.
    next_hops : array of bool, shape (sessions, prefixes)
        Sessions that are a next hop of their switch: BGP, or a static route over the same port.
    equal : array of bool, shape (sessions, prefixes)
        Sessions with an equal best path that BGP may use, before ``max_paths`` cuts them.
    settled : bool
        Whether BGP came to rest.
    """

    prefixes: Prefixes
    sessions: tuple[Session, ...]
    source: Ints
    target: Ints
    connected: Bools
    dropped: Bools
    next_hops: Bools
    equal: Bools
    settled: bool

    @cached_property
    def known(self) -> Bools:
        """Whether a switch has a route at all, shape (switches, prefixes)."""
        by_hop = _by_switch(self.next_hops, self.source, len(self.connected))
        return self.connected | self.dropped | by_hop

    @property
    def uncut(self) -> Tables:
        """The same with all equal paths in use; itself where they are."""
        is_cut = bool((self.equal & ~self.next_hops).any())
        return replace(self, next_hops=self.next_hops | self.equal) if is_cut else self

    @cached_property
    def most_equal(self) -> Ints:
        """The most equal paths of a switch to one prefix, shape (switches,)."""
        most = np.zeros(len(self.connected), dtype=np.int64)
        switch, first = np.unique(self.source, return_index=True)
        if len(switch):
            counts = np.add.reduceat(self.equal, first, axis=0, dtype=np.int64)
            most[switch] = counts.max(axis=1, initial=0)
        return most


def tables(network: Network, established: Iterable[Session]) -> Tables:
    """Return the routes of every switch.

    Parameters
    ----------
    network : Network
        Files and cables.
    established : iterable of Session
        Sessions that come up.
    """
    hops = _Hops.of(network, established)
    here = _connected(network)
    prefixes = _prefixes(network, here)
    pairs = zip(prefixes.network.tolist(), prefixes.length.tolist(), strict=True)
    index = {pair: row for row, pair in enumerate(pairs)}
    connected = np.zeros((len(network.switches), len(prefixes)), dtype=np.bool_)
    for row, own in enumerate(here.values()):
        connected[row, [index[pair] for pair in own]] = True
    dropped, static = _static(network, hops, index)
    fixed = connected | dropped | _by_switch(static, hops.source, len(network.switches))
    originated = _originated(network, prefixes, connected, fixed)
    whole, (learnt, equal, settled) = _spoken(network, hops, prefixes, originated)
    dropped |= whole.active
    fixed |= whole.active
    free = ~fixed[hops.source]
    next_hops = (learnt & free) | (static & ~connected[hops.source])
    return Tables(
        prefixes,
        hops.sessions,
        hops.source,
        hops.target,
        connected,
        dropped & ~connected,
        next_hops,
        equal & free,
        settled,
    )


def _by_switch(bits: Bools, source: Ints, switches: int) -> Bools:
    """Return whether any session of a switch has a bit, shape (switches, prefixes)."""
    result = np.zeros((switches, bits.shape[1]), dtype=np.bool_)
    np.logical_or.at(result, source, bits)
    return result


def _connected(network: Network) -> dict[str, set[tuple[int, int]]]:
    """Return the networks of the ports that are up, by switch."""
    return {
        name: {
            entry.network
            for port in configured.ports.values()
            if port.addresses and not configured.no_routing and network.routes_here(name, port.name)
            for entry in port.addresses
        }
        for name, configured in network.switches.items()
    }


def _prefixes(network: Network, here: dict[str, set[tuple[int, int]]]) -> Prefixes:
    """Return every prefix that some switch originates or has a static route for."""
    pairs = set().union(*here.values())
    for configured in network.switches.values():
        pairs |= {route[:2] for route in configured.static_routes}
        if configured.bgp:
            pairs |= {item.network for item in configured.bgp.originations if item.network}
            pairs |= {item[:2] for item in configured.bgp.aggregates}
    kind = object if network.is_ipv6 else np.int64
    ordered = sorted(pairs)
    first = np.array([pair[0] for pair in ordered], dtype=kind)
    return Prefixes(first, np.array([pair[1] for pair in ordered], dtype=np.int64), network.bits)


def _static(
    network: Network, hops: _Hops, index: dict[tuple[int, int], int]
) -> tuple[Bools, Bools]:
    """Return which prefixes are discarded, and which go over the port of which session."""
    dropped = np.zeros((len(network.switches), len(index)), dtype=np.bool_)
    static = np.zeros((len(hops.sessions), len(index)), dtype=np.bool_)
    by_hop: dict[tuple[str, int | str], int] = {}
    for row, link in enumerate(hops.sessions):
        by_hop[link.switch, link.port] = row
        if is_address(link.session):
            by_hop[link.switch, int(ip_address(link.session))] = row
    for row, (name, configured) in enumerate(network.switches.items()):
        for route in configured.static_routes:
            session = _session_of(by_hop, name, route)
            if session is None:
                dropped[row, index[route[:2]]] = True
            else:
                static[session, index[route[:2]]] = True
    return dropped, static


def _session_of(
    by_hop: dict[tuple[str, int | str], int], switch: str, route: StaticRoute
) -> int | None:
    """Return the session over whose port a static route goes; None where it leads to none."""
    if isinstance(route.next_hop, Discard) or route.egress:
        return None
    return by_hop.get((switch, route.next_hop))


def _originated(network: Network, prefixes: Prefixes, connected: Bools, known: Bools) -> Bools:
    """Return which switch announces which prefix by itself, shape (switches, prefixes).

    A ``network`` line needs a route for its prefix, as FRR's import check and NX-OS have it.
    """
    result = np.zeros_like(connected)
    for row, configured in enumerate(network.switches.values()):
        for item in configured.bgp.originations if configured.bgp else ():
            passed = permitted(configured, item.policy, prefixes, "connected")
            if item.network is None:
                result[row] |= passed & connected[row]
            else:
                first, length = item.network
                named = np.asarray(prefixes.network == first) & (prefixes.length == length)
                result[row] |= passed & named & known[row]
    return result


def _spoken(
    network: Network, hops: _Hops, prefixes: Prefixes, originated: Bools
) -> tuple[Aggregates, tuple[Bools, Bools, bool]]:
    """Return the aggregates, and what BGP makes of them; those of learnt prefixes follow it."""
    whole = aggregates(network, prefixes, originated)
    follow = whole.idle
    for _ in range(_MAX_ROUNDS):
        said = _Speakers(network, hops, prefixes, whole).run(originated | whole.active)
        if not follow:
            return whole, said
        known = originated | _by_switch(said[0], hops.source, len(originated))
        newer = aggregates(network, prefixes, known)
        if newer.same_as(whole):
            return whole, said
        whole = newer
    return whole, (*said[:2], False)


class _Speakers:
    """All BGP speakers, round by round, for classes of prefixes that everybody treats alike.

    Sessions stand in groups of one switch, the preferred one first.
    """

    def __init__(
        self, network: Network, hops: _Hops, prefixes: Prefixes, whole: Aggregates
    ) -> None:
        processes = [configured.bgp for configured in network.switches.values()]
        self._asn = np.array([bgp.asn if bgp else 0 for bgp in processes], dtype=np.int64)
        self._relax = np.array([bool(bgp and bgp.relax) for bgp in processes])
        self._max_paths = np.array([bgp.max_paths if bgp else 1 for bgp in processes])
        self._source, self._target = hops.source, hops.target
        self._switch, self._first = np.unique(hops.source, return_index=True)
        self._allowed, self._silent = _about_loops(network, hops.sessions)
        self._external = (self._asn[hops.source] != self._asn[hops.target])[:, None]
        self._passes = _passes(network, hops, prefixes, whole)

    def run(self, originated: Bools) -> tuple[Bools, Bools, bool]:
        """Return next hops and equal paths by session, and whether it rests."""
        columns, back = _classes(np.concatenate([originated, *self._passes]))
        passes = [part[:, columns] for part in self._passes]
        equal, settled = self._rounds(originated[:, columns], *passes)
        return self._limited(equal)[:, back], equal[:, back], settled

    def _rounds(self, originated: Bools, own: Bools, learnt: Bools) -> tuple[Bools, bool]:
        """Exchange best paths until nobody changes its mind; return the equal best paths.

        Parameters
        ----------
        originated : array of bool, shape (switches, classes)
        own, learnt : array of bool, shape (sessions, classes)
            What the peer may tell of its own routes, and of those that it learnt.
        """
        length = np.where(originated, 0, _FAR)
        path = np.zeros((*originated.shape, MAX_HOPS), dtype=np.int64)
        may = np.where(originated[self._target], own, learnt) & self._external
        may &= ~originated[self._source]
        equal, settled = np.zeros_like(may), not len(self._source)
        for _ in range(0 if settled else _MAX_ROUNDS):
            offer, equal, best = self._choose(length, path, may)
            newer = self._adopt(path, originated, offer, best)
            settled = np.array_equal(newer[0], length) and np.array_equal(newer[1], path)
            if settled:
                break
            length, path = newer
        return equal, settled

    def _choose(self, length: Ints, path: Ints, may: Bools) -> tuple[Ints, Bools, Ints]:
        """Return the path length of each session, the equal best ones, and the best session.

        Returns
        -------
        tuple of arrays
            Shapes (sessions, classes) twice and (switches with sessions, classes); a best session
            past the last one stands for none.
        """
        source, target = self._source, self._target
        told = length[target]
        owned = path[target] == self._asn[source][:, None, None]
        looped = owned.sum(axis=2) > self._allowed[:, None]
        looped |= owned[..., 0] & self._silent[:, None]
        usable = may & (told < MAX_HOPS) & ~looped
        offer = np.where(usable, told + 1, _FAR)
        shortest = np.full(length.shape, _FAR)
        shortest[self._switch] = np.minimum.reduceat(offer, self._first, axis=0)
        equal = usable & (offer == shortest[source])
        numbers = np.where(equal, np.arange(len(source))[:, None], len(source))
        best = np.minimum.reduceat(numbers, self._first, axis=0)
        strict = np.flatnonzero(~self._relax[source])
        if len(strict):
            equal[strict] &= self._like_the_best(path, best, strict)
        return offer, equal, best

    def _like_the_best(self, path: Ints, best: Ints, rows: Ints) -> Bools:
        """Return where the path of a session is that of the best one, AS by AS."""
        group = np.searchsorted(self._switch, self._source[rows])
        chosen = self._target[np.minimum(best[group], len(self._source) - 1)]
        columns = np.arange(path.shape[1])
        same = (path[self._target[rows]] == path[chosen, columns]).all(axis=2)
        alike: Bools = same & (self._asn[self._target[rows]][:, None] == self._asn[chosen])
        return alike

    def _adopt(self, path: Ints, originated: Bools, offer: Ints, best: Ints) -> tuple[Ints, Ints]:
        """Return length and path of the best route of every switch."""
        columns = np.arange(path.shape[1])
        length = np.where(originated, 0, _FAR)
        new = np.zeros_like(path)
        has = best < len(self._source)
        session = np.where(has, best, 0)
        peer = self._target[session]
        length[self._switch] = np.where(has, offer[session, columns], length[self._switch])
        longer = np.concatenate([self._asn[peer][..., None], path[peer, columns][..., :-1]], axis=2)
        new[self._switch] = np.where(has[..., None], longer, 0)
        return length, new

    def _limited(self, equal: Bools) -> Bools:
        """Return the equal paths that ``max_paths`` leaves, the preferred ones first."""
        count = np.cumsum(equal, axis=0)
        first = np.searchsorted(self._source, self._source)
        before = np.where(first[:, None] > 0, count[np.maximum(first - 1, 0)], 0)
        return equal & (count - before <= self._max_paths[self._source][:, None])


def _about_loops(network: Network, links: tuple[Session, ...]) -> tuple[Ints, Bools]:
    """Return how often a session takes the own AS number, and whether its peer never tells it.

    Junos and NX-OS tell no route to the AS that it came from (``advertise-peer-as``,
    ``disable-peer-as-check``).
    """
    allowed = np.zeros(len(links), dtype=np.int64)
    silent = np.zeros(len(links), dtype=np.bool_)
    for row, link in enumerate(links):
        here = network.switches[link.switch].bgp
        allowed[row] = (here.peers[link.session].allowas_in or 0) if here else 0
        silent[row] = link.far is not None and link.far.tells_peer_as is False
    return allowed, silent


def _rank(network: Network, link: Session) -> tuple[int, int]:
    """Return what decides between equal paths: router id of the peer, then its address."""
    bgp = network.switches[link.peer].bgp
    router_id = int(IPv4Address(bgp.router_id)) if bgp and bgp.router_id else 0
    return router_id, int(ip_address(link.session)) if is_address(link.session) else 0


def _passes(
    network: Network, hops: _Hops, prefixes: Prefixes, whole: Aggregates
) -> tuple[Bools, Bools]:
    """Return what both ends let through, shape (sessions, prefixes) each.

    The first is for routes that the peer originates, the second for those that it learnt.
    """
    known: dict[tuple[str, str | None, str], Bools] = {}

    def passed(switch: Configured, policy: str | None, source: str) -> Bools:
        key = (switch.name if policy else "", policy, source)
        if key not in known:
            known[key] = permitted(switch, policy, prefixes, source)
        return known[key]

    own = ~whole.hidden[hops.target]
    learnt = own.copy()
    for row, link in enumerate(hops.sessions):
        here, peer = network.switches[link.switch], network.switches[link.peer]
        policy_in = here.bgp.peers[link.session].policy_in if here.bgp else None
        policy_out = link.far.policy_out if link.far else None
        if policy_in or policy_out:
            inward = passed(here, policy_in, "bgp")
            mine = passed(peer, policy_out, "connected")
            if whole.active[hops.target[row]].any():
                joined = passed(peer, policy_out, "aggregate")
                mine = np.where(whole.active[hops.target[row]], joined, mine)
            own[row] &= inward & mine
            learnt[row] &= inward & passed(peer, policy_out, "bgp")
    return own, learnt


def _classes(table: Bools) -> tuple[Ints, Ints]:
    """Return one column of each kind, and the kind of every column."""
    packed = np.packbits(table, axis=0)
    _, first, back = np.unique(packed, axis=1, return_index=True, return_inverse=True)
    return first, back.reshape(-1)
