"""Where events go: a file of JSON lines that the next process reads back, and a syslog server."""

from __future__ import annotations

import os
from collections import deque
from contextlib import ExitStack
from typing import TYPE_CHECKING, Self

from fabric.core.errors import InputError
from fabric.core.findings import Finding, Severity
from fabric.core.record_files import SUFFIX, RecordFile
from fabric.report.events import line, read_events
from fabric.workflow.syslog import Syslog

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from pathlib import Path
    from types import TracebackType

    from fabric.core.events import Event

#: Events that wait for a syslog server that is away; our choice: some hours of a bad day.
_MOST_WAITING = 10_000


class EventLog:
    """Writes events.

    Parameters
    ----------
    path : Path or None
        File of JSON lines; the events that it holds are in `past`.
    address : str
        Of a syslog server; empty sends nothing.
    report : callable
        Takes a line for the user: the server is away.

    Raises
    ------
    InputError
        When the file cannot be read or written, or the address has another form.
    """

    def __init__(self, path: Path | None, address: str, report: Callable[[str], None]) -> None:
        self._syslog = Syslog(address) if address else None
        self._report, self._stack = report, ExitStack()
        self._waiting: deque[Event] = deque(maxlen=_MOST_WAITING)
        self._is_away = False
        self._file: RecordFile | None = None
        self.past: list[Event] = []
        if path:
            _refuse_compressed(path)
            self.past = list(read_events(path))
            _cut_torn_line(path)
            self._file = self._stack.enter_context(RecordFile(path))

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
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
                self._file.write(line(event))
            if self._syslog:
                self._waiting.append(event)
        if self._syslog:
            self._send(self._syslog)

    def _send(self, syslog: Syslog) -> None:
        try:
            while self._waiting:
                syslog.send(self._waiting[0])
                self._waiting.popleft()
        except OSError as error:
            if not self._is_away:
                self._report(f"the syslog server does not answer: {error}; events wait for it")
            self._is_away = True
        else:
            self._is_away = False


def _refuse_compressed(path: Path) -> None:
    if path.name.endswith(SUFFIX):
        fix = f"use a name without {SUFFIX}"
        message = f"{path}: events are not compressed, as the next process reads them back"
        finding = Finding("EVT002", Severity.ERROR, message, fix, "--events")
        raise InputError("events cannot be written", [finding])


def _cut_torn_line(path: Path) -> None:
    """Cut a last line without an end, which a process that was killed has left."""
    try:
        with path.open("r+b") as file:
            end = start = file.seek(0, os.SEEK_END)
            while start:
                start = max(0, start - 4096)
                file.seek(start)
                place = file.read(min(4096, end - start)).rfind(b"\n")
                if place >= 0:
                    file.truncate(start + place + 1)
                    return
            file.truncate(0)
    except FileNotFoundError:
        return
    except OSError as error:
        raise InputError(f"{path}: cannot write the events: {error.strerror}") from error
