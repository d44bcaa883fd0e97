"""What differs between two configurations that are lines below lines."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from fabric.change.lines.grammar import Grammar
    from fabric.core.lines import LineTree, Path


@dataclass(frozen=True, slots=True)
class Step:
    """One line that is added or removed."""

    path: Path
    adds: bool


def steps(grammar: Grammar, now: LineTree, target: LineTree) -> list[Step]:
    """Return the lines that are removed and added.

    Lines that hold without being printed are neither.
    """

    def between(before: LineTree, after: LineTree, path: Path) -> Iterator[Step]:
        if before == after:
            return
        section = path[-1] if path else ""
        unprinted = grammar.unprinted(now, section, before.children)
        unprinted_after = grammar.unprinted(target, section, after.children)
        for line, child in before.children.items():
            if line in after.children:
                yield from between(child, after.children[line], (*path, line))
            elif line not in unprinted_after:
                yield from whole(child, (*path, line), adds=False)
        for line, child in after.children.items():
            if line not in before.children and line not in unprinted:
                yield from whole(child, (*path, line), adds=True)

    def whole(section: LineTree, path: Path, *, adds: bool) -> Iterator[Step]:
        yield from (Step(one, adds) for one in (path, *section.lines(path)))

    return list(between(now, target, ()))


def difference(changes: Sequence[Step], indent: str = "  ") -> str:
    """Return steps for reading, with the sections that they stand in."""
    lines: list[str] = []
    shown: Path = ()
    for step in changes:
        *above, line = step.path
        for depth, section in enumerate(above):
            if shown[: depth + 1] != step.path[: depth + 1]:
                lines.append(f" {indent * depth}{section}")
        lines.append(f"{'+' if step.adds else '-'}{indent * len(above)}{line}")
        shown = step.path
    return "\n".join([*lines, ""]) if lines else ""
