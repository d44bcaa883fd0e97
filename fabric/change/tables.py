"""The tables of the journal, and the columns that chain their rows."""

from __future__ import annotations

import sqlite3
from typing import TYPE_CHECKING, Any

from fabric.change.chain import Chain, Row, chain_of, text_hash
from fabric.core.errors import JournalError

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

#: ``PRAGMA user_version`` of the form with a chain; the form before it had 0.
VERSION = 1
_SCHEMA = """
CREATE TABLE IF NOT EXISTS runs (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    kind TEXT NOT NULL, fabric TEXT NOT NULL, plan TEXT NOT NULL, started REAL NOT NULL
);
CREATE TABLE IF NOT EXISTS events (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    run INTEGER NOT NULL REFERENCES runs(id),
    at REAL NOT NULL, device TEXT NOT NULL, state TEXT NOT NULL, detail TEXT NOT NULL
);
CREATE INDEX IF NOT EXISTS events_of_run ON events (run, device);
"""
_WRITER = ("user", "host", "process", "reason", "ticket")
_OWN = {
    "runs": ("kind", "fabric", "plan_sha256", "started"),
    "events": ("run", "at", "device", "state", "detail"),
}
_ADDED = (
    *("user TEXT NOT NULL DEFAULT ''", "host TEXT NOT NULL DEFAULT ''"),
    *("process INTEGER NOT NULL DEFAULT 0", "reason TEXT NOT NULL DEFAULT ''"),
    *("ticket TEXT NOT NULL DEFAULT ''", "position INTEGER", "hash TEXT NOT NULL DEFAULT ''"),
)


def lenient(raw: bytes) -> str:
    """Return a text of the database, also where damage left bytes that are no characters."""
    return raw.decode("utf-8", "backslashreplace")


def prepare(connection: sqlite3.Connection) -> None:
    """Make the tables; chain the rows of a journal of an earlier version, as they stand.

    Raises
    ------
    JournalError
        When the journal is one of a later version.
    """
    if _version(connection) == VERSION:
        return
    connection.execute("BEGIN IMMEDIATE")
    version = _version(connection)  # another process may have been faster
    if version > VERSION:
        raise JournalError(
            f"the journal has form {version}, this version reads up to {VERSION}; update rocefab"
        )
    if version < VERSION:
        for statement in _SCHEMA.split(";"):
            connection.execute(statement)
        _chain_up(connection)
        connection.execute(f"PRAGMA user_version = {VERSION}")


def _version(connection: sqlite3.Connection) -> int:
    (version,) = connection.execute("PRAGMA user_version").fetchone()
    return int(version)


def _chain_up(connection: sqlite3.Connection) -> None:
    for table in _OWN:
        for column in _ADDED:
            connection.execute(f"ALTER TABLE {table} ADD COLUMN {column}")
        connection.execute(f"CREATE UNIQUE INDEX {table}_in_chain ON {table} (position)")
    connection.execute("ALTER TABLE runs ADD COLUMN plan_sha256 TEXT NOT NULL DEFAULT ''")
    for run, plan in connection.execute("SELECT id, plan FROM runs").fetchall():
        values = (text_hash(plan), run)
        connection.execute("UPDATE runs SET plan_sha256 = ? WHERE id = ?", values)
    events = connection.execute("SELECT run, 1, id FROM events ORDER BY id").fetchall()
    waiting = [(run, 0, run) for (run,) in connection.execute("SELECT id FROM runs ORDER BY id")]
    order: list[tuple[int, int, int]] = []
    for event in events:  # a run stands before its first event
        while waiting and waiting[0][0] <= event[0]:
            order.append(waiting.pop(0))
        order.append(event)
    for _, is_event, row in [*order, *waiting]:
        link(connection, "events" if is_event else "runs", row)


def link(connection: sqlite3.Connection, table: str, row: int) -> None:
    """Make a row the last one of the chain; the transaction must be one that writes."""
    position, previous = _last(connection)
    words = f"UPDATE {table} SET position = ? WHERE id = ?"  # noqa: S608 - a table of ours
    connection.execute(words, (position + 1, row))
    (last,) = _rows(connection, table, f"WHERE id = {int(row)}")
    words = f"UPDATE {table} SET hash = ? WHERE id = ?"  # noqa: S608 - a table of ours
    connection.execute(words, (last.digest(previous), row))


