"""The lines that bring a switch from one configuration to another, in an order that it takes.

Known (paregupt/nx-os @ ad8128f3 nxos_config_roce.py): policies in use cannot be deleted, so they go
after what names them. Assumed: shares of a policy never exceed 100 in sum, so those that shrink
are sent first; two interfaces cannot have overlapping addresses at any moment, nor
two BGP processes run, so what goes away of them goes first; a port that changes between switched
and routed loses its settings, so all of them are sent again.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from fabric.change.lines import steps as steps_between
from fabric.core.lines import Node
from fabric.systems.nxos.adapters.tree import PORT, down_by_default, implied, key_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fabric.change.lines import Step
    from fabric.core.lines import Path

#: Sections whose removal makes room for what comes.
_FIRST_AWAY = re.compile(r"(?:router|interface) .*")
#: Sections that only settings can be taken from.
_FIXED = re.compile(r"interface (?:Ethernet|mgmt)\S+|system qos|vlan 1")
_ENTRY = re.compile(r"ip prefix-list \S+ seq \d+ ")
#: Later ones are named by earlier ones.
_REMOVAL_ORDER = ("policy-map", "class-map", "route-map", "ip prefix-list", "vlan", "", "feature")


def steps(now: Node, wanted: Node) -> list[Step]:
    """Return what differs: lines that go and lines that come."""
    return steps_between(now, wanted, implied)


def patch(now: Node, wanted: Node) -> list[str]:
    """Return the lines to send, indented as the configuration is.

    Banners and jobs are texts that one line cannot carry; they are left as they are.
    """
    lines: list[str] = []
    gone = [line for line in now.children if line not in wanted.children and "\n" not in line]
    first = [line for line in gone if _FIRST_AWAY.fullmatch(line) and not _FIXED.fullmatch(line)]
    lines += [f"no {line}" for line in first]
    lines += _addresses_away(now, wanted)
    for line, child in wanted.children.items():
        if "\n" in line:
            continue
        lines += [negated(old) for old in _replaced(line, gone)]
        lines += _section(now, wanted, line, child)
    for line in gone:
        if _FIXED.fullmatch(line):
            lines += _section(now, wanted, line, Node())
    away = {*first, *(old for line in wanted.children for old in _replaced(line, gone))}
    last = [line for line in gone if line not in away and not _FIXED.fullmatch(line)]
    replaced = {key_of(line) for line in wanted.children}
    lines += [
        negated(line) for line in sorted(last, key=_removal_rank) if key_of(line) not in replaced
    ]
    return lines


def _replaced(line: str, gone: list[str]) -> list[str]:
    """Return the entries of a prefix list whose number a line takes."""
    entry = _ENTRY.match(line)
    return [old for old in gone if entry and old.startswith(entry[0])]


def _removal_rank(line: str) -> int:
    for rank, word in enumerate(_REMOVAL_ORDER):
        if word and line.startswith(f"{word} "):
            return rank
    return _REMOVAL_ORDER.index("")


def _addresses_away(now: Node, wanted: Node) -> Iterator[str]:
    for section, child in now.children.items():
        other = wanted.children.get(section)
        if other is None or not section.startswith("interface "):
            continue
        lost = [
            line
            for line in child.children
            if line.startswith("ip address ") and line not in other.children
        ]
        if lost:
            yield section
            yield from (f"  no {line}" for line in lost)


def _section(now_root: Node, root: Node, line: str, wanted: Node) -> list[str]:
    now = now_root.children.get(line)
    if now is None:
        if line in implied(now_root, "", now_root.children):
            return []
        return [line, *_all(wanted, 1)]
    changes = list(_changes(now, wanted, (line,), now_root, root))
    return [line, *changes] if changes else []


def _changes(now: Node, wanted: Node, path: Path, now_root: Node, root: Node) -> Iterator[str]:
    section, indent = path[-1], "  " * len(path)
    silent = implied(now_root, section, now.children)
    added = [line for line in wanted.children if line not in now.children and line not in silent]
    silent_then = implied(root, section, wanted.children)
    keys = {key_of(line) for line in added}
    gone = [
        line
        for line in now.children
        if line not in wanted.children and line not in silent_then and key_of(line) not in keys
    ]
    turned = bool(PORT.fullmatch(section)) and "switchport" in map(key_of, [*added, *gone])
    for line in sorted(gone, key=lambda item: key_of(item) == "switchport"):
        if _is_needless(root, section, line):
            continue
        yield indent + negated(line)
    for line, child in _lowered_first(now, wanted):
        if line in added or turned:
            yield indent + line
            yield from _all(child, len(path) + 1)
        elif line in now.children:
            below = list(_changes(now.children[line], child, (*path, line), now_root, root))
            if below:
                yield indent + line
                yield from below


def _lowered_first(now: Node, wanted: Node) -> list[tuple[str, Node]]:
    """Return the lines of a section, shares that shrink before those that grow."""

    def growth(item: tuple[str, Node]) -> int:
        line, child = item
        return _share(child) - _share(now.children.get(line, Node()))

    items = list(wanted.children.items())
    return sorted(items, key=growth) if any(_share(child) for _, child in items) else items


def _share(node: Node) -> int:
    words = "bandwidth remaining percent "
    return sum(int(line.removeprefix(words)) for line in node.children if line.startswith(words))


def _is_needless(root: Node, section: str, line: str) -> bool:
    """Tell whether the absence of a line is brought about without a word."""
    if line.startswith("ip address ") and section.startswith("interface "):
        return True  # gone already, see _addresses_away
    return line == "no shutdown" and bool(PORT.fullmatch(section)) and not down_by_default(root)


def _all(node: Node, depth: int) -> Iterator[str]:
    for path in node.lines():
        yield "  " * (depth + len(path) - 1) + path[-1]


def negated(line: str) -> str:
    """Return what takes a line away."""
    return line.removeprefix("no ") if line.startswith("no ") else f"no {line}"
