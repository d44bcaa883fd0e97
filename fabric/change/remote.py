"""A journal that several machines share: its rows and saved states are in PostgreSQL.

The SQLite file of the state folder is then a copy. A row is committed there after PostgreSQL has
it, so that a row which the server refused was never written. One connection holds the lock of a
run and writes its rows: a run that lost the one can no longer do the other.
"""

from __future__ import annotations

import json
import time
from contextlib import contextmanager, suppress
from functools import partial
from threading import Lock
from typing import TYPE_CHECKING, Any, LiteralString
from urllib.parse import parse_qs, urlsplit

from fabric.change.actor import user
from fabric.change.database import ask, connect, library, server_errors
from fabric.core.clock import clock
from fabric.core.errors import InputError, JournalError
from fabric.core.file_kinds import FileKind
from fabric.core.files import write_whole
from fabric.core.json_text import parse_json
from fabric.core.user_files import read_text

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Callable, Iterator, Mapping
    from pathlib import Path

    import psycopg

    from fabric.change.actor import Actor

    Ask = partial[list[tuple[Any, ...]]]

_SCHEMES = ("postgresql", "postgres")
#: Names the server in the folder of the copy.
_FILE = "postgresql"
#: Of advisory locks, which are numbers; ours, made of the letters "roce". The schema is the second.
_LOCK = 0x726F6365
_UNLOCK: LiteralString = "SELECT pg_advisory_unlock(%s, hashtext(current_schema()))"
#: Statements that are sent together are one transaction, which holds the lock behind `_LOCK`.
_SCHEMA: LiteralString = """
SELECT pg_advisory_xact_lock(1919902566);
CREATE TABLE IF NOT EXISTS rocefab_rows (
    kind text NOT NULL, id bigint NOT NULL, content text NOT NULL, PRIMARY KEY (kind, id)
);
CREATE TABLE IF NOT EXISTS rocefab_states (
    run bigint NOT NULL, device text NOT NULL, content text NOT NULL, PRIMARY KEY (run, device)
);
CREATE TABLE IF NOT EXISTS rocefab_holder (one integer PRIMARY KEY, content text NOT NULL)
"""
_TABLES = ("runs", "events")
#: Rows that are read at a time. Ours: some megabytes.
_ROWS = 5000
_NEXT_ROWS: LiteralString = (
    "SELECT id, content FROM rocefab_rows WHERE kind = %s AND id > %s ORDER BY id LIMIT %s"
)


def is_url(text: str) -> bool:
    """Tell whether a state is on a server."""
    return text.partition(":")[0] in _SCHEMES and "://" in text


def checked_url(text: str) -> str:
    """Return the URL of a server.

    Raises
    ------
    InputError
        When it holds a password: it would be in the list of processes, and in a file.
    """
    parts = urlsplit(text)
    if parts.password is not None or "password" in parse_qs(parts.query):
        raise InputError("the URL of the state holds a password; use ~/.pgpass or PGPASSWORD")
    if not text.isprintable():
        raise InputError("the URL of the state has unprintable characters")
    return text


def link(folder: Path, url: str) -> None:
    """Make a folder the copy of a journal on a server."""
    folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    write_whole(folder / _FILE, f"{checked_url(url)}\n".encode(), 0o600)


def remote(folder: Path, then: Callable[[], str]) -> Remote | None:
    """Return the journal that a state folder is a copy of; None where it is the journal."""
    file = folder / _FILE
    if not file.exists():
        return None
    return Remote(checked_url(read_text(file, FileKind.NOTE).strip()), then)


