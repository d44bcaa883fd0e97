"""What an output folder holds: files of the last run, changed ones, and files of others."""

from __future__ import annotations

import hashlib
import os
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from fabric.core.errors import FileError, OutputFolderError
from fabric.core.file_kinds import FileKind
from fabric.core.user_files import read_bytes
from fabric.render.index import Known
from fabric.render.manifest import MANIFEST, digests_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from fabric.render.index import Index

_SHOWN = 5


@dataclass(frozen=True)
class Inspection:
    """What is in an output folder.

    Parameters
    ----------
    before : mapping
        SHA-256 by path, as the manifest of the last run has it.
    intact : mapping
        The same of the files that are still so.
    foreign : sequence of str
        Files that are not ours.
    index : Index or None
        What the folder was like after the last run, where that is known.
    known : Known
        What of it is surely so still.
    """

    before: Mapping[str, str] = field(default_factory=dict)
    intact: Mapping[str, str] = field(default_factory=dict)
    foreign: Sequence[str] = ()
    index: Index | None = field(default=None, compare=False)
    known: Known = field(default_factory=Known, compare=False)

    @property
    def is_intact(self) -> bool:
        """Whether every file of the manifest is there, unchanged."""
        return len(self.intact) == len(self.before)

    @property
    def is_known(self) -> bool:
        """Whether all of it is surely what the index says."""
        index, known = self.index, self.known
        return index is not None and (len(known.files), len(known.folders)) == (
            len(index.files),
            len(index.folders),
        )


def inspect(folder: Path, index: Index | None = None, *, force: bool = False) -> Inspection:
    """Return what an output folder holds.

    Parameters
    ----------
    index : Index, optional
        What it was like after the last run, so that not all files have to be read.
    force : bool
        Take files that are not ours, and changed ones.

    Raises
    ------
    OutputFolderError
        When there are such files, or it is no folder.
    """
    if folder.is_symlink():
        raise OutputFolderError(f"{folder} is a symbolic link; specify its target folder")
    if not folder.exists():
        return Inspection()
    if not folder.is_dir():
        raise OutputFolderError(f"{folder} is not a folder; choose another output folder")
    if index and not index.describes(folder):
        index = None
    before = index.digests if index else digests_of(folder)
    known = index.known(folder) if index else Known()
    strangers = _strangers(folder, index, known) if index else _others(folder, before)
    foreign = list(strangers)
    intact, changed = _compared(folder, before, known.files)
    if not force:
        _refuse(folder, "were not written by rocefab", foreign)
        _refuse(folder, "were modified after rocefab wrote them", changed)
    return Inspection(before, intact, foreign, index, known)


def _compared(
    folder: Path, before: Mapping[str, str], unread: Mapping[str, object]
) -> tuple[Mapping[str, str], list[str]]:
    """Return the files that are what they were, and the paths of those that are not."""
    if len(unread) == len(before):
        return before, []
    intact, changed, base = {}, [], str(folder)
    for path, digest in before.items():
        try:
            if path in unread or _digest(f"{base}/{path}") == digest:
                intact[path] = digest
            else:
                changed.append(path)
        except FileNotFoundError:
            continue  # it is gone
    return intact, changed


def _others(folder: Path, before: Mapping[str, str]) -> Iterator[str]:
    """Yield the files that are not ours, of a whole folder."""
    for path in entries(folder):
        if path not in before and (path != MANIFEST or not before):
            yield path


def _strangers(folder: Path, index: Index, known: Known) -> Iterator[str]:
    """Yield the files that are not ours, of folders in which one may have come."""
    for parent in (path for path in index.folders if path not in known.folders):
        for entry in _inside(folder / parent):
            path = f"{parent}/{entry.name}" if parent else entry.name
            if entry.is_dir(follow_symlinks=False):
                if path not in index.folders:
                    yield from (f"{path}/{inner}" for inner in entries(Path(entry.path)))
            elif path not in index.digests and path != MANIFEST:
                yield path


def _refuse(folder: Path, what: str, paths: Sequence[str]) -> None:
    if paths:
        shown = ", ".join(paths[:_SHOWN]) + (" ..." if len(paths) > _SHOWN else "")
        raise OutputFolderError(
            f"{folder}: {len(paths)} file(s) {what}: {shown}; use an empty folder, "
            "move them, or pass --force"
        )


def entries(folder: Path) -> Iterator[str]:
    """Yield everything below a folder that is not a plain folder, links unfollowed, sorted."""
    for entry in _inside(folder):
        if entry.is_dir(follow_symlinks=False):
            for inner in entries(Path(entry.path)):
                yield f"{entry.name}/{inner}"
        else:
            yield entry.name


def _inside(folder: Path) -> list[os.DirEntry[str]]:
    """Return what is in a folder, sorted; nothing where it is none, or a link."""
    if folder.is_symlink() or not folder.is_dir():
        return []
    return sorted(os.scandir(folder), key=lambda item: item.name)


def _digest(path: str) -> str:
    file = Path(path)
    if file.is_symlink():
        return ""
    if file.is_dir():
        raise FileNotFoundError(path)
    try:
        return hashlib.sha256(read_bytes(file, FileKind.RENDERED)).hexdigest()
    except FileError as error:
        if error.fault == "missing":
            raise FileNotFoundError(path) from error
        return ""  # rocefab has not written it
