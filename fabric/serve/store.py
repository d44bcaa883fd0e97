"""The state on disk: SQLite with a write-ahead log, so that an answered change outlives a crash."""

from __future__ import annotations

import fcntl
import sqlite3
from contextlib import closing, suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, Self

from fabric.core.errors import InputError
from fabric.core.findings import Finding, Severity
from fabric.design.designs import Designs
from fabric.placement.condition import ConditionBody
from fabric.serve.requests import JobBody
from fabric.workflow.state_owners import name_of, note_owner, of_inventory, taken_over

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from pathlib import Path

    from fabric.serve.book import Book

#: Version of the tables.
SCHEMA = 1
#: Conditions that an earlier release took, and this one refuses, stay readable.
_TAKEN = {"is_taken": True}
#: How long an answer is kept for its Idempotency-Key.
KEPT_S = 86_400.0
_TABLES = """
CREATE TABLE conditions (subject TEXT PRIMARY KEY, body TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE jobs (name TEXT PRIMARY KEY, body TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE versions (version INTEGER NOT NULL, changed_s REAL);
CREATE TABLE answers (
    key TEXT PRIMARY KEY, request TEXT NOT NULL, status INTEGER NOT NULL, body BLOB NOT NULL,
    at_s REAL NOT NULL
) WITHOUT ROWID;
INSERT INTO versions VALUES (0, NULL);
"""


@dataclass(frozen=True)
class StoredAnswer:
    """An answer that is given again for the same Idempotency-Key, and the request it was for."""

    key: str
    request: str
    status: int
    body: bytes


def folder_of(
    inventory: Path, named: Path | None = None, say: Callable[[str], None] = lambda _: None
) -> Path:
    """Return the state folder of an inventory, and note there whose it is where none is named.

    Parameters
    ----------
    named : Path, optional
        The folder that the user names.
    say : callable
        Told where the state was written for an inventory that is gone.

    Raises
    ------
    InputError
        When the folder is not there yet, and the inventory is wrong: no folder is made for it.
    """
    folder = named or of_inventory(inventory)
    if not folder.is_dir():
        Designs(inventory).fabric  # noqa: B018 - it is realised when it is asked for
    if named:
        return named
    if taken := taken_over(folder, inventory):
        say(taken)
    with suppress(OSError):  # a folder that cannot be written is reported when it is opened
        note_owner(folder, inventory.resolve(), name_of(inventory))
    return folder / "service"


class Store:
    """The database of one service; a second service on the same folder is an error.

    Parameters
    ----------
    folder : Path
        State folder; made where it is missing, for this user alone.
    is_alone : bool
        Whether to keep others out; one that only reads need not.

    Raises
    ------
    InputError
        When the folder cannot be written, another service uses it, or a newer one did.
    """

    def __init__(self, folder: Path, *, is_alone: bool = True) -> None:
        self.path = folder / "service.sqlite3"
        try:
            folder.mkdir(parents=True, exist_ok=True, mode=0o700)
            self._lock = (folder / "service.lock").open("w")
            if is_alone:
                fcntl.flock(self._lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as error:
            raise _wrong(f"another `rocefab serve` uses {folder}", "stop it") from error
        except OSError as error:
            raise _wrong(f"{folder} cannot be written: {error.strerror}", "") from error
        try:
            self._database = sqlite3.connect(self.path, check_same_thread=False)
            self._prepare()
        except sqlite3.Error as error:
            raise _wrong(f"{self.path} cannot be used: {error}", "") from error

    def _prepare(self) -> None:
        self._database.execute("PRAGMA journal_mode = WAL")
        self._database.execute("PRAGMA synchronous = FULL")
        version = int(self._database.execute("PRAGMA user_version").fetchone()[0])
        if version > SCHEMA:
            raise _wrong(f"{self.path} was written by a newer release", "use that release")
        if not version:
            self._database.executescript(f"BEGIN;{_TABLES}PRAGMA user_version = {SCHEMA};COMMIT;")

    def conditions(self) -> dict[str, ConditionBody]:
        """Return the conditions by subject."""
        rows = self._database.execute("SELECT subject, body FROM conditions").fetchall()
        return {
            subject: ConditionBody.model_validate_json(body, context=_TAKEN)
            for subject, body in rows
        }

    def jobs(self) -> list[JobBody]:
        """Return the running jobs."""
        rows = self._database.execute("SELECT body FROM jobs ORDER BY name").fetchall()
        return [JobBody.model_validate_json(body) for (body,) in rows]

    def version(self) -> tuple[int, float | None]:
        """Return the version and the time of the last change."""
        version, changed_s = self._database.execute("SELECT * FROM versions").fetchone()
        return int(version), changed_s

    def answer(self, key: str) -> StoredAnswer | None:
        """Return the kept answer of a key."""
        query = "SELECT key, request, status, body FROM answers WHERE key = ?"
        row = self._database.execute(query, (key,)).fetchone()
        return StoredAnswer(*row) if row else None

    def save(self, before: Book, after: Book, answer: StoredAnswer | None = None) -> None:
        """Write what changed between two versions, in one transaction."""
        with self._database as database:
            for table, key, old, new in (
                ("conditions", "subject", _texts(before.conditions), _texts(after.conditions)),
                ("jobs", "name", _jobs(before), _jobs(after)),
            ):
                gone = [(name,) for name in old if name not in new]
                changed = [(name, text) for name, text in new.items() if old.get(name) != text]
                database.executemany(f"DELETE FROM {table} WHERE {key} = ?", gone)  # noqa: S608 - own words
                database.executemany(f"INSERT OR REPLACE INTO {table} VALUES (?, ?)", changed)  # noqa: S608
            database.execute("UPDATE versions SET version = ?, changed_s = ?", _stamp(after))
            at_s = after.changed_s or 0.0
            database.execute("DELETE FROM answers WHERE at_s < ?", (at_s - KEPT_S,))
            if answer:
                row = (answer.key, answer.request, answer.status, answer.body, at_s)
                database.execute("INSERT OR REPLACE INTO answers VALUES (?, ?, ?, ?, ?)", row)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        """Close the database and let another service have the folder."""
        with closing(self._lock):
            self._database.close()


def _stamp(book: Book) -> tuple[int, float | None]:
    return book.version, book.changed_s


def _texts(conditions: Mapping[str, ConditionBody]) -> dict[str, str]:
    return {subject: one.model_dump_json() for subject, one in conditions.items()}


def _jobs(book: Book) -> dict[str, str]:
    return {name: job.body.model_dump_json() for name, job in book.jobs.items()}


def _wrong(message: str, fix: str) -> InputError:
    finding = Finding("SRV005", Severity.ERROR, message, fix, field="--state")
    return InputError("the state folder cannot be used", [finding])
