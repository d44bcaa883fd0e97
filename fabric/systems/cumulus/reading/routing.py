"""BGP and static routes of a Cumulus configuration."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fabric.observe.configuration import Aggregate, Discard, Leftover, Origination, StaticRoute
from fabric.observe.configuration.blocks import address, ipv4, network
from fabric.observe.configuration.defaults import leave_open
from fabric.systems.cumulus.reading.model import LINES, RoutingLines
from fabric.systems.cumulus.reading.vrfs import DEFAULT, settle_vrfs, tenant

if TYPE_CHECKING:
    from fabric.observe.configuration import BgpTemplate

#: Where BGP is switched on or off.
_PLACES = ("router bgp", "vrf default router bgp")
#: What FRR takes without a number (CumulusNetworks/docs, Optional BGP Configuration).
_OCCURRENCES = 3
_ON = ("on", "enabled")
#: How fields of routes end, by family.
_SUFFIXES = {"ipv4-unicast": "", "ipv6-unicast": "6"}
_EVPN = "l2vpn-evpn"


@LINES.means("asn")
def _asn(reading: RoutingLines, line: int, asn: str) -> None:
    reading.asn, reading.bgp.line = int(asn), line


@LINES.means("router_id")
def _router_id(reading: RoutingLines, _: int, router_id: str) -> None:
    reading.bgp.router_id = ipv4(router_id)


@LINES.means("process")
def _process(reading: RoutingLines, _: int, state: str) -> None:
    reading.said.add(_PLACES[0])
    reading.enabled = reading.enabled and state in _ON


@LINES.means("process_of_vrf")
def _process_of_vrf(reading: RoutingLines, line: int, vrf: str, state: str) -> None:
    if vrf != DEFAULT:
        tenant(reading, vrf, line).routed = state in _ON
        return
    reading.said.add(_PLACES[1])
    reading.enabled = reading.enabled and state in _ON


@LINES.means("unicast")
def _unicast(_: RoutingLines, __: int, vrf: str, family: str, state: str) -> None:  # noqa: ARG001
    if state not in _ON:
        raise ValueError(f"{family} is off")


@LINES.means("static")
def _static(reading: RoutingLines, line: int, prefix: str, hop: str) -> None:
    to = Discard() if hop == "blackhole" else address(hop, "32", line).address
    reading.switch.static_routes.append(StaticRoute(*network(prefix), to, line))


@LINES.means("relax")
def _relax(reading: RoutingLines, _: int, state: str) -> None:
    reading.bgp.relax = state in _ON


@LINES.means("max_paths")
def _max_paths(reading: RoutingLines, _: int, family: str, paths: str) -> None:
    setattr(reading.bgp, f"max_paths{_SUFFIXES[family]}", int(paths))


@LINES.means("network")
def _network(reading: RoutingLines, line: int, prefix: str, **_: str) -> None:
    reading.bgp.originations.append(Origination(network(prefix), "", line, ":" in prefix))


@LINES.means("aggregate")
def _aggregate(reading: RoutingLines, line: int, prefix: str, state: str = "off", **_: str) -> None:
    own = Aggregate(*network(prefix), line, state in _ON, ":" in prefix)
    reading.bgp.aggregates.append(own)


@LINES.means("redistribute")
def _redistribute(
    reading: RoutingLines,
    line: int,
    vrf: str,
    family: str,
    kind: str,
    state: str = "on",
    policy: str | None = None,
) -> None:
    if state not in _ON:
        raise ValueError("redistribution is off")
    is_ipv6 = bool(_SUFFIXES[family])
    if vrf != DEFAULT:
        if is_ipv6:
            raise ValueError(family)
        tenant(reading, vrf, line).redistributed(kind, policy, line)
    elif kind != "connected" or policy is not None:
        raise ValueError(kind)
    else:
        reading.bgp.originations.append(Origination(None, "", line, is_ipv6))


@LINES.means("exists")
def _exists(reading: RoutingLines, line: int, kind: str, session: str) -> None:
    _speaker(reading, line, kind, session)


@LINES.means("remote_as")
def _remote_as(reading: RoutingLines, line: int, kind: str, session: str, asn: str) -> None:
    if asn == "internal":
        raise ValueError(asn)
    _speaker(reading, line, kind, session).asn = int(asn) if asn.isdecimal() else 0


@LINES.means("member")
def _member(reading: RoutingLines, line: int, session: str, group: str) -> None:
    reading.bgp.peer(session, line).group = group


@LINES.means("peer_description")
def _peer_description(reading: RoutingLines, line: int, session: str, text: str) -> None:
    reading.bgp.peer(session, line).description = text


@LINES.means("timers")
def _timers(reading: RoutingLines, line: int, kind: str, session: str, **seconds: str) -> None:
    ((name, value),) = seconds.items()  # `none` and `auto` are not read
    setattr(_speaker(reading, line, kind, session), f"{name}_s", int(value))


@LINES.means("process_timers")
def _process_timers(reading: RoutingLines, _: int, **seconds: str) -> None:
    for name, value in seconds.items():
        setattr(reading.bgp, f"{name}_s", int(value))


@LINES.means("bfd")
def _bfd(reading: RoutingLines, line: int, kind: str, session: str, state: str) -> None:
    _speaker(reading, line, kind, session).bfd = state in _ON


@LINES.means("bfd_profile")
def _bfd_profile(reading: RoutingLines, line: int, kind: str, session: str) -> None:
    speaker = _speaker(reading, line, kind, session)
    speaker.bfd = speaker.bfd is not False


@LINES.means("allow_my_asn")
def _allow_my_asn(
    reading: RoutingLines, line: int, kind: str, session: str, family: str, state: str
) -> None:
    speaker, name = _speaker(reading, line, kind, session), _allowed(family)
    setattr(speaker, name, (getattr(speaker, name) or _OCCURRENCES) if state in _ON else 0)


@LINES.means("occurrences")
def _occurrences(
    reading: RoutingLines, line: int, kind: str, session: str, family: str, often: str
) -> None:
    speaker, name = _speaker(reading, line, kind, session), _allowed(family)
    if getattr(speaker, name) != 0:
        setattr(speaker, name, int(often))


def _allowed(family: str) -> str:
    """Return the field of how often the own AS number may stand in routes of a family."""
    return "allowas_in_evpn" if family == _EVPN else f"allowas_in{_SUFFIXES[family]}"


@LINES.means("update_source")
def _update_source(reading: RoutingLines, line: int, kind: str, session: str, port: str) -> None:
    _speaker(reading, line, kind, session).local_address = port


@LINES.means("multihop")
def _multihop(reading: RoutingLines, line: int, kind: str, session: str, hops: str) -> None:
    _speaker(reading, line, kind, session).hops = int(hops)


@LINES.means("peer_shutdown")
def _shutdown(reading: RoutingLines, line: int, kind: str, session: str, state: str) -> None:
    _speaker(reading, line, kind, session).enabled = state not in _ON


@LINES.means("activate")
def _activate(
    reading: RoutingLines, line: int, kind: str, session: str, family: str, state: str
) -> None:
    speaker = _speaker(reading, line, kind, session)
    name = "evpn" if family == _EVPN else f"activated{_SUFFIXES[family]}"
    setattr(speaker, name, state in _ON)


def _speaker(reading: RoutingLines, line: int, kind: str, session: str) -> BgpTemplate:
    """Return a session or a peer group."""
    bgp = reading.bgp
    return bgp.group(session, line) if kind == "peer-group" else bgp.peer(session, line)


def leave_switches_open(reading: RoutingLines) -> None:
    """Leave open whether BGP is on where a YAML text does not say it."""
    for place in _PLACES:
        if place not in reading.said:
            leave_open(reading.switch, reading.bgp.line, "bgp_enabled_in_yaml", place)


def settle_bgp(reading: RoutingLines) -> None:
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
    settle_vrfs(reading)
