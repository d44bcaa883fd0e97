"""The tree of lines of the NX-OS stand-in, and how the running configuration shows it.

Known and assumed: as `fabric.systems.nxos.lab.config`, which changes it.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator

_UNSORTED = ("job", "qos-policy")


@dataclass(slots=True, eq=False)
class Node:
    """One line of the configuration and what stands below it."""

    line: str = ""
    mode: str = "config"
    order: tuple[Any, ...] = ()
    children: dict[str, Node] = field(default_factory=dict)

    def copy(self) -> Node:
        """Return a copy with copies of everything below."""
        below = {key: node.copy() for key, node in self.children.items()}
        return Node(self.line, self.mode, self.order, below)

    def sorted(self) -> list[Node]:
        """Return the children in the order of the running configuration."""
        if self.mode in _UNSORTED:
            return list(self.children.values())
        return sorted(self.children.values(), key=lambda node: node.order)

    def has(self, line: str) -> bool:
        """Tell whether a line stands directly below."""
        return any(node.line == line for node in self.children.values())

    def value(self, words: str) -> str:
        """Return what follows the words in the line that begins with them; empty when none does."""
        for node in self.children.values():
            if node.line.startswith(words + " "):
                return node.line.removeprefix(words).strip()
        return ""

    def below(self, words: str) -> Iterator[Node]:
        """Yield the children whose line begins with the words, in order."""
        yield from (node for node in self.sorted() if node.line.startswith(words))


def natural(text: str) -> tuple[tuple[int, int, str], ...]:
    """Return a sort key that orders numbers by value."""
    parts = re.split(r"(\d+)", text)
    return tuple((0, int(p), "") if p.isdecimal() else (1, 0, p) for p in parts if p)


def text_lines(root: Node) -> Iterator[str]:
    """Yield the lines of the running configuration, with blank lines between sections."""
    vlans = sorted({1, *(int(node.line.split()[1]) for node in root.below("vlan "))})
    told = False
    for node in root.sorted():
        if node.mode == "vlan" and not told:
            yield ""
            yield f"vlan {','.join(_spans(vlans))}"
            told = True
        if node.mode in ("vlan", "system-qos") and not node.children:
            continue
        if node.mode not in ("config", "vlan"):
            yield ""
        yield from node.line.split("\n")
        if node.mode == "job":
            yield from (child.line for child in node.sorted())
            yield from ("", "end-job")
        else:
            yield from _below(node, 1)
    if not told:
        yield "vlan 1"


def _below(node: Node, depth: int) -> Iterator[str]:
    routed = node.has("no switchport")
    for child in node.sorted():
        yield "  " * depth + child.line
        yield from _below(child, depth + 1)
    if routed and not node.has("shutdown"):
        yield "  " * depth + "no shutdown"


def _spans(numbers: list[int]) -> Iterator[str]:
    start = previous = numbers[0]
    for number in [*numbers[1:], numbers[-1] + 2]:
        if number != previous + 1:
            yield str(start) if start == previous else f"{start}-{previous}"
            start = number
        previous = number


def policies_of(root: Node, kind: str) -> set[str]:
    """Return the names of the policies of a type."""
    return {node.line.split()[-1] for node in root.below(f"policy-map type {kind} ")}
