"""The journal: what was done to which device, written down before and after each step.

A row is on disk before the step that it announces begins. After a crash the last row of each
device tells how far it got; ``resume`` in ``apply`` knows what each state allows.
"""

from __future__ import annotations

import json
import secrets
import sqlite3
import time
from contextlib import closing, contextmanager
from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING, Any

from fabric.change import lock
from fabric.core.errors import JournalError
from fabric.core.files import write_whole
from fabric.devices.driver import OWN_TOKEN

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

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


class State(StrEnum):
    """State of a device in a run, or of the run itself (device ``""``)."""

    PENDING = "pending"
    STAGING = "staging"
    COMMITTING = "committing"
    COMMITTED = "committed"
    VERIFIED = "verified"
    CONFIRMING = "confirming"
    CONFIRMED = "confirmed"
    DONE = "done"
    ROLLING_BACK = "rolling-back"
    ROLLED_BACK = "rolled-back"
    FAILED = "failed"


_ENDS = {State.DONE, State.FAILED}


@dataclass(frozen=True, slots=True)
class Event:
    """One row of the journal."""

    at: float
    device: str
    state: State
    detail: str


@dataclass(frozen=True, slots=True)
class RunRecord:
    """One run: an apply or a rollback."""

    id: int
    kind: str
    fabric: str
    plan: str
    started: float


class Journal:
    """The journal in a state folder.

    Parameters
    ----------
    folder : Path
        State folder; made with mode 0700, as snapshots of configurations lie in it.

    Raises
    ------
    JournalError
        When it cannot be written or read; every method that does so raises it as well.
    """

    def __init__(self, folder: Path) -> None:
        with _told("made"):
            folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        self.folder = folder
        self._holder: lock.Holder | None = None
        self._database = folder / "journal.sqlite3"
        with self._connect() as connection:
            connection.executescript(_SCHEMA)

    @contextmanager
    def _connect(self) -> Iterator[sqlite3.Connection]:
        with (
            _told("used"),
            closing(sqlite3.connect(self._database, timeout=30)) as connection,
        ):
            connection.execute("PRAGMA synchronous = FULL")
            with connection:
                yield connection

    @contextmanager
    def exclusive(self, run: int | None = None) -> Iterator[None]:
        """Hold the lock of the state folder: one run at a time.

        Parameters
        ----------
        run : int or None
            The run that goes on; None until a new one begins.

        Raises
        ------
        JournalError
            When another process holds it, naming whose.
        """
        with lock.held(self.folder / "lock", run) as holder:
            self._holder = holder
            try:
                yield
            finally:
                self._holder = None

    def begin(self, kind: str, fabric: str, plan: str) -> int:
        """Write down a new run and return its number."""
        with self._connect() as connection:
            cursor = connection.execute(
                "INSERT INTO runs (kind, fabric, plan, started) VALUES (?, ?, ?, ?)",
                (kind, fabric, plan, time.time()),
            )
            run = cursor.lastrowid
        assert run is not None
        if self._holder is not None:
            self._holder.write(run)
        return run

    def record(self, run: int, device: str, state: State, detail: str = "") -> None:
        """Write down that a device entered a state; on disk when this returns."""
        with self._connect() as connection:
            connection.execute(
                "INSERT INTO events (run, at, device, state, detail) VALUES (?, ?, ?, ?, ?)",
                (run, time.time(), device, state.value, detail),
            )

    def runs(self) -> list[RunRecord]:
        """Return all runs, oldest first."""
        with self._connect() as connection:
            rows = connection.execute(
                "SELECT id, kind, fabric, plan, started FROM runs ORDER BY id"
            )
            return [RunRecord(*row) for row in rows]

    def run(self, run: int) -> RunRecord:
        """Return one run.

        Raises
        ------
        JournalError
            When there is no such run.
        """
        for record in self.runs():
            if record.id == run:
                return record
        raise JournalError(f"run {run} does not exist; `rocefab status` lists the runs")

    def events(self, run: int) -> list[Event]:
        """Return the events of a run in their order."""
        with self._connect() as connection:
            rows = connection.execute(
                "SELECT at, device, state, detail FROM events WHERE run = ? ORDER BY id", (run,)
            )
            return [Event(at, device, State(state), detail) for at, device, state, detail in rows]

    def states(self, run: int) -> dict[str, Event]:
        """Return the last event of each device of a run; the run itself is ``""``."""
        return {event.device: event for event in self.events(run)}

    def unfinished(self) -> int | None:
        """Return the last apply when it was interrupted; only one can be."""
        for record in reversed(self.runs()):
            if record.kind == "apply":
                own = self.states(record.id).get("")
                return None if own and own.state in _ENDS else record.id
        return None

    def tokens(self, device: str) -> list[str]:
        """Return the names that changes of a device had, in any run, oldest first."""
        with self._connect() as connection:
            rows = connection.execute(
                "SELECT detail FROM events WHERE device = ? AND detail LIKE ? ORDER BY id",
                (device, f"{OWN_TOKEN}%"),
            )
            return list(dict.fromkeys(detail for (detail,) in rows))

    def next_token(self, run: int, device: str) -> str:
        """Return a name for a change of a device that nobody has used, in no state folder."""
        earlier = [token for token in self.tokens(device) if token.startswith(f"{OWN_TOKEN}{run}-")]
        return f"{OWN_TOKEN}{run}-{len(earlier) + 1}-{secrets.token_hex(4)}"

    def keep(self, run: int, device: str, text: str) -> None:
        """Keep the state of a device from before the run, readable by the owner alone."""
        path = self._kept(run, device)
        with _told("written"):
            for folder in (path.parent.parent, path.parent):
                folder.mkdir(exist_ok=True, mode=0o700)
            write_whole(path, text.encode(), 0o600)

    def kept(self, run: int, device: str) -> dict[str, Any]:
        """Return what was kept of a device.

        Raises
        ------
        JournalError
            When nothing was kept, or it cannot be read.
        """
        try:
            data: dict[str, Any] = json.loads(self._kept(run, device).read_text())
        except FileNotFoundError:
            raise JournalError(f"run {run} has no saved state of {device}") from None
        except (OSError, ValueError) as error:
            raise JournalError(
                f"the state of {device} before run {run} cannot be read: {error}"
            ) from error
        if not _is_state(data):
            raise JournalError(
                f"the state of {device} before run {run} is "
                f"damaged: {self._kept(run, device)} was modified; restore it from a backup"
            )
        return data

    def _kept(self, run: int, device: str) -> Path:
        return self.folder / "runs" / str(run) / f"{device}.before.json"


_STATE_KEYS = {"config", "canonical", "files", "kernel"}


def _is_state(data: object) -> bool:
    """Tell whether this is a kept state: a configuration, its text, files and parameters."""
    if not isinstance(data, dict) or set(data) | {"kernel"} != _STATE_KEYS:
        return False
    named = [data["files"], data.get("kernel", {})]  # runs of earlier versions kept no parameters
    texts = [data["canonical"]]
    for values in named:
        texts += values.values() if isinstance(values, dict) else [None]
    is_config = isinstance(data["config"], (dict, str))
    return is_config and all(isinstance(text, str) for text in texts)


@contextmanager
def _told(what: str) -> Iterator[None]:
    """Turn a full disk, a missing right or a broken file into an error of ours."""
    try:
        yield
    except (sqlite3.Error, OSError) as error:
        raise JournalError(
            f"the journal cannot be {what}: {error}; the run stops. Commit timers roll back "
            "the devices that are not confirmed; `rocefab apply --resume` continues the run"
        ) from error
