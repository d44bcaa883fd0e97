"""Prefix lists and route maps of a Cumulus configuration: each part of a rule is a line."""

from __future__ import annotations

from fabric.observe.configuration import PolicyTerm
from fabric.observe.configuration.blocks import prefix_match
from fabric.systems.cumulus.reading.model import LINES, PrefixRule, RoutingLines


@LINES.means("prefix_list")
def _prefix_list(reading: RoutingLines, _: int, name: str, type: str) -> None:  # noqa: A002
    if type != "ipv4":
        raise ValueError(type)
    reading.policy.prefixes.setdefault(name, {})


def _rule(reading: RoutingLines, name: str, number: str, line: int) -> PrefixRule:
    rules = reading.policy.prefixes.setdefault(name, {})
    return rules.setdefault(int(number), PrefixRule(line))


@LINES.means("prefix_action")
def _prefix_action(reading: RoutingLines, line: int, name: str, number: str, action: str) -> None:
    _rule(reading, name, number, line).permit = action == "permit"


@LINES.means("prefix")
def _prefix(
    reading: RoutingLines,
    line: int,
    name: str,
    number: str,
    prefix: str,
    low: str | None = None,
    high: str | None = None,
) -> None:
    rule = _rule(reading, name, number, line)
    if rule.prefix not in {"", prefix}:
        raise ValueError("a second network")
    rule.prefix, rule.low, rule.high = prefix, low or rule.low, high or rule.high


@LINES.means("route_map")
def _route_map(
    reading: RoutingLines,
    line: int,
    name: str,
    number: str,
    action: str | None = None,
    match: str | None = None,
) -> None:
    terms = reading.policy.terms.setdefault(name, {})
    term = terms.setdefault(int(number), PolicyTerm(permit=False, line=line, number=int(number)))
    term.permit = term.permit or action == "permit"
    term.prefix_lists += [match] if match else []


def settle_policy(reading: RoutingLines) -> None:
    """Put rules and terms in the order of their numbers."""
    switch, policy = reading.switch, reading.policy
    for name, rules in policy.prefixes.items():
        switch.prefix_lists[name] = [
            prefix_match(
                "permit" if rule.permit else "deny",
                rule.prefix,
                rule.line,
                low=rule.low,
                high=rule.high,
            )._replace(number=number)
            for number, rule in sorted(rules.items())
            if rule.prefix
        ]
    for name, terms in policy.terms.items():
        switch.policies[name] = [term for _, term in sorted(terms.items())]