def _last(connection: sqlite3.Connection) -> tuple[int, str]:
    """Return position and hash of the last row.

    The position is in an index; a hash lies behind the whole plan of its run, so that of the last
    row alone is read.
    """
    position, table = max((_last_position(connection, name), name) for name in _OWN)
    words = f"SELECT hash FROM {table} WHERE position = ?"  # noqa: S608 - a table of ours
    (digest,) = connection.execute(words, (position,)).fetchone() or ("",)
    return position, digest


def _last_position(connection: sqlite3.Connection, table: str) -> int:
    words = (
        f"SELECT position FROM {table} WHERE typeof(position) = 'integer' "  # noqa: S608 - ours
        "ORDER BY position DESC LIMIT 1"
    )
    (position,) = connection.execute(words).fetchone() or (0,)
    return int(position)


def insert(connection: sqlite3.Connection, table: str, values: Mapping[str, Any]) -> int:
    """Write a row behind the last one and return its number; the transaction must write."""
    names, marks = ", ".join(values), ", ".join("?" * len(values))
    words = f"INSERT INTO {table} ({names}) VALUES ({marks})"  # noqa: S608 - columns of ours
    row = connection.execute(words, tuple(values.values())).lastrowid
    assert row is not None
    link(connection, table, row)
    return row


def _rows(
    connection: sqlite3.Connection, table: str, where: str = "", *, texts: bool = False
) -> Iterator[Row]:
    columns = (*_OWN[table], *_WRITER)
    plan = ", plan" if texts and table == "runs" else ""
    words = f"SELECT id, position, hash, {', '.join(columns)}{plan} FROM {table} {where}"  # noqa: S608 - ours
    for row, position, digest, *values in connection.execute(words):
        content = dict(zip(columns, values, strict=False))
        differs = bool(plan) and text_hash(str(values[-1])) != content["plan_sha256"]
        yield Row(table, row, position, content, digest, differs)


def read_chain(
    connection: sqlite3.Connection, *, texts: bool = False, after: Chain | None = None
) -> Chain:
    """Return what the chain says of all rows.

    Parameters
    ----------
    texts : bool
        Whether the texts of plans, and the pages of the database, are checked as well.
    after : Chain or None
        What it said before: rows that fitted are not read again while the last of them stands.
    """
    if after is not None and after.whole and _stands(connection, after):
        rows, lost = chained_rows(connection, texts=texts, after=after.count)
        return chain_of(rows, lost, after)
    rows, lost = chained_rows(connection, texts=texts)
    return chain_of(rows, lost)


def _stands(connection: sqlite3.Connection, chain: Chain) -> bool:
    """Tell whether the last row of a chain is where it was."""
    return any(
        connection.execute(
            f"SELECT 1 FROM {table} WHERE position = ? AND hash = ?",  # noqa: S608 - a table of ours
            (chain.count, chain.head),
        ).fetchone()
        for table in _OWN
    )


def chained_rows(
    connection: sqlite3.Connection, *, texts: bool = False, after: int = 0
) -> tuple[list[Row], str]:
    """Return the rows in their order, and what of the journal is missing or cannot be read.

    Parameters
    ----------
    after : int
        Position of the last row that is not wanted; 0 reads all.
    """
    # NOT INDEXED: what an index leaves out is read all the same.
    where = f"WHERE position > {int(after)}" if after else "NOT INDEXED ORDER BY id"
    connection.text_factory = lenient
    rows, lost = [], []
    for table in _OWN:
        try:
            rows += list(_rows(connection, table, where, texts=texts))
            lost += _removed(connection, table)
        except sqlite3.DatabaseError as error:
            lost.append(f"table {table} cannot be read: {error}")
    if texts:
        lost += _broken_pages(connection)
    rows.sort(key=lambda row: row.position if isinstance(row.position, int) else 0)
    return rows, "; ".join(lost)


def _removed(connection: sqlite3.Connection, table: str) -> list[str]:
    """Return whether rows were removed from the end of a table: its counter went on."""
    query = "SELECT seq FROM sqlite_sequence WHERE name = ?"
    (counted,) = connection.execute(query, (table,)).fetchone() or (0,)
    (last,) = connection.execute(f"SELECT max(id) FROM {table}").fetchone()  # noqa: S608 - ours
    if counted == (last or 0):
        return []
    return [f"the last number of table {table} is {last or 0}, expected {counted}"]


def _broken_pages(connection: sqlite3.Connection) -> list[str]:
    try:
        (said,) = connection.execute("PRAGMA integrity_check(1)").fetchone()
    except sqlite3.DatabaseError as error:
        said = str(error)
    return [] if said == "ok" else [f"the database is damaged: {' '.join(str(said).split())}"]
