"""The journal: what was done to which device, written down before and after each step.

A row is on disk before the step that it announces begins. After a crash the last row of each
device tells how far it got; ``resume`` in ``apply`` knows what each state allows.
"""

from __future__ import annotations

import re
import secrets
import sqlite3
import time
from contextlib import closing, contextmanager, nullcontext
from dataclasses import asdict, dataclass, field, replace
from enum import StrEnum
from json import JSONDecodeError
from threading import Lock
from typing import TYPE_CHECKING, Any

from fabric.change import lock, tables
from fabric.change.actor import Actor
from fabric.change.chain import Chain, text_hash
from fabric.change.earlier_states import KeptStates, is_state, journal_errors
from fabric.change.remote import remote
from fabric.change.stop import Stops
from fabric.change.together import Together
from fabric.core.errors import FileError, JournalError
from fabric.core.json_text import parse_json, said
from fabric.devices.driver import OWN_TOKEN

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path


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
    SKIPPED = "skipped"


#: Kind of a run that changes nothing: a plan that was sent for review is deleted.
DELETION = "delete"
_ENDS = {State.DONE, State.FAILED}
#: How a run stands that has not ended, and that no process works on.
INTERRUPTED = "interrupted"
#: How a run stands that has not ended, by what `lock.is_at_work` says of it.
_STANDINGS = {True: "in progress", False: INTERRUPTED, None: "interrupted or in progress"}
#: What a failure of the journal means for the run that is under way, by its kind.
_ENDS_OF = {
    "": "",
    "apply": "; the run stops. Commit timers roll back the devices that are not confirmed, unless "
    "the plan says NO SAFETY NET; `rocefab apply --resume` continues the run",
    "rollback": "; the run stops. Commit timers roll back the devices that are not confirmed, "
    "unless the plan says NO SAFETY NET; run `rocefab rollback` again",
    "clean": "; the run stops. Run the command again",
}
#: Who wrote the rows of a version that did not say.
NOBODY = Actor("", "", 0)
_BY = "user, host, process, reason, ticket"
_TOKEN = re.compile(rf"{OWN_TOKEN}[a-z0-9-]{{1,36}}")
#: How the detail of the row begins that announces a kept state; its hash follows.
_KEPT = "state before the run is kept, sha256 "


@dataclass(frozen=True, slots=True)
class Event:
    """One row of the journal."""

    at: float
    device: str
    state: State
    detail: str
    by: Actor = field(default_factory=lambda: NOBODY)


@dataclass(frozen=True, slots=True)
class RunRecord:
    """One run: an apply or a rollback."""

    id: int
    kind: str
    fabric: str
    plan: str
    started: float
    by: Actor = field(default_factory=lambda: NOBODY)


