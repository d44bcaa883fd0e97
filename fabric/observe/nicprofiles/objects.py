"""Kubernetes objects in a file: one or several documents, or a list, with the line of each value.

``kubectl get -o yaml`` and ``-o json`` write a list; files hold documents behind ``---``.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from fabric.intent.yaml.file import Document, parse_yaml
from fabric.observe.nicprofiles import refused
from fabric.observe.nicprofiles.record import NicValue

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

_BREAK = re.compile(r"^---(?=[ \t]|$).*\n?", re.MULTILINE)
_CONTENT = re.compile(r"^[ \t]*[^\s#]", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Node:
    """A part of a document."""

    document: Document
    path: tuple[str | int, ...]
    data: Any

    @property
    def line(self) -> int:
        """Line of its key."""
        return self.document.position(self.path).line

    def get(self, *names: str | int) -> Node | None:
        """Return a part below, None where there is none."""
        data = self.data
        for name in names:
            inside = isinstance(data, dict) and name in data
            if not inside and not (isinstance(data, list) and isinstance(name, int)):
                return None
            data = data[name]
        return None if data is None else Node(self.document, (*self.path, *names), data)

    def items(self) -> Iterator[Node]:
        """Yield the items of a list; raise InputError where it is none."""
        if not isinstance(self.data, list):
            raise self.wrong("a list")
        for number in range(len(self.data)):
            yield Node(self.document, (*self.path, number), self.data[number])

    def word(self) -> str:
        """Return a text, or a number as text; raise InputError where it is neither."""
        if isinstance(self.data, bool) or not isinstance(self.data, str | int):
            raise self.wrong("a text")
        return str(self.data)

    def value(self, read: Callable[[Node], Any]) -> NicValue[Any]:
        """Return what is made of it, with its line."""
        return NicValue(read(self), self.line)

    def flag(self) -> bool:
        """Return true or false; raise InputError where it is something else."""
        if not isinstance(self.data, bool):
            raise self.wrong("true or false")
        return self.data

    def number(self, most: int) -> int:
        """Return a whole number from 0 on; raise InputError where it is none, or above ``most``."""
        if type(self.data) is not int or not 0 <= self.data <= most:
            raise self.wrong(f"a number from 0 to {most}")
        return self.data

    def wrong(self, needed: str) -> Exception:
        """Return the error that it is not what is needed."""
        message = f"{str(self.data)[:40]!r} is not {needed}"
        return refused(self.document.file, self.line, message, f"use {needed}", self.field)

    @property
    def field(self) -> str:
        """Dotted path in its document."""
        return ".".join(map(str, self.path))


def objects(text: str, file: str) -> Iterator[Node]:
    """Yield the objects of a file.

    Raises
    ------
    InputError
        When it is not YAML, or an object has no kind.
    """
    for start, end in _documents(text):
        if _CONTENT.search(text, start, end):
            lines_before = "\n" * text.count("\n", 0, start)
            raw = (lines_before + text[start:end]).encode()
            document = parse_yaml(raw, file, foreign=True)
            whole = Node(document, (), document.data)
            items = whole.get("items") if str(document.data.get("kind")).endswith("List") else None
            yield from items.items() if items else (whole,)


def _documents(text: str) -> Iterator[tuple[int, int]]:
    breaks = [(match.start(), match.end()) for match in _BREAK.finditer(text)]
    starts = [0, *(end for _, end in breaks)]
    yield from zip(starts, [*(start for start, _ in breaks), len(text)], strict=True)
