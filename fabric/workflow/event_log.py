"""Where events go: a file of JSON lines that the next process reads back, and a syslog server."""

from __future__ import annotations

import fcntl
import os
import time
from collections import deque
from contextlib import ExitStack
from typing import TYPE_CHECKING, BinaryIO, Self, cast

from fabric.core.errors import InputError
from fabric.core.file_kinds import FileKind
from fabric.core.findings import Finding, Severity
from fabric.core.record_files import SUFFIX
from fabric.core.user_files import open_regular
from fabric.report.events import line, read_events
from fabric.workflow.syslog import Syslog

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from pathlib import Path

    from fabric.core.events import Event

#: Events that wait for a syslog server that is away; our choice: some hours of a bad day.
_MOST_WAITING = 10_000
#: Until a server that is away is tried again; our choice: a try may last seconds.
_RETRY_S = 10.0
#: Read at a time when the end of the last whole line is looked for.
_STEP = 1 << 16


class EventLog:
    """Writes events.

    Parameters
    ----------
    path : Path or None
        File of JSON lines, which no other process may write; the events that it holds are in
        `past`.
    address : str
        Of a syslog server; empty sends nothing.
    report : callable
        Takes a line for the user: the server is away, or is back.

    Raises
    ------
    InputError
        When the file cannot be read or written, or the address has another form.
    """

    def __init__(self, path: Path | None, address: str, report: Callable[[str], None]) -> None:
        self._syslog = Syslog(address) if address else None
        self._report = report
        self._waiting: deque[Event] = deque(maxlen=_MOST_WAITING)
        self._away_since_s: float | None = None
        with ExitStack() as stack:
            self._path, self._file = path, _opened(stack, path) if path else None
            self.past = list(read_events(path)) if path else []
            self._stack = stack.pop_all()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._stack.close()
        if self._syslog:
            self._syslog.close()

    def write(self, events: Iterable[Event]) -> None:
        """Write events; those that the server did not take are sent again with the next ones.

        Raises
        ------
        InputError
            When the file cannot be written.
        """
        for event in events:
            if self._file:
                self._append(self._file, event)
            if self._syslog:
                self._waiting.append(event)
        if self._syslog:
            self._send(self._syslog)

    def _append(self, file: BinaryIO, event: Event) -> None:
        try:
            file.write(line(event).encode())
            file.flush()
        except OSError as error:
            raise _cannot_write(self._path, error) from error

    def _send(self, syslog: Syslog) -> None:
        now_s, since_s = time.monotonic(), self._away_since_s
        if since_s is not None and now_s < since_s + _RETRY_S:
            return
        try:
            while self._waiting:
                syslog.send(self._waiting[0])
                self._waiting.popleft()
        except OSError as error:
            if since_s is None:
                self._report(f"the syslog server does not answer: {error}; events wait for it")
            self._away_since_s = time.monotonic()
        else:
            if since_s is not None:
                self._report("the syslog server takes events again")
            self._away_since_s = None


def _opened(stack: ExitStack, path: Path) -> BinaryIO:
    _refuse_compressed(path)
    try:
        if path.exists():  # to append to a pipe waits for a reader
            open_regular(path, FileKind.EVENTS).close()
        file = cast("BinaryIO", stack.enter_context(path.open("ab")))
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        _cut_torn_line(path, file)
    except BlockingIOError as error:
        message = f"{path}: another process writes it; give each process a file of events"
        raise InputError(message) from error
    except OSError as error:
        raise _cannot_write(path, error) from error
    return file


def _refuse_compressed(path: Path) -> None:
    if path.name.endswith(SUFFIX):
        fix = f"use a name without {SUFFIX}"
        message = f"{path}: events are not compressed, as the next process reads them back"
        finding = Finding("EVT002", Severity.ERROR, message, fix, "--events")
        raise InputError("events cannot be written", [finding])


def _cut_torn_line(path: Path, appended: BinaryIO) -> None:
    """Cut a last line without an end, which a process that was killed has left."""
    with open_regular(path, FileKind.EVENTS) as file:
        whole = size = file.seek(0, os.SEEK_END)
        while whole:
            start = file.seek(max(0, whole - _STEP))
            end = file.read(whole - start).rfind(b"\n") + 1
            whole = start + end
            if end:
                break
    if whole != size:
        appended.truncate(whole)


def _cannot_write(path: Path | None, error: OSError) -> InputError:
    return InputError(f"{path}: cannot write the events: {error.strerror}")