class Journal:
    """The journal in a state folder.

    Parameters
    ----------
    folder : Path
        State folder; made with mode 0700, as snapshots of configurations lie in it.
    actor : Actor, optional
        Who writes its rows, and why.

    Attributes
    ----------
    chain : Chain
        What the hashes said of the rows when it was opened; later ones are those of this process.

    Raises
    ------
    JournalError
        When it cannot be written or read; every method that does so raises it as well.
    """

    def __init__(self, folder: Path, actor: Actor | None = None) -> None:
        self._under_way = ""
        with journal_errors("made", self._then):
            folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        self.folder = folder
        self.actor = actor or Actor()
        self.stops = Stops(folder)
        self._holder: lock.Holder | None = None
        self._writer: sqlite3.Connection | None = None
        self._database = folder / "journal.sqlite3"
        with journal_errors("used", self._then):
            self._remote = remote(folder, self._then)
        # What is on a server cannot be taken back when a later row of its batch fails.
        self._writes = Together(self._insert, most=1 if self._remote else 0)
        self._states = KeptStates(folder, self._remote, self._then)
        self._tokens: dict[str, dict[str, None]] = {}
        self._tokens_to = 0
        self._tokens_turn = Lock()
        with self._connect() as connection:
            tables.prepare(connection)
        self._refresh()

    def _then(self) -> str:
        """Return what becomes of the run that is under way here when the journal fails."""
        return _ENDS_OF[self._under_way]

    def _refresh(self, after: Chain | None = None) -> None:
        """Get the rows that other machines wrote, and check the chain."""
        with self._connect() as connection:
            if self._remote:
                self._remote.pull(connection)
            self.chain = tables.read_chain(connection, after=after)

    def follow(self) -> None:
        """Read what was written since, and check it; what was checked before is not read again."""
        self._refresh(self.chain)

    @contextmanager
    def _connect(self) -> Iterator[sqlite3.Connection]:
        """Yield a connection in a transaction."""
        with journal_errors("used", self._then), self._opened() as connection, connection:
            yield connection

    @contextmanager
    def _opened(self) -> Iterator[sqlite3.Connection]:
        with journal_errors("used", self._then):
            # Threads take turns to write, see `Together`.
            opened = sqlite3.connect(self._database, timeout=30, check_same_thread=False)
            opened.execute("PRAGMA synchronous = FULL")
            # As safe as a new file for each transaction, in a fraction of the time.
            opened.execute("PRAGMA journal_mode = PERSIST")
        with closing(opened) as connection:
            yield connection

    def verify(self) -> Chain:
        """Return what the hashes say of every row, every plan and every kept state.

        Of a journal on a server all rows and states are read again: not this machine's copy.
        """
        reading = self._from_server() if self._remote else self._connect()
        with reading as connection:
            chain = tables.read_chain(connection, texts=True)
        states = [f"{path} is damaged or missing" for path in self._wrong_states()]
        return replace(chain, lost="; ".join([*([chain.lost] if chain.lost else []), *states]))

    @contextmanager
    def _from_server(self) -> Iterator[sqlite3.Connection]:
        """Yield all rows of the server, in memory."""
        with journal_errors("used", self._then), closing(sqlite3.connect(":memory:")) as connection:
            with connection:
                tables.prepare(connection)
            if self._remote:
                self._remote.pull(connection)
            yield connection

    def lines(self) -> Iterator[dict[str, Any]]:
        """Yield the rows as an auditor reads them: what each hash covers, and the hash."""
        with self._connect() as connection:
            rows, _ = tables.chained_rows(connection)
        previous = ""
        for row in rows:
            yield {**row.line(previous), "hash": row.hash}
            previous = row.hash

    @contextmanager
    def beside(self) -> Iterator[None]:
        """Write rows that belong to no run in progress, which may go on meanwhile.

        Raises
        ------
        JournalError
            When the rows are on a server and a run is in progress: it numbers them.
        """
        with self.exclusive() if self._remote else nullcontext():
            yield

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
        everywhere = self._remote.held(self.actor) if self._remote else nullcontext()
        with lock.held(self.folder / "lock", run) as holder, everywhere, self._opened() as writer:
            if self._remote:
                self._refresh()
            self._holder, self._writer = holder, writer
            self._under_way = "" if run is None else "apply"
            try:
                yield
            finally:
                self._holder, self._writer, self._under_way = None, None, ""

    def begin(self, kind: str, fabric: str, plan: str) -> int:
        """Write down a new run and return its number."""
        run = self._write(
            "runs",
            kind=kind,
            fabric=fabric,
            plan=plan,
            plan_sha256=text_hash(plan),
            started=time.time(),
        )
        if self._holder is not None:
            self._holder.write(run)
            self._under_way = kind
        return run

    def record(self, run: int, device: str, state: State, detail: str = "") -> None:
        """Write down that a device entered a state; on disk when this returns."""
        row = {"device": device, "state": state.value, "detail": detail}
        self._write("events", run=run, at=time.time(), **row)

    def _write(self, table: str, **values: Any) -> int:
        return self._writes.do((table, {**values, **asdict(self.actor)}))

    def _insert(self, rows: Sequence[tuple[str, dict[str, Any]]]) -> list[int]:
        """Write rows in one transaction: a disk takes as long for one as for many."""
        with self._writing() as connection:
            connection.execute("BEGIN IMMEDIATE")
            numbers = [tables.insert(connection, table, values) for table, values in rows]
            if self._remote:
                for (table, _), number in zip(rows, numbers, strict=True):
                    self._remote.push(connection, table, number)
        return numbers

    @contextmanager
    def _writing(self) -> Iterator[sqlite3.Connection]:
        """Yield the connection of the run that is under way, or else a new one."""
        if self._writer is None:
            with self._connect() as connection:
                yield connection
            return
        with journal_errors("used", self._then), self._writer as connection:
            yield connection

    def runs(self) -> list[RunRecord]:
        """Return all runs, oldest first, without what is damaged."""
        return self._runs("id > 0")

    def runs_after(self, run: int) -> list[RunRecord]:
        """Return the runs after one, oldest first."""
        return self._runs(f"id > {int(run)}")

    def _runs(self, where: str) -> list[RunRecord]:
        columns = f"id, kind, fabric, plan, started, {_BY}"
        query = f"SELECT {columns} FROM runs WHERE {where} ORDER BY id"  # noqa: S608 - ours
        return [
            RunRecord(run, kind, fabric, plan, started, Actor(*by))
            for run, kind, fabric, plan, started, *by in self._good("runs", query)
        ]

    def run(self, run: int) -> RunRecord:
        """Return one run.

        Raises
        ------
        JournalError
            When there is no such run, or it is damaged.
        """
        if ("runs", run) in self.chain.bad:
            raise JournalError(
                f"run {run} is damaged in the journal; see `rocefab status --verify`"
            )
        for record in self._runs(f"id = {int(run)}"):
            return record
        raise JournalError(f"run {run} does not exist; `rocefab status` lists the runs")

    def events(self, run: int) -> list[Event]:
        """Return the events of a run in their order, without what is damaged."""
        return self._events(f"run = {int(run)}")

    def own_events(self, run: int) -> list[Event]:
        """Return those events that are of the run itself, and of no device."""
        return self._events(f"run = {int(run)} AND device = ''")

    def _events(self, where: str) -> list[Event]:
        columns = f"id, at, device, state, detail, {_BY}"
        query = f"SELECT {columns} FROM events WHERE {where} ORDER BY id"  # noqa: S608 - ours
        return [
            Event(at, device, State(state), detail, Actor(*by))
            for _, at, device, state, detail, *by in self._good("events", query)
        ]

    def _good(self, table: str, query: str) -> list[tuple[Any, ...]]:
        """Return the rows of a query that are not damaged; their number comes first."""
        bad = self.chain.bad
        with self._connect() as connection:
            connection.text_factory = tables.lenient
            return [row for row in connection.execute(query) if (table, row[0]) not in bad]

    def states(self, run: int) -> dict[str, Event]:
        """Return the last event of each device of a run; the run itself is ``""``."""
        return {event.device: event for event in self.events(run)}

    def standing(self, record: RunRecord, events: Sequence[Event]) -> str:
        """Return how a run stands: the state that it ended in, or whether a process works on it."""
        own = [event.state for event in events if not event.device]
        if own and own[-1] in _ENDS:
            return own[-1].value
        by = events[-1].by if events else record.by
        return _STANDINGS[lock.is_at_work(self.folder, record.id, by.host)]

    def unfinished(self) -> int | None:
        """Return the last apply when it was interrupted; only one can be."""
        for record in reversed(self.runs()):
            if record.kind == "apply":
                own = self.states(record.id).get("")
                return None if own and own.state in _ENDS else record.id
        return None

    def tokens(self, device: str) -> list[str]:
        """Return the names that changes of a device had, in any run, oldest first.

        A damaged row counts as well, as long as what it names can be a change of ours.
        """
        query = "SELECT id, device, detail FROM events WHERE id > ? AND detail LIKE ? ORDER BY id"
        with self._tokens_turn, self._connect() as connection:
            connection.text_factory = tables.lenient
            # What was read before is not read again: each device of a run asks.
            for row, name, detail in connection.execute(query, (self._tokens_to, f"{OWN_TOKEN}%")):
                self._tokens_to = row
                if _TOKEN.fullmatch(detail):
                    self._tokens.setdefault(name, {})[detail] = None
            return list(self._tokens.get(device, ()))

    def fences(self) -> dict[int, str]:
        """Return the token of the device locks of each run, made of the hash of its row."""
        with self._connect() as connection:
            connection.text_factory = tables.lenient
            rows = connection.execute("SELECT id, hash FROM runs ORDER BY id").fetchall()
        secret = {run: text_hash(f"lock {digest}")[:16] for run, digest in rows}
        return {run: f"rocefab-lock-{run}-{part}" for run, part in secret.items()}

    def next_token(self, run: int, device: str) -> str:
        """Return a name for a change of a device that nobody has used, in no state folder."""
        earlier = [token for token in self.tokens(device) if token.startswith(f"{OWN_TOKEN}{run}-")]
        return f"{OWN_TOKEN}{run}-{len(earlier) + 1}-{secrets.token_hex(4)}"

    def keep(self, run: int, device: str, text: str) -> None:
        """Keep the state of a device from before the run, readable by the owner alone."""
        # Before the file: one that is older than this row has the hash of an older row.
        self.record(run, device, State.PENDING, f"{_KEPT}{text_hash(text)}")
        self._states.write(run, device, text)

    def kept(self, run: int, device: str) -> dict[str, Any]:
        """Return what was kept of a device.

        Raises
        ------
        JournalError
            When nothing was kept, or it cannot be read.
        """
        try:
            text = self._states.read(run, device)
            data: dict[str, Any] = parse_json(text)
        except FileError as error:
            if error.fault == "missing":
                raise JournalError(f"run {run} has no saved state of {device}") from None
            raise _unreadable(run, device, error.reason) from error
        except JSONDecodeError as error:
            raise _unreadable(run, device, said(error)) from error
        if not is_state(data) or not self._is_as_kept(run, device, text):
            raise JournalError(
                f"the state of {device} before run {run} is "
                f"damaged: {self._states.path(run, device)} was modified; restore it from a backup"
            )
        return data

    def may_hide(self, run: int, device: str) -> bool:
        """Tell whether a damaged row may hide that a device was changed: its state was kept."""
        return not self.chain.whole and self._states.has(run, device)

    def _is_as_kept(self, run: int, device: str, text: str) -> bool:
        """Tell whether a kept state has the hash of its row; earlier versions wrote none."""
        hashes = self._hashes(run).get(device)
        return not hashes or text_hash(text) in hashes

    def _hashes(self, run: int) -> dict[str, list[str]]:
        """Return the hashes of the states that were kept in a run, by device."""
        hashes: dict[str, list[str]] = {}
        for event in self.events(run):
            if event.detail.startswith(_KEPT):
                hashes.setdefault(event.device, []).append(event.detail.removeprefix(_KEPT))
        return hashes

    def _wrong_states(self) -> Iterator[Path]:
        """Yield the kept states that are not as their rows say, or gone though they are needed."""
        for record in self.runs():
            states = self.states(record.id)
            for device, hashes in self._hashes(record.id).items():
                path = self._states.path(record.id, device)
                touched = states[device].state is not State.PENDING
                try:
                    if self._states.digest(record.id, device) not in hashes:
                        yield path
                except FileError:
                    if touched:
                        yield path


def _unreadable(run: int, device: str, reason: str) -> JournalError:
    return JournalError(f"the state of {device} before run {run} cannot be read: {reason}")
