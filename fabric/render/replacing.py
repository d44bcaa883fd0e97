"""How new files take the place of old ones: a whole folder in one step, or file by file."""

from __future__ import annotations

import ctypes
import errno
import fcntl
import json
import os
import shutil
import tempfile
from contextlib import contextmanager, suppress
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING

from fabric.core.artefact import is_plain_path
from fabric.core.errors import OutputFolderError
from fabric.core.file_kinds import FileKind
from fabric.core.user_files import read_json
from fabric.render.files import FILE_MODE, FOLDER_MODE, write_file
from fabric.render.inspection import entries
from fabric.render.manifest import MANIFEST

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

#: In a folder of new files: the paths that are to be removed.
_REMOVED = "removed.json"
_STAGED = ".new"
_AT_FDCWD, _RENAME_EXCHANGE = -100, 2  # linux/fcntl.h, linux/fs.h


@contextmanager
def beside(folder: Path) -> Iterator[Path]:
    """Yield a new folder next to an output folder, on the same file system; it is gone afterwards.

    A run locks its own, so that the next run removes what a killed one left, and no other.
    """
    parent, prefix = folder.absolute().parent, f".{folder.name}.rocefab-"
    for path in parent.iterdir():
        if path.name.startswith(prefix) and path.name.endswith(_STAGED):
            with suppress(OSError):  # a run that is in progress has the lock
                os.close(_locked(path))
                shutil.rmtree(path)
    new, lock = Path(tempfile.mkdtemp(prefix=prefix, suffix=_STAGED, dir=parent)), None
    try:
        with suppress(OSError):  # a file system without locks: it stays when this run is killed
            lock = _locked(new)
        new.chmod(FOLDER_MODE)
        yield new
    finally:
        shutil.rmtree(new, ignore_errors=True)
        if lock is not None:
            os.close(lock)


def _locked(folder: Path) -> int:
    file = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        os.close(file)
        raise
    return file


def replace_files(new: Path, folder: Path, gone: Sequence[str]) -> None:
    """Give each new file its place; from the rename on, the next run does what is left of it."""
    write_file(new, _REMOVED, json.dumps(gone).encode(), FILE_MODE)
    aside = _aside(folder, "new")
    new.rename(aside)
    _complete(aside, folder)


def _complete(aside: Path, folder: Path) -> None:
    """Move the files of a folder into another one, the manifest last, and remove others."""
    gone = read_json(aside / _REMOVED, FileKind.MANIFEST, follow=False)
    if not isinstance(gone, list) or not all(map(is_plain_path, gone)):
        raise OutputFolderError(f"{aside} was not written by rocefab; remove it")
    for path in gone:
        (folder / path).unlink(missing_ok=True)
        with suppress(OSError):  # where something is in them, they stay
            for parent in PurePosixPath(path).parents[:-1]:
                (folder / parent).rmdir()
    for path in entries(aside):
        if path not in {_REMOVED, MANIFEST}:
            for parent in reversed(PurePosixPath(path).parents[:-1]):
                if not (folder / parent).is_dir():
                    (folder / parent).mkdir()
                    (folder / parent).chmod(FOLDER_MODE)
            (aside / path).replace(folder / path)
    (aside / MANIFEST).replace(folder / MANIFEST)
    shutil.rmtree(aside)


def keep(folder: Path, staging: Path, foreign: Iterable[str]) -> None:
    """Copy what is not ours, unless an artefact stands in its place."""
    for path in foreign:
        target = staging / path
        if any(
            parent.exists() and not parent.is_dir()
            for parent in (staging / inner for inner in PurePosixPath(path).parents)
        ):
            continue
        if not target.exists():
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(folder / path, target, follow_symlinks=False)


def swap(staging: Path, folder: Path) -> None:
    """Put the new folder in the place of the old one, which is left under the new one's name."""
    if not folder.exists():
        staging.rename(folder)
        return
    try:
        _exchange(staging, folder)
    except (OSError, AttributeError):
        aside = _aside(folder)
        folder.rename(aside)
        staging.rename(folder)
        shutil.rmtree(aside, ignore_errors=True)


def _exchange(one: Path, other: Path) -> None:
    """Exchange two folders in one step (Linux ``renameat2``)."""
    libc = ctypes.CDLL(None, use_errno=True)
    result = libc.renameat2(
        _AT_FDCWD, os.fsencode(one), _AT_FDCWD, os.fsencode(other), _RENAME_EXCHANGE
    )
    if result != 0:
        number = ctypes.get_errno() or errno.EINVAL
        raise OSError(number, os.strerror(number))


def _aside(folder: Path, kind: str = "old") -> Path:
    return folder.absolute().parent / f".{folder.name}.rocefab-{kind}"


def recover(folder: Path) -> None:
    """Complete what a crash in ``swap`` or ``replace_files`` left undone."""
    aside, new = _aside(folder), _aside(folder, "new")
    if aside.is_dir() and not aside.is_symlink():
        if folder.exists():
            shutil.rmtree(aside)
        else:
            aside.rename(folder)
    if new.is_dir() and not new.is_symlink():
        if (new / MANIFEST).exists() and folder.is_dir():
            _complete(new, folder)
        else:
            shutil.rmtree(new)
