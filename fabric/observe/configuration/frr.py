"""The text of FRR of what a configuration says: for Batfish, or for the daemons themselves.

Batfish applies the policies of a peer only where the text has the order and the words in which FRR
prints it (Batfish 0.36, grammar ``Frr``), and knows neither timers nor ``shutdown``.
"""

from __future__ import annotations

from ipaddress import IPv4Address
from typing import TYPE_CHECKING

from fabric.observe.configuration.model import Discard, is_address

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fabric.observe.configuration.model import (
        Aggregate,
        Bgp,
        BgpPeer,
        Configured,
        PolicyTerm,
        PrefixMatch,
        StaticRoute,
    )

#: Equal paths that a daemon of Debian takes at most: its rules build it with
#: ``--enable-multipath=256``, and it refuses a larger number.
DAEMON_MAX_PATHS = 256


def address_text(address: int, prefix_length: int) -> str:
    """Return an address or a network as text with its prefix length."""
    return f"{IPv4Address(address)}/{prefix_length}"


def frr(switch: Configured, *, for_daemons: bool = False) -> str:
    """Return routes, BGP and policies in the order and the words in which FRR prints them.

    Parameters
    ----------
    for_daemons : bool
        Whether zebra, bgpd and bfdd read the text, and not Batfish: with timers, BFD, sessions that
        are shut down, and the checks of the daemons switched off, as no other system has them.
    """
    lines = ["frr version 10.0", "frr defaults traditional", f"hostname {switch.name}", "!"]
    if for_daemons:
        lines = lines[1:]
    lines += [_static(route) for route in switch.static_routes]
    if switch.bgp:
        lines += [*_bgp(switch.bgp, switch, for_daemons=for_daemons), "!"]
    for name, entries in switch.prefix_lists.items():
        lines += [_entry(name, number, entry) for number, entry in enumerate(entries, 1)]
    terms = [
        (name, number, term)
        for name, group in switch.policies.items()
        for number, term in enumerate(group, 1)
    ]
    for name, number, term in terms:
        places = enumerate(term.prefixes, 1)
        lines += [_entry(_own_list(name, number), place, entry) for place, entry in places]
    for name, number, term in terms:
        lines += [*_term(name, number, term), "!"]
    return "\n".join([*lines, "line vty", "!", ""])


def _static(route: StaticRoute) -> str:
    hop = route.next_hop
    if isinstance(hop, Discard):
        words = "Null0"
    else:
        words = str(IPv4Address(hop)) if isinstance(hop, int) else hop
    return f"ip route {address_text(route.network, route.prefix_length)} {words}"


def _bgp(bgp: Bgp, switch: Configured, *, for_daemons: bool) -> Iterator[str]:
    """Yield the BGP process; Batfish does not know ``shutdown``, so such a peer is not there."""
    peers = [peer for peer in bgp.peers.values() if for_daemons or peer.enabled is not False]
    yield f"router bgp {bgp.asn}"
    if bgp.router_id:
        yield f" bgp router-id {bgp.router_id}"
    if for_daemons:
        yield " no bgp ebgp-requires-policy"
    yield " no bgp default ipv4-unicast"
    if bgp.relax:
        yield " bgp bestpath as-path multipath-relax"
    for peer in peers:
        yield from (f" {line}" for line in _session(peer))
        yield from (f" {line}" for line in _upkeep(peer) if for_daemons)
    yield " !"
    yield " address-family ipv4 unicast"
    yield from (f"  {line}" for line in _family(bgp, peers, switch))
    max_paths = min(bgp.max_paths, DAEMON_MAX_PATHS) if for_daemons else bgp.max_paths
    yield f"  maximum-paths {max_paths}"
    yield " exit-address-family"


def _session(peer: BgpPeer) -> Iterator[str]:
    """Yield the lines of a session that stand outside of address families."""
    name = f"neighbor {peer.session}"
    via = "" if is_address(peer.session) else "interface "
    if peer.names_as:
        yield f"{name} {via}remote-as {peer.asn or 'external'}"
    if peer.local_address:
        yield f"{name} update-source {peer.local_address}"


def _upkeep(peer: BgpPeer) -> Iterator[str]:
    """Yield how a session is kept, and whether it may come up."""
    if not peer.names_as:
        return
    name = f"neighbor {peer.session}"
    if peer.keepalive_s is not None and peer.hold_s is not None:
        yield f"{name} timers {peer.keepalive_s} {peer.hold_s}"
    if peer.bfd:
        yield f"{name} bfd"
    if peer.enabled is False:
        yield f"{name} shutdown"


def _family(bgp: Bgp, peers: list[BgpPeer], switch: Configured) -> Iterator[str]:
    for item in bgp.originations:
        if item.network is not None:
            yield f"network {address_text(*item.network)}{_policy(item.policy, switch)}"
    for item in bgp.originations:
        if item.network is None:
            yield f"redistribute connected{_policy(item.policy, switch)}"
    for one in bgp.aggregates:
        yield aggregate_line(one)
    for peer in peers:
        if peer.activated and peer.names_as:
            yield f"neighbor {peer.session} activate"
    for peer in peers:
        yield from _exchange(peer)


def aggregate_line(item: Aggregate) -> str:
    """Return the line of an aggregate."""
    hides = " summary-only" if item.hides else ""
    return f"aggregate-address {address_text(item.network, item.prefix_length)}{hides}"


def _exchange(peer: BgpPeer) -> Iterator[str]:
    """Yield which routes of a session are accepted and told."""
    if peer.allowas_in:
        yield f"neighbor {peer.session} allowas-in {peer.allowas_in}"
    for name, direction in ((peer.policy_in, "in"), (peer.policy_out, "out")):
        if name:
            yield f"neighbor {peer.session} route-map {name} {direction}"


def _policy(name: str, switch: Configured) -> str:
    """Return the words that apply a policy; one that does not exist permits everything."""
    return f" route-map {name}" if name in switch.policies else ""


def _entry(name: str, number: int, entry: PrefixMatch) -> str:
    bounds = f" ge {entry.low}" if entry.low > entry.prefix_length else ""
    bounds += f" le {entry.high}" if entry.high > entry.low or bounds else ""
    action = "permit" if entry.permit else "deny"
    prefix = address_text(entry.network, entry.prefix_length)
    return f"ip prefix-list {name} seq {5 * number} {action} {prefix}{bounds}"


def _own_list(policy: str, number: int) -> str:
    """Return the name of the list of the prefixes that stand in a term itself."""
    return f"{policy}-{number}"


def _term(name: str, number: int, term: PolicyTerm) -> Iterator[str]:
    lists = [*term.prefix_lists, *([_own_list(name, number)] if term.prefixes else [])]
    yield f"route-map {name} {'permit' if term.permit else 'deny'} {10 * number}"
    if lists:
        yield f" match ip address prefix-list {' '.join(lists)}"
    if term.source and term.source != "aggregate":  # FRR has no such word
        yield f" match source-protocol {term.source}"
