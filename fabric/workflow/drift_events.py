"""Where the events of `drift --watch` go: a file that the next process goes on from, and syslog."""

from __future__ import annotations

import fcntl
from contextlib import closing
from typing import TYPE_CHECKING, Self

from fabric.core.errors import InputError
from fabric.core.events import Ledger
from fabric.report.events import line, read_events

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path
    from types import TracebackType

    from fabric.core.events import Event
    from fabric.workflow.syslog import Syslog


class EventsFile:
    """Appends events to a file; each is there for readers when `write` returns.

    Parameters
    ----------
    path : Path
        File of JSON lines; one that is there is replayed into ``ledger``.

    Raises
    ------
    InputError
        When the file cannot be used, holds something else, or another process writes it.
    """

    def __init__(self, path: Path) -> None:
        self.path, self.ledger = path, Ledger()
        try:
            self._file = path.open("ab")
            self._lock()
            self.ledger.replay(read_events(path))
            self._drop_torn_line()
        except OSError as error:
            raise self._error(error) from error

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._file.close()

    def write(self, event: Event) -> None:
        """Append an event."""
        try:
            self._file.write(line(event).encode())
            self._file.flush()
        except OSError as error:
            raise self._error(error) from error

    def _lock(self) -> None:
        try:
            fcntl.flock(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as error:
            message = f"{self.path}: another process writes it; give each `drift --watch` its file"
            raise InputError(message) from error

    def _drop_torn_line(self) -> None:
        """Remove a last line without an end: the process that wrote it was killed."""
        size = self.path.stat().st_size
        with self.path.open("rb") as file:
            whole = 0
            for text in file:
                whole += len(text) if text.endswith(b"\n") else 0
        if whole != size:
            self._file.truncate(whole)

    def _error(self, error: OSError) -> InputError:
        return InputError(f"{self.path}: the events cannot be written: {error.strerror}")


class Sender:
    """Sends events to a syslog server; one that cannot be reached does not stop the watch.

    Parameters
    ----------
    note : callable
        Takes a message when the server is lost, and when it is back.
    """

    def __init__(self, server: Syslog, note: Callable[[str], None]) -> None:
        self._server, self._note = server, note
        self._is_lost = False

    def send(self, event: Event) -> None:
        """Send an event."""
        try:
            self._server.send(event)
        except OSError as error:
            if not self._is_lost:
                self._note(f"syslog: events cannot be sent: {error.strerror or error}")
            self._is_lost = True
        else:
            if self._is_lost:
                self._note("syslog: events are sent again")
            self._is_lost = False

    def close(self) -> None:
        """End the connection."""
        with closing(self._server):
            pass