class Remote:
    """A journal in PostgreSQL.

    Parameters
    ----------
    url : str
        Of the database, as libpq takes it; the schema is the first of its search path.
    then : callable
        As of `journal_errors`.
    """

    def __init__(self, url: str, then: Callable[[], str]) -> None:
        self.url = url
        self._then = then
        self._held: psycopg.Connection[Any] | None = None
        self._lost = ""
        #: Workers of a run share its connection, on which one transaction is open at a time.
        self._turn = Lock()

    @contextmanager
    def _asking(self) -> Iterator[Ask]:
        """Yield what asks the server: the connection that holds the lock, or else a new one."""
        if self._held is not None:
            with self._turn, self._lasting(self._held):
                yield partial(ask, self._held)
            return
        with server_errors(self._then), connect(self.url) as connection:
            ask(connection, _SCHEMA)
            yield partial(ask, connection)

    @contextmanager
    def _lasting(self, held: psycopg.Connection[Any]) -> Iterator[None]:
        """Say at once why a connection is gone, to all who use it after."""
        if self._lost:
            raise JournalError(self._lost)
        try:
            with server_errors(self._then):
                yield
        except JournalError as error:
            self._lost = str(error) if held.closed else ""
            raise

    @contextmanager
    def held(self, actor: Actor) -> Iterator[None]:
        """Hold the lock of the journal: one run at a time on all machines.

        Raises
        ------
        JournalError
            When another run holds it, or the server is away.
        """
        with server_errors(self._then), connect(self.url) as connection:
            ask(connection, _SCHEMA)
            statement: LiteralString = "SELECT pg_try_advisory_lock(%s, hashtext(current_schema()))"
            if ask(connection, statement, (_LOCK,)) != [(True,)]:
                raise JournalError(
                    f"another run is in progress in this journal: {_holder(connection)}; wait "
                    "until it ends"
                )
            said = {"user": user(), "host": actor.host, "pid": actor.process}
            said["since"] = clock(time.time())
            ask(
                connection,
                "INSERT INTO rocefab_holder VALUES (1, %s) "
                "ON CONFLICT (one) DO UPDATE SET content = excluded.content",
                (json.dumps(said),),
            )
            self._held, self._lost = connection, ""
            try:
                yield
            finally:
                self._held = None
                if not connection.closed:  # the server ends a session after its client goes on
                    with suppress(library().Error):
                        ask(connection, _UNLOCK, (_LOCK,))

    def push(self, local: sqlite3.Connection, table: str, number: int) -> None:
        """Write a row of the copy, which is not committed there before this returns."""
        cursor = local.execute(f"SELECT * FROM {table} WHERE id = ?", (number,))  # noqa: S608 - ours
        names = [column[0] for column in cursor.description]
        content = json.dumps(dict(zip(names, cursor.fetchone(), strict=True)))
        with self._asking() as asked:
            asked("INSERT INTO rocefab_rows VALUES (%s, %s, %s)", (table, number, content))

    def push_state(self, run: int, device: str, text: str) -> None:
        """Write the saved state of a device."""
        with self._asking() as asked:
            asked(
                "INSERT INTO rocefab_states VALUES (%s, %s, %s) "
                "ON CONFLICT (run, device) DO UPDATE SET content = excluded.content",
                (run, device, json.dumps(text)),
            )

    def pull(self, local: sqlite3.Connection) -> None:
        """Write the rows into the copy that it does not have; its other writers wait.

        Raises
        ------
        JournalError
            When the copy has rows that the server does not have.
        """
        local.execute("BEGIN IMMEDIATE")
        with self._asking() as asked:
            for table in _TABLES:
                query = f"SELECT coalesce(max(id), 0) FROM {table}"  # noqa: S608 - ours
                (last,) = local.execute(query).fetchone()
                [(most,)] = asked(
                    "SELECT coalesce(max(id), 0) FROM rocefab_rows WHERE kind = %s", (table,)
                )
                if last > most:
                    raise JournalError(
                        f"the journal on the server ends before its copy ({table}: {most}, here "
                        f"{last}); it was restored from a backup, or is another one"
                    )
                while rows := asked(_NEXT_ROWS, (table, last, _ROWS)):
                    for last, content in rows:  # noqa: B007 - where the next ones begin
                        _insert(local, table, parse_json(content))

    def state(self, run: int, device: str) -> str | None:
        """Return the saved state of a device; None where there is none."""
        with self._asking() as asked:
            rows = asked(
                "SELECT content FROM rocefab_states WHERE run = %s AND device = %s", (run, device)
            )
        return str(parse_json(rows[0][0])) if rows else None


def _insert(local: sqlite3.Connection, table: str, row: Mapping[str, Any]) -> None:
    known = [column[1] for column in local.execute(f"PRAGMA table_info({table})")]
    if set(row) != set(known):
        raise JournalError(f"the journal on the server is one of another version ({table})")
    names, marks = ", ".join(known), ", ".join("?" * len(known))
    words = f"INSERT INTO {table} ({names}) VALUES ({marks})"  # noqa: S608 - columns of ours
    local.execute(words, tuple(row[name] for name in known))


def _holder(connection: psycopg.Connection[Any]) -> str:
    rows = ask(connection, "SELECT content FROM rocefab_holder")
    try:
        data = parse_json(rows[0][0]) if rows else {}
        text = f"{data['user']} on {data['host']}, process {data['pid']}, since {data['since']}"
    except (ValueError, KeyError, TypeError):
        text = "owner unknown"
    return text if text.isprintable() else "owner unknown"
