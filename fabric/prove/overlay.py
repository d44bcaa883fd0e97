"""EVPN sessions as both ends configure them, and which leaves have routes of which."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from fabric.observe.configuration.model import address_number, is_address, number_text
from fabric.prove.sessions import far_reason
from fabric.prove.underlay import as_designed

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from numpy.typing import NDArray

    from fabric.observe.configuration import BgpPeer, Configured
    from fabric.prove.sessions import Session
    from fabric.prove.underlay import Underlay
    from fabric.prove.wiring import Network
    from fabric.topology.model import Bools, Fabric


class EvpnSession(NamedTuple):
    """One end of a session that carries EVPN routes.

    Parameters
    ----------
    peer, far : str
        Switch at the other end, and its name of the session; empty where there is none.
    reason : str
        Why no EVPN routes are exchanged; empty where they are.
    takes_own_as : bool
        Whether routes of leaves that have the AS number of the switch arrive and are accepted.
    sends_targets : bool
        Whether routes go to the peer with their route targets.
    port : str
        Own port of a session over a cable; empty between loopbacks.
    """

    switch: str
    session: str
    line: int
    peer: str
    far: str
    reason: str
    takes_own_as: bool = False
    sends_targets: bool = True
    port: str = ""


def end_points(network: Network) -> dict[str, int]:
    """Return the address of the tunnel end point of each switch that has a working one."""
    found = {}
    for name, configured in network.switches.items():
        source = configured.evpn.source if configured.evpn else ""
        if is_address(source):
            number = address_number(source)
            ports = configured.ports.values()
            working = (entry.address for port in ports if port.enabled for entry in port.addresses)
            if number in working:
                found[name] = number
        elif (port := configured.ports.get(source)) and port.enabled and port.addresses:
            found[name] = port.addresses[0].address
    return found


def loopbacks(network: Network, names: Iterable[str] | None = None) -> dict[int, str]:
    """Return the switch of each address of a loopback; of the named switches alone."""
    return {
        entry.address: name
        for name in (network.switches if names is None else names)
        for port in network.switches[name].ports.values()
        if port.enabled and port.name.lower().startswith("lo")
        for entry in port.addresses
    }


def evpn_sessions(
    network: Network, links: Iterable[Session], underlay: Underlay
) -> list[EvpnSession]:
    """Return every session that a file has for EVPN, in the order of the files.

    Parameters
    ----------
    network : Network
        Files of the default VRF, and cables.
    links : iterable of Session
        Sessions over cables.
    underlay : Underlay
        Which loopbacks a switch reaches.
    """
    over_cables = {(link.switch, link.session): link for link in links if link.port}
    owners = loopbacks(network)
    return [
        _over_cable(network, name, line, over_cables[name, session])
        if (name, session) in over_cables
        else _between_loopbacks(network, (name, session, line), owners, underlay)
        for name, configured in network.switches.items()
        if configured.evpn
        for session, line in configured.evpn.peers.items()
    ]


def between_neighbours(
    network: Network, name: str, links: Iterable[Session]
) -> Iterator[EvpnSession]:
    """Yield the sessions of a switch between loopbacks that come up over a cable to the peer.

    Parameters
    ----------
    links : iterable of Session
        Its sessions over cables that come up.
    """
    configured = network.switches.get(name)
    over_cables = {link.session: link.peer for link in links}
    evpn = configured.evpn.peers if configured and configured.evpn else {}
    between = {session: line for session, line in evpn.items() if session not in over_cables}
    if not between:
        return
    owners = loopbacks(network, {*over_cables.values(), name})
    ways = as_designed(network, owners)
    for session, line in between.items():
        end = _between_loopbacks(network, (name, session, line), owners, ways)
        if not end.reason:
            yield end


def _over_cable(network: Network, name: str, line: int, link: Session) -> EvpnSession:
    far = link.far.session if link.far else ""
    own, other = network.switches[name], network.switches.get(link.peer)
    mine = own.bgp.peers.get(link.session) if own.bgp else None
    reason = link.reason or _not_active(network, link.peer, far)
    reason = reason or (_stopped(own, mine, other, link.far) if other else "")
    takes = _takes_own_as(mine, link.far)
    sends = mine is None or mine.sends_targets is not False
    return EvpnSession(name, link.session, line, link.peer, far, reason, takes, sends, link.port)


def _between_loopbacks(
    network: Network, end: tuple[str, str, int], owners: Mapping[int, str], underlay: Underlay
) -> EvpnSession:
    name, session, line = end
    own = network.switches[name]
    number = address_number(session) if is_address(session) else -1
    peer = owners.get(number, "")
    mine = own.bgp.peers.get(session) if own.bgp else None
    if not peer or mine is None:
        words = "no switch has this loopback" if mine else "BGP has no such session"
        return EvpnSession(name, session, line, "", "", words)
    other, source = network.switches[peer], _source(own, mine)
    text = number_text(source, is_ipv6=False) if source >= 0 else ""
    far = other.bgp.peers.get(text) if other.bgp else None
    reason = (
        ("" if text else "it does not start from a loopback that works")
        or far_reason(own, other, mine, far)
        or _other_source(other, far, number)
        or _one_hop(own, other, mine, far)
        or _not_active(network, peer, text)
        or _stopped(own, mine, other, far)
        or _no_way(network, underlay, (name, number), (peer, source))
    )
    takes, sends = _takes_own_as(mine, far), mine.sends_targets is not False
    return EvpnSession(name, session, line, peer, text, reason, takes, sends)


def _source(own: Configured, peer: BgpPeer) -> int:
    """Return the address that a session starts from; -1 where it is that of an uplink, or none."""
    local = peer.local_address or ""
    for port in own.ports.values() if local else ():
        for entry in port.addresses if port.enabled else ():
            if local in (port.name, entry.text.partition("/")[0]):
                return entry.address
    return -1


def _other_source(other: Configured, far: BgpPeer | None, number: int) -> str:
    """Return that the other end does not start from the loopback which this one names."""
    if far is None or _source(other, far) == number:
        return ""
    return f"{other.name} does not start it from its loopback"


def _one_hop(own: Configured, other: Configured, peer: BgpPeer, far: BgpPeer | None) -> str:
    """Return which end of a session of external BGP takes no peer behind a hop."""
    if own.bgp and other.bgp and own.bgp.asn == other.bgp.asn:
        return ""
    for switch, end in ((own, peer), (other, far)):
        if end is not None and end.hops is None:
            return f"{switch.name} takes no peer that is not on a cable (multihop)"
    return ""


def _not_active(network: Network, peer: str, far: str) -> str:
    evpn = network.switches[peer].evpn if peer in network.switches else None
    return "" if evpn and far in evpn.peers else f"EVPN is not activated on {peer}"


def _stopped(own: Configured, mine: BgpPeer | None, other: Configured, far: BgpPeer | None) -> str:
    """Return which policy of two ends permits no EVPN route at all."""
    for switch, peer in ((own, mine), (other, far)):
        names = (peer.policy_in_evpn, peer.policy_out_evpn) if peer else ()
        for name in filter(None, names):
            terms = switch.policies.get(name)
            if terms is not None and not any(term.permit for term in terms):
                return f"routing policy {name} of {switch.name} permits no EVPN route"
    return ""


def _no_way(
    network: Network, underlay: Underlay, near: tuple[str, int], back: tuple[str, int]
) -> str:
    """Return which end does not reach the other; a switch and the address that it looks for."""
    for name, address in (near, back):
        if not underlay.reaches(network.row[name], address):
            return f"{name} does not reach {number_text(address, is_ipv6=False)}"
    return ""


def _takes_own_as(mine: BgpPeer | None, far: BgpPeer | None) -> bool:
    return bool(mine and mine.allowas_in) and not (far and far.tells_peer_as is False)


@dataclass(frozen=True, eq=False)
class Exchange:
    """Which leaf has working EVPN routes of which, shape (leaves, leaves) each.

    Parameters
    ----------
    paths : array of float
        Shortest ways of a route from the leaf of the column to that of the row. It goes up and
        down again: the AS number that switches of a tier share stops every other way.
    good : array of float
        Those of them on which it keeps its next hop.
    ever, always : array of bool
        Whether packets back arrive over some path of the underlay, and over every one.
    """

    paths: NDArray[np.float32]
    good: NDArray[np.float32]
    ever: Bools
    always: Bools

    @cached_property
    def some(self) -> Bools:
        """Whether packets of the leaf of a row may reach that of a column."""
        table: Bools = (self.good > 0) & self.ever
        np.fill_diagonal(table, val=True)
        return table

    @cached_property
    def every(self) -> Bools:
        """Whether all of them do."""
        table: Bools = (self.paths > 0) & (self.good == self.paths) & self.always
        np.fill_diagonal(table, val=True)
        return table

    def reason(self, sender: str, receiver: str, rows: tuple[int, int]) -> str:
        """Return why packets of a leaf do not reach another one; rows are those of both."""
        if not self.paths[rows]:
            return f"no EVPN route of {receiver} arrives at {sender}"
        if self.good[rows] < self.paths[rows]:
            return f"a relay changes the next hop of EVPN routes from {receiver} to {sender}"
        return f"{sender} does not reach the tunnel end point of {receiver} over every path"


def exchange(
    network: Network, fabric: Fabric, sessions: Sequence[EvpnSession], underlay: Underlay
) -> Exchange:
    """Return what EVPN and the underlay make of routes between leaves."""
    flows = _Flows(network, fabric)
    silent = {(one.switch, one.session) for one in sessions if not one.sends_targets}
    for session in sessions:
        if not session.reason and (session.peer, session.far) not in silent:
            flows.add(session)
    paths, good = flows.paths()
    paths, good = paths.T, good.T  # a row receives routes, and so sends packets
    refused = flows.refused()
    ends = end_points(network)
    leaves = fabric.switches.names[: fabric.switches.leaf_count]
    working = np.array([name in ends for name in leaves])
    rows = np.array([network.row.get(name, -1) for name in leaves])
    columns = np.array([underlay.column.get(ends.get(name, -1), -1) for name in leaves])
    both = working[:, None] & working & (rows >= 0)[:, None] & (columns >= 0)
    ever, always = (table[rows[:, None], columns] & both for table in _tables(underlay))
    none = np.float32(0)
    return Exchange(np.where(refused, none, paths), np.where(refused, none, good), ever, always)


def _tables(underlay: Underlay) -> Iterator[Bools]:
    """Yield the tables of an underlay; without switches or addresses, a row and column of False."""
    for table in (underlay.ever, underlay.always):
        shape = max(1, table.shape[0]), max(1, table.shape[1])
        yield table if table.size else np.zeros(shape, dtype=np.bool_)


class _Flows:
    """Sessions between neighbouring tiers, counted by both ends."""

    def __init__(self, network: Network, fabric: Fabric) -> None:
        tier = fabric.switches.tier
        self._network, self._row = network, fabric.switch_row
        self._tier: list[int] = tier.tolist()
        self._leaves = fabric.switches.leaf_count
        self._names = fabric.switches.names[: self._leaves]
        sizes = np.bincount(tier).tolist()
        place = np.empty(len(tier), dtype=np.int64)
        for number, size in enumerate(sizes):
            place[tier == number] = np.arange(size)
        self._place: list[int] = place.tolist()
        self._sizes = sizes
        self._flows: dict[tuple[int, int], list[tuple[int, int, bool]]] = defaultdict(list)
        self._own_as = np.ones(self._leaves, dtype=np.bool_)

    def add(self, session: EvpnSession) -> None:
        """Count the routes that an end of a session receives."""
        sender, receiver = self._row[session.peer], self._row[session.switch]
        low, high = self._tier[sender], self._tier[receiver]
        if receiver < self._leaves:
            self._own_as[receiver] &= session.takes_own_as
        if abs(low - high) != 1:
            return
        relay = self._network.switches[session.peer].evpn
        if relay is None or (low and not relay.keeps_all_targets):
            return
        keeps = not low or relay.keeps_next_hops or session.far in relay.keeps_next_hop
        self._flows[low, high].append((self._place[sender], self._place[receiver], keeps))

    def _table(self, low: int, high: int) -> NDArray[np.float32]:
        """Return how many sessions lead from switch to switch, and how many keep next hops."""
        table = np.zeros((2, self._sizes[low], self._sizes[high]), dtype=np.float32)
        flows = np.array(self._flows[low, high], dtype=np.int64).reshape(-1, 3)
        for part, weight in zip(table, (np.ones(len(flows)), flows[:, 2]), strict=True):
            np.add.at(part, (flows[:, 0], flows[:, 1]), weight)
        return table

    def paths(self) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
        """Return the shortest ways from leaf to leaf, and the good ones of them."""
        every = [np.zeros((self._leaves, self._leaves), dtype=np.float32) for _ in range(2)]
        steps = range(len(self._sizes) - 1)
        downs = [self._table(tier + 1, tier) for tier in steps]
        up = self._table(0, 1) if steps else np.zeros((2, self._leaves, 0), dtype=np.float32)
        for tier in steps:
            up = up @ self._table(tier, tier + 1) if tier else up
            way = up
            for down in reversed(downs[: tier + 1]):
                way = way @ down
            first = (every[0] == 0) & (way[0] > 0)
            for total, more in zip(every, way, strict=True):
                total[first] = more[first]
        return every[0], every[1]

    def refused(self) -> Bools:
        """Return where a leaf rejects routes of another one with its AS number."""
        switches = self._network.switches
        processes = [switches[name].bgp if name in switches else None for name in self._names]
        asn = np.array([bgp.asn if bgp else -1 for bgp in processes])
        same: Bools = (asn[:, None] == asn) & (asn >= 0) & ~self._own_as[:, None]
        np.fill_diagonal(same, val=False)
        return same
