"""Cables that the inventory names one by one: ``cabling.csv``, or ``cabling.dot``."""

from __future__ import annotations

import csv
import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple, get_args

from fabric.core.counts import counted
from fabric.core.findings import Finding, Position, Severity
from fabric.core.separators import FIX, no_commas
from fabric.core.shown import closest, listed, quoted
from fabric.intent.quantities import number_for
from fabric.intent.scalars import LONGEST_CABLE_M, Gbps

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

CSV_FILE, DOT_FILE = "cabling.csv", "cabling.dot"
#: More cables than a fabric of three tiers with 131,072 NICs has.
MAX_ROWS = 1_000_000
#: Errors of one file that are listed; more say nothing new.
MAX_ERRORS = 100

ENDS = ("device", "port", "peer_device", "peer_port")
OPTIONS = ("speed_gbps", "cable_m")
_NUMBER = re.compile(r"[0-9]{1,6}")
_SPEEDS = get_args(Gbps)


class CableRow(NamedTuple):
    """One cable; ``line`` counts from 1, and what is None follows from the design."""

    device: str
    port: str
    peer_device: str
    peer_port: str
    speed_gbps: int | None
    cable_m: int | None
    line: int


@dataclass(frozen=True)
class Cabling:
    """All cables of a file, in its order.

    Parameters
    ----------
    file : str
        Its name as messages show it.
    columns : dict
        Place of each field in a line, from 0; empty where the file has no columns.
    lines : sequence of str
        The lines of the file.
    """

    file: str
    rows: tuple[CableRow, ...] = ()
    columns: dict[str, int] = field(default_factory=dict)
    lines: Sequence[str] = ()

    def position(self, row: CableRow, name: str = "device") -> Position:
        """Return where a field of a row stands."""
        starts = cell_starts(self.lines[row.line - 1])
        place = self.columns.get(name, 0)
        column = starts[place] if place < len(starts) else 1
        return Position(self.file, row.line, column)


def cell_starts(line: str) -> list[int]:
    """Return the column, from 1, at which each cell of a CSV line starts."""
    starts, inside = [1], False
    for column, letter in enumerate(line, 1):
        if letter == '"':
            inside = not inside
        elif letter == "," and not inside:
            starts.append(column + 1)
    return starts


class Problems:
    """Findings of one file, as many as are worth reading."""

    def __init__(self, file: str) -> None:
        self.file = file
        self.findings: list[Finding] = []

    def add(self, line: int, column: int, message: str, fix: str) -> None:
        """Note what is wrong at a place."""
        if len(self.findings) < MAX_ERRORS:
            position = Position(self.file, line, column)
            self.findings.append(Finding("INT030", Severity.ERROR, message, fix, position=position))

    @property
    def full(self) -> bool:
        """Whether more errors would not be listed."""
        return len(self.findings) >= MAX_ERRORS


def read_csv(text: str, file: str) -> tuple[Cabling, list[Finding]]:
    """Return the cables of a CSV file, and what is wrong with it."""
    return _Csv(text, file).read()


