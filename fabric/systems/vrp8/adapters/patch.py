"""The lines that bring a switch from one configuration to another, in an order that it takes.

Known (CloudEngine V300R023C00 command reference, WheaterW/INTA-project @ 9308062d): a profile goes
after the ports that name it, and the headroom pool after PFC of all ports, so what goes at the top
level goes after the ports; a priority of PFC goes after its times; a port changes its layer when
nothing of the other layer is left on it; ``undo peer`` takes all lines of the peer. Assumed: two
interfaces cannot have overlapping addresses at any moment, so what goes away of them goes first;
ECN of a queue goes before its profile.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from fabric.change.lines import steps as steps_between
from fabric.core.lines import Node
from fabric.systems.vrp8.adapters.split import changed_cages, is_split, without_ports
from fabric.systems.vrp8.adapters.tree import (
    PORT,
    implied,
    key_of,
    negated,
    taken_away_first,
)

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fabric.change.lines import Step
    from fabric.core.lines import Path

#: Sections whose removal makes room for what comes.
_FIRST_AWAY = re.compile(r"bgp .*|interface (?:Vlanif|LoopBack)\d+|port split .*")
#: Sections that only settings can be taken from.
_FIXED = re.compile(r"interface (?:\d+GE|MEth)\S+|ipv4-family unicast|dcb pfc|aaa")
#: Gone with the VLAN itself.
_VLAN_VIEW = re.compile(r"vlan \d+")
_PEER = re.compile(r"(peer [\d.]+) ")


def steps(now: Node, wanted: Node) -> list[Step]:
    """Return what differs: lines that go and lines that come."""
    return steps_between(now, wanted, implied)


def patch(now: Node, wanted: Node) -> list[str]:
    """Return the lines to send, indented as the configuration is.

    Header texts cannot be carried by one line; they are left as they are.
    """
    now = without_ports(now, changed_cages(now, wanted))
    gone = [line for line in now.children if line not in wanted.children and "\n" not in line]
    first = [line for line in gone if _FIRST_AWAY.fullmatch(line)]
    lines = [negated(line) for line in first]
    lines += _addresses_away(now, wanted)
    for line, child in sorted(wanted.children.items(), key=lambda item: not is_split(item[0])):
        if "\n" not in line:
            lines += _section(now, wanted, line, child)
    for line in gone:
        if _FIXED.fullmatch(line):
            lines += _section(now, wanted, line, Node())
    replaced = {key_of(line) for line in wanted.children}
    silent = implied(wanted, "", wanted.children)
    last = [
        line
        for line in gone
        if line not in first
        and not _FIXED.fullmatch(line)
        and key_of(line) not in replaced
        and line not in silent
        and not _VLAN_VIEW.fullmatch(line)
    ]
    return [*lines, *map(negated, last)]


def _addresses_away(now: Node, wanted: Node) -> Iterator[str]:
    for section, child in now.children.items():
        other = wanted.children.get(section, Node() if _FIXED.fullmatch(section) else None)
        if other is None or not section.startswith("interface "):
            continue
        lost = [
            line
            for line in child.children
            if line.startswith("ip address ") and line not in other.children
        ]
        if lost:
            yield section
            yield from (f" {negated(line)}" for line in sorted(lost, key=_primary_last))


def _primary_last(line: str) -> bool:
    return not line.endswith(" sub")


def _section(now_root: Node, root: Node, line: str, wanted: Node) -> list[str]:
    now = now_root.children.get(line)
    if now is None:
        if line in implied(now_root, "", now_root.children):
            return []
        return [line, *_all(wanted, 1)]
    changes = list(_changes(now, wanted, (line,), now_root, root))
    return [line, *changes] if changes else []


def _changes(now: Node, wanted: Node, path: Path, now_root: Node, root: Node) -> Iterator[str]:
    section, indent = path[-1], " " * len(path)
    silent = implied(now_root, section, now.children)
    silent_then = implied(root, section, wanted.children)
    added = [line for line in wanted.children if line not in now.children and line not in silent]
    gone = [
        line for line in now.children if line not in wanted.children and line not in silent_then
    ]
    keys = {key_of(line) for line in added if not taken_away_first(line)}
    again = _peers_of(gone)
    for line in _in_order(section, gone):
        if key_of(line) in keys or _goes_by_itself(section, line, gone, now_root, root):
            continue
        yield indent + negated(line)
    turned = [line for line in added if key_of(line) == "portswitch"]
    yield from (indent + line for line in turned)
    for line, child in wanted.children.items():
        lost = any(line.startswith(f"{peer} ") for peer in again)
        if line in turned:
            continue
        if line in added or (lost and line not in silent_then):
            yield indent + line
            yield from _all(child, len(path) + 1)
        elif line in now.children:
            below = list(_changes(now.children[line], child, (*path, line), now_root, root))
            if below:
                yield indent + line
                yield from below


def _in_order(section: str, gone: list[str]) -> list[str]:
    """Return what goes, the last line first: times before their priority, the layer at the end."""
    backwards = gone[::-1]
    if section.startswith("dcb pfc"):
        return sorted(backwards, key=lambda line: " deadlock-" not in line)
    if not PORT.fullmatch(section):
        return backwards
    return sorted(backwards, key=lambda line: key_of(line) == "portswitch")


def _peers_of(gone: list[str]) -> set[str]:
    """Return the peers that are taken away as a whole."""
    named = (_PEER.match(line) for line in gone if " as-number " in line)
    return {found[1] for found in named if found}


def _goes_by_itself(section: str, line: str, gone: list[str], now_root: Node, root: Node) -> bool:
    """Tell whether the absence of a line is brought about by another one."""
    if line.startswith("ip address ") and section.startswith("interface "):
        return True  # gone already, see _addresses_away
    if section == "ipv4-family unicast":
        lost = _lost_peers(now_root, root)
        return any(line.startswith(f"{peer} ") for peer in lost)
    peer = _PEER.match(line)
    return peer is not None and " as-number " not in line and peer[1] in _peers_of(gone)


def _lost_peers(now_root: Node, root: Node) -> set[str]:
    lost = set()
    for line, child in now_root.children.items():
        if line.startswith("bgp ") and line in root.children:
            kept = root.children[line].children
            lost |= _peers_of([below for below in child.children if below not in kept])
    return lost


def _all(node: Node, depth: int) -> Iterator[str]:
    for path in node.lines():
        yield " " * (depth + len(path) - 1) + path[-1]
