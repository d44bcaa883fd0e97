"""BGP and static routes of a Junos configuration."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fabric.observe.configuration import (
    Bgp,
    BgpPeer,
    Discard,
    Leftover,
    Origination,
    PolicyTerm,
    StaticRoute,
)
from fabric.observe.configuration.blocks import address, ipv4, network
from fabric.systems.junos.reading.policies import DEFAULT_POLICY
from fabric.systems.junos.reading.table import TABLE, unquoted

if TYPE_CHECKING:
    from fabric.observe.configuration import BgpTemplate
    from fabric.systems.junos.reading.model import Reading

_GROUP = r"protocols bgp group (?P<group>\S+)"
_SPEAKER = rf"{_GROUP}( neighbor (?P<session>[\d.]+))?"
#: Keepalives are sent three times in a hold time (juniper.net CLI reference, hold-time).
_KEEPALIVES = 3

TABLE.sets(r"routing-options router-id (?P<value>\S+)", "router_id", ipv4)
TABLE.sets(r"routing-options forwarding-table export (?P<value>\S+)", "forwarding_policy")
TABLE.sets(r"chassis maximum-ecmp (?P<value>\d+)", "maximum_ecmp", int)


@TABLE.line(r"routing-options autonomous-system (?P<asn>\d+)( loops (?P<loops>\d+))?")
def _own_as(reading: Reading, _: int, asn: str, loops: str | None) -> None:
    reading.asn = int(asn)
    reading.loops = int(loops) if loops else reading.loops


@TABLE.line(r"system host-name (?P<name>\S+)")
def _host_name(reading: Reading, _: int, name: str) -> None:
    reading.switch.name = name


@TABLE.line(r"routing-options static route (?P<prefix>[\d./]+) (?P<hop>discard|reject)")
@TABLE.line(r"routing-options static route (?P<prefix>[\d./]+) next-hop (?P<hop>[\d.]+)")
def _static(reading: Reading, line: int, prefix: str, hop: str) -> None:
    to = address(hop, "32", line).address if hop[0].isdigit() else Discard()
    reading.switch.static_routes.append(StaticRoute(*network(prefix), to, line))


@TABLE.line(rf"{_GROUP} type external")
@TABLE.line(rf"{_GROUP} neighbor (?P<session>[\d.]+)")
def _exists(reading: Reading, line: int, group: str, session: str | None = None) -> None:
    _speaker(reading, line, group, session)


@TABLE.line(rf"{_GROUP} multipath(?P<several> multiple-as)?")
def _multipath(reading: Reading, line: int, group: str, several: str | None) -> None:
    _speaker(reading, line, group, None)
    reading.multipath[group] = bool(several) or reading.multipath.get(group, False)


@TABLE.line(rf"{_SPEAKER} peer-as (?P<asn>\d+)")
def _peer_as(reading: Reading, line: int, group: str, session: str | None, asn: str) -> None:
    _speaker(reading, line, group, session).asn = int(asn)


@TABLE.line(rf"{_SPEAKER} local-address (?P<local>[\d.]+)")
def _local(reading: Reading, line: int, group: str, session: str | None, local: str) -> None:
    _speaker(reading, line, group, session).local_address = local


@TABLE.line(r"protocols bgp hold-time (?P<hold>\d+)")
def _process_hold(reading: Reading, line: int, hold: str) -> None:
    bgp = _process(reading, line)
    bgp.keepalive_s, bgp.hold_s = int(hold) // _KEEPALIVES, int(hold)


@TABLE.line(rf"{_SPEAKER} hold-time (?P<hold>\d+)")
def _hold(reading: Reading, line: int, group: str, session: str | None, hold: str) -> None:
    speaker = _speaker(reading, line, group, session)
    speaker.hold_s, speaker.keepalive_s = int(hold), int(hold) // _KEEPALIVES


@TABLE.line(rf"{_SPEAKER} family inet unicast")
def _family(reading: Reading, line: int, group: str, session: str | None) -> None:
    _speaker(reading, line, group, session).activated = True


@TABLE.line(rf"{_SPEAKER} family inet unicast loops (?P<loops>\d+)")
def _loops(reading: Reading, line: int, group: str, session: str | None, loops: str) -> None:
    speaker = _speaker(reading, line, group, session)
    speaker.activated, speaker.allowas_in = True, int(loops) - 1


@TABLE.line(rf"{_SPEAKER} (?P<no>no-)?advertise-peer-as")
def _peer_as_is_told(
    reading: Reading, line: int, group: str, session: str | None, no: str | None
) -> None:
    _speaker(reading, line, group, session).tells_peer_as = not no


@TABLE.line(rf"{_SPEAKER} description (?P<text>.*)")
def _description(reading: Reading, line: int, group: str, session: str | None, text: str) -> None:
    speaker = _speaker(reading, line, group, session)
    if isinstance(speaker, BgpPeer):
        speaker.description = unquoted(text)


@TABLE.line(rf"{_SPEAKER} bfd-liveness-detection .*")
def _bfd(reading: Reading, line: int, group: str, session: str | None) -> None:
    _speaker(reading, line, group, session).bfd = True


@TABLE.line(rf"{_SPEAKER} (?P<way>import|export) (?P<policy>[A-Za-z0-9_.-]+)")
def _policy(
    reading: Reading, line: int, group: str, session: str | None, way: str, policy: str
) -> None:
    speaker = _speaker(reading, line, group, session)
    name = "policy_in" if way == "import" else "policy_out"
    if getattr(speaker, name):
        raise ValueError("a chain of policies")
    setattr(speaker, name, policy)


def _process(reading: Reading, line: int) -> Bgp:
    """Return the process; a new one at its first line."""
    if reading.switch.bgp is None:
        reading.switch.bgp = Bgp(0, line, tells_by_default=False)
    return reading.switch.bgp


def _speaker(reading: Reading, line: int, group: str, session: str | None) -> BgpTemplate:
    """Return a session, or its group where no session is named."""
    template = _process(reading, line).group(group, line)
    if session is None:
        return template
    peer = reading.bgp.peer(session, line)
    peer.group = group
    return peer


def settle_bgp(reading: Reading) -> None:
    """Complete the process: defaults of its sessions, and how many paths are used.

    What a policy lets out of the routing table is announced, so that all connected networks are
    up for announcement, and the policy of each session decides.
    """
    bgp = reading.switch.bgp
    if bgp is None:
        return
    if reading.asn is None:
        reading.switch.leftovers.append(Leftover(bgp.line, "BGP without autonomous-system"))
        reading.switch.bgp = None
        return
    bgp.asn, bgp.router_id = reading.asn, reading.router_id
    bgp.originations = [Origination(None, "", bgp.line)]
    bgp.resolve()
    for peer in bgp.peers.values():
        if peer.allowas_in is None and reading.loops:
            peer.allowas_in = reading.loops - 1
        if not peer.policy_out:
            peer.policy_out = DEFAULT_POLICY
            default = PolicyTerm(permit=True, line=bgp.line, source="bgp")
            reading.switch.policies[DEFAULT_POLICY] = [default]
    groups = {peer.group or "" for peer in bgp.peers.values()}
    if reading.forwarding_policy in reading.balancing and groups <= reading.multipath.keys():
        bgp.max_paths = reading.maximum_ecmp
        bgp.relax = all(reading.multipath[group] for group in groups)
