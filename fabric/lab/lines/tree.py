"""The tree of a configuration that is made of lines."""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from fabric.core.renamed import renamed

if TYPE_CHECKING:
    from collections.abc import Iterator


@dataclass(slots=True, eq=False)
class Section:
    """One line of the configuration and what stands below it.

    Parameters
    ----------
    line : str
        The line as the system shows it.
    mode : str
        Mode that the line opens; empty where it opens none.
    order : tuple
        Place among its siblings.
    number : int or None
        Number of an entry that the system may show in one line with others.
    template : str
        That line, with ``{}`` for the numbers.
    """

    line: str = ""
    mode: str = "config"
    order: tuple[Any, ...] = ()
    children: dict[str, Section] = field(default_factory=dict)
    number: int | None = None
    template: str = ""

    def copy(self) -> Section:
        """Return a copy with copies of everything below."""
        return replace(self, children={key: node.copy() for key, node in self.children.items()})

    def sorted(self) -> list[Section]:
        """Return the children in the order of the running configuration."""
        return sorted(self.children.values(), key=lambda node: node.order)

    def get(self, key: str) -> Section | None:
        """Return the child with a key."""
        return self.children.get(key)

    def setting(self, key: str) -> str:
        """Return what follows the key in the child that has it; empty when none has."""
        node = self.children.get(key)
        return "" if node is None else node.line.removeprefix(key).strip()

    def has(self, line: str) -> bool:
        """Tell whether a line stands directly below."""
        return any(node.line == line for node in self.children.values())

    def value(self, words: str) -> str:
        """Return what follows the words in the line that begins with them; empty when none does."""
        for node in self.children.values():
            if node.line.startswith(f"{words} "):
                return node.line.removeprefix(words).strip()
        return ""

    def below(self, words: str) -> list[Section]:
        """Return the children whose line begins with the words, in order."""
        return [node for node in self.sorted() if node.line.startswith(words)]

    def drop(self, *words: str) -> None:
        """Remove the children whose key begins with one of the words."""
        for key in [key for key in self.children if key.startswith(words)]:
            del self.children[key]


def natural(text: str) -> tuple[tuple[int, int, str], ...]:
    """Return a sort key that orders numbers by value."""
    parts = re.split(r"(\d+)", text)
    return tuple((0, int(p), "") if p.isdecimal() else (1, 0, p) for p in parts if p)


def indented(
    node: Section, separator: str, *, always: bool = False, depth: int = 1
) -> Iterator[str]:
    """Yield what stands below a node, with a separator above each section.

    Parameters
    ----------
    always : bool
        Above an empty section too.
    """
    for child in node.sorted():
        if child.children or (always and child.mode):
            yield f"{' ' * depth}{separator}"
        yield f"{' ' * depth}{child.line}"
        if child.children:
            yield from indented(child, separator, always=always, depth=depth + 1)


def spans(numbers: list[int], between: str = "-") -> list[str]:
    """Return numbers as spans, such as ``101`` and ``105-107``."""
    groups: list[list[int]] = []
    for value in sorted(set(numbers)):
        if groups and value == groups[-1][-1] + 1:
            groups[-1].append(value)
        else:
            groups.append([value])
    return [f"{g[0]}{between}{g[-1]}" if len(g) > 1 else str(g[0]) for g in groups]


if not TYPE_CHECKING:  # a type checker would take any name

    def __getattr__(name: str) -> type[object]:
        """Return a class by the name that it had before."""
        return renamed(__name__, name, {"Node": Section})
