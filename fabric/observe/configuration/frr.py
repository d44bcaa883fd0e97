"""The text of FRR of what a configuration says: for Batfish, or for the daemons themselves.

Batfish applies the policies of a peer only where the text has the order and the words in which FRR
prints it (Batfish 0.36, grammar ``Frr``), and knows neither timers nor ``shutdown``.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from fabric.observe.configuration.family import NOTHING, of_family
from fabric.observe.configuration.model import is_address, number_text
from fabric.observe.configuration.static_routes import Discard, StaticRoute

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fabric.observe.configuration.model import (
        Aggregate,
        Bgp,
        BgpPeer,
        Configured,
        PolicyTerm,
        PrefixMatch,
    )

#: Seconds until a session is tried again, as SONiC has it (sonic-buildimage,
#: dockers/docker-fpm-frr/frr/bgpd/templates/general/instance.conf.j2); FRR itself waits for 120.
_RETRY_S = 10
#: Equal paths that a daemon of Debian takes at most: its rules build it with
#: ``--enable-multipath=256``, and it refuses a larger number.
DAEMON_MAX_PATHS = 256


def address_text(address: int, prefix_length: int, *, is_ipv6: bool = False) -> str:
    """Return an address or a network as text with its prefix length."""
    return f"{number_text(address, is_ipv6=is_ipv6)}/{prefix_length}"


def frr(switch: Configured, *, for_daemons: bool = False) -> str:
    """Return routes, BGP and policies in the order and the words in which FRR prints them.

    Parameters
    ----------
    for_daemons : bool
        Whether zebra, bgpd and bfdd read the text, and not Batfish: with IPv6, timers, BFD,
        sessions that are shut down, and the checks of the daemons switched off, as no other system
        has them.
    """
    families = _families(switch) if for_daemons else [switch]
    lines = ["frr version 10.0", "frr defaults traditional", f"hostname {switch.name}", "!"]
    if for_daemons:
        lines = lines[1:]
    lines += [_static(route) for own in families for route in own.static_routes]
    if switch.bgp:
        lines += [*_bgp(switch.bgp, families, for_daemons=for_daemons), "!"]
    for own, is_ipv6 in zip(families, (False, True), strict=False):
        lines += _policies(own, is_ipv6=is_ipv6)
    return "\n".join([*lines, "line vty", "!", ""])


def _families(switch: Configured) -> list[Configured]:
    """Return what is said of each family; policies of IPv6 have names that end with ``-6``."""
    peers = switch.bgp.peers.values() if switch.bgp else ()
    if not switch.uses_ipv6 and not any(peer.activated6 for peer in peers):
        return [switch]
    other = of_family(switch, is_ipv6=True)
    policies = {_of_ipv6(name): terms for name, terms in other.policies.items()}
    bgp = other.bgp
    if bgp:
        own = {
            name: replace(
                peer,
                policy_in=_of_ipv6(peer.policy_in or ""),
                policy_out=_of_ipv6(peer.policy_out or ""),
            )
            for name, peer in bgp.peers.items()
        }
        lines = [line._replace(policy=_of_ipv6(line.policy)) for line in bgp.originations]
        bgp = replace(bgp, peers=own, originations=lines)
    return [of_family(switch, is_ipv6=False), replace(other, policies=policies, bgp=bgp)]


def _of_ipv6(policy: str) -> str:
    return policy and f"{policy}-6"


def _policies(switch: Configured, *, is_ipv6: bool) -> Iterator[str]:
    """Yield the prefix lists and route maps of a family."""
    for name, entries in switch.prefix_lists.items():
        yield from (_entry(name, number, entry) for number, entry in enumerate(entries, 1))
    terms = [
        (name, number, term)
        for name, group in switch.policies.items()
        for number, term in enumerate(group, 1)
        if NOTHING not in term.prefix_lists
    ]
    for name, number, term in terms:
        places = enumerate(term.prefixes, 1)
        yield from (_entry(_own_list(name, number), place, entry) for place, entry in places)
    for name, number, term in terms:
        yield from (*_term(name, number, term, is_ipv6=is_ipv6), "!")


def _static(route: StaticRoute) -> str:
    hop = route.next_hop
    if isinstance(hop, Discard):
        words = "Null0"
    else:
        words = number_text(hop, is_ipv6=route.is_ipv6) if isinstance(hop, int) else hop
    prefix = address_text(route.network, route.prefix_length, is_ipv6=route.is_ipv6)
    return f"{_ip(is_ipv6=route.is_ipv6)} route {prefix} {words}"


def _ip(*, is_ipv6: bool) -> str:
    return "ipv6" if is_ipv6 else "ip"


def _bgp(bgp: Bgp, families: list[Configured], *, for_daemons: bool) -> Iterator[str]:
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
    for switch, version in zip(families, (4, 6), strict=False):
        own = switch.bgp or bgp
        mine = [own.peers[peer.session] for peer in peers if peer.session in own.peers]
        yield " !"
        yield f" address-family ipv{version} unicast"
        yield from (f"  {line}" for line in _family(own, mine, switch))
        max_paths = min(own.max_paths, DAEMON_MAX_PATHS) if for_daemons else own.max_paths
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
    yield f"{name} timers connect {_RETRY_S}"
    if peer.keepalive_s is not None and peer.hold_s is not None:
        yield f"{name} timers {peer.keepalive_s} {peer.hold_s}"
    if peer.bfd:
        yield f"{name} bfd"
    if peer.enabled is False:
        yield f"{name} shutdown"


def _family(bgp: Bgp, peers: list[BgpPeer], switch: Configured) -> Iterator[str]:
    for item in bgp.originations:
        if item.network is not None:
            prefix = address_text(*item.network, is_ipv6=item.is_ipv6)
            yield f"network {prefix}{_policy(item.policy, switch)}"
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
    prefix = address_text(item.network, item.prefix_length, is_ipv6=item.is_ipv6)
    return f"aggregate-address {prefix}{hides}"


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
    prefix = address_text(entry.network, entry.prefix_length, is_ipv6=entry.is_ipv6)
    words = f"{_ip(is_ipv6=entry.is_ipv6)} prefix-list {name} seq {5 * number}"
    return f"{words} {action} {prefix}{bounds}"


def _own_list(policy: str, number: int) -> str:
    """Return the name of the list of the prefixes that stand in a term itself."""
    return f"{policy}-{number}"


def _term(name: str, number: int, term: PolicyTerm, *, is_ipv6: bool) -> Iterator[str]:
    lists = [*term.prefix_lists, *([_own_list(name, number)] if term.prefixes else [])]
    yield f"route-map {name} {'permit' if term.permit else 'deny'} {10 * number}"
    if lists:
        yield f" match {_ip(is_ipv6=is_ipv6)} address prefix-list {' '.join(lists)}"
    if term.source and term.source != "aggregate":  # FRR has no such word
        yield f" match source-protocol {term.source}"