class _Csv:
    def __init__(self, text: str, file: str) -> None:
        self._lines = text.splitlines()
        self._problems = Problems(file)
        self._file = file

    def read(self) -> tuple[Cabling, list[Finding]]:
        numbers: list[int] = []
        reader = csv.reader(self._content(numbers), strict=True)
        columns: dict[str, int] = {}
        rows: list[CableRow] = []
        try:
            for cells in reader:
                line = numbers[-1]
                if not columns:
                    columns = self._header(cells, line)
                    if not columns:
                        break
                elif len(rows) >= MAX_ROWS:
                    self._problems.add(
                        line, 1, f"more than {MAX_ROWS:,} cables", "split the fabric"
                    )
                    break
                else:
                    row = self._row(cells, line, columns)
                    if row:
                        rows.append(row)
                if self._problems.full:
                    break
        except csv.Error as error:
            fix = "double a quote inside a cell, or remove the quotes"
            self._problems.add(numbers[-1], 1, f"not CSV: {error}", fix)
        if not numbers:
            self._problems.add(1, 1, "the file is empty", f"add the header line {','.join(ENDS)}")
        cabling = Cabling(self._file, tuple(rows), columns, self._lines)
        return cabling, self._problems.findings

    def _content(self, numbers: list[int]) -> Iterator[str]:
        """Yield the lines that hold cells; ``numbers`` ends with the number of the last one."""
        for number, line in enumerate(self._lines, 1):
            if not line or line.isspace() or line.lstrip()[0] == "#":
                continue
            numbers.append(number)
            if line.count('"') % 2:
                self._problems.add(number, line.index('"') + 1, "a quote is not closed", "close it")
                continue
            yield line

    def _header(self, cells: list[str], line: int) -> dict[str, int]:
        names = [cell.strip() for cell in cells]
        if message := no_commas(self._lines[line - 1], ENDS.__contains__):
            self._problems.add(line, 1, message, FIX)
            return {}
        if not {*names} & {*ENDS}:  # one error, not one for each cell
            columns = listed(ENDS, "and")
            message = f"the header is missing: this line has none of the columns {columns}"
            self._problems.add(line, 1, message, f"add the header line {','.join(ENDS)} above it")
            return {}
        starts, known = cell_starts(self._lines[line - 1]), (*ENDS, *OPTIONS)
        for place, name in enumerate(names):
            if name not in known:
                meant = closest(name, known)
                fix = (
                    f"did you mean {quoted(meant)}?" if meant else f"known: {listed(known, 'and')}"
                )
                self._problems.add(line, starts[place], f"unknown column {quoted(name)}", fix)
            elif names.index(name) < place:
                self._problems.add(
                    line, starts[place], f"the column {name} appears twice", "remove one"
                )
        for name in ENDS:
            if name not in names:
                fix = f"add the header line {','.join(ENDS)}"
                self._problems.add(line, 1, f"the column {name} is missing", fix)
        if self._problems.findings:
            return {}
        return {name: place for place, name in enumerate(names)}

    def _row(self, cells: list[str], line: int, columns: dict[str, int]) -> CableRow | None:
        if len(cells) != len(columns):
            message = f"{counted(len(cells), 'cell')}, the header has {len(columns)}"
            self._problems.add(line, 1, message, "use one cell per column")
            return None
        cells = [cell.strip() for cell in cells]
        device, port, peer_device, peer_port = ends = [cells[columns[name]] for name in ENDS]
        numbers = [cells[columns[name]] if name in columns else "" for name in OPTIONS]
        if all(ends) and numbers == ["", ""]:
            return CableRow(device, port, peer_device, peer_port, None, None, line)
        return self._checked(ends, numbers, line, columns)

    def _checked(
        self, ends: list[str], numbers: list[str], line: int, columns: dict[str, int]
    ) -> CableRow | None:
        starts = cell_starts(self._lines[line - 1])
        wrong = {
            name: (f"{name} is empty", "set both ends of the cable")
            for name, cell in zip(ENDS, ends, strict=True)
            if not cell
        }
        wrong |= {
            name: problem
            for name, text in zip(OPTIONS, numbers, strict=True)
            if (problem := number_problem(name, text))
        }
        for name, (message, fix) in wrong.items():
            self._problems.add(line, starts[columns[name]], message, fix)
        if wrong:
            return None
        device, port, peer_device, peer_port = ends
        speed, metres = (int(text) if text else None for text in numbers)
        return CableRow(device, port, peer_device, peer_port, speed, metres, line)


def number_problem(name: str, text: str) -> tuple[str, str] | None:
    """Return what is wrong with a speed or length as text, and what to write; or None."""
    if not text or (_NUMBER.fullmatch(text) and _is_allowed(name, int(text))):
        return None
    kind, fix = (
        ("port speed", f"use {listed(map(str, _SPEEDS))}")
        if name == "speed_gbps"
        else ("length", f"use whole metres from 1 to {LONGEST_CABLE_M}")
    )
    meant = number_for(name, text)
    if meant and _is_allowed(name, meant[0]):
        fix = f"use {meant[0]}: {meant[1]}"
    return f"{quoted(text)} is not a {kind}", fix


def _is_allowed(name: str, value: int) -> bool:
    return value in _SPEEDS if name == "speed_gbps" else 1 <= value <= LONGEST_CABLE_M
