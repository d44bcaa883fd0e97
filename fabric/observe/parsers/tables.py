"""Text tables: a header, a line of dashes that shows the columns, rows."""

from __future__ import annotations

import re
from itertools import pairwise

from fabric.observe.parsers import UnreadableError

_FOREIGN = ("\r", "\x1b", "\x08", "--More--")
_MORE = re.compile(r"^[ \t]*More[ \t]*$", re.MULTILINE)


def plain(text: str) -> str:
    """Return output without carriage returns at the ends of its lines.

    Raises
    ------
    UnreadableError
        When a pager or a terminal has left its marks in it.
    """
    text = text.replace("\r\n", "\n")
    if any(mark in text for mark in _FOREIGN) or ("More" in text and _MORE.search(text)):
        raise UnreadableError("the output holds marks of a pager or a terminal")
    return text


def parse_table(text: str, first_header: str) -> list[dict[str, str]]:
    """Return the rows of a table as dictionaries.

    Parameters
    ----------
    text : str
        Output that holds one such table, with other lines around it.
    first_header : str
        Name of the first column, to find the table.

    Raises
    ------
    UnreadableError
        When there is no such table, or a row does not keep to its columns.
    """
    lines = plain(text).splitlines()
    for number, line in enumerate(lines[:-1]):
        ruler = lines[number + 1]
        if line.strip().startswith(first_header) and {"-"} <= set(ruler) <= {"-", " ", "\t"}:
            spans = [match.span() for match in re.finditer(r"-+", ruler)]
            headers = _cells(line, spans)
            if headers[0] != first_header or len(set(headers)) != len(headers):
                break
            rows = _rows(lines[number + 2 :])
            return [dict(zip(headers, _cells(row, spans), strict=True)) for row in rows]
    raise UnreadableError(f"no table with a column {first_header!r}")


def _rows(lines: list[str]) -> list[str]:
    rows = []
    for line in lines:
        if not line.strip() or set(line.strip()) <= {"-", " "}:
            break
        rows.append(line)
    return rows


def _cells(line: str, spans: list[tuple[int, int]]) -> list[str]:
    if any(not line[end:start].isspace() for end, start in _gaps(spans) if len(line) > end):
        raise UnreadableError(f"a row does not keep to the columns of its table: {line!r}")
    bounds = [start for start, _ in spans] + [max(len(line), spans[-1][1])]
    return [line[start:stop].strip() for start, stop in pairwise(bounds)]


def _gaps(spans: list[tuple[int, int]]) -> list[tuple[int, int]]:
    return [(left[1], right[0]) for left, right in pairwise(spans)]
