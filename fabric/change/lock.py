"""The lock of a state folder, and who holds it."""

from __future__ import annotations

import fcntl
import json
import os
import socket
import stat
import time
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING

from fabric.change.actor import user
from fabric.core.clock import clock
from fabric.core.errors import FileError, JournalError
from fabric.core.file_kinds import FileKind
from fabric.core.json_text import parse_json
from fabric.core.user_files import read_json

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

_LONGEST = 1000


@dataclass(frozen=True)
class Holder:
    """The process that holds a lock, which says so in its file.

    Parameters
    ----------
    handle : int
        The locked file.
    since : str
        When it was locked.
    """

    handle: int
    since: str

    def write(self, run: int | None) -> None:
        """Write down who holds the lock, and for which run."""
        text = json.dumps({
            "user": user(),
            "host": socket.gethostname(),
            "pid": os.getpid(),
            "run": run,
            "since": self.since,
        })
        os.ftruncate(self.handle, 0)
        os.pwrite(self.handle, text.encode(), 0)


@contextmanager
def held(path: Path, run: int | None) -> Iterator[Holder]:
    """Hold the lock of a file, which follows no link.

    Raises
    ------
    JournalError
        When another process holds it, or the file cannot be used.
    """
    try:
        handle = os.open(path, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)
    except OSError as error:
        raise JournalError(f"the journal cannot be locked: {error}") from error
    try:
        if not stat.S_ISREG(os.fstat(handle).st_mode):
            raise JournalError(f"the journal cannot be locked: {path} is not a regular file")
        _lock(handle)
        holder = Holder(handle, clock(time.time()))
        holder.write(run)
        try:
            yield holder
        finally:
            os.ftruncate(handle, 0)  # a process that lives on holds it no more
    finally:
        os.close(handle)


def _lock(handle: int) -> None:
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError as error:
        raise JournalError(
            f"another run is in progress in this state folder: {_said(handle)}; wait until it ends"
        ) from error


def _said(handle: int) -> str:
    """Return who holds the lock, as far as its file tells."""
    try:
        data = parse_json(os.pread(handle, _LONGEST, 0))
        run = "a run that is starting" if data["run"] is None else f"run {int(data['run'])}"
        owner = (
            f"{run} of {data['user']} on {data['host']}, process {int(data['pid'])}, "
            f"since {data['since']}"
        )
    except (OSError, ValueError, KeyError, TypeError):
        return "owner unknown"
    return owner if owner.isprintable() else "owner unknown"


def run_of_holder(path: Path) -> int | None:
    """Return the run that a process of this machine holds the lock for; None where none does.

    The lock is not touched, so that a run that begins at this moment gets it.
    """
    try:
        data = read_json(path, FileKind.NOTE)
        own = data["host"] == socket.gethostname()
        return int(data["run"]) if own and _lives(int(data["pid"])) else None
    except (FileError, ValueError, KeyError, TypeError):
        return None


def is_at_work(folder: Path, run: int, host: str) -> bool | None:
    """Tell whether a process works on a run of a state folder that has not ended.

    Parameters
    ----------
    host : str
        Where its newest row in the journal was written.

    Returns
    -------
    bool or None
        False: it was interrupted; None: that cannot be told here, as it is a run of another host.
    """
    if run_of_holder(folder / "lock") == run:
        return True
    return False if host == socket.gethostname() else None


def _lives(process: int) -> bool:
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return process > 0
