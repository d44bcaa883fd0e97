"""Cables in the form that Graphviz and PTM read: ``"leaf01":"swp1" -- "spine01":"swp49";``.

Of the DOT language (graphviz.org/doc/info/lang.html) edges between two ports are read, with the
attributes ``speed_gbps`` and ``cable_m``; other attributes, and statements about nodes or graphs,
are skipped. The same form is that of NVIDIA's UFM Cable Validation Tool
(docs.nvidia.com/networking/display/cablevalidationtool160/dot+file).
"""

from __future__ import annotations

import re
from bisect import bisect_right
from typing import TYPE_CHECKING, NamedTuple

from fabric.core.shown import quoted
from fabric.intent.cabling import MAX_ROWS, OPTIONS, CableRow, Cabling, Problems, number_problem

if TYPE_CHECKING:
    from fabric.core.findings import Finding

# A word has letters, digits, `_`, `.` and all characters beyond ASCII.
_TOKEN = re.compile(
    r'\s+|//[^\n]*|/\*.*?\*/|^#[^\n]*|"(?P<quoted>(?:[^"\\\n]|\\.)*)"'
    r"|(?P<word>[^\x00-\x2d/:-@\[-^`{-\x7f]+)|(?P<mark>--|->|[{}\[\];:,=])",
    re.DOTALL | re.MULTILINE,
)
_ESCAPE = re.compile(r'\\(["\\])')
_EDGES = ("--", "->")
#: Marks of ``"leaf01":"swp1" -- "spine01":"swp49";``.
_PLAIN = ["", ":", "", "--", "", ":", "", ";"]


class _Token(NamedTuple):
    """A name, or a mark of the language."""

    text: str
    mark: bool
    start: int


_END = _Token("", mark=True, start=0)


def read_dot(text: str, file: str) -> tuple[Cabling, list[Finding]]:
    """Return the cables of a DOT file, and what is wrong with it."""
    return _Dot(text, file).read()


class _Dot:
    def __init__(self, text: str, file: str) -> None:
        self._text, self._file = text, file
        self._starts = [0, *(match.end() for match in re.finditer("\n", text))]
        self._problems = Problems(file)
        self._rows: list[CableRow] = []
        self._tokens: list[_Token] = []
        self._place = 0

    def read(self) -> tuple[Cabling, list[Finding]]:
        self._tokens = self._split()
        while self._peek().text != "{" and self._peek() is not _END:
            self._place += 1
        if self._peek() is _END:
            self._problems.add(1, 1, "no graph", "write graph fabric { ... }")
        while self._peek() is not _END and not self._problems.full:
            self._statement()
            if len(self._rows) > MAX_ROWS:
                self._problems.add(1, 1, f"more than {MAX_ROWS:,} cables", "split the fabric")
                break
        lines = self._text.splitlines()
        return Cabling(self._file, tuple(self._rows), {}, lines), self._problems.findings

    def _peek(self) -> _Token:
        return self._tokens[self._place] if self._place < len(self._tokens) else _END

    def _split(self) -> list[_Token]:
        tokens, place = [], 0
        for match in _TOKEN.finditer(self._text):
            start, kind = match.start(), match.lastgroup
            if start != place:
                break
            place = match.end()
            if kind:
                text = match[kind]
                plain = _ESCAPE.sub(r"\1", text) if "\\" in text else text
                tokens.append(_Token(plain, kind == "mark", start))
        if place < len(self._text):
            message = f"unexpected {quoted(self._text[place])}"
            self._add(place, message, "put names in quotes")
        return tokens

    def _statement(self) -> None:
        """Read an edge, or pass over something else."""
        if self._plain_cable():
            return
        first = self._peek()
        if first.mark:
            self._place += 1
            if first.text in {"[", *_EDGES, ":"}:
                self._add(first.start, f"unexpected {quoted(first.text)}", "remove it")
            return
        ends = [self._end()]
        while self._peek().mark and self._peek().text in _EDGES:
            if self._peek().text == "->":
                self._add(self._peek().start, "cables have no direction", "use --")
            self._place += 1
            ends.append(self._end())
        options = self._options()
        if len(ends) > 1 and options is not None:
            self._cable(first, ends, options)

    def _plain_cable(self) -> bool:
        """Read one cable without attributes, the usual statement, if that is what comes."""
        tokens = self._tokens[self._place : self._place + 8]
        if [token.text if token.mark else "" for token in tokens] != _PLAIN:
            return False
        ends = [[tokens[0].text, tokens[2].text], [tokens[4].text, tokens[6].text]]
        self._cable(tokens[0], ends, {})
        self._place += len(_PLAIN)
        return True

    def _end(self) -> list[str]:
        """Read a node and what follows it after colons."""
        parts = []
        while not self._peek().mark:
            parts.append(self._peek().text)
            self._place += 1
            if not self._peek().mark or self._peek().text != ":":
                break
            self._place += 1
        return parts

    def _options(self) -> dict[str, int] | None:
        """Read attributes; return speed and length, or None when one of them is wrong."""
        options: dict[str, int] = {}
        wrong = False
        inside = 0
        while self._peek() is not _END:
            name = self._peek()
            if name.mark and name.text in {"[", "]"}:
                inside += 1 if name.text == "[" else -1
            elif not inside and not (name.mark and name.text == "="):
                break
            self._place += 1
            if name.mark and name.text == "=" and not self._peek().mark:
                key, value = self._tokens[self._place - 2].text, self._peek()
                problem = number_problem(key, value.text) if inside and key in OPTIONS else None
                if problem:
                    self._add(value.start, *problem)
                    wrong = True
                elif inside and key in OPTIONS and value.text:
                    options[key] = int(value.text)
                self._place += 1
        return None if wrong else options

    def _cable(self, first: _Token, ends: list[list[str]], options: dict[str, int]) -> None:
        if [len(end) for end in ends] != [2, 2]:
            fix = 'use the form "leaf01":"swp1" -- "spine01":"swp49"'
            self._add(first.start, "not a cable between two ports", fix)
            return
        (device, port), (peer, peer_port) = ends
        speed, metres = (options.get(name) for name in OPTIONS)
        line = self._line(first.start)
        self._rows.append(CableRow(device, port, peer, peer_port, speed, metres, line))

    def _line(self, start: int) -> int:
        return bisect_right(self._starts, start)

    def _add(self, start: int, message: str, fix: str) -> None:
        line = self._line(start)
        self._problems.add(line, start - self._starts[line - 1] + 1, message, fix)
