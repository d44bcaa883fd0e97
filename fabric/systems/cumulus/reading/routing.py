"""BGP and static routes of a Cumulus configuration."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fabric.observe.configuration import Discard, Leftover, Origination, StaticRoute
from fabric.observe.configuration.blocks import address, ipv4, network
from fabric.observe.configuration.defaults import leave_open
from fabric.systems.cumulus.reading.model import BGP, FAMILY, SWITCH, TABLE, Reading

if TYPE_CHECKING:
    from fabric.observe.configuration import BgpTemplate

_SPEAKER = rf"{BGP} (?P<kind>neighbor|peer-group) (?P<session>\S+)"
_ALLOW = rf"{_SPEAKER} address-family ipv4-unicast aspath allow-my-asn"
#: What FRR takes without a number (CumulusNetworks/docs, Optional BGP Configuration).
_OCCURRENCES = 3
_STATE = r"(?P<state>on|off|enabled|disabled)"
_ON = ("on", "enabled")


@TABLE.line(rf"(router bgp|{BGP}) autonomous-system (?P<asn>\d+)")
def _asn(reading: Reading, line: int, asn: str) -> None:
    reading.asn, reading.bgp.line = int(asn), line


@TABLE.line(rf"(router bgp|{BGP}) router-id (?P<router_id>\S+)")
def _router_id(reading: Reading, _: int, router_id: str) -> None:
    reading.bgp.router_id = ipv4(router_id)


@TABLE.line(rf"(?P<place>router bgp|{BGP}) (enable|state) {_STATE}")
def _enable(reading: Reading, _: int, place: str, state: str) -> None:
    reading.said.add(place)
    reading.enabled = reading.enabled and state in _ON


@TABLE.line(
    r"vrf default router static (?P<prefix>[\d./]+)"
    r" via (?P<hop>[\d.]+|blackhole)( type (ipv4-address|blackhole))?"
)
def _static(reading: Reading, line: int, prefix: str, hop: str) -> None:
    to = Discard() if hop == "blackhole" else address(hop, "32", line).address
    reading.switch.static_routes.append(StaticRoute(*network(prefix), to, line))


@TABLE.line(rf"{BGP} path-selection multipath aspath-ignore {_STATE}")
def _relax(reading: Reading, _: int, state: str) -> None:
    reading.bgp.relax = state in _ON


@TABLE.line(rf"{FAMILY} multipaths ebgp (?P<max_paths>\d+)")
def _max_paths(reading: Reading, _: int, max_paths: str) -> None:
    reading.bgp.max_paths = int(max_paths)


@TABLE.line(rf"{FAMILY} network (?P<prefix>[\d./]+)")
def _network(reading: Reading, line: int, prefix: str) -> None:
    reading.bgp.originations.append(Origination(network(prefix), "", line))


@TABLE.line(rf"{FAMILY} redistribute connected( {SWITCH})?")
def _redistribute(reading: Reading, line: int) -> None:
    reading.bgp.originations.append(Origination(None, "", line))


@TABLE.line(_SPEAKER)
def _exists(reading: Reading, line: int, kind: str, session: str) -> None:
    _speaker(reading, line, kind, session)


@TABLE.line(rf"{_SPEAKER} remote-as (?P<asn>\d+|external)")
def _remote_as(reading: Reading, line: int, kind: str, session: str, asn: str) -> None:
    _speaker(reading, line, kind, session).asn = int(asn) if asn.isdecimal() else 0


@TABLE.line(rf"{BGP} neighbor (?P<session>\S+) peer-group (?P<group>\S+)")
def _member(reading: Reading, line: int, session: str, group: str) -> None:
    reading.bgp.peer(session, line).group = group


@TABLE.line(rf"{BGP} neighbor (?P<session>\S+) description (?P<text>.*)")
def _peer_description(reading: Reading, line: int, session: str, text: str) -> None:
    reading.bgp.peer(session, line).description = text


@TABLE.line(rf"{_SPEAKER} timers (?P<which>keepalive|hold) (?P<seconds>\d+)")
def _timers(reading: Reading, line: int, kind: str, session: str, which: str, seconds: str) -> None:
    setattr(_speaker(reading, line, kind, session), f"{which}_s", int(seconds))


@TABLE.line(rf"{BGP} timers (?P<which>keepalive|hold) (?P<seconds>\d+)")
def _process_timers(reading: Reading, _: int, which: str, seconds: str) -> None:
    setattr(reading.bgp, f"{which}_s", int(seconds))


@TABLE.line(rf"{_SPEAKER} bfd (enable|state) {_STATE}")
def _bfd(reading: Reading, line: int, kind: str, session: str, state: str) -> None:
    _speaker(reading, line, kind, session).bfd = state in _ON


@TABLE.line(rf"{_SPEAKER} bfd profile \S+")
def _bfd_profile(reading: Reading, line: int, kind: str, session: str) -> None:
    speaker = _speaker(reading, line, kind, session)
    speaker.bfd = speaker.bfd is not False


@TABLE.line(rf"{_ALLOW} (enable|state) {_STATE}")
def _allow_my_asn(reading: Reading, line: int, kind: str, session: str, state: str) -> None:
    speaker = _speaker(reading, line, kind, session)
    speaker.allowas_in = (speaker.allowas_in or _OCCURRENCES) if state in _ON else 0


@TABLE.line(rf"{_ALLOW} occurrences (?P<often>\d+)")
def _occurrences(reading: Reading, line: int, kind: str, session: str, often: str) -> None:
    speaker = _speaker(reading, line, kind, session)
    if speaker.allowas_in != 0:
        speaker.allowas_in = int(often)


@TABLE.line(rf"{_SPEAKER} shutdown {_STATE}")
def _shutdown(reading: Reading, line: int, kind: str, session: str, state: str) -> None:
    _speaker(reading, line, kind, session).enabled = state not in _ON


@TABLE.line(rf"{_SPEAKER} address-family ipv4-unicast (enable|state) {_STATE}")
def _activate(reading: Reading, line: int, kind: str, session: str, state: str) -> None:
    _speaker(reading, line, kind, session).activated = state in _ON


def _speaker(reading: Reading, line: int, kind: str, session: str) -> BgpTemplate:
    """Return a session or a peer group."""
    bgp = reading.bgp
    return bgp.group(session, line) if kind == "peer-group" else bgp.peer(session, line)


def leave_switches_open(reading: Reading) -> None:
    """Leave open whether BGP is on where a YAML text does not say it."""
    for place in ("router bgp", BGP):
        if place not in reading.said:
            leave_open(reading.switch, reading.bgp.line, "bgp_enabled_in_yaml", place)


def settle_bgp(reading: Reading) -> None:
    """Keep the process where it is on, and has a number."""
    switch, bgp = reading.switch, reading.bgp
    if reading.asn is None:
        switch.leftovers += [
            Leftover(peer.line, f"neighbor {peer.session} without autonomous-system")
            for peer in bgp.peers.values()
        ]
    elif reading.enabled:
        bgp.asn = reading.asn
        bgp.resolve()
        switch.bgp = bgp
