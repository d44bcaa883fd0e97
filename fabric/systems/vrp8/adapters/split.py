"""Ports that are split: a changed split makes the ports of its cage anew.

Known (CloudEngine V300R023C00 command reference, WheaterW/INTA-project @ 9308062d, port split): the
parts of 100GE1/0/1 are 100GE1/0/1:1 and so on; with every change of the split the ports that were
there are gone with all that was said about them, and no rollback restores it; several ports can
stand in one line. A port that is split already is made whole before it is split in another way.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from fabric.core.lines import LineTree
from fabric.core.spans import span

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
    split = _LINE.fullmatch(line)
    if split is None:
        yield line
        return
    ends = f" split-type {split['type']}" if split["type"] else ""
    before: re.Match[str] | None = None
    for name in _NAME.finditer(split["ports"]):
        first = int(name[3])
        if before and split["ports"][before.end() : name.start()].strip() == "to":
            first = int(before[3]) + 1
        for number in span(str(first), name[3]):
            yield f"{_WORDS} {name[1]}{name[2]}{number}{ends}"
        before = name


def cage_of(line: str) -> str:
    """Return the cage of the section of a port, or of a line that splits one; else nothing."""
    cage = _CAGE.fullmatch(line)
    return cage[1] if cage else ""


def changed_cages(now: LineTree, target: LineTree) -> set[str]:
    """Return the cages that are split in another way, or no longer, or not yet."""
    both = [{line for line in root.children if is_split(line)} for root in (now, target)]
    return {cage_of(line) for line in both[0] ^ both[1]}


def without_new_ports(now: LineTree, target: LineTree) -> LineTree:
    """Return what is left of a configuration once ports are split as in another one."""
    changed = changed_cages(now, target)
    return LineTree({
        line: child
        for line, child in now.children.items()
        if is_split(line) or cage_of(line) not in changed
    })
