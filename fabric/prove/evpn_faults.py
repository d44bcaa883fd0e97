"""Whether EVPN has the sessions, relays and tunnel end points of the design."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING

from fabric.observe.configuration.model import number_text
from fabric.prove.breach import Breach
from fabric.prove.overlay import end_points

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from fabric.design.model import BgpNeighbour, DeviceDesign
    from fabric.observe.configuration import Configured
    from fabric.prove.overlay import EvpnSession
    from fabric.prove.wiring import Network


def evpn_faults(
    network: Network, devices: Mapping[str, DeviceDesign], sessions: Iterable[EvpnSession]
) -> Iterator[Breach]:
    """Yield the sessions, relays and tunnel end points that are not as designed.

    Parameters
    ----------
    network : Network
        Files of the default VRF.
    """
    by_switch: dict[str, dict[str, EvpnSession]] = defaultdict(dict)
    for session in sessions:
        by_switch[session.switch][session.session] = session
    ends = end_points(network)
    for name, configured in network.switches.items():
        design = devices[name]
        if design.evpn is None:
            continue
        yield from _sessions(name, _planned(network, design), by_switch[name])
        if design.evpn.source and design.vrfs:
            yield from _end_point(name, design.evpn.source, configured, ends)
        elif not design.evpn.source:
            yield from _relay(configured, name, by_switch[name].values())


def _planned(network: Network, design: DeviceDesign) -> dict[str, BgpNeighbour]:
    """Return the planned EVPN sessions of a switch by their names, without cables that are off."""
    if between := design.loopback_sessions:
        return {peer.session: peer for peer in between if peer.name in network.switches}
    return {
        peer.session: peer
        for peer in design.bgp.neighbours
        if (design.name, peer.port) in network.wiring.far and "ipv4" in peer.families
    }


def _sessions(
    name: str, planned: Mapping[str, BgpNeighbour], present: Mapping[str, EvpnSession]
) -> Iterator[Breach]:
    for key, peer in planned.items():
        session = present.get(key)
        if session is None:
            words = f"no EVPN routes are exchanged with {peer.name}: EVPN is not activated"
            yield Breach("BAT026", name, peer.port, 0, words)
        elif session.reason:
            words = f"no EVPN routes are exchanged with {peer.name}: {session.reason}"
            yield Breach("BAT026", name, peer.port, session.line, words)
        elif not session.sends_targets:
            words = f"EVPN routes go to {peer.name} without route targets: no VRF takes them"
            yield Breach("BAT026", name, peer.port, session.line, words)
    for key, session in present.items():
        if key not in planned and (session.peer or not session.reason):
            words = f"the EVPN session {key} is not planned"
            yield Breach("BAT026", name, "", session.line, words)


def _end_point(
    name: str, planned: str, configured: Configured, ends: Mapping[str, int]
) -> Iterator[Breach]:
    evpn = configured.evpn
    if name not in ends:
        source = evpn.source if evpn else ""
        words = f"no port that works has its source {source}" if source else "it has no source"
        line = evpn.source_line or evpn.line if evpn else 0
        yield Breach("BAT026", name, "", line, f"the tunnel end point does not exist: {words}")
    elif number_text(ends[name], is_ipv6=False) != planned and evpn:
        has = number_text(ends[name], is_ipv6=False)
        words = f"the tunnel end point is {has}, planned is {planned}"
        yield Breach("BAT026", name, "", evpn.source_line, words)


def _relay(configured: Configured, name: str, sessions: Iterable[EvpnSession]) -> Iterator[Breach]:
    evpn = configured.evpn
    if evpn is None:
        return
    if not evpn.keeps_all_targets:
        words = "the relay drops EVPN routes whose targets it does not import"
        yield Breach("BAT026", name, "", evpn.line, words)
    for session in sessions:
        if not evpn.keeps_next_hops and session.session not in evpn.keeps_next_hop:
            who = session.peer or session.session
            words = f"the relay puts itself as next hop into EVPN routes for {who}"
            yield Breach("BAT026", name, "", session.line, words)
