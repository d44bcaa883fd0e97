"""Rows of a CONFIG_DB, and the switch that is read from them."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple

from fabric.core.json_text import parse_json
from fabric.observe.configuration.tables import TableReader
from fabric.observe.parsers import UnreadableError
from fabric.systems.sonic.config_db import index_range, number, plain_name
from fabric.systems.sonic.config_db_forms import foreign_form, local_rows
from fabric.systems.sonic.ownership import REFERENCES
from fabric.systems.sonic.reading import FILE
from fabric.validate.json_lines import key_positions

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from fabric.observe.configuration.lossless import Lossless, PortPolicy

    Fields = dict[str, str]

#: What is read of a row, by table; tables are read in the order of the book.
READER: TableReader[Callable[[DumpedSwitch, DumpRow], None]] = TableReader("sonic", "lossless")

_REFERENCE = re.compile(r"\[[A-Z_]+\|[^\[\]]+\]")


def numbers_of(text: str) -> list[int]:
    """Return the numbers of ``3,4`` or ``3-4``."""
    return [index for piece in text.split(",") if piece for index in index_range(piece)]


def _plain(value: str) -> str:
    """Return a value, or the name in a reference of older releases such as ``[SCHEDULER|one]``."""
    return plain_name(value) if value[:1] == "[" and _REFERENCE.fullmatch(value) else value


class DumpRow(NamedTuple):
    """A row with its texts, and the line that it stands in."""

    table: str
    key: str
    fields: Fields
    line: int

    @property
    def ports(self) -> list[str]:
        """Return the ports of a key such as ``Ethernet0,Ethernet4|3-4``."""
        return self.key.partition("|")[0].split(",")

    @property
    def indices(self) -> list[int]:
        """Return the queues or groups of such a key."""
        return numbers_of(self.key.partition("|")[2])


class Dump:
    """Tables of a CONFIG_DB with the lines of their rows."""

    def __init__(self, text: str) -> None:
        try:
            self.tables: dict[str, dict[str, Any]] = parse_json(text)
        except ValueError as error:
            raise UnreadableError(f"not JSON: {error}") from error
        if reason := foreign_form(self.tables):
            raise UnreadableError(reason)
        if "PORT" not in self.tables:
            raise UnreadableError("there is no PORT table")
        self._lines = key_positions(text, FILE, depth=2)
        self._rows: dict[str, dict[str, DumpRow]] = {}
        self._maps: dict[tuple[str, str], dict[int, int]] = {}

    def rows(self, table: str) -> dict[str, DumpRow]:
        """Return the rows of a table with their texts; what is no row is left to SON rules."""
        if table not in self._rows:
            content: object = self.tables.get(table)
            rows = content.items() if isinstance(content, dict) else ()
            self._rows[table] = {
                key: DumpRow(table, key, _texts(row), self._line(table, key))
                for key, row in rows
                if isinstance(row, dict)
            }
        return self._rows[table]

    def _line(self, table: str, row: str) -> int:
        place = self._lines.get((table, row))
        return place.line if place else 0

    def local_rows(self, table: str) -> Iterator[DumpRow]:
        """Yield the rows of a table, on a switch with line cards those of this one."""
        metadata = self.rows("DEVICE_METADATA").get("localhost")
        rows = local_rows(table, self.rows(table), metadata.fields if metadata else {})
        yield from (row if row.key == key else row._replace(key=key) for key, row in rows.items())

    def referred(self, row: DumpRow, name: str) -> DumpRow | None:
        """Return the row whose name a field has."""
        return self.rows(REFERENCES[name]).get(row.fields.get(name, ""))

    def referred_map(self, row: DumpRow, name: str) -> dict[int, int]:
        """Return the numbers of the map whose name a field has; most ports have the same."""
        key = (REFERENCES[name], row.fields.get(name, ""))
        if key not in self._maps:
            named = self.referred(row, name)
            fields = named.fields if named else {}
            pairs = [(number(index), number(value)) for index, value in fields.items()]
            self._maps[key] = {i: to for i, to in pairs if i is not None and to is not None}
        return {**self._maps[key]}


def _texts(row: dict[str, Any]) -> Fields:
    return {name: _plain(value) for name, value in row.items() if isinstance(value, str)}


@dataclass(slots=True)
class DumpedSwitch:
    """A switch while its rows are read.

    Parameters
    ----------
    dump : Dump
        All rows, for those that refer to others.
    switch : Lossless
        What is read.
    bundles : set of str
        Port channels.
    members : dict of str to str
        Port channel of each member.
    """

    dump: Dump
    switch: Lossless
    bundles: set[str] = field(default_factory=set)
    members: dict[str, str] = field(default_factory=dict)

    def ports(self, row: DumpRow) -> Iterator[PortPolicy]:
        """Yield the ports of a row that exist."""
        names = (name for name in row.ports if name not in self.bundles)
        yield from (self.switch.ports[name] for name in names if name in self.switch.ports)
