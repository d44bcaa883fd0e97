"""BGP and static routes of a Junos configuration."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fabric.observe.configuration import (
    Aggregate,
    Bgp,
    BgpPeer,
    Discard,
    Leftover,
    Origination,
    PolicyTerm,
    StaticRoute,
)
from fabric.observe.configuration.blocks import address, ipv4, network
from fabric.systems.junos.platforms.text import unquoted
from fabric.systems.junos.reading.policies import DEFAULT_POLICY
from fabric.systems.junos.reading.ports import port_of
from fabric.systems.junos.reading.table import LINES

if TYPE_CHECKING:
    from fabric.observe.configuration import BgpTemplate
    from fabric.systems.junos.reading.model import RoutingLines

#: Keepalives are sent three times in a hold time (juniper.net CLI reference, hold-time).
_KEEPALIVES = 3


@LINES.means("router_id")
def _router_id(reading: RoutingLines, _: int, router_id: str) -> None:
    reading.router_id = ipv4(router_id)


@LINES.means("own_as")
def _own_as(reading: RoutingLines, _: int, asn: str, loops: str | None = None) -> None:
    reading.asn = int(asn)
    reading.loops = int(loops) if loops else reading.loops


@LINES.means("host_name")
def _host_name(reading: RoutingLines, _: int, name: str) -> None:
    reading.switch.name = name


@LINES.means("static")
def _static(reading: RoutingLines, line: int, prefix: str, hop: str) -> None:
    to = address(hop, "32", line).address if hop[0].isdigit() else Discard()
    reading.switch.static_routes.append(StaticRoute(*network(prefix), to, line))


@LINES.means("aggregate")
def _aggregate(reading: RoutingLines, line: int, prefix: str) -> None:
    reading.aggregates.append(Aggregate(*network(prefix), line, hides=False, is_ipv6=":" in prefix))


@LINES.means("exists")
def _exists(reading: RoutingLines, line: int, group: str, session: str | None = None) -> None:
    _speaker(reading, line, group, session)


@LINES.means("multipath")
def _multipath(reading: RoutingLines, line: int, group: str, several: str | None = None) -> None:
    _speaker(reading, line, group, None)
    reading.multipath[group] = bool(several) or reading.multipath.get(group, False)


@LINES.means("peer_as")
def _peer_as(
    reading: RoutingLines, line: int, group: str, asn: str, session: str | None = None
) -> None:
    _speaker(reading, line, group, session).asn = int(asn)


@LINES.means("local")
def _local(
    reading: RoutingLines, line: int, group: str, local: str, session: str | None = None
) -> None:
    _speaker(reading, line, group, session).local_address = local


@LINES.means("process_hold")
def _process_hold(reading: RoutingLines, line: int, hold: str) -> None:
    bgp = _process(reading, line)
    bgp.keepalive_s, bgp.hold_s = int(hold) // _KEEPALIVES, int(hold)


@LINES.means("hold")
def _hold(
    reading: RoutingLines, line: int, group: str, hold: str, session: str | None = None
) -> None:
    speaker = _speaker(reading, line, group, session)
    speaker.hold_s, speaker.keepalive_s = int(hold), int(hold) // _KEEPALIVES


@LINES.means("family")
def _family(reading: RoutingLines, line: int, group: str, session: str | None = None) -> None:
    _of_family(reading, line, group, session, is_ipv6=False).activated = True


@LINES.means("family6")
def _family6(reading: RoutingLines, line: int, group: str, session: str | None = None) -> None:
    speaker = _of_family(reading, line, group, session, is_ipv6=True)
    speaker.activated, speaker.activated6 = bool(speaker.activated), True


@LINES.means("loops")
def _loops(
    reading: RoutingLines, line: int, group: str, loops: str, session: str | None = None
) -> None:
    _family(reading, line, group, session)
    _speaker(reading, line, group, session).allowas_in = int(loops) - 1


@LINES.means("loops6")
def _loops6(
    reading: RoutingLines, line: int, group: str, loops: str, session: str | None = None
) -> None:
    _family6(reading, line, group, session)
    _speaker(reading, line, group, session).allowas_in6 = int(loops) - 1


@LINES.means("family_evpn")
def _family_evpn(reading: RoutingLines, line: int, group: str, session: str | None = None) -> None:
    speaker = _speaker(reading, line, group, session)
    speaker.activated, speaker.evpn = bool(speaker.activated), True


@LINES.means("loops_evpn")
def _loops_evpn(
    reading: RoutingLines, line: int, group: str, loops: str, session: str | None = None
) -> None:
    _family_evpn(reading, line, group, session)
    _speaker(reading, line, group, session).allowas_in_evpn = int(loops) - 1


@LINES.means("multihop")
def _multihop(
    reading: RoutingLines, line: int, group: str, hops: str, session: str | None = None
) -> None:
    _speaker(reading, line, group, session).hops = int(hops)


@LINES.means("keeps_next_hop")
def _keeps_next_hop(
    reading: RoutingLines, line: int, group: str, session: str | None = None
) -> None:
    _speaker(reading, line, group, session).keeps_next_hop = True


def _of_family(
    reading: RoutingLines, line: int, group: str, session: str | None, *, is_ipv6: bool
) -> BgpTemplate:
    """Return a session or a group that names a family; it has no other one by default then.

    Raises
    ------
    ValueError
        When the session is between addresses of the other family.
    """
    if session and (":" in session) != is_ipv6:
        raise ValueError("routes of another family")
    return _speaker(reading, line, group, session)


@LINES.means("extended")
def _extended(reading: RoutingLines, line: int, group: str, session: str | None = None) -> None:
    speaker = _speaker(reading, line, group, session)
    speaker.activated = speaker.extended_next_hop = True


@LINES.means("by_discovery")
def _by_discovery(reading: RoutingLines, _: int, group: str) -> None:
    reading.discovering.add(group)


@LINES.means("discovered")
def _discovered(reading: RoutingLines, line: int, group: str, port: str) -> None:
    _speaker(reading, line, group, port_of(port))


@LINES.means("peer_as_list")
def _peer_as_list(reading: RoutingLines, line: int, group: str, list: str) -> None:  # noqa: A002 - of the book
    _speaker(reading, line, group, None)
    reading.peer_lists[group] = list


@LINES.means("as_list")
def _as_list(reading: RoutingLines, _: int, name: str, members: str) -> None:
    first, _dash, last = members.partition("-")
    reading.as_lists.setdefault(name, []).append(range(int(first), int(last or first) + 1))


@LINES.means("peer_as_is_sent")
def _peer_as_is_sent(
    reading: RoutingLines, line: int, group: str, session: str | None = None, no: str | None = None
) -> None:
    _speaker(reading, line, group, session).tells_peer_as = not no


@LINES.means("peer_description")
def _description(
    reading: RoutingLines, line: int, group: str, text: str, session: str | None = None
) -> None:
    speaker = _speaker(reading, line, group, session)
    if isinstance(speaker, BgpPeer):
        speaker.description = unquoted(text)


@LINES.means("bfd")
def _bfd(reading: RoutingLines, line: int, group: str, session: str | None = None) -> None:
    _speaker(reading, line, group, session).bfd = True


@LINES.means("policy_in")
def _policy_in(
    reading: RoutingLines, line: int, group: str, policy: str, session: str | None = None
) -> None:
    speaker = _speaker(reading, line, group, session)
    speaker.policy_in = speaker.policy_in6 = _only(speaker.policy_in, policy)


@LINES.means("policy_out")
def _policy_out(
    reading: RoutingLines, line: int, group: str, policy: str, session: str | None = None
) -> None:
    speaker = _speaker(reading, line, group, session)
    speaker.policy_out = speaker.policy_out6 = _only(speaker.policy_out, policy)


def _only(policy: str | None, new: str) -> str:
    """Return a policy where there is no other yet.

    Raises
    ------
    ValueError
        When it is the second of a chain.
    """
    if policy:
        raise ValueError("a chain of policies")
    return new


def _process(reading: RoutingLines, line: int) -> Bgp:
    """Return the process; a new one at its first line."""
    if reading.switch.bgp is None:
        reading.switch.bgp = Bgp(0, line, extended_by_default=False, tells_by_default=False)
    return reading.switch.bgp


def _speaker(reading: RoutingLines, line: int, group: str, session: str | None) -> BgpTemplate:
    """Return a session, or its group where no session is named."""
    template = _process(reading, line).group(group, line)
    if session is None:
        return template
    peer = reading.bgp.peer(session, line)
    peer.group = group
    return peer


def _settle_discovery(reading: RoutingLines, bgp: Bgp) -> None:
    """Tell which ports find their peer: both families, told to the peer, in a group that looks."""
    for name, port in reading.switch.ports.items():
        peer = bgp.peers.get(name)
        port.ipv6_link = (
            peer is not None
            and peer.group in reading.discovering
            and port.routed is True
            and name in reading.inet6 & reading.advertising
        )


def settle_bgp(reading: RoutingLines) -> None:
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
    bgp.originations = [Origination(None, "", bgp.line, is_ipv6) for is_ipv6 in (False, True)]
    bgp.aggregates = reading.aggregates
    for group, name in reading.peer_lists.items():
        bgp.groups[group].asns = tuple(reading.as_lists.get(name, ()))
    bgp.resolve()
    _settle_discovery(reading, bgp)
    for peer in bgp.peers.values():
        for name in ("allowas_in", "allowas_in6", "allowas_in_evpn") if reading.loops else ():
            if getattr(peer, name) is None:
                setattr(peer, name, reading.loops - 1)
        if not peer.policy_out:
            peer.policy_out = peer.policy_out6 = DEFAULT_POLICY
            default = PolicyTerm(permit=True, line=bgp.line, source="bgp")
            reading.switch.policies[DEFAULT_POLICY] = [default]
    groups = {peer.group or "" for peer in bgp.peers.values()}
    if reading.forwarding_policy in reading.balancing and groups <= reading.multipath.keys():
        bgp.max_paths = reading.maximum_ecmp
        bgp.relax = all(reading.multipath[group] for group in groups)
