"""What the routes share: the engine, the state, its changes, and slow work in turns."""

from __future__ import annotations

import asyncio
import hashlib
import sqlite3
import time
from collections import OrderedDict
from functools import partial
from http import HTTPStatus
from typing import TYPE_CHECKING, Any, TypeVar

from fabric.core import hostlist
from fabric.core.counts import age_text, counted
from fabric.core.errors import FabricError, InputError
from fabric.placement.job import traffic_of
from fabric.serve.book import Book, BookedJob
from fabric.serve.boot_states import BootStates
from fabric.serve.drift import Drift
from fabric.serve.events import Events
from fabric.serve.figures import Figures
from fabric.serve.map import Maps
from fabric.serve.metrics import Metrics
from fabric.serve.problem import problem_of, refused
from fabric.serve.query import Wrong
from fabric.serve.readings import Readings
from fabric.serve.reviews import Reviews
from fabric.serve.runs import Runs
from fabric.serve.source import Loaded, findings_of, fingerprint, load
from fabric.serve.turns import Lane, Shares, Turns
from fabric.validate.report.plain_json import finding_json
from fabric.workflow.place import StateFiles
from fabric.workflow.review import ContentHash

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from fabric.core.findings import Finding
    from fabric.placement.engine.engine import Engine
    from fabric.placement.engine.query import Answer, Query
    from fabric.serve.scopes import Grant
    from fabric.serve.settings import Settings
    from fabric.serve.store import Store, StoredAnswer

T = TypeVar("T")
#: Searches that take longer than this on average run beside the event loop.
_LONG_S = 0.005
#: Weight of the last search in that average.
_WEIGHT = 0.1
#: Age from which a reading is not used, as for `rocefab place`.
_MAX_AGE_S = StateFiles.max_age_s


