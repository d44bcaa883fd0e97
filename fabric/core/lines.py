"""Configurations of lines below lines."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

Path: TypeAlias = tuple[str, ...]


@dataclass(slots=True)
class Node:
    """A section: its lines, each with what stands below it."""

    children: dict[str, Node] = field(default_factory=dict)

    def lines(self, path: Path = ()) -> Iterator[Path]:
        """Yield the path of every line, in order."""
        for line, child in self.children.items():
            yield (*path, line)
            yield from child.lines((*path, line))

    def child(self, line: str) -> Node:
        """Return the section of a line; it is made when there is none."""
        return self.children.setdefault(line, Node())

    def copy(self) -> Node:
        """Return a copy with copies of everything below."""
        return Node({line: child.copy() for line, child in self.children.items()})

    def merge(self, other: Node) -> None:
        """Take over the lines of another section, after the own ones."""
        for line, child in other.children.items():
            self.child(line).merge(child)


def nested(lines: Iterable[str]) -> Node:
    """Return the tree of lines that are indented below the line that they belong to."""
    root = Node()
    open_nodes = [(-1, root)]
    for line in lines:
        depth = len(line) - len(line.lstrip(" "))
        while open_nodes[-1][0] >= depth:
            open_nodes.pop()
        open_nodes.append((depth, open_nodes[-1][1].child(line.strip())))
    return root
