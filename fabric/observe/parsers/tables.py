"""What outputs of several systems share: rows, addresses, and tables with a line of dashes."""

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


def row_of(pattern: re.Pattern[str], line: str, table: str) -> re.Match[str]:
    """Return the row of a table that a line is, or raise UnreadableError."""
    row = pattern.fullmatch(line)
    if not row:
        raise UnreadableError(f"cannot read the row {line!r} of the {table}")
    return row


def mac_address(text: str, form: re.Pattern[str]) -> str:
    """Return a MAC address of this form in six pairs with colons, or raise UnreadableError."""
    if not form.fullmatch(text.lower()):
        raise UnreadableError(f"{text!r} is not a MAC address")
    digits = re.sub(r"[.:-]", "", text.lower())
    return ":".join(digits[at : at + 2] for at in range(0, 12, 2))


def as_number(text: str) -> int:
    """Return an AS number that is written plainly or as ``65000.1`` (RFC 5396 asdot).

    Raises
    ------
    UnreadableError
        When it is none.
    """
    high, dot, low = text.partition(".")
    if not high.isdecimal() or (dot and not low.isdecimal()):
        raise UnreadableError(f"{text!r} is not an AS number")
    return (int(high) << 16) + int(low) if dot else int(high)


def first_match(pattern: re.Pattern[str], lines: list[str]) -> re.Match[str] | None:
    """Return the match of the first line that a pattern describes."""
    return next((match for line in lines if (match := pattern.fullmatch(line))), None)


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
            gaps = _gaps(spans)
            headers = _cells(line, spans, gaps)
            if headers[0] != first_header or len(set(headers)) != len(headers):
                break
            rows = _rows(lines[number + 2 :])
            return [dict(zip(headers, _cells(row, spans, gaps), strict=True)) for row in rows]
    raise UnreadableError(f"no table with a column {first_header!r}")


def _rows(lines: list[str]) -> list[str]:
    rows = []
    for line in lines:
        if not line.strip() or set(line.strip()) <= {"-", " "}:
            break
        rows.append(line)
    return rows


def _cells(line: str, spans: list[tuple[int, int]], gaps: list[tuple[int, int]]) -> list[str]:
    length = len(line)
    for end, start in gaps:
        if length > end and not line[end:start].isspace():
            raise UnreadableError(f"a row does not keep to the columns of its table: {line!r}")
    cells = [line[left:right].strip() for (left, _), (right, _) in pairwise(spans)]
    return [*cells, line[spans[-1][0] :].strip()]


def _gaps(spans: list[tuple[int, int]]) -> list[tuple[int, int]]:
    return [(left[1], right[0]) for left, right in pairwise(spans)]
