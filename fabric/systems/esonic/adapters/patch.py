"""The lines that bring a switch from one configuration to another, in an order that it takes.

Known (sonic-net/sonic-mgmt @ b4ba9de3 spytest/apis; ansible-collections/dellemc.enterprise_sonic @
9851e680): what ``no`` takes away it names without its value; a policy with strict priority has no
weight.
Assumed: what is named by something else goes after it and comes before it, so a prefix list that is
named never runs empty; no two ports have overlapping addresses at any moment, so what goes of them
goes first; a port is no member of a VLAN when it gets an address; a second BGP process is refused.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from fabric.change.lines import steps as steps_between
from fabric.core.lines import Node, Path
from fabric.systems.esonic.adapters.breakouts import changed_cages, is_breakout, without_ports
from fabric.systems.esonic.platforms import DEFAULTS

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from fabric.change.lines import Step

#: First words of lines of which a section has one; ``no`` with these words takes it away.
_SINGLE = (
    r"hostname",
    r"interface breakout port \S+",
    r"ip arp timeout",
    r"mac address-table aging-time",
    r"priority-flow-control watchdog polling-interval",
    r"ip load-share hash (?:seed|algorithm|offset)",
    r"description",
    r"mtu",
    r"speed",
    r"fec",
    r"switchport access Vlan",
    r"cable-length",
    r"scheduler-policy",
    r"qos-map \S+",
    r"queue \d+ wred-policy",
    r"priority-flow-control watchdog (?:action|on detect-time|restore-time)",
    r"ecn",
    r"(?:green|yellow|red)",
    r"type",
    r"weight",
    r"router-id",
    r"(?:maximum-paths ibgp|maximum-paths)",
    r"remote-as",
    r"timers connect|timers",
    r"redistribute connected",
    r"(?:dscp|dot1p|traffic-class|pfc-priority) \d+",
)
_KEY = re.compile(rf"(?:{'|'.join(_SINGLE)})(?=[ \d])")
_POLICY = re.compile(r"(route-map|prefix-list) \S+ (in|out)")
_ENTRY = re.compile(r"ip prefix-list \S+ seq \d+ ")
_ASN = re.compile(r"router bgp \d+")
#: A watchdog is not negated, it is switched off (SONiC Industry Standard CLI Reference Guide).
_WATCHDOG = "priority-flow-control watchdog on detect-time"
#: Sections that only settings can be taken from.
_FIXED = re.compile(r"interface (?:Ethernet|Eth|Management)\S+")
#: What makes room for what comes, and what goes at the end: later ones are named by earlier ones.
_FIRST_AWAY = re.compile(r"router bgp \d+|interface Loopback\d+")
_REMOVAL_ORDER = ("interface Vlan", "route-map", "ip prefix-list", "", "qos map", "qos ")
_DEFAULTS = tuple((re.compile(section), line) for section, line in DEFAULTS)
_SPACED = re.compile(r"((?:no )?interface |switchport access )([A-Z][A-Za-z]+)(\d)")


def key_of(line: str) -> str:
    """Return what a line says something about: two lines with one key cannot stand together."""
    positive = line.removeprefix("no ")
    if positive in {"shutdown", "lldp enable"}:
        return positive
    policy = _POLICY.fullmatch(line)
    if policy:
        return f"{policy[1]} {policy[2]}"
    single = _KEY.match(line)
    return single[0] if single else line


def negated(line: str) -> str:
    """Return what takes a line away."""
    if line.startswith("no "):
        return line.removeprefix("no ")
    if line.startswith(_WATCHDOG):
        return "priority-flow-control watchdog off"
    if _ASN.fullmatch(line):
        return "no router bgp"
    single = _KEY.match(line)
    return f"no {single[0] if single else line}"


def implied(section: str, lines: Iterable[str]) -> set[str]:
    """Return lines that hold in a section although they are not shown."""
    keys = {key_of(line) for line in lines}
    return {
        line
        for pattern, line in _DEFAULTS
        if pattern.fullmatch(section) and key_of(line) not in keys
    }


def steps(now: Node, wanted: Node) -> list[Step]:
    """Return what differs: lines that go, then lines that come."""
    return steps_between(now, wanted, lambda _, section, lines: implied(section, lines))


def patch(now: Node, wanted: Node) -> list[str]:
    """Return the lines to send, indented by one blank for each section.

    A banner is a text that one line cannot carry; it is left as it is.
    """
    lines = _breakouts(now, wanted)
    now = without_ports(now, changed_cages(now, wanted))
    gone = [line for line in now.children if line not in wanted.children and "\n" not in line]
    first = [line for line in gone if _FIRST_AWAY.fullmatch(line)]
    lines += [negated(line) for line in first]
    lines += _addresses_away(now, wanted)
    lines += _sections(now, wanted, gone)
    for line in gone:
        if _FIXED.fullmatch(line):
            lines += _section(line, now.children[line], Node())
    keys = {key_of(line) for line in wanted.children}
    last = [
        line
        for line in gone
        if line not in first
        and not is_breakout(line)
        and not _FIXED.fullmatch(line)
        and key_of(line) not in keys
        and not _replaced(line, wanted.children)
        and line not in implied("", wanted.children)
    ]
    lines += [negated(line) for line in sorted(last, key=_removal_rank)]
    return [_SPACED.sub(r"\1\2 \3", line) for line in lines]


def _breakouts(now: Node, wanted: Node) -> list[str]:
    """Return what breaks cages out and makes them whole: other ports are there afterwards."""
    added = [line for line in wanted.children if is_breakout(line) and line not in now.children]
    keys = {key_of(line) for line in added}
    gone = [line for line in now.children if is_breakout(line) and line not in wanted.children]
    return [*(negated(line) for line in gone if key_of(line) not in keys), *added]


def _sections(now: Node, wanted: Node, gone: list[str]) -> Iterator[str]:
    silent = implied("", now.children)
    for line in _never_empty(wanted.children, gone):
        if "\n" in line or line in silent or is_breakout(line):
            continue
        child = wanted.children[line]
        yield from (negated(old) for old in _replaced(line, gone))
        if line not in now.children:
            yield line
            yield from _all(child, 1)
        else:
            yield from _section(line, now.children[line], child)


def _never_empty(lines: Iterable[str], gone: list[str]) -> Iterator[str]:
    """Yield lines in order, but new entries of a prefix list before those that replace others."""
    later: list[str] = []
    for line in lines:
        if _replaced(line, gone):
            later.append(line)
            continue
        if not _ENTRY.match(line):
            yield from later
            later.clear()
        yield line
    yield from later


def _replaced(line: str, others: Iterable[str]) -> list[str]:
    """Return the entries of a prefix list with the number of another one."""
    entry = _ENTRY.match(line)
    return [old for old in others if entry and old != line and old.startswith(entry[0])]


def _removal_rank(line: str) -> int:
    for rank, word in enumerate(_REMOVAL_ORDER):
        if word and line.startswith(word):
            return rank
    return _REMOVAL_ORDER.index("")


def _addresses_away(now: Node, wanted: Node) -> Iterator[str]:
    for section, child in now.children.items():
        other = wanted.children.get(section, Node())
        lost = [
            line
            for line in child.children
            if line.startswith("ip address ") and line not in other.children
        ]
        if lost and section.startswith("interface ") and not _FIRST_AWAY.fullmatch(section):
            yield section
            yield from (f" no {line}" for line in lost)


def _section(line: str, now: Node, wanted: Node) -> list[str]:
    changes = list(_changes(now, wanted, (line,)))
    return [line, *changes] if changes else []


def _changes(now: Node, wanted: Node, path: Path) -> Iterator[str]:
    section, indent = path[-1], " " * len(path)
    silent, silent_then = implied(section, now.children), implied(section, wanted.children)
    added = [line for line in wanted.children if line not in now.children and line not in silent]
    keys = {key_of(line) for line in added}
    for line in now.children:
        if line in wanted.children or line in silent_then or key_of(line) in keys:
            continue
        if not (line.startswith("ip address ") and section.startswith("interface ")):
            yield indent + negated(line)  # addresses are gone already, see _addresses_away
    for line, child in wanted.children.items():
        if line in added:
            yield indent + line
            yield from _all(child, len(path) + 1)
        elif line in now.children:
            below = list(_changes(now.children[line], child, (*path, line)))
            if below:
                yield indent + line
                yield from below


def _all(node: Node, depth: int) -> Iterator[str]:
    for path in node.lines():
        yield " " * (depth + len(path) - 1) + path[-1]