class Service:
    """One inventory, its engine and its state.

    Parameters
    ----------
    store : Store
        Where the state is kept.
    settings : Settings
        Limits and times.

    Raises
    ------
    InputError
        When the inventory is wrong.
    """

    def __init__(self, folder: Path, store: Store, settings: Settings) -> None:
        self.folder, self.store, self.settings = folder, store, settings
        self.metrics, self.figures = Metrics(), Figures()
        self.results: OrderedDict[str, str] = OrderedDict()
        self.events = Events(settings.limits.streams)
        self._seen = fingerprint(folder)
        self.loaded: Loaded = load(folder, _read_book(store))
        self.maps = Maps()
        fabric, files = self.loaded.fabric, settings
        self.readings = Readings(files.readings, fabric) if files.readings else None
        self.drift = Drift(files.drift) if files.drift else None
        self.boot = BootStates(files.boot_log) if files.boot_log else None
        self.reviews = Reviews(store.path.parent / "plans")
        self.runs = Runs(folder, settings.journal)
        self.contents = ContentHash(folder)
        self._refresh_files()
        if self.readings is not None:
            self.loaded = self.loaded.with_observed(self.readings.conditions(_MAX_AGE_S))
        self.broken: tuple[Finding, ...] = ()
        self.broken_tokens: tuple[Finding, ...] = ()
        limits = settings.limits
        self._change, self._change_shares = Turns(), _waiting(limits.queued, "changes")
        self._changes: set[asyncio.Task[Book]] = set()
        self._slow = Lane("rocefab-slow", _waiting(limits.waiting, "slow requests"))
        self._records = Lane("rocefab-records", _waiting(limits.waiting, "slow requests"))
        self._searches = Lane("rocefab-search", _waiting(limits.queued, "searches"))
        self.uploads = Shares(limits.uploads, "plans are on their way", "send it later")
        self._search_s = 0.0
        self.ignored = self.loaded.ignored()
        self._count()

    @property
    def book(self) -> Book:
        """The state that the next query sees."""
        return self.loaded.book

    async def place(self, caller: Grant, loaded: Loaded, query: Query) -> Answer:
        """Return the answer of an engine; a search that takes long waits for its turn.

        Raises
        ------
        Problem
            409 when there is no place now, 422 when the query is wrong, 503 when too many wait.
        """
        search = partial(_timed, loaded.engine, query)
        try:
            if self._search_s > _LONG_S:
                answer, took_s = await self._searches.do(caller.key, search)
            else:
                answer, took_s = search()
        except InputError as error:
            self.metrics.placements.labels("refused").inc()
            raise problem_of(error) from error
        self._search_s += _WEIGHT * (took_s - self._search_s)
        self.metrics.search_seconds.observe(took_s)
        self.metrics.placements.labels("placed").inc()
        return answer

    async def slow(self, caller: Grant, work: Callable[[], T]) -> T:
        """Run work that takes long, when it is the turn of who asks for it.

        Raises
        ------
        Problem
            503 when too much waits; what the work did not take, as a problem.
        """
        return await self._do(self._slow, caller, work)

    async def records(self, caller: Grant, work: Callable[[], T]) -> T:
        """Run work on plans, approvals and runs, which waits for no other slow work; as `slow`."""
        return await self._do(self._records, caller, work)

    async def _do(self, lane: Lane, caller: Grant, work: Callable[[], T]) -> T:
        try:
            return await lane.do(caller.key, work)
        except InputError as error:
            raise problem_of(error) from error

    async def change(
        self,
        caller: Grant,
        make: Callable[[Book], Book],
        *,
        match: str | None = None,
        event: tuple[str, dict[str, Any]],
        answer: Callable[[Book], StoredAnswer | None] = lambda _: None,
    ) -> Book:
        """Change the state: on disk first, then for the next query, then tell who listens.

        Parameters
        ----------
        make : callable
            Returns the next version; it may raise Problem.
        match : str or None
            ETag that the state must have (``If-Match``).
        answer : callable
            Returns what is kept for the Idempotency-Key of the request.

        Raises
        ------
        Problem
            412 when the state has another ETag, 422 when it is about what the fabric does not have,
            503 when it cannot be written, or too many changes wait.
        """
        # A request that ends early (time limit) must not leave disk and memory apart.
        self._change_shares.take(caller.key)
        task = asyncio.create_task(self._changed(caller, make, match, event, answer))
        self._changes.add(task)
        task.add_done_callback(lambda ended: self._end_change(ended, caller))
        return await asyncio.shield(task)

    def _end_change(self, task: asyncio.Task[Book], caller: Grant) -> None:
        self._changes.discard(task)
        self._change_shares.give(caller.key)

    async def _changed(
        self,
        caller: Grant,
        make: Callable[[Book], Book],
        match: str | None,
        event: tuple[str, dict[str, Any]],
        answer: Callable[[Book], StoredAnswer | None],
    ) -> Book:
        async with self._change.turn(caller.key):
            before = self.book
            if match is not None and match.strip() not in {"*", etag(before)}:
                message = f"the state is at version {before.version}, not at the one of If-Match"
                fix = "GET it again, and repeat the change"
                raise refused(HTTPStatus.PRECONDITION_FAILED, "SRV007", "If-Match", message, fix)
            after = make(before)
            try:
                loaded = await asyncio.to_thread(self.loaded.with_state, after)
            except InputError as error:
                raise problem_of(error) from error
            try:
                await asyncio.to_thread(self.store.save, before, after, answer(after))
            except sqlite3.Error as error:
                message = f"the state cannot be written: {error}"
                fix = "check the disk of --state, and send it again"
                raise refused(503, "SRV005", "", message, fix) from error
            self.loaded, self.ignored = loaded, loaded.ignored()
            self._count()
        self.events.tell(event[0], {**event[1], "version": after.version})
        return after

    async def kept(self, caller: Grant, key: str) -> StoredAnswer | None:
        """Return the answer of an Idempotency-Key, after the change that is being written."""
        async with self._change.turn(caller.key):
            return self.store.answer(key)

    async def reload(self) -> bool:
        """Load the inventory again; a wrong one leaves the one before in place."""
        seen = await asyncio.to_thread(fingerprint, self.folder)
        async with self._change.turn(""):
            number = self.loaded.number + 1
            try:
                loaded = await asyncio.to_thread(load, self.folder, self.book, number)
            except (FabricError, OSError, ValueError) as error:
                known = error if isinstance(error, FabricError) else FabricError(str(error))
                self.broken = findings_of(known)
            else:
                self.loaded, self.broken = loaded, ()
                self.ignored = loaded.ignored()
                if self.readings is not None:
                    await asyncio.to_thread(self.readings.turn_to, loaded.fabric)
                    await self._take_readings(self.readings)
            self._seen = seen
            self._count()
        outcome = "kept" if self.broken else "loaded"
        self.metrics.reloads.labels(outcome).inc()
        wrong = [finding_json(one) for one in self.broken]
        self.events.tell("reload", {"outcome": outcome, "findings": wrong})
        return not self.broken

    def refresh_tokens(self) -> None:
        """Read tokens that have changed; a wrong file leaves those before it in place."""
        try:
            if self.settings.tokens is None or not self.settings.tokens.refresh():
                return
            self.broken_tokens = ()
        except InputError as error:
            self.broken_tokens = findings_of(error)

    async def watch(self) -> None:
        """Reload when the files of the inventory or the tokens change, until cancelled."""
        while True:
            await asyncio.sleep(self.settings.watch_s)
            self.refresh_tokens()
            seen = await asyncio.to_thread(fingerprint, self.folder)
            if seen != self._seen:
                await self.reload()
            await asyncio.to_thread(self._refresh_files)
            if self.readings is not None:
                async with self._change.turn(""):
                    await self._take_readings(self.readings)
            if await asyncio.to_thread(self.runs.has_changed):
                self.events.tell("run", {})

    async def _take_readings(self, readings: Readings) -> None:
        """Let the next query see what the readings say now."""
        conditions = readings.conditions(_MAX_AGE_S)
        if conditions != self.loaded.observed:
            self.loaded = await asyncio.to_thread(self.loaded.with_observed, conditions)

    def _refresh_files(self) -> None:
        """Read what other commands have written since the last time."""
        if self.readings is not None:
            self.readings.refresh()
        if self.drift is not None:
            self.drift.refresh()
        if self.boot is not None:
            fabric = self.loaded.fabric
            self.boot.refresh((*fabric.switches.names, *fabric.hosts.names))

    def warnings(self) -> list[str]:
        """Return what makes answers less certain than they look."""
        found = []
        if self.broken:
            found.append(
                "the inventory on disk is wrong; this answer is of the one before it: see /readyz"
            )
        if self.ignored:
            found.append(
                f"the state names {counted(len(self.ignored), 'thing')} that the inventory lacks: "
                "see /readyz"
            )
        if self.readings is not None and self.readings.stale:
            count, age = counted(self.readings.stale, "device"), age_text(_MAX_AGE_S)
            found.append(f"the readings of {count} are older than {age}, and are not used")
        return found

    def about(self, book: Book) -> dict[str, Any]:
        """Return version, age and size of a state, for answers."""
        age_s = None if book.changed_s is None else max(0.0, time.time() - book.changed_s)
        is_told = age_s is not None
        return {
            "version": book.version,
            "age_s": None if age_s is None else round(age_s, 3),
            "conditions": len(book.conditions) if is_told else None,
            "jobs": len(book.jobs) if is_told else None,
        }

    def close(self) -> None:
        """End the threads, after the work that has begun."""
        for lane in (self._slow, self._records, self._searches):
            lane.close()

    def _count(self) -> None:
        self.metrics.version.set(self.book.version)
        if self.book.changed_s is not None:
            self.metrics.told(len(self.book.conditions), len(self.book.jobs))
        self.metrics.is_current.set(not self.broken)


def etag(book: Book) -> str:
    """Return the entity tag of a state (RFC 9110, section 8.8.3)."""
    return f'"{book.version}"'


def request_digest(method: str, path: str, body: bytes) -> str:
    """Return what tells two requests with one Idempotency-Key apart."""
    return hashlib.sha256(b"\0".join((method.encode(), path.encode(), body))).hexdigest()


def _timed(engine: Engine, query: Query) -> tuple[Answer, float]:
    """Return the answer and the processor time that it took."""
    began_s = time.thread_time()
    return engine.place(query), time.thread_time() - began_s


def _read_book(store: Store) -> Book:
    jobs = {}
    for body in store.jobs():
        names = body.hosts if isinstance(body.hosts, list) else hostlist.expand(body.hosts)
        jobs[body.name] = BookedJob(body, tuple(names), traffic_of(body, Wrong().add))
    version, changed_s = store.version()
    return Book(store.conditions(), jobs, version, changed_s)


def _waiting(most: int, what: str) -> Shares:
    return Shares(most, f"{what} are waiting", "try again after the time in Retry-After")
