"""Configurations of lines below lines: the tree, what differs between two, and how that reads."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

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

    def merge(self, other: Node) -> None:
        """Take over the lines of another section, after the own ones."""
        for line, child in other.children.items():
            self.children.setdefault(line, Node()).merge(child)


@dataclass(frozen=True, slots=True)
class Step:
    """One line that comes or goes."""

    path: Path
    adds: bool


#: What holds in a section although it is not printed, by the whole tree, the first line of the
#: section (empty for the top level) and the lines that are printed in it.
Implied: TypeAlias = "Callable[[Node, str, dict[str, Node]], set[str]]"


def steps(now: Node, wanted: Node, implied: Implied) -> list[Step]:
    """Return what differs: lines that go and lines that come.

    What holds without being printed neither comes nor goes.
    """

    def apart(here: Node, there: Node, path: Path) -> Iterator[Step]:
        section = path[-1] if path else ""
        silent = implied(now, section, here.children)
        silent_then = implied(wanted, section, there.children)
        for line, child in here.children.items():
            if line in there.children:
                yield from apart(child, there.children[line], (*path, line))
            elif line not in silent_then:
                yield Step((*path, line), adds=False)
                yield from (Step(inner, adds=False) for inner in child.lines((*path, line)))
        for line, child in there.children.items():
            if line not in here.children and line not in silent:
                yield Step((*path, line), adds=True)
                yield from (Step(inner, adds=True) for inner in child.lines((*path, line)))

    return list(apart(now, wanted, ()))


def difference(found: list[Step]) -> str:
    """Return steps for reading, with the sections that they stand in."""
    lines: list[str] = []
    shown: Path = ()
    for step in found:
        *above, line = step.path
        for depth, section in enumerate(above):
            if shown[: depth + 1] != step.path[: depth + 1]:
                lines.append(f" {'  ' * depth}{section}")
        lines.append(f"{'+' if step.adds else '-'}{'  ' * len(above)}{line}")
        shown = step.path
    return "\n".join([*lines, ""]) if lines else ""
