"""The syntax of YANG: statements with arguments and braces (RFC 7950 section 6)."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

_TOKEN = re.compile(
    r'\s+|//[^\n]*|/\*.*?\*/|(?P<text>"(?:[^"\\]|\\.)*"|\'[^\']*\')|(?P<sign>[{};])|'
    r"(?P<word>(?:[^\s{};\"'/]|/(?![/*]))+)",
    re.DOTALL,
)
_ESCAPES = {"n": "\n", "t": "\t", '"': '"', "\\": "\\"}


@dataclass(slots=True, eq=False)
class Statement:
    """A YANG statement with what stands in its braces; ``parent`` is None for a module."""

    keyword: str
    argument: str
    parent: Statement | None
    children: list[Statement] = field(default_factory=list)

    def all(self, *keywords: str) -> list[Statement]:
        """Return the children with one of these keywords."""
        return [child for child in self.children if child.keyword in keywords]

    def argument_of(self, keyword: str) -> str:
        """Return the argument of the first child with a keyword, or an empty text."""
        return next((child.argument for child in self.children if child.keyword == keyword), "")

    @property
    def module(self) -> Statement:
        """The module that it stands in."""
        statement = self
        while statement.parent is not None:
            statement = statement.parent
        return statement


def parse(text: str) -> Statement:
    """Return the module of a YANG text.

    Raises
    ------
    ValueError
        When the braces do not match or a character cannot be read.
    """
    root = current = Statement("", "", None)
    words: list[str] = []
    for kind, value in _tokens(text):
        if kind != "sign":
            if words[-1:] == ["+"] and kind == "text":
                words[-2:] = [words[-2] + value] if len(words) > 1 else [value]
            else:
                words.append(value)
            continue
        if value == "}":
            if current.parent is None:
                raise ValueError("a closing brace without an opening brace")
            current = current.parent
            continue
        if not words:
            raise ValueError(f"{value!r} without a statement before it")
        parent = None if current is root else current
        statement = Statement(words[0], " ".join(words[1:]), parent or root)
        current.children.append(statement)
        if value == "{":
            current = statement
        words = []
    if current is not root or not root.children:
        raise ValueError("unexpected end of text in a statement")
    module = root.children[0]
    module.parent = None
    return module


def _tokens(text: str) -> Iterator[tuple[str, str]]:
    position = 0
    while position < len(text):
        match = _TOKEN.match(text, position)
        if match is None:
            raise ValueError(f"cannot read {text[position : position + 20]!r}")
        position = match.end()
        if match.lastgroup == "text":
            quoted = match["text"]
            body = quoted[1:-1]
            if quoted[0] == '"':
                body = re.sub(r"\\(.)", lambda found: _ESCAPES.get(found[1], found[0]), body)
            yield "text", body
        elif match.lastgroup:
            yield match.lastgroup, match[0]
