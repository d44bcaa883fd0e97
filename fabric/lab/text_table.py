"""Tables as python-tabulate prints them, which is what the SONiC commands use.

Known: astanin/python-tabulate: with headers a column is at least two wider than its header, a
column of numbers only is aligned to the right, formats ``simple`` and ``grid``.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

_NUMBER = re.compile(r"-?[0-9]+(\.[0-9]+)?")


def simple(headers: Sequence[str], rows: Sequence[Sequence[str]], *, right: bool = False) -> str:
    """Return a table in the format ``simple``, with its last newline."""
    padding = 2 if headers else 0
    columns = len(headers) or max((len(row) for row in rows), default=0)
    widths, rights = [], []
    for place in range(columns):
        cells = [row[place] for row in rows]
        header = headers[place] if headers else ""
        widths.append(max([len(header) + padding, *(len(cell) for cell in cells)]))
        numeric = bool(cells) and all(_NUMBER.fullmatch(cell) for cell in cells)
        rights.append(right or numeric)

    def line(cells: Sequence[str]) -> str:
        padded = [
            cell.rjust(width) if to_right else cell.ljust(width)
            for cell, width, to_right in zip(cells, widths, rights, strict=True)
        ]
        return "  ".join(padded).rstrip() + "\n"

    rule = line(["-" * width for width in widths])
    body = "".join(line(row) for row in rows)
    return line(headers) + rule + body if headers else rule + body + rule


def grid(headers: Sequence[str], rows: Sequence[Sequence[Sequence[str]]]) -> str:
    """Return a table in the format ``grid``; a cell is a list of lines."""
    widths = [
        max([len(header) + 2, *(len(text) for row in rows for text in row[place])])
        for place, header in enumerate(headers)
    ]
    numeric = [
        bool(rows) and all(_NUMBER.fullmatch(text) for row in rows for text in row[place])
        for place in range(len(headers))
    ]

    def rule(sign: str) -> str:
        return "+" + "+".join(sign * (width + 2) for width in widths) + "+\n"

    def line(cells: Sequence[str]) -> str:
        padded = (
            cell.rjust(width) if to_right else cell.ljust(width)
            for cell, width, to_right in zip(cells, widths, numeric, strict=True)
        )
        return "| " + " | ".join(padded) + " |\n"

    text = rule("-") + line(headers) + rule("=")
    for row in rows:
        for number in range(max(len(cell) for cell in row)):
            text += line([cell[number] if number < len(cell) else "" for cell in row])
        text += rule("-")
    return text
