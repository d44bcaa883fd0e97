"""Tables of templates: a line for each row, headers first, ``|`` between the cells.

Known: astanin/python-tabulate, which the SONiC commands print with: with headers a column is at
least two wider than its header, a column of numbers only is aligned to the right, formats
``simple`` and ``grid``.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

_NUMBER = re.compile(r"-?[0-9]+(\.[0-9]+)?")


def _cells(text: str) -> list[list[str]]:
    lines = (f"{line} ".split(" |") for line in text.splitlines())
    return [[first.rstrip(), *(cell.strip() for cell in rest)] for first, *rest in lines]


def _columns(rows: Sequence[Sequence[str]]) -> list[tuple[str, ...]]:
    return list(zip(*rows, strict=True))


def _numeric(cells: Sequence[str]) -> bool:
    return bool(cells) and all(_NUMBER.fullmatch(cell) for cell in cells)


def plain(text: str, indent: int = 0) -> str:
    """Return a table with a rule below its headers, all columns to the left."""
    rows = _cells(text)
    widths = [max(map(len, column)) for column in _columns(rows)]
    if len(rows) > 1:
        widths = [max(width, 1) for width in widths]
    rows.insert(1, ["-" * width for width in widths])
    padded = (map(str.ljust, row, widths) for row in rows)
    return "".join(f"{' ' * indent}{'  '.join(row)}\n" for row in padded)


def simple(text: str, side: str = "", *, headers: bool = True) -> str:
    """Return a table in the format ``simple``; ``left`` or ``right`` is the side of all columns."""
    rows = _cells(text)
    padding = 2 if headers else 0
    widths, rights = [], []
    for column in _columns(rows):
        cells = column[1:] if headers else column
        widths.append(max([len(column[0]) + padding, *map(len, cells)]))
        rights.append(side == "right" or (not side and _numeric(cells)))

    def line(cells: Sequence[str]) -> str:
        padded = [
            cell.rjust(width) if to_right else cell.ljust(width)
            for cell, width, to_right in zip(cells, widths, rights, strict=True)
        ]
        return "  ".join(padded).rstrip() + "\n"

    rule = line(["-" * width for width in widths])
    lines = [line(row) for row in rows]
    return "".join([lines[0], rule, *lines[1:]] if headers else [rule, *lines, rule])


def grid(text: str) -> str:
    """Return a table in the format ``grid``; ``, `` stands between the lines of a cell."""
    headers, *rows = _cells(text)
    cells = [[cell.split(", ") for cell in row] for row in rows]
    columns = [[one for row in cells for one in row[place]] for place in range(len(headers))]
    widths = [
        max([len(header) + 2, *map(len, column)])
        for header, column in zip(headers, columns, strict=True)
    ]
    numeric = [_numeric(column) for column in columns]

    def rule(sign: str) -> str:
        return "+" + "+".join(sign * (width + 2) for width in widths) + "+\n"

    def line(cells: Sequence[str]) -> str:
        padded = (
            cell.rjust(width) if to_right else cell.ljust(width)
            for cell, width, to_right in zip(cells, widths, numeric, strict=True)
        )
        return "| " + " | ".join(padded) + " |\n"

    text = rule("-") + line(headers) + rule("=")
    for row in cells:
        for number in range(max(len(cell) for cell in row)):
            text += line([cell[number] if number < len(cell) else "" for cell in row])
        text += rule("-")
    return text
