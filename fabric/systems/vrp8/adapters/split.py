"""Ports that are split: a changed split makes the ports of its cage anew.

Known (CloudEngine V300R023C00 command reference, WheaterW/INTA-project @ 9308062d, port split): the
parts of 100GE1/0/1 are 100GE1/0/1:1 and so on; with every change of the split the ports that were
there are gone with all that was said about them, and no rollback brings it back; several ports can
stand in one line. A port that is split already is made whole before it is split in another way.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from fabric.core.lines import Node

if TYPE_CHECKING:
    from collections.abc import Iterator

_LINE = re.compile(r"port split dimension interface (?P<ports>.+?)(?: split-type (?P<type>\S+))?")
_NAME = re.compile(r"(\d+GE) ?(\d+/\d+/)(\d+)")
_CAGE = re.compile(
    r"(?:interface|port split dimension interface) (\d+GE\d+/\d+/\d+)(?::\d+)?(?: .*)?"
)
_WORDS = "port split dimension interface"


def is_split(line: str) -> bool:
    """Tell whether a line splits ports."""
    return line.startswith(_WORDS)


def one_by_one(line: str) -> Iterator[str]:
    """Yield the lines of single ports that a line with several is about."""
    found = _LINE.fullmatch(line)
    if found is None:
        yield line
        return
    ends = f" split-type {found['type']}" if found["type"] else ""
    before: re.Match[str] | None = None
    for name in _NAME.finditer(found["ports"]):
        first = int(name[3])
        if before and found["ports"][before.end() : name.start()].strip() == "to":
            first = int(before[3]) + 1
        for number in range(first, int(name[3]) + 1):
            yield f"{_WORDS} {name[1]}{name[2]}{number}{ends}"
        before = name


def cage_of(line: str) -> str:
    """Return the cage of the section of a port, or of a line that splits one; else nothing."""
    found = _CAGE.fullmatch(line)
    return found[1] if found else ""


def changed_cages(now: Node, wanted: Node) -> set[str]:
    """Return the cages that are split in another way, or no longer, or not yet."""
    both = [{line for line in root.children if is_split(line)} for root in (now, wanted)]
    return {cage_of(line) for line in both[0] ^ both[1]}


def without_ports(root: Node, cages: set[str]) -> Node:
    """Return a configuration as it is when the ports of some cages were just made."""
    return Node({
        line: child
        for line, child in root.children.items()
        if is_split(line) or cage_of(line) not in cages
    })
