"""What the files of an output folder were like when their digests were known.

A file that still has its size, time and place on the disk is not read again. What was written
shortly before the index was taken is read, as a later change may have the same time.
"""

from __future__ import annotations

import hashlib
import json
import os
import time
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING

from fabric.render.manifest import MANIFEST

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping
    from pathlib import Path

#: File systems keep times to 2 s (FAT) or better, and so do servers of network file systems.
_COARSEST_NS = 2_000_000_000


@dataclass(frozen=True)
class Index:
    """The files and folders of an output folder, all of them ours.

    Parameters
    ----------
    taken_ns : int
        When they were looked at, in ns since 1970.
    manifest : str
        SHA-256 of the manifest.
    digests : mapping
        SHA-256 of each file of the manifest, by path.
    files, folders : mapping
        Mode, size, time and place of each by path; of a folder its time and place alone.
    """

    taken_ns: int
    manifest: str
    digests: Mapping[str, str]
    files: Mapping[str, list[int]]
    folders: Mapping[str, list[int]]

    @classmethod
    def of(
        cls, folder: Path, digests: Mapping[str, str], known: Mapping[str, list[int]] | None = None
    ) -> Index:
        """Return the index of a folder that holds exactly these files and their manifest.

        Parameters
        ----------
        folder : Path
            The output folder.
        digests : mapping
            SHA-256 of each file of the manifest, by path.
        known : mapping, optional
            Files that are surely what an earlier index says of them.

        Raises
        ------
        OSError
            When one of them is not there.
        """
        taken_ns, base = time.time_ns(), str(folder)
        known = known or {}
        files = {path: known.get(path) or _file(f"{base}/{path}") for path in digests}
        folders = {path: _folder(f"{base}/{path}") for path in _parents(digests)}
        return cls(taken_ns, _manifest(folder), digests, files, folders)

    def to_bytes(self) -> bytes:
        """Return the index as it is kept."""
        parts = [self.taken_ns, self.manifest, self.digests, self.files, self.folders]
        return json.dumps(parts).encode()

    @classmethod
    def from_bytes(cls, content: bytes) -> Index:
        """Return an index that was kept."""
        return cls(*json.loads(content))

    def describes(self, folder: Path) -> bool:
        """Tell whether no other run changed the folder."""
        try:
            return _manifest(folder) == self.manifest
        except OSError:
            return False

    def same_files(self, folder: Path) -> dict[str, list[int]]:
        """Return the files that are surely what they were."""
        same, base = {}, str(folder)
        for path, before in self.files.items():
            with suppress(OSError):  # it is gone
                if self._is_old(before[2]) and _file(f"{base}/{path}") == before:
                    same[path] = before
        return same

    def changed_folders(self, folder: str) -> Iterator[str]:
        """Yield the folders in which a file or folder may have come or gone."""
        for path, before in self.folders.items():
            try:
                if _folder(f"{folder}/{path}") != before or not self._is_old(before[0]):
                    yield path
            except OSError:
                continue  # its files are missing

    def _is_old(self, mtime_ns: int) -> bool:
        return mtime_ns < self.taken_ns - _COARSEST_NS


def _manifest(folder: Path) -> str:
    return hashlib.sha256((folder / MANIFEST).read_bytes()).hexdigest()


def _file(path: str) -> list[int]:
    state = os.lstat(path)
    return [state.st_mode, state.st_size, state.st_mtime_ns, state.st_ino]


def _folder(path: str) -> list[int]:
    state = os.lstat(path)
    return [state.st_mtime_ns, state.st_ino]


def _parents(paths: Iterable[str]) -> Iterable[str]:
    """Return the folders of some files, with "" for the folder that they are all in."""
    known = {"": None}
    for path in paths:
        parent = path.rpartition("/")[0]
        while parent not in known:
            known[parent] = None
            parent = parent.rpartition("/")[0]
    return known
