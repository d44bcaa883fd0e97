"""A journal that several machines share: its rows and saved states are in PostgreSQL.

The SQLite file of the state folder is then a copy. A row is committed there after PostgreSQL has
it, so that a row which the server refused was never written. One connection holds the lock of a
run and writes its rows: a run that lost the one can no longer do the other.
"""

from __future__ import annotations

import json
import time
from contextlib import contextmanager
from threading import Lock
from typing import TYPE_CHECKING, Any, LiteralString
from urllib.parse import parse_qs, urlsplit

from fabric.change.actor import user
from fabric.core.errors import InputError, JournalError
from fabric.core.file_kinds import FileKind
from fabric.core.files import write_whole
from fabric.core.json_text import parse_json
from fabric.core.user_files import read_text

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Iterator, Mapping
    from pathlib import Path

    import psycopg

    from fabric.change.actor import Actor

_SCHEMES = ("postgresql", "postgres")
#: Names the server in the folder of the copy.
_FILE = "postgresql"
#: Of advisory locks, which are numbers; ours, made of the letters "roce". The schema is the second.
_LOCK = 0x726F6365
_CONNECT_S = 10
_SCHEMA: LiteralString = """
CREATE TABLE IF NOT EXISTS rocefab_rows (
    kind text NOT NULL, id bigint NOT NULL, content text NOT NULL, PRIMARY KEY (kind, id)
);
CREATE TABLE IF NOT EXISTS rocefab_states (
    run bigint NOT NULL, device text NOT NULL, content text NOT NULL, PRIMARY KEY (run, device)
);
CREATE TABLE IF NOT EXISTS rocefab_holder (one integer PRIMARY KEY, content text NOT NULL)
"""
_TABLES = ("runs", "events")


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


def remote(folder: Path) -> Remote | None:
    """Return the journal that a state folder is a copy of; None where it is the journal."""
    file = folder / _FILE
    return Remote(checked_url(read_text(file, FileKind.NOTE).strip())) if file.exists() else None


class Remote:
    """A journal in PostgreSQL.

    Parameters
    ----------
    url : str
        Of the database, as libpq takes it; the schema is the first of its search path.
    """

    def __init__(self, url: str) -> None:
        self.url = url
        self._held: psycopg.Connection[Any] | None = None
        #: Workers of a run share its connection, on which one transaction is open at a time.
        self._turn = Lock()

    @contextmanager
    def _connection(self) -> Iterator[psycopg.Connection[Any]]:
        """Yield the connection that holds the lock, or else a new one, in a transaction."""
        if self._held is not None:
            with _journal_errors(), self._turn, self._held.transaction():
                yield self._held
            return
        with _journal_errors(), _connect(self.url) as connection:
            yield connection

    @contextmanager
    def held(self, actor: Actor) -> Iterator[None]:
        """Hold the lock of the journal: one run at a time on all machines.

        Raises
        ------
        JournalError
            When another run holds it, or the server is away.
        """
        with _journal_errors(), _connect(self.url, autocommit=True) as connection:
            row = connection.execute(
                "SELECT pg_try_advisory_lock(%s, hashtext(current_schema()))", (_LOCK,)
            ).fetchone()
            if not row or not row[0]:
                raise JournalError(
                    f"another run is in progress in this journal: {_holder(connection)}; wait "
                    "until it ends"
                )
            said = {"user": user(), "host": actor.host, "pid": actor.process}
            said["since"] = time.strftime("%Y-%m-%d %H:%M:%S")
            connection.execute(
                "INSERT INTO rocefab_holder VALUES (1, %s) "
                "ON CONFLICT (one) DO UPDATE SET content = excluded.content",
                (json.dumps(said),),
            )
            self._held = connection
            try:
                yield
            finally:
                self._held = None

    def push(self, local: sqlite3.Connection, table: str, number: int) -> None:
        """Write a row of the copy, which is not committed there before this returns."""
        cursor = local.execute(f"SELECT * FROM {table} WHERE id = ?", (number,))  # noqa: S608 - ours
        names = [column[0] for column in cursor.description]
        content = json.dumps(dict(zip(names, cursor.fetchone(), strict=True)))
        with self._connection() as connection:
            connection.execute(
                "INSERT INTO rocefab_rows VALUES (%s, %s, %s)", (table, number, content)
            )

    def push_state(self, run: int, device: str, text: str) -> None:
        """Write the saved state of a device."""
        with self._connection() as connection:
            connection.execute(
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
        with self._connection() as connection:
            for table in _TABLES:
                query = f"SELECT coalesce(max(id), 0) FROM {table}"  # noqa: S608 - ours
                (last,) = local.execute(query).fetchone()
                (most,) = connection.execute(
                    "SELECT coalesce(max(id), 0) FROM rocefab_rows WHERE kind = %s", (table,)
                ).fetchone() or (0,)
                if last > most:
                    raise JournalError(
                        f"the journal on the server ends before its copy ({table}: {most}, here "
                        f"{last}); it was restored from a backup, or is another one"
                    )
                rows = connection.execute(
                    "SELECT content FROM rocefab_rows WHERE kind = %s AND id > %s ORDER BY id",
                    (table, last),
                )
                for (content,) in rows:
                    _insert(local, table, parse_json(content))

    def state(self, run: int, device: str) -> str | None:
        """Return the saved state of a device; None where there is none."""
        with self._connection() as connection:
            row = connection.execute(
                "SELECT content FROM rocefab_states WHERE run = %s AND device = %s", (run, device)
            ).fetchone()
        return str(parse_json(row[0])) if row else None


def _connect(url: str, *, autocommit: bool = False) -> psycopg.Connection[Any]:
    connection: psycopg.Connection[Any] = _library().connect(
        url, autocommit=autocommit, connect_timeout=_CONNECT_S
    )
    with connection.transaction():
        connection.execute("SELECT pg_advisory_xact_lock(%s)", (_LOCK + 1,))
        connection.execute(_SCHEMA)
    return connection


def _library() -> Any:
    try:
        import psycopg
    except ImportError as error:
        message = "a journal in PostgreSQL needs the extra `postgresql`: rocefab[postgresql]"
        raise JournalError(message) from error
    return psycopg


@contextmanager
def _journal_errors() -> Iterator[None]:
    """Turn an error of the server into one of ours."""
    library = _library()
    try:
        yield
    except library.Error as error:
        said = " ".join(str(error).split())[:300]
        raise JournalError(
            f"the journal on the server cannot be used: {said}; the run stops. Commit timers roll "
            "back the devices that are not confirmed; `rocefab apply --resume` continues the run"
        ) from error


def _insert(local: sqlite3.Connection, table: str, row: Mapping[str, Any]) -> None:
    known = [column[1] for column in local.execute(f"PRAGMA table_info({table})")]
    if set(row) != set(known):
        raise JournalError(f"the journal on the server is one of another version ({table})")
    names, marks = ", ".join(known), ", ".join("?" * len(known))
    words = f"INSERT INTO {table} ({names}) VALUES ({marks})"  # noqa: S608 - columns of ours
    local.execute(words, tuple(row[name] for name in known))


def _holder(connection: psycopg.Connection[Any]) -> str:
    row = connection.execute("SELECT content FROM rocefab_holder").fetchone()
    try:
        data = parse_json(row[0]) if row else {}
        text = f"{data['user']} on {data['host']}, process {data['pid']}, since {data['since']}"
    except (ValueError, KeyError, TypeError):
        text = "owner unknown"
    return text if text.isprintable() else "owner unknown"
