"""What the files of an output folder were like when their digests were known.

A file that still has its size, time and place on the disk is not read again. What was written
shortly before the index was taken is read, as a later change may have the same time.
"""

from __future__ import annotations

import hashlib
import json
import time
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any

from fabric.core.errors import FileError
from fabric.core.file_kinds import FileKind
from fabric.core.user_files import read_bytes
from fabric.render.changes import Changes, disk_state, folders_above
from fabric.render.manifest import MANIFEST, Written

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence
    from pathlib import Path

    from fabric.render.changes import DiskState

#: Goes up when the bytes of an index change their meaning.
INDEX_FORMAT = 1
#: File systems that keep whole seconds keep times to 2 s (FAT) or better.
_COARSEST_NS = 2_000_000_000
#: The clock of others goes on with each tick of the kernel, at least 100 times a second (Linux
#: Documentation/filesystems/multigrain-ts.rst; CONFIG_HZ); ten ticks are our choice.
_TICKS_NS = 100_000_000
_NS_PER_S = 1_000_000_000
_MTIME_NS = 2
#: An index is kept whole where more than one of so many files changed, our choice.
_FEW = 16


@dataclass(frozen=True)
class Index:
    """The files and folders of an output folder, all of them ours.

    Parameters
    ----------
    taken_ns : int
        When they were looked at, in ns since 1970.
    manifest : str
        SHA-256 of the manifest.
    files : sequence of Written
        The files of the manifest, in its order.
    states : sequence of DiskState
        The state of each.
    folders : mapping
        The state of each folder, by path; "" is the output folder.
    sources : mapping
        The digest of what the files of a device follow from, by device, where it is known.
    base : Index, optional
        The one that is kept whole, where this one is kept as what has changed since.
    changes : Changes, optional
        What has.
    """

    taken_ns: int
    manifest: str
    files: Sequence[Written]
    states: Sequence[DiskState]
    folders: Mapping[str, DiskState]
    sources: Mapping[str, str] = field(default_factory=dict)
    base: Index | None = field(default=None, compare=False)
    changes: Changes | None = field(default=None, compare=False)

    @classmethod
    def of(
        cls, folder: Path, files: Sequence[Written], sources: Mapping[str, str], known: Known
    ) -> Index:
        """Return the index of a folder that holds exactly these files and their manifest.

        Parameters
        ----------
        files : sequence of Written
            The files of the manifest, in its order.
        sources : mapping
            The digest of what the files of a device follow from, by device.
        known : Known
            What is surely as an earlier index has it.

        Raises
        ------
        OSError
            When one of them is not there.
        """
        taken_ns, base = time.time_ns(), f"{folder}/"
        states = [known.files.get(file.path) or disk_state(base + file.path) for file in files]
        above = folders_above([*(file.path for file in files), *known.folders])
        folders = {
            path: known.folders.get(path) or disk_state(base + path)
            for path in sorted(above | known.folders.keys())
        }
        return cls(taken_ns, _manifest(folder), files, states, folders, sources)

    def to_bytes(self) -> bytes:
        """Return the index as it is kept: in columns, which are read several times faster."""
        head = [self.taken_ns, self.manifest, self.sources]
        folders = [[*self.folders], *zip(*self.folders.values(), strict=True)]
        tables = [[*zip(*table, strict=True)] for table in (self.files, self.states)]
        return json.dumps([head, *tables, folders]).encode()

    @classmethod
    def from_bytes(cls, content: bytes) -> Index:
        """Return an index that was kept."""
        (taken_ns, manifest, sources), rows, states, (paths, *columns) = json.loads(content)
        files = [*map(Written._make, zip(*rows, strict=True))]
        folders = dict(zip(paths, _rows(columns), strict=True))
        return cls(taken_ns, manifest, files, [*_rows(states)], folders, sources)

    def with_changes(self, changes: Changes) -> Index:
        """Return the index that follows from this one and what has changed since."""
        pairs = [
            changes.files.get(file.path) or (file, state)
            for file, state in zip(self.files, self.states, strict=True)
        ]
        return Index(
            changes.taken_ns,
            changes.manifest,
            [file for file, _ in pairs],
            [state for _, state in pairs],
            {**self.folders, **changes.folders},
            {**self.sources, **changes.sources},
            base=self,
            changes=changes,
        )

    def changes_now(
        self, folder: Path, files: Mapping[str, Written], sources: Mapping[str, str], known: Known
    ) -> Changes | None:
        """Return how the folder, which has the same files, differs from the index kept whole.

        None where more than a few files changed, devices came or went, or a folder is gone.

        Parameters
        ----------
        files : mapping
            What the manifest has of files that changed, by path.
        sources : mapping
            The digest of what the files of a device follow from, by device.
        known : Known
            What is surely as this index has it.
        """
        whole, taken_ns, base = self.base or self, time.time_ns(), f"{folder}/"
        earlier = self.changes or Changes(0, "", {}, {}, {})
        unsure = {file.path: file for file in self.files if file.path not in known.files}
        now = {**unsure, **files}
        if (
            len(now.keys() | earlier.files.keys()) > len(self.files) // _FEW
            or sources.keys() != whole.sources.keys()
        ):
            return None
        paths = folders_above(files) | (self.folders.keys() - known.folders.keys())
        try:
            states = {path: (file, disk_state(base + path)) for path, file in now.items()}
            folders = {path: disk_state(base + path) for path in paths}
        except OSError:
            return None
        return Changes(
            taken_ns,
            _manifest(folder),
            {**earlier.files, **states},
            {**earlier.folders, **folders},
            {name: source for name, source in sources.items() if whole.sources[name] != source},
        )

    @cached_property
    def digests(self) -> dict[str, str]:
        """SHA-256 of each file of the manifest, by path."""
        return {file.path: file.sha256 for file in self.files}

    def describes(self, folder: Path) -> bool:
        """Tell whether no other run changed the folder."""
        try:
            return _manifest(folder) == self.manifest
        except FileError:
            return False

    def known(self, folder: Path) -> Known:
        """Return the files and folders that are surely what they were."""
        base = f"{folder}/"
        paths = (file.path for file in self.files)
        files = self._same(base, zip(paths, self.states, strict=True))
        return Known(dict(files), dict(self._same(base, self.folders.items())))

    def _same(
        self, base: str, states: Iterable[tuple[str, DiskState]]
    ) -> Iterator[tuple[str, DiskState]]:
        tick_ns, second_ns = self.taken_ns - _TICKS_NS, self.taken_ns - _COARSEST_NS
        for path, state in states:
            mtime_ns = state[_MTIME_NS]
            if mtime_ns >= second_ns and (mtime_ns >= tick_ns or mtime_ns % _NS_PER_S == 0):
                continue  # a change after the index was taken may have the same time
            try:
                if disk_state(base + path) == state:
                    yield path, state
            except OSError:
                continue  # it is gone

    def unchanged(self, sources: Mapping[str, str]) -> dict[str, list[Written]]:
        """Return the files of devices that still follow from the same, by device."""
        same: dict[str, list[Written]] = {
            device: [] for device, source in self.sources.items() if sources.get(device) == source
        }
        for file in self.files:
            if file.device in same:
                same[file.device].append(file)
        return same


@dataclass(frozen=True)
class Known:
    """Files and folders, by path, that are surely what an index says of them."""

    files: Mapping[str, DiskState] = field(default_factory=dict)
    folders: Mapping[str, DiskState] = field(default_factory=dict)

    def without(self, paths: Sequence[str]) -> Known:
        """Return what is still known after the files with these paths were put or removed."""
        files, folders = dict(self.files), dict(self.folders)
        for path in paths:
            files.pop(path, None)
        for folder in folders_above(paths):  # the manifest is in the output folder
            folders.pop(folder, None)
        return Known(files, folders)


def _manifest(folder: Path) -> str:
    return hashlib.sha256(read_bytes(folder / MANIFEST, FileKind.MANIFEST)).hexdigest()


def _rows(columns: Sequence[Any]) -> Iterator[DiskState]:
    return zip(*columns, strict=True)
