"""Names of devices in a source, and those that they have in an inventory: ``names.csv``."""

from __future__ import annotations

import csv
import io
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from fabric.core.counts import counted
from fabric.core.exports import text_file
from fabric.core.findings import Finding, Position, Severity
from fabric.core.shown import quoted
from fabric.exchange.cells import marked, plain
from fabric.exchange.values import malformed, name_error, text_of
from fabric.intent.yaml.file import input_error

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping
    from pathlib import Path

    from fabric.core.artefact import Artefact

FILE = "names.csv"
_COLUMNS = ("source", "name")


@dataclass(frozen=True)
class Names:
    """Name in the inventory by name in the source.

    Parameters
    ----------
    places : mapping
        Where each name of the source stands in the file.
    required : bool
        Whether each must be the name of a device of the source.
    """

    by_source: Mapping[str, str] = field(default_factory=dict)
    places: Mapping[str, Position] = field(default_factory=dict)
    required: bool = True


def read_names(path: Path, *, required: bool = True) -> Names:
    """Return the names of a file with the columns ``source`` and ``name``.

    Raises
    ------
    InputError
        With everything that is wrong: rows, names, and two that would become one.
    """
    file = _File(path)
    for line, source, name in _rows(path, file):
        file.take(line, source, name)
    if file.findings:
        raise input_error(file.findings, str(path))
    places = {source: Position(str(path), line) for source, line in file.lines.items()}
    return Names(file.names, places, required)


def names_file(names: Names, devices: Collection[str]) -> tuple[Artefact, ...]:
    """Return the file of the names that devices of an inventory have; none where there are none."""
    rows = [row for row in names.by_source.items() if row[1] in devices]
    if not rows:
        return ()
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(_COLUMNS)
    writer.writerows((marked(one), name) for one, name in rows)
    return (text_file("import", "names", FILE, text.getvalue()),)


class _File:
    def __init__(self, path: Path) -> None:
        self._path = str(path)
        self.names: dict[str, str] = {}
        self.lines: dict[str, int] = {}
        self._sources: dict[str, str] = {}
        self.findings: list[Finding] = []

    def take(self, line: int, source: str, name: str) -> None:
        """Take a row in, or note what is wrong with it."""
        other = self._sources.setdefault(name, source)
        problem = name_error(name)
        if not source or not name:
            self.wrong("EXC006", "a cell is empty", "fill it in, or remove the row", line)
        elif source in self.names:
            message = f"{quoted(source)} already appears on line {self.lines[source]}"
            self.wrong("EXC005", message, "remove one of them", line)
        elif problem:
            message, _, fix = problem.partition("; ")
            self.wrong("EXC001", message, fix, line)
        elif other != source:
            message = f"{quoted(other)} and {quoted(source)} would both become {quoted(name)}"
            self.wrong("EXC005", message, "give each its own name", line)
        self.names.setdefault(source, name)
        self.lines.setdefault(source, line)

    def wrong(self, rule: str, message: str, fix: str, line: int) -> None:
        """Note what is wrong on a line."""
        place = Position(self._path, line)
        self.findings.append(Finding(rule, Severity.ERROR, message, fix, position=place))


def _rows(path: Path, file: _File) -> Iterator[tuple[int, str, str]]:
    """Yield line, name in the source and name in the inventory of each row."""
    reader = csv.reader(text_of(path).splitlines(keepends=True), strict=True)
    try:
        header = [cell.strip() for cell in next(reader, [])]
        if sorted(header) != sorted(_COLUMNS):
            message = f"the columns are {quoted(','.join(header))}"
            raise malformed(path, message, f"the first line must be {','.join(_COLUMNS)}")
        for row in reader:
            if not row:
                continue
            if len(row) != len(_COLUMNS):
                message = f"{counted(len(row), 'cell')}, and the header has {len(_COLUMNS)}"
                fix = "quote cells that contain a comma"
                file.wrong("EXC006", message, fix, reader.line_num)
                continue
            cells = dict(zip(header, row, strict=True))
            yield reader.line_num, plain(cells["source"]), cells["name"].strip()
    except csv.Error as error:
        raise malformed(path, f"not CSV: {error}", "quote the cells", reader.line_num) from error
