"""Cables in the form that Graphviz and PTM read: ``"leaf01":"swp1" -- "spine01":"swp49";``.

Of the language (graphviz.org, The DOT Language) edges between two ports are read, with the
attributes ``speed_gbps`` and ``cable_m``; other statements and attributes are passed over, as PTM
does (CumulusNetworks/ptm, man page ptmd(8), topology.dot).
"""

from __future__ import annotations

import re
from bisect import bisect_right
from dataclasses import dataclass
from typing import TYPE_CHECKING

from fabric.intent.cabling import MAX_ROWS, OPTIONS, CableRow, Cabling, Problems, number_problem
from fabric.intent.wording import quoted

if TYPE_CHECKING:
    from fabric.core.findings import Finding

_TOKEN = re.compile(
    r'\s+|//[^\n]*|/\*.*?\*/|^#[^\n]*|"(?P<quoted>(?:[^"\\\n]|\\.)*)"'
    r"|(?P<word>[A-Za-z0-9_.\x80-\U0010ffff]+(?:/[A-Za-z0-9_.]+)*)|(?P<mark>--|->|[{}\[\];:,=])",
    re.DOTALL | re.MULTILINE,
)
_ESCAPE = re.compile(r'\\(["\\])')


@dataclass(frozen=True, slots=True)
class _Token:
    text: str
    mark: bool
    start: int


def read_dot(text: str, file: str) -> tuple[Cabling, list[Finding]]:
    """Return the cables of a DOT file, and what is wrong with it."""
    return _Dot(text, file).read()


class _Dot:
    def __init__(self, text: str, file: str) -> None:
        self._text, self._file = text, file
        self._lines = [0, *(match.end() for match in re.finditer("\n", text))]
        self._problems = Problems(file)
        self._rows: list[CableRow] = []

    def read(self) -> tuple[Cabling, list[Finding]]:
        tokens = self._tokens()
        texts = [token.text if token.mark else "" for token in tokens]
        if "{" not in texts or "}" not in texts:
            self._problems.add(1, 1, "no graph", "write graph fabric { ... }")
        else:
            first, last = texts.index("{"), len(texts) - 1 - texts[::-1].index("}")
            self._statements(tokens[first + 1 : last])
        lines = self._text.splitlines()
        return Cabling(self._file, tuple(self._rows), {}, lines), self._problems.findings

    def _tokens(self) -> list[_Token]:
        found, place = [], 0
        while place < len(self._text):
            match = _TOKEN.match(self._text, place)
            if match is None:
                self._add(
                    place, f"{quoted(self._text[place])} is not expected", "write names in quotes"
                )
                break
            if match.lastgroup:
                text = match[match.lastgroup]
                plain = _ESCAPE.sub(r"\1", text) if match.lastgroup == "quoted" else text
                found.append(_Token(plain, match.lastgroup == "mark", place))
            place = match.end()
        return found

    def _statements(self, tokens: list[_Token]) -> None:
        """Read statements, which end with a semicolon, a line or the attributes."""
        place = 0
        while place < len(tokens) and not self._problems.full:
            stop = self._end(tokens, place)
            self._statement([
                token for token in tokens[place:stop] if token.text != ";" or not token.mark
            ])
            place = stop
            if len(self._rows) > MAX_ROWS:
                self._add(tokens[0].start, f"more than {MAX_ROWS:,} cables", "split the fabric")
                return

    def _end(self, tokens: list[_Token], place: int) -> int:
        """Return where the statement ends that starts at a token."""
        depth, line = 0, self._line(tokens[place].start)
        for index in range(place, len(tokens)):
            token = tokens[index]
            text = token.text if token.mark else ""
            if (
                depth == 0
                and index > place
                and self._line(token.start) > line
                and (text not in {"--", "->", ":", "["} and not self._open(tokens[index - 1]))
            ):
                return index
            line = self._line(token.start)
            depth += {"[": 1, "]": -1}.get(text, 0)
            if depth == 0 and text == ";":
                return index + 1
        return len(tokens)

    @staticmethod
    def _open(token: _Token) -> bool:
        return token.mark and token.text in {"--", "->", ":"}

    def _statement(self, tokens: list[_Token]) -> None:
        marks = [token.text if token.mark else "" for token in tokens]
        if "->" in marks:
            self._add(tokens[marks.index("->")].start, "a cable has no direction", "write --")
            return
        if "--" not in marks:
            return  # graph, node and edge attributes, and nodes
        ends, options = tokens[:7], tokens[7:]
        if marks[:7] != ["", ":", "", "--", "", ":", ""] or (options and marks[7] != "["):
            fix = 'write "leaf01":"swp1" -- "spine01":"swp49"'
            self._add(tokens[0].start, "not one cable between two ports", fix)
            return
        device, port, peer, peer_port = (ends[index].text for index in (0, 2, 4, 6))
        told = self._options(options)
        if told is not None:
            line = self._line(tokens[0].start)
            speed, metres = (told.get(name) for name in OPTIONS)
            self._rows.append(CableRow(device, port, peer, peer_port, speed, metres, line))

    def _options(self, tokens: list[_Token]) -> dict[str, int] | None:
        """Return speed and length among the attributes; None when they are wrong."""
        found: dict[str, int] = {}
        for name, mark, value in zip(tokens, tokens[1:], tokens[2:], strict=False):
            if name.text not in OPTIONS or mark.text != "=" or not mark.mark:
                continue
            wrong = number_problem(name.text, value.text)
            if wrong:
                self._add(value.start, *wrong)
                return None
            found[name.text] = int(value.text)
        return found

    def _line(self, start: int) -> int:
        return bisect_right(self._lines, start)

    def _add(self, start: int, message: str, fix: str) -> None:
        line = self._line(start)
        self._problems.add(line, start - self._lines[line - 1] + 1, message, fix)
