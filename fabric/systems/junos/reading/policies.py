"""Policies of a Junos configuration.

What no term decides is decided by the default of BGP: routes of BGP are accepted, others are not
(juniper.net, Routing Policies, default routing policies). Of several route filters in a term, the
longest that covers a route decides alone (the same, route-filter): filters that lie in each other
are not read.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from fabric.observe.configuration import Leftover, PolicyTerm
from fabric.observe.configuration.blocks import network, prefix_match
from fabric.observe.configuration.model import BITS, BITS6, PrefixMatch
from fabric.systems.junos.reading.table import LINES

if TYPE_CHECKING:
    from fabric.systems.junos.reading.model import RoutingLines, Term

#: What BGP does with routes that no policy is about.
DEFAULT_POLICY = "(default)"

#: Every prefix of a family.
_EVERYTHING = {"inet": "0.0.0.0/0", "inet6": "::/0"}
_SOURCES = {"direct": "connected", "aggregate": "aggregate", "bgp": "bgp"}
_LENGTHS = re.compile(
    r"(?P<word>exact|orlonger|longer|upto /(\d+)|prefix-length-range /(\d+)-/(\d+))"
)


@LINES.means("family_of_term")
def _family(
    reading: RoutingLines, line: int, policy: str, family: str, term: str | None = None
) -> None:
    reading.term(policy, term, line).family = family


@LINES.means("protocol")
def _protocol(
    reading: RoutingLines, line: int, policy: str, protocol: str, term: str | None = None
) -> None:
    entry = reading.term(policy, term, line)
    if entry.source:
        raise ValueError("a second protocol")
    entry.source = _SOURCES[protocol]


@LINES.means("filter")
def _filter(
    reading: RoutingLines,
    line: int,
    policy: str,
    prefix: str,
    lengths: str,
    term: str | None = None,
) -> None:
    entry = reading.term(policy, term, line)
    new = _match(prefix, lengths, line)
    if entry.prefix_lists or any(_overlap(new, other) for other in entry.filters):
        raise ValueError("filters that lie in each other, or another kind of them")
    entry.filters.append(new)


@LINES.means("prefix_list")
def _prefix_list(
    reading: RoutingLines, line: int, policy: str, name: str, term: str | None = None
) -> None:
    entry = reading.term(policy, term, line)
    if entry.filters:
        raise ValueError("two kinds of filters")
    entry.prefix_lists.append(name)


@LINES.means("action")
def _action(
    reading: RoutingLines, line: int, policy: str, action: str, term: str | None = None
) -> None:
    reading.term(policy, term, line).permit = action == "accept"


@LINES.means("balance")
def _balance(reading: RoutingLines, line: int, policy: str, term: str | None = None) -> None:
    reading.term(policy, term, line)
    reading.balancing.add(policy)


@LINES.means("entry")
def _entry(reading: RoutingLines, line: int, name: str, prefix: str) -> None:
    entries = reading.switch.prefix_lists.setdefault(name, [])
    length = str(network(prefix)[1])
    entries.append(prefix_match("permit", prefix, line, exact=length))


def _match(prefix: str, lengths: str, line: int) -> PrefixMatch:
    """Return a route filter.

    Raises
    ------
    ValueError
        When its lengths are written in a way that is not read.
    """
    match = _LENGTHS.fullmatch(lengths)
    if match is None:
        raise ValueError(lengths)
    length, bits = network(prefix)[1], BITS6 if ":" in prefix else BITS
    word = match["word"].split()[0]
    low, high = {
        "exact": (length, length),
        "orlonger": (length, bits),
        "longer": (length + 1, bits),
        "upto": (length, int(match[2] or 0)),
        "prefix-length-range": (int(match[3] or 0), int(match[4] or 0)),
    }[word]
    return prefix_match("permit", prefix, line, low=str(low), high=str(high))


def _overlap(one: PrefixMatch, other: PrefixMatch) -> bool:
    if one.is_ipv6 is not other.is_ipv6:
        return False
    shift = (BITS6 if one.is_ipv6 else BITS) - min(one.prefix_length, other.prefix_length)
    return one.network >> shift == other.network >> shift


def settle_policies(reading: RoutingLines) -> None:
    """Bring the policies into the form of all systems, the default of BGP last."""
    for name, terms in reading.policies.items():
        unnamed = terms.pop("", None)
        rows = [*terms.values(), *([unnamed] if unnamed else [])]
        decided = [_policy_term(term) for term in rows if term.permit is not None]
        last = max(term.line for term in rows)
        reading.switch.policies[name] = [*decided, PolicyTerm(permit=True, line=last, source="bgp")]
    if reading.forwarding_policy and reading.forwarding_policy not in reading.policies:
        words = f"routing-options forwarding-table export {reading.forwarding_policy}"
        reading.switch.leftovers.append(Leftover(0, words))


def _policy_term(term: Term) -> PolicyTerm:
    filters = term.filters
    if term.family and not filters and not term.prefix_lists:
        filters = [_match(_EVERYTHING[term.family], "orlonger", term.line)]
    return PolicyTerm(bool(term.permit), term.line, term.prefix_lists, filters, term.source)
