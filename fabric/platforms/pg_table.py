"""SONiC's ``pg_profile_lookup.ini``: the vendor's lossless buffers by speed and cable length.

Columns as sonic-net/sonic-swss cfgmgr/buffermgr.cpp reads them: speed in Mb/s, cable length with
its ``m``, size, xon, headroom (there ``xoff``) in bytes, threshold, and optionally xon offset.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from fabric.core.counts import counted
from fabric.platforms.model import HeadroomRow

if TYPE_CHECKING:
    from collections.abc import Iterator

#: Port speeds of IEEE 802.3 that SONiC tables name, in Mb/s.
SPEEDS_MBPS = (
    100, 1_000, 2_500, 5_000, 10_000, 20_000, 25_000, 40_000, 50_000, 100_000, 200_000, 400_000,
    800_000, 1_600_000,
)  # fmt: skip
#: Range of ``dynamic_th``: sonic-net/sonic-buildimage sonic-buffer-profile.yang.
DYNAMIC_TH = range(-8, 8)
#: More than any switch has; numbers up to here are exact as floats too.
MAX_BYTES = 2**40
_COLUMNS = ("speed", "cable", "size", "xon", "xoff", "threshold", "xon_offset")
_FEWEST = 6
_DIGITS = 15
_WORD = re.compile(r"\S+")


@dataclass(frozen=True, slots=True)
class Problem:
    """Something that is wrong with a text, and where; ``line`` and ``column`` count from 1."""

    line: int
    column: int
    message: str
    fix: str


@dataclass(frozen=True, slots=True)
class PgTable:
    """The rows of a table and what is wrong with it.

    Parameters
    ----------
    rows : dict
        (speed_mbps, cable_m) -> row, of the lines that are right.
    lines : dict
        (speed_mbps, cable_m) -> line of the text.
    problems : tuple of Problem
        In the order of the text.
    """

    rows: dict[tuple[int, int], HeadroomRow]
    lines: dict[tuple[int, int], int]
    problems: tuple[Problem, ...]


class _Word(NamedTuple):
    text: str
    column: int


class _Cell(NamedTuple):
    """A word that was read: its number, or what is wrong with it."""

    number: int
    problem: tuple[str, str] | None = None


def parse_pg_table(text: str) -> PgTable:
    """Read a ``pg_profile_lookup.ini``; never raises.

    Parameters
    ----------
    text : str
        The file as the switch has it; ``#`` begins a comment line.
    """
    rows: dict[tuple[int, int], HeadroomRow] = {}
    lines: dict[tuple[int, int], int] = {}
    problems: list[Problem] = []
    for line, words in _lines(text):
        values = list(_line_problems(line, words))
        problems += values
        if values:
            continue
        speed, cable, *numbers = (
            _read(name, word.text).number for name, word in zip(_COLUMNS, words, strict=False)
        )
        if (speed, cable) in rows:
            message = f"{speed} Mb/s and {cable}m stand here and in line {lines[speed, cable]}"
            problems.append(Problem(line, words[0].column, message, "keep one of the two lines"))
            continue
        rows[speed, cable] = HeadroomRow(*numbers)
        lines[speed, cable] = line
    return PgTable(rows, lines, tuple(problems))


def unreserved(table: PgTable) -> tuple[Problem, ...]:
    """Return the rows whose size holds neither XON plus headroom nor just XON.

    On NVIDIA's switches the size is one or the other: the second where a shared headroom pool
    holds the rest (sonic-net/sonic-swss cfgmgr/buffer_headroom_mellanox.lua). Both rounded to KiB.
    """
    problems = []
    for pair, row in table.rows.items():
        whole = row.xon_threshold_bytes + row.headroom_bytes
        if row.size_bytes != row.xon_threshold_bytes and row.size_bytes + 1024 < whole:
            message = f"size {row.size_bytes:,} is less than xon and xoff together, {whole:,}"
            fix = "compare with the table of the switch; the rest must fit a shared headroom pool"
            problems.append(Problem(table.lines[pair], 1, message, fix))
    return tuple(problems)


def _lines(text: str) -> Iterator[tuple[int, list[_Word]]]:
    for number, line in enumerate(text.removeprefix("\ufeff").split("\n"), start=1):
        words = [_Word(match.group(), match.start() + 1) for match in _WORD.finditer(line)]
        if words and not words[0].text.startswith("#"):
            yield number, words


def _line_problems(line: int, words: list[_Word]) -> Iterator[Problem]:
    if not _FEWEST <= len(words) <= len(_COLUMNS):
        fix = f"write {', '.join(_COLUMNS[:_FEWEST])} and, if there is one, {_COLUMNS[-1]}"
        yield Problem(line, words[0].column, f"{counted(len(words), 'column')}, not 6 or 7", fix)
        return
    for name, word in zip(_COLUMNS, words, strict=False):
        problem = _read(name, word.text).problem
        if problem:
            yield Problem(line, word.column, f"{name}: {problem[0]}", problem[1])


def _read(name: str, text: str) -> _Cell:
    if name == "speed":
        return _speed(text)
    if name == "cable":
        return _cable(text)
    number = _whole(text)
    if number is None:
        return _Cell(0, (f"{_shown(text)} is not a whole number", "write bytes, digits only"))
    if name == "threshold":
        return _threshold(number)
    least = 1 if name == "xoff" else 0
    if not least <= number <= MAX_BYTES:
        return _Cell(0, (f"{number} is not from {least} to {MAX_BYTES}", "write bytes"))
    return _Cell(number)


def _speed(text: str) -> _Cell:
    number = _whole(text)
    if number in SPEEDS_MBPS:
        return _Cell(number)
    unit = text.rstrip("GgBbMmKk/ps")
    close = _whole(unit)
    guess = close * 1000 if close is not None and close * 1000 in SPEEDS_MBPS else None
    fix = f"did you mean {guess}?" if guess else "write Mb/s, such as 100000 for 100G"
    return _Cell(0, (f"{_shown(text)} is not a port speed in Mb/s", fix))


def _cable(text: str) -> _Cell:
    number = _whole(text.removesuffix("m")) if text.endswith("m") else None
    if number is not None and number > 0:
        return _Cell(number)
    fix = f"write {text}m" if (_whole(text) or 0) > 0 else "write metres with an m, such as 40m"
    return _Cell(0, (f"{_shown(text)} is not a cable length", fix))


def _threshold(number: int) -> _Cell:
    if number in DYNAMIC_TH:
        return _Cell(number)
    message = f"{number} is not log2(alpha), from {DYNAMIC_TH[0]} to {DYNAMIC_TH[-1]}"
    return _Cell(0, (message, "tables with static thresholds in bytes cannot be used"))


def _whole(text: str) -> int | None:
    digits = text.removeprefix("-")
    if not (digits.isascii() and digits.isdigit() and len(digits) <= _DIGITS):
        return None
    return int(text)


def _shown(text: str) -> str:
    return repr(text if len(text) <= 40 else f"{text[:37]}...")  # noqa: PLR2004 - a readable length
