"""The part of Graphviz' DOT language that cabling files use, read with positions.

Grammar: https://graphviz.org/doc/info/lang.html. Edges join two nodes, each with a port, as PTM
takes them: ``"leaf01":"swp49" -- "spine01":"swp1" [attribute=value];``.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

_TOKEN = re.compile(
    r"""(?P<space>\s+)
      | (?P<comment>//[^\n]*|\#[^\n]*|/\*.*?\*/)
      | "(?P<quoted>(?:[^"\\]|\\.)*)"
      | (?P<edge>--|->)
      | (?P<sign>[{}\[\];:,=])
      | (?P<word>-?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)|[A-Za-z_\x80-\U0010ffff][\w\x80-\U0010ffff]*)
    """,
    re.VERBOSE | re.DOTALL | re.MULTILINE,
)

_ESCAPED = re.compile(r'\\(["\\])')


class DotError(ValueError):
    """The text is no such file; carries line and column, both from 1."""

    def __init__(self, message: str, line: int, column: int) -> None:
        super().__init__(message)
        self.line = line
        self.column = column


@dataclass(frozen=True, slots=True)
class Token:
    """A word, a quoted text or a sign, with its place."""

    text: str
    kind: str
    line: int
    column: int


@dataclass(frozen=True, slots=True)
class NodeLine:
    """A node with its attributes."""

    name: str
    attributes: dict[str, str]
    token: Token


@dataclass(frozen=True, slots=True)
class EdgeLine:
    """A cable between two ends; a port is empty where none is written."""

    near: tuple[str, str]
    far: tuple[str, str]
    attributes: dict[str, str]
    token: Token


@dataclass
class DotGraph:
    """What a file holds."""

    name: str = ""
    nodes: list[NodeLine] = field(default_factory=list)
    edges: list[EdgeLine] = field(default_factory=list)


def quote(text: str) -> str:
    """Return a text as DOT writes it, always in quotes."""
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'


def parse(text: str) -> DotGraph:
    """Return nodes and edges of a file.

    Raises
    ------
    DotError
        At the first thing that is not of this language, or not of this part of it.
    """
    return _Parser(list(_tokens(text))).graph()


def _tokens(text: str) -> Iterator[Token]:
    place, line, start = 0, 1, 0
    while place < len(text):
        match = _TOKEN.match(text, place)
        if match is None:
            shown = text[place : place + 20].splitlines()[0]
            message = f"{shown!a} is not valid here; remove it, or put it in quotes"
            raise DotError(message, line, place - start + 1)
        kind = str(match.lastgroup)
        if kind not in {"space", "comment"}:
            said = match[kind]
            if kind == "quoted" and "\\" in said:
                said = _ESCAPED.sub(r"\1", said.replace("\\\n", ""))
            yield Token(said, kind, line, place - start + 1)
        rows = match[0].count("\n")
        if rows:
            line += rows
            start = place + match[0].rindex("\n") + 1
        place = match.end()
    yield Token("", "end", line, place - start + 1)


class _Parser:
    def __init__(self, tokens: list[Token]) -> None:
        self._tokens = tokens
        self._at = 0

    def graph(self) -> DotGraph:
        drawn = DotGraph()
        if self._is("strict"):
            self._next()
        head = self._next()
        if head.text.lower() != "graph":
            fix = "a cabling file starts with: graph NAME {"
            raise self._error(f"expected a graph, found {head.text[:40]!a}; {fix}", head)
        if self._peek().kind in {"word", "quoted"}:
            drawn.name = self._next().text
        self._expect("{")
        self._statements(drawn)
        self._expect("}")
        if self._peek().kind != "end":
            raise self._error("text after the graph; remove it", self._peek())
        return drawn

    def _statements(self, drawn: DotGraph) -> None:
        depth = 0
        while not self._is("}") or depth:
            token = self._peek()
            if token.kind == "end":
                raise self._error("a closing brace is missing; provide the complete file", token)
            if self._is("{") or self._is("}"):
                depth += 1 if token.text == "{" else -1
                self._next()
            elif self._is(";"):
                self._next()
            elif token.kind == "word" and token.text.lower() == "subgraph":
                self._next()
                if not self._is("{"):
                    self._next()
            else:
                self._statement(drawn)

    def _statement(self, drawn: DotGraph) -> None:
        token = self._peek()
        name, port = self._end()
        if token.kind == "word" and token.text.lower() in {"graph", "node", "edge"}:
            self._attributes()
        elif self._is("=") and not port:
            self._next()
            self._next()
        elif self._peek().kind == "edge":
            sign = self._next()
            if sign.text == "->":
                raise self._error("cables have no direction; use -- instead of ->", sign)
            far = self._end()
            if self._peek().kind == "edge":
                raise self._error(
                    "a cable connects two ports; write each cable separately", self._peek()
                )
            drawn.edges.append(EdgeLine((name, port), far, self._attributes(), token))
        else:
            drawn.nodes.append(NodeLine(name, self._attributes(), token))

    def _end(self) -> tuple[str, str]:
        name = self._identifier()
        port = ""
        if self._is(":"):
            self._next()
            port = self._identifier()
        return name, port

    def _attributes(self) -> dict[str, str]:
        attributes: dict[str, str] = {}
        while self._is("["):
            self._next()
            while not self._is("]"):
                key = self._identifier()
                attributes[key] = "true"
                if self._is("="):
                    self._next()
                    attributes[key] = self._identifier()
                if self._is(",") or self._is(";"):
                    self._next()
            self._next()
        return attributes

    def _identifier(self) -> str:
        token = self._next()
        if token.kind not in {"word", "quoted"}:
            said = token.text or "the end of the file"
            raise self._error(f"expected a name, found {said[:40]!a}", token)
        return token.text

    def _peek(self) -> Token:
        return self._tokens[self._at]

    def _next(self) -> Token:
        token = self._tokens[self._at]
        if token.kind != "end":
            self._at += 1
        return token

    def _is(self, text: str) -> bool:
        token = self._peek()
        return token.kind in {"sign", "word"} and token.text == text

    def _expect(self, sign: str) -> None:
        token = self._next()
        if token.kind != "sign" or token.text != sign:
            said = token.text or "the end of the file"
            raise self._error(f"expected {sign}, found {said[:40]!a}", token)

    @staticmethod
    def _error(message: str, token: Token) -> DotError:
        return DotError(message, token.line, token.column)
