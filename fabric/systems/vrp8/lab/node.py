"""The tree of a configuration."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Any


@dataclass(slots=True, eq=False)
class Node:
    """One line of the configuration and what stands below it."""

    line: str = ""
    view: str = "system"
    rank: int = 0
    arguments: tuple[str, ...] = ()
    children: dict[str, Node] = field(default_factory=dict)

    def copy(self) -> Node:
        """Return a copy with copies of everything below."""
        below = {key: node.copy() for key, node in self.children.items()}
        return Node(self.line, self.view, self.rank, self.arguments, below)

    def sorted(self) -> list[Node]:
        """Return the children in the order of the running configuration."""
        return sorted(self.children.values(), key=lambda node: (node.rank, _natural(node.line)))

    def has(self, line: str) -> bool:
        """Tell whether a line stands directly below."""
        return any(node.line == line for node in self.children.values())

    def below(self, words: str) -> list[Node]:
        """Return the lines directly below that begin with the words."""
        return [node for node in self.sorted() if node.line.startswith(words)]

    def value(self, words: str) -> str:
        """Return what follows the words in the line that begins with them; empty when none does."""
        found = self.below(f"{words} ")
        return found[0].line.removeprefix(f"{words} ") if found else ""


def _natural(text: str) -> list[tuple[int, Any]]:
    parts = re.split(r"(\d+)", text)
    return [(0, int(part)) if part.isdecimal() else (1, part) for part in parts if part]
