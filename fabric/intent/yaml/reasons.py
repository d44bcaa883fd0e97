"""The YAML parser's reasons in plain words, with the place to look at and what to do."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from fabric.core.findings import Finding, Position, Severity

if TYPE_CHECKING:
    from collections.abc import Iterator

    import yaml

_LINE_END = re.compile(r"\r\n|\r|\n")
#: First line of a conflict (git-merge(1), how conflicts are presented).
_CONFLICT = re.compile(r"<{7} ")
_LEADING_TAB = re.compile(r"[ ]*\t\s*\S")


@dataclass(frozen=True, slots=True)
class _Reason:
    """Plain words for a problem of the parser.

    Parameters
    ----------
    pattern : str
        Regular expression searched in the parser's own words (libyaml's and PyYAML's differ).
    message, fix : str
        What is wrong and what to do.
    at_opening : bool
        Report the place where the broken construct begins, not where the parser gave up.
    """

    pattern: str
    message: str
    fix: str
    at_opening: bool = False


_SIMPLE_KEY = r"scanning a simple key.*could not find expected ':'"
_NO_SPACE = _Reason(
    _SIMPLE_KEY,
    "there is no space after the colon",
    "write 'key: value' with a space",
    at_opening=True,
)
#: The end of a name and the range that follows it: where the parser stops.
_RANGE_FROM = re.compile(r"[\w.-]\[[0-9,-]+\].*")
_BRACKETS = _Reason(
    r"expected ',' or",
    "between { }, text with [ ] needs quotes",
    'write "gpu[01-32]"',
)
_KEY_AND_VALUE = re.compile(r"\s*(- )?[A-Za-z_]\w*:[^\s:]")
_REASONS = (
    _Reason(
        r"mapping values are not allowed",
        "unexpected colon: no key can start here",
        "put text that contains ': ' in quotes, or correct the indentation",
    ),
    _Reason(
        _SIMPLE_KEY,
        "the line has no colon",
        "use 'key: value', or indent it as part of the line above",
        at_opening=True,
    ),
    _Reason(
        r"sequence entries are not allowed",
        "unexpected list item: no list can start here",
        "start the list on the line below its key",
    ),
    _Reason(
        r"expected ',' or '\]'",
        "the list is not closed",
        "add ']' or a missing comma",
        at_opening=True,
    ),
    _Reason(
        r"expected ',' or '}'",
        "the mapping is not closed",
        "add '}' or a missing comma",
        at_opening=True,
    ),
    _Reason(
        r"parsing a flow node",
        "a list or mapping in brackets is incomplete here",
        "add the missing item or the closing bracket",
    ),
    _Reason(
        r"quoted scalar.*(end of stream|document indicator|document separator)",
        "the quoted text is not closed",
        "add the closing quote",
        at_opening=True,
    ),
    _Reason(
        r"expected '-' indicator|expected key|expected <block end>|<document start>",
        "the indentation does not match the lines above",
        "align it with the keys or list items that it belongs to",
    ),
    _Reason(
        r"cannot start any token",
        "a value cannot start with this character",
        "put the value in quotes",
    ),
    _Reason(
        r"escape character",
        "the backslash does not start a known escape",
        "double the backslash, or use single quotes",
    ),
)


def syntax_finding(error: Exception, text: str, file: str) -> Finding:
    """Return what a syntax error of the parser means to the writer of the file."""
    lines = _LINE_END.split(text)
    context = getattr(error, "context", None) or ""
    problem = getattr(error, "problem", None) or ""
    words = ", ".join(part for part in (context, problem) if part) or str(error)
    mark = getattr(error, "problem_mark", None)
    conflict = next((at for at, line in enumerate(lines) if _CONFLICT.match(line)), None)
    if conflict is not None:
        return _conflict(Position(file, conflict + 1, 1))
    if mark and mark.line < len(lines) and _LEADING_TAB.match(lines[mark.line]):
        return _tab(Position(file, mark.line + 1, lines[mark.line].index("\t") + 1))
    for reason in _reasons(error, lines):
        if re.search(reason.pattern, words, re.DOTALL):
            if reason.at_opening:
                mark = getattr(error, "context_mark", None) or mark
            position = _inside(mark, lines, file)
            return Finding("INT001", Severity.ERROR, reason.message, reason.fix, position=position)
    message = f"not valid YAML: {' '.join(words.split())}"
    position = _inside(mark, lines, file)
    return Finding("INT001", Severity.ERROR, message, "correct the syntax", position=position)


def _reasons(error: Exception, lines: list[str]) -> Iterator[_Reason]:
    """Yield what may be wrong; first what the line of the error shows by its form."""
    opening = getattr(error, "context_mark", None)
    if opening and opening.line < len(lines) and _KEY_AND_VALUE.match(lines[opening.line]):
        yield _NO_SPACE
    problem = getattr(error, "problem_mark", None)
    line = lines[problem.line] if problem and problem.line < len(lines) else ""
    if problem and _RANGE_FROM.fullmatch(line[max(problem.column - 1, 0) :]):
        yield _BRACKETS
    yield from _REASONS


def _conflict(position: Position) -> Finding:
    message = "a merge conflict of git is not resolved"
    fix = "keep the lines of one side, and delete the lines with <<<<<<<, ======= and >>>>>>>"
    return Finding("INT001", Severity.ERROR, message, fix, position=position)


def _tab(position: Position) -> Finding:
    message = "the line is indented with a tab"
    return Finding("INT006", Severity.ERROR, message, "indent with spaces", position=position)


def _inside(mark: yaml.Mark | None, lines: list[str], file: str) -> Position:
    """Return the position of a mark, or the end of the text when the mark lies behind it."""
    if mark is None:
        return Position(file)
    line = min(mark.line, len(lines) - 1)
    if line == len(lines) - 1 and line > 0 and not lines[line]:
        line -= 1
    column = mark.column if line == mark.line else len(lines[line])
    return Position(file, line + 1, min(column, len(lines[line])) + 1)
