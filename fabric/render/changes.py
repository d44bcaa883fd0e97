"""What changed in an output folder since its index was kept whole."""

from __future__ import annotations

import json
import os
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

from fabric.render.manifest import Written

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

#: Mode, size in bytes, time of the last change in ns, and place; none of a file that is gone.
DiskState: TypeAlias = tuple[int, ...]

_PATH = Written._fields.index("path")


class Changes(NamedTuple):
    """What an index has other than the one that is kept whole, and what it has besides.

    Parameters
    ----------
    taken_ns : int
        When the folder was looked at, in ns since 1970.
    manifest : str
        SHA-256 of the manifest.
    files : mapping
        What the manifest has of a file, and its state, by path.
    folders : mapping
        The state of each folder, by path.
    sources : mapping
        The digest of what the files of a device follow from, by device.
    """

    taken_ns: int
    manifest: str
    files: Mapping[str, tuple[Written, DiskState]]
    folders: Mapping[str, DiskState]
    sources: Mapping[str, str]

    def to_bytes(self) -> bytes:
        """Return the changes as they are kept."""
        return json.dumps([*self[:2], [*self.files.values()], *self[3:]]).encode()

    @classmethod
    def from_bytes(cls, content: bytes) -> Changes:
        """Return changes that were kept."""
        taken_ns, manifest, rows, folders, sources = json.loads(content)
        files = {row[_PATH]: (Written._make(row), tuple(state)) for row, state in rows}
        states = {path: tuple(state) for path, state in folders.items()}
        return cls(taken_ns, manifest, files, states, sources)


def disk_state(path: str) -> DiskState:
    """Return the state of a file or folder.

    Raises
    ------
    OSError
        When there is none.
    """
    state = os.lstat(path)
    return state.st_mode, state.st_size, state.st_mtime_ns, state.st_ino


def folders_above(paths: Iterable[str]) -> set[str]:
    """Return the folders that files are in; "" is the output folder."""
    folders = {""}
    for path in paths:
        parent = path.rpartition("/")[0]
        while parent not in folders:
            folders.add(parent)
            parent = parent.rpartition("/")[0]
    return folders
