"""States of devices from before a run, kept in files that the owner alone can read."""

from __future__ import annotations

import hashlib
import sqlite3
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING

from fabric.core.errors import JournalError
from fabric.core.file_kinds import FileKind
from fabric.core.files import write_whole
from fabric.core.user_files import read_bytes, read_text

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from fabric.change.remote import Remote

_STATE_KEYS = {"config", "canonical", "files", "kernel"}


@dataclass(frozen=True)
class KeptStates:
    """The kept states of a journal.

    Parameters
    ----------
    remote : Remote or None
        The server that has them, where the folder is a copy.
    then : callable
        As of `journal_errors`.
    """

    folder: Path
    remote: Remote | None
    then: Callable[[], str]

    def path(self, run: int, device: str) -> Path:
        """Return the file of a state."""
        return self.folder / "runs" / str(run) / f"{device}.before.json"

    def write(self, run: int, device: str, text: str) -> None:
        """Keep a state."""
        if self.remote:
            self.remote.push_state(run, device, text)
        self._write(run, device, text)

    def read(self, run: int, device: str) -> str:
        """Return a state as it was written.

        Raises
        ------
        FileError
            When it cannot be read.
        """
        self._fetch(run, device)
        return read_text(self.path(run, device), FileKind.SAVED_STATE)

    def has(self, run: int, device: str) -> bool:
        """Tell whether a state was kept."""
        self._fetch(run, device)
        return self.path(run, device).exists()

    def digest(self, run: int, device: str) -> str:
        """Return the SHA-256 of a state, of the server's where there is one.

        Raises
        ------
        FileError
            When it cannot be read.
        """
        self._fetch(run, device, always=True)
        content = read_bytes(self.path(run, device), FileKind.SAVED_STATE)
        return hashlib.sha256(content).hexdigest()

    def _fetch(self, run: int, device: str, *, always: bool = False) -> None:
        """Get a state that another machine kept, or always the one of the server."""
        if self.remote and (always or not self.path(run, device).exists()):
            text = self.remote.state(run, device)
            if text is not None:
                self._write(run, device, text)

    def _write(self, run: int, device: str, text: str) -> None:
        path = self.path(run, device)
        with journal_errors("written", self.then):
            for folder in (path.parent.parent, path.parent):
                folder.mkdir(exist_ok=True, mode=0o700)
            write_whole(path, text.encode(), 0o600)


def is_state(data: object) -> bool:
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
def journal_errors(what: str, then: Callable[[], str]) -> Iterator[None]:
    """Turn a full disk, a missing right or a broken file into an error of ours.

    Parameters
    ----------
    then : callable
        Returns what becomes of the run that is under way.
    """
    try:
        yield
    except (sqlite3.Error, OSError) as error:
        raise JournalError(f"the journal cannot be {what}: {error}{then()}") from error
