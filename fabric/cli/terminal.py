"""What a terminal changes: tables that fit its width, and colours by severity."""

from __future__ import annotations

import os
import re
import shutil
import textwrap
from typing import TYPE_CHECKING, TextIO

if TYPE_CHECKING:
    from collections.abc import Sequence

#: Between two columns.
_GAP = "  "
#: A longer cell is a note below the table; our choice: two lines of text.
_LONGEST_CELL = 160
#: Width of notes where the output is no terminal.
_NOTES = 100
#: ANSI colours (ECMA-48, SGR): red, yellow, cyan.
_COLOURS = {"error": 31, "warning": 33, "info": 36}
#: A severity before its finding, also after the `new: ` of `whatif`.
_SEVERITY = re.compile(r"^((?:new: )?)(error|warning|info)(?=: )", re.MULTILINE)


def is_terminal(stream: TextIO) -> bool:
    """Tell whether a stream is a terminal that knows colours and cursor movements."""
    return stream.isatty() and os.environ.get("TERM") != "dumb"


def is_coloured(stream: TextIO, wish: str) -> bool:
    """Tell whether text on a stream is coloured; NO_COLOR counts (https://no-color.org)."""
    if wish == "auto":
        return is_terminal(stream) and not os.environ.get("NO_COLOR")
    return wish == "always"


def painted(text: str, colour: int) -> str:
    """Return a text in a colour."""
    return f"\033[{colour}m{text}\033[0m"


def with_severities(text: str) -> str:
    """Return findings with the word of their severity in its colour."""
    return _SEVERITY.sub(lambda hit: hit[1] + painted(hit[2], _COLOURS[hit[2]]), text)


def table_lines(
    headers: Sequence[str], rows: Sequence[Sequence[str]], width: int = 0, *, colour: bool = False
) -> list[str]:
    """Return the lines of a table.

    Cells of more than two lines are numbered notes below it, each text once.

    Parameters
    ----------
    width : int
        Columns of the terminal; 0 does not limit the table. Where the longest words do not fit,
        each row is a record: a line for each column.
    colour : bool
        Whether cells that are a severity are coloured.
    """
    long = dict.fromkeys(cell for row in rows for cell in row if len(cell) > _LONGEST_CELL)
    number_of = {text: f"[{number}]" for number, text in enumerate(long, 1)}
    short = [[number_of.get(cell, cell) for cell in row] for row in rows]
    return [
        *_table_lines(headers, short, width, colour=colour),
        *(line for text, number in number_of.items() for line in _note(number, text, width)),
    ]


def _note(number: str, text: str, width: int) -> list[str]:
    lines = _wrapped(text, (width or _NOTES) - len(number) - 1)
    indent = " " * len(number)
    return ["", *(f"{indent if row else number} {line}" for row, line in enumerate(lines))]


def _table_lines(
    headers: Sequence[str], rows: Sequence[Sequence[str]], width: int, *, colour: bool
) -> list[str]:
    every = [list(headers), *rows]
    widths = [max(len(row[column]) for row in every) for column in range(len(headers))]
    if width:
        widths = _fitting(every, widths, width)
        if _total(widths) > width:
            return _records(headers, rows, width)
    lines = []
    for number, row in enumerate(every):
        lines += _row(row, widths, colour=colour)
        if number == 0:
            lines.append(_GAP.join("-" * one for one in widths))
    return lines


def terminal_width(stream: TextIO) -> int:
    """Return the columns of a terminal, 0 for everything else."""
    return shutil.get_terminal_size().columns if stream.isatty() else 0


def is_taller(text: str, stream: TextIO) -> bool:
    """Tell whether a text has more lines than the terminal that it goes to; no for other files."""
    if not is_terminal(stream):
        return False
    size = shutil.get_terminal_size()
    return sum(1 + len(line) // max(size.columns, 1) for line in text.splitlines()) >= size.lines


def _row(row: Sequence[str], widths: Sequence[int], *, colour: bool) -> list[str]:
    """Return the lines of one row; a cell that is wrapped has several."""
    cells = [_wrapped(cell, width) for cell, width in zip(row, widths, strict=True)]
    lines = []
    for number in range(max(len(cell) for cell in cells)):
        texts = [cell[number] if number < len(cell) else "" for cell in cells]
        padded = [text.ljust(width) for text, width in zip(texts, widths, strict=True)]
        padded[-1] = texts[-1]
        if colour:
            padded = [
                painted(cell, _COLOURS[text]) if text in _COLOURS else cell
                for text, cell in zip(texts, padded, strict=True)
            ]
        lines.append(_GAP.join(padded).rstrip())
    return lines


def _records(headers: Sequence[str], rows: Sequence[Sequence[str]], width: int) -> list[str]:
    """Return a line for each cell, and an empty one after each row."""
    name = max(map(len, headers))
    lines = []
    for row in rows:
        for header, cell in zip(headers, row, strict=True):
            first, *rest = _wrapped(cell, max(width - name - len(_GAP), 1))
            lines.append(f"{header:<{name}}{_GAP}{first}".rstrip())
            lines += [f"{'':<{name}}{_GAP}{more}" for more in rest]
        lines.append("")
    return lines


def _total(widths: Sequence[int]) -> int:
    return sum(widths) + len(_GAP) * (len(widths) - 1)


def _fitting(rows: Sequence[Sequence[str]], widths: list[int], width: int) -> list[int]:
    """Return widths that fit; the widest columns of text give way, to their longest word."""
    widths = list(widths)
    least = [max(_longest_word(row[column]) for row in rows) for column in range(len(widths))]
    for column in sorted(range(len(widths)), key=lambda column: -widths[column]):
        too_much = _total(widths) - width
        if too_much <= 0:
            break
        widths[column] = max(least[column], widths[column] - too_much)
    return widths


def _longest_word(text: str) -> int:
    return max(map(len, text.split()), default=0)


def _wrapped(text: str, width: int) -> list[str]:
    if len(text) <= width:
        return [text]
    return textwrap.wrap(text, width, break_long_words=False, break_on_hyphens=False) or [""]
