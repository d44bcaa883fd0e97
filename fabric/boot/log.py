"""The log of devices that start: who fetched what, whose serial answered, what was verified."""

from __future__ import annotations

import errno
import json
import os
import stat
import time
from enum import IntEnum
from typing import TYPE_CHECKING, Any, NamedTuple

from fabric.core.errors import InputError
from fabric.core.file_kinds import FileKind
from fabric.core.findings import Finding, Position, Severity
from fabric.core.json_text import parse_json
from fabric.core.user_files import read_text

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

#: Who asked may be written there, so that the owner alone reads it.
_MODE = 0o600
_FLAGS = os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC


class State(IntEnum):
    """How far a device is; each one follows from the one before."""

    WAITING = 0
    DISCOVERED = 1
    IMAGE = 2
    CONFIGURED = 3
    REACHABLE = 4
    VERIFIED = 5

    @property
    def title(self) -> str:
        """The word for people."""
        return self.name.lower()


class Record(NamedTuple):
    """A line of the log.

    Parameters
    ----------
    time_s : float
        When, in seconds since 1970.
    device : str
        Which device; empty where none is known by the address.
    state : State
        How far it is with this.
    address, path, serial : str
        Who asked for what, and the serial that was sent along; empty where nobody asked.
    refused : str
        Why it got nothing; empty where it got all.
    """

    time_s: float
    device: str
    state: State
    address: str = ""
    path: str = ""
    serial: str = ""
    refused: str = ""


class BootLog:
    """Appends records to a file, each in one write.

    Parameters
    ----------
    path : Path or None
        The file; None writes nothing.
    """

    def __init__(self, path: Path | None) -> None:
        self._path = path

    def add(self, device: str, state: State, **words: str) -> Record:
        """Write a record of now, and return it."""
        record = Record(round(time.time(), 3), device, state, **words)
        if self._path is not None:
            row = {**record._asdict(), "state": state.title}
            text = json.dumps({name: value for name, value in row.items() if value != ""}) + "\n"
            self._append(self._path, text.encode())
        return record

    @staticmethod
    def _append(path: Path, content: bytes) -> None:
        """Append to a regular file; a pipe would wait for a reader."""
        try:
            handle = os.open(path, _FLAGS, _MODE)
            try:
                if not stat.S_ISREG(os.fstat(handle).st_mode):
                    raise OSError(errno.EINVAL, "not a regular file")
                os.write(handle, content)
            finally:
                os.close(handle)
        except OSError as error:
            message = f"{path}: cannot be written: {(error.strerror or str(error)).lower()}"
            finding = Finding("ZTP007", Severity.ERROR, message, "name another file", "--boot-log")
            raise InputError("the log cannot be written", [finding]) from error


def read_log(path: Path) -> list[Record]:
    """Return the records of a log; a last line that was cut off is left out.

    Raises
    ------
    InputError
        When it cannot be read, or a line of it is of something else.
    """
    text = read_text(path, FileKind.BOOT_LOG)
    whole = text[: text.rfind("\n") + 1]
    return [_record(path, number, line) for number, line in enumerate(whole.splitlines(), 1)]


def _record(path: Path, number: int, line: str) -> Record:
    try:
        row: dict[str, Any] = parse_json(line)
        state = State[str(row.pop("state")).upper()]
        time_s, device = float(row.pop("time_s")), str(row.pop("device", ""))
        return Record(time_s, device, state, **{name: str(text) for name, text in row.items()})
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        place = Position(str(path), number)
        finding = Finding(
            "ZTP007", Severity.ERROR, "not a record of devices that start",
            "name the file that --boot-log wrote", position=place,
        )  # fmt: skip
        raise InputError("the log cannot be read", [finding]) from error


def states(records: Iterable[Record], devices: Iterable[str]) -> dict[str, State]:
    """Return how far each device is: a later start from the box begins anew."""
    reached = dict.fromkeys(devices, State.WAITING)
    for record in records:
        if record.device in reached and not record.refused:
            old = reached[record.device]
            begins = record.state is State.DISCOVERED and old > State.CONFIGURED
            reached[record.device] = record.state if begins else max(old, record.state)
    return reached
