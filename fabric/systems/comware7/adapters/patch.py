"""The lines that bring a switch from one configuration to another, in an order that it takes.

Known (grayfalcon666/netmiko-h3c-skill @ 4f5e9dfd references/CMD-help): a line of a section with one
value takes the place of the one before; a change of the link mode resets the port but for its
`shutdown`, so that mode is sent first and the rest again; the AS number of a peer changes only with
the peer itself; a WRED table that is in use stays; a VLAN comes before what names it.
Assumed: two interfaces cannot have overlapping addresses at any moment, so addresses that go away
go first; what is undone in a section goes before what is set, later lines first.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from fabric.change.lines import steps as steps_between
from fabric.core.lines import Node
from fabric.systems.comware7.platforms import PORT, UNDO

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fabric.change.lines import Step

_STAYS = re.compile("|".join(f"(?:{pattern})(?= |$)" for pattern in UNDO))
_PORT = re.compile(PORT)
_ADDRESSED = re.compile(r"interface .*")
_FIRST_AWAY = re.compile(r"bgp \d+|interface (?:LoopBack|Vlan-interface)\d+")
_MODE = "port link-mode "
_AS_NUMBER = re.compile(r"(peer \S+) as-number \S+")
#: Sections in the order in which they may name those before them.
_ORDER = (
    "ip vpn-instance ",
    "qos map-table ",
    "qos wred ",
    "vlan ",
    "route-policy ",
    "interface LoopBack",
    "interface Vlan-interface",
    "interface ",
    "bgp ",
)


def steps(now: Node, wanted: Node) -> list[Step]:
    """Return what differs: lines that go and lines that come."""
    return steps_between(now, wanted, lambda *_: set())


def undo_of(line: str) -> str:
    """Return what takes a line away."""
    if line.startswith("undo "):
        return line.removeprefix("undo ")
    stays = _STAYS.match(line)
    return f"undo {stays[0] if stays else line}"


def key_of(line: str) -> str:
    """Return what a line says something about: two lines with one key cannot stand together."""
    return undo_of(line.removeprefix("undo "))


def patch(now: Node, wanted: Node) -> list[str]:
    """Return the lines to send, indented as the configuration is.

    The text of a header is not one line; it is left as it is.
    """
    gone = [line for line in now.children if line not in wanted.children and "\n" not in line]
    keys = {key_of(line) for line in wanted.children}
    first = [line for line in gone if _FIRST_AWAY.fullmatch(line)]
    lines = [undo_of(line) for line in first]
    lines += _addresses_away(now, wanted)
    for line in sorted(wanted.children, key=_rank):
        if "\n" not in line:
            lines += _section(now, line, wanted.children[line])
    for line in sorted(gone, key=_rank, reverse=True):
        if _PORT.fullmatch(line):
            lines += _section(now, line, Node())
        elif line not in first and key_of(line) not in keys:
            lines.append(undo_of(line))
    return lines


def _rank(line: str) -> int:
    ranks = (rank for rank, words in enumerate(_ORDER, 1) if line.startswith(words))
    return next(ranks, 0)


def _addresses_away(now: Node, wanted: Node) -> Iterator[str]:
    for section, child in now.children.items():
        other = wanted.children.get(section)
        if other is None or not _ADDRESSED.fullmatch(section):
            continue
        for line in child.children:
            if line.startswith("ip address ") and line not in other.children:
                yield from (section, f" {undo_of(line)}")


def _section(now: Node, line: str, wanted: Node) -> list[str]:
    if line not in now.children:
        return [line, *_all(wanted, 1)]
    changes = list(_changes(now.children[line], wanted, 1))
    return [line, *changes] if changes else []


def _changes(now: Node, wanted: Node, depth: int) -> Iterator[str]:
    indent = " " * depth
    now, first = _after_upheaval(now, wanted)
    yield from (indent + line for line in first)
    keys = {key_of(line) for line in wanted.children if line not in now.children}
    for line in reversed(now.children):
        replaced = key_of(line) in keys or line.startswith("ip address ")
        if line not in wanted.children and not replaced:
            yield indent + undo_of(line)
    for line, child in wanted.children.items():
        if line not in now.children:
            yield indent + line
            yield from _all(child, depth + 1)
            continue
        below = list(_changes(now.children[line], child, depth + 1))
        if below:
            yield indent + line
            yield from below


def _after_upheaval(now: Node, wanted: Node) -> tuple[Node, list[str]]:
    """Return what is left of a section after the lines that take others along, and those lines."""
    mode = next((line for line in wanted.children if line.startswith(_MODE)), "")
    if mode and mode not in now.children:
        kept = [line for line in now.children if line == "shutdown"]
        return Node({line: Node() for line in [mode, *kept]}), [mode]
    lost = [
        peer[1]
        for line in now.children
        if line not in wanted.children and (peer := _AS_NUMBER.fullmatch(line))
    ]
    left = now.copy()
    for words in lost:
        for node in (left, *left.children.values()):
            for line in [line for line in node.children if line.startswith(f"{words} ")]:
                del node.children[line]
    return left, [f"undo {words}" for words in lost]


def _all(node: Node, depth: int) -> Iterator[str]:
    for path in node.lines():
        yield " " * (depth + len(path) - 1) + path[-1]
