"""Configurations of lines below lines."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, TypeAlias

from fabric.core.renamed import renamed

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

Path: TypeAlias = tuple[str, ...]

#: Matches no line.
NEVER = re.compile(r"(?!)")

#: Lines of addresses and of BGP, but for free texts.
_ADDRESSED = re.compile(r"\s*(?:ipv6|peer|network|aggregate) (?!\S+ description )")
_IPV6 = re.compile(r"(?<= )[\dA-Fa-f]{1,4}:[\dA-Fa-f:]+(?=[ /]|$)")


def small_ipv6(line: str) -> str:
    """Return a line with its IPv6 addresses in small letters: some switches show them in capitals.

    Samples of CloudEngine V300R023C00 have both (WheaterW/INTA-project @ a9b3a9a1, BGP4+).
    """
    if not _ADDRESSED.match(line):
        return line
    return _IPV6.sub(lambda found: found[0].lower(), line)


@dataclass(slots=True)
class LineTree:
    """A section: its lines, each with what stands below it."""

    children: dict[str, LineTree] = field(default_factory=dict)

    def lines(self, path: Path = ()) -> Iterator[Path]:
        """Yield the path of every line, in order."""
        for line, child in self.children.items():
            yield (*path, line)
            yield from child.lines((*path, line))

    def child(self, line: str) -> LineTree:
        """Return the section of a line; it is made when there is none."""
        node = self.children.get(line)
        if node is None:
            node = self.children[line] = LineTree()
        return node

    def copy(self) -> LineTree:
        """Return a copy with copies of everything below."""
        return LineTree({line: child.copy() for line, child in self.children.items()})

    def merge(self, other: LineTree) -> None:
        """Take over the lines of another section, after the own ones."""
        for line, child in other.children.items():
            self.child(line).merge(child)


def nested(lines: Iterable[str]) -> LineTree:
    """Return the tree of lines that are indented below the line that they belong to."""
    root = LineTree()
    open_nodes = [(-1, root)]
    for line in lines:
        depth = len(line) - len(line.lstrip(" "))
        while open_nodes[-1][0] >= depth:
            open_nodes.pop()
        open_nodes.append((depth, open_nodes[-1][1].child(line.strip())))
    return root


if not TYPE_CHECKING:  # a type checker would take any name

    def __getattr__(name: str) -> type[object]:
        """Return a class by the name that it had before."""
        return renamed(__name__, name, {"Node": LineTree})
