"""Configurations of lines below lines."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Iterator

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
