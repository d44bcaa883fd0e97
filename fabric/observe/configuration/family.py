"""A configuration as one family of addresses sees it."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, TypeVar

from fabric.observe.configuration.model import is_address

if TYPE_CHECKING:
    from collections.abc import Iterable

    from fabric.observe.configuration.model import (
        Aggregate,
        Bgp,
        BgpPeer,
        Configured,
        Origination,
        PolicyTerm,
    )
    from fabric.observe.configuration.static_routes import StaticRoute

    LineT = TypeVar("LineT", Origination, Aggregate, StaticRoute)

#: Name of a prefix list that no configuration has: a term that is about the other family alone.
NOTHING = "\0"


def of_family(switch: Configured, *, is_ipv6: bool) -> Configured:
    """Return what a configuration says about IPv4, or about IPv6, in the fields of IPv4.

    Sessions over a port are of both families.
    """
    ports = switch.ports
    if is_ipv6 or switch.uses_ipv6:
        ports = {
            name: replace(port, addresses=[one for one in port.addresses if one.is_ipv6 == is_ipv6])
            for name, port in ports.items()
        }
    own = replace(
        switch,
        ports=ports,
        bgp=_bgp(switch.bgp, is_ipv6=is_ipv6) if switch.bgp else None,
        static_routes=_lines(switch.static_routes, is_ipv6=is_ipv6),
        policies={
            name: [_term(term, is_ipv6=is_ipv6) for term in terms]
            for name, terms in switch.policies.items()
        },
    )
    if is_ipv6:
        own = replace(
            own,
            prefix_lists=switch.prefix_lists6,
            no_routing=[*switch.no_routing, *switch.no_routing6],
            no_routing_over_ipv6=[],
        )
    return own


def _lines(lines: Iterable[LineT], *, is_ipv6: bool) -> list[LineT]:
    return [line for line in lines if line.is_ipv6 == is_ipv6]


def _bgp(bgp: Bgp, *, is_ipv6: bool) -> Bgp:
    own = replace(
        bgp,
        originations=_lines(bgp.originations, is_ipv6=is_ipv6),
        aggregates=_lines(bgp.aggregates, is_ipv6=is_ipv6),
        peers={
            name: _peer(peer) if is_ipv6 else peer
            for name, peer in bgp.peers.items()
            if not is_address(name) or (":" in name) == is_ipv6
        },
    )
    return replace(own, max_paths=bgp.max_paths6 or bgp.max_paths) if is_ipv6 else own


def _peer(peer: BgpPeer) -> BgpPeer:
    return replace(
        peer,
        activated=peer.activated6,
        policy_in=peer.policy_in6,
        policy_out=peer.policy_out6,
        allowas_in=peer.allowas_in6,
        extended_next_hop=True,
    )


def _term(term: PolicyTerm, *, is_ipv6: bool) -> PolicyTerm:
    """Return a term of one family; one with conditions on the other alone matches nothing."""
    if not (is_ipv6 or term.prefix_lists6 or any(entry.is_ipv6 for entry in term.prefixes)):
        return term
    lists = term.prefix_lists6 if is_ipv6 else term.prefix_lists
    prefixes = [entry for entry in term.prefixes if entry.is_ipv6 == is_ipv6]
    conditions = bool(term.prefix_lists or term.prefix_lists6 or term.prefixes)
    if conditions and not lists and not prefixes:
        lists = [NOTHING]
    return replace(term, prefix_lists=lists, prefixes=prefixes)
