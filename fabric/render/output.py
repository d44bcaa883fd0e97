"""The output folder: artefacts and a manifest, replaced as a whole.

Everything is written into a new folder beside the old one, which is then exchanged for it in one
step: whoever looks, or whatever crashes, sees the old files or the new ones, never a mix. In a
folder of many files only those that change are replaced, one by one, and the manifest last; the
next run completes what a crash left. A folder that holds anything that the last manifest does not
vouch for is left alone.
"""

from __future__ import annotations

import ctypes
import errno
import json
import os
import shutil
import tempfile
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from operator import attrgetter
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING, Any

from fabric.core.errors import OutputFolderError
from fabric.core.steps import stage
from fabric.render.files import FILE_MODE, FOLDER_MODE, Target, put, write_file
from fabric.render.index import Known
from fabric.render.inspection import Inspection, entries, inspect
from fabric.render.manifest import MANIFEST, FileState, check_paths, manifest_text, states_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from fabric.core.artefact import Artefact
    from fabric.render.index import Index
    from fabric.render.manifest import Written

#: Files from which on only those that change are replaced, our choice: a link for each file that
#: stays, and the removal of the old one, take a second for 40,000 files.
MANY_FILES = 10_000
#: In a folder of new files: the paths that are to be removed.
_REMOVED = "removed.json"
_AT_FDCWD, _RENAME_EXCHANGE = -100, 2  # linux/fcntl.h, linux/fs.h


@dataclass(frozen=True)
class Staging:
    """New files that take their place in the output folder in the end.

    Parameters
    ----------
    folder : Path
        Output folder.
    target : Target
        Folder beside it, for `put`.
    inspection : Inspection
        What the output folder holds.
    """

    folder: Path
    target: Target
    inspection: Inspection

    @stage("write")
    def finish(
        self, files: Iterable[Written], extra: Mapping[str, Any] | None = None
    ) -> dict[str, FileState]:
        """Make the output folder hold exactly the files that were put, and their manifest.

        Returns
        -------
        dict of str to {"added", "changed", "removed", "unchanged"}
            What became of each path, compared with the manifest of the last run.

        Raises
        ------
        RenderError
            When two of the files have one path.
        """
        ordered = sorted(files, key=attrgetter("path"))
        paths = [file.path for file in ordered]
        if paths != [*self.inspection.before]:  # those were checked when they were written
            check_paths(paths)
        manifest = manifest_text(ordered, extra or {})
        states = states_of(self.inspection.before, ordered)
        foreign = self.inspection.foreign
        if not foreign and self.inspection.is_intact and _has(self.folder, manifest):
            return states
        new = self.target.new
        write_file(new, MANIFEST, manifest, FILE_MODE)
        if self.target.stays:
            gone = [path for path, state in states.items() if state == "removed"]
            _replace(new, self.folder, gone)
        else:
            _keep(self.folder, new, foreign)
            _swap(new, self.folder)
        return states

    def known(self, states: Mapping[str, FileState]) -> Known:
        """Return what is still as the index of the last run has it, after `finish`.

        Parameters
        ----------
        states : mapping
            What became of each path.
        """
        if self.target.old is None:
            return Known()
        changed = [path for path, state in states.items() if state != "unchanged"]
        left = self.inspection.known.without(changed)
        return left if self.target.stays else Known(left.files)


@contextmanager
def staged(folder: Path, *, index: Index | None = None, force: bool = False) -> Iterator[Staging]:
    """Yield a new folder for an output folder; it is gone afterwards unless it was finished.

    Parameters
    ----------
    folder : Path
        Output folder; made when absent.
    index : Index, optional
        What its files were like after the last run, so that not all have to be read.
    force : bool
        Replace files that were changed by hand. Files that are not ours are kept then, except
        where an artefact has the same path.

    Raises
    ------
    OutputFolderError
        When the folder holds what the last run did not write, or cannot be written.
    """
    new, parent = None, folder.absolute().parent
    absent = [path for path in (parent, *parent.parents) if not path.exists()]
    try:
        _recover(folder)
        with stage("write"):
            inspection = inspect(folder, index, force=force)
        parent.mkdir(parents=True, exist_ok=True)
        new = Path(tempfile.mkdtemp(prefix=f".{folder.name}.", suffix=".new", dir=parent))
        new.chmod(FOLDER_MODE)
        old = folder if inspection.before and not force else None
        stays = old is not None and len(inspection.before) >= MANY_FILES
        yield Staging(folder, Target(new, old, stays=stays), inspection)
    except OSError as error:
        raise OutputFolderError(
            f"{folder} cannot be written: {error}; choose another output folder"
        ) from error
    finally:
        if new:
            shutil.rmtree(new, ignore_errors=True)
        with suppress(OSError):  # where something is in them, they stay
            for path in absent:
                path.rmdir()


def write(
    artefacts: Iterable[Artefact],
    folder: Path,
    *,
    force: bool = False,
    manifest_extra: Mapping[str, Any] | None = None,
) -> dict[str, FileState]:
    """Make a folder hold exactly these artefacts and their manifest, as `staged` says.

    Raises
    ------
    OutputFolderError
        When the folder holds what the last run did not write, or cannot be written.
    RenderError
        When two artefacts claim one path.
    """
    ordered = sorted(artefacts, key=lambda artefact: artefact.path)
    check_paths([artefact.path for artefact in ordered])
    with staged(folder, force=force) as staging:
        with stage("write"):
            files = put(staging.target, ordered)
        return staging.finish(files, manifest_extra)


def _replace(new: Path, folder: Path, gone: Sequence[str]) -> None:
    """Give each new file its place; from the rename on, the next run does what is left of it."""
    write_file(new, _REMOVED, json.dumps(gone).encode(), FILE_MODE)
    aside = _aside(folder, "new")
    new.rename(aside)
    _complete(aside, folder)


def _complete(aside: Path, folder: Path) -> None:
    """Move the files of a folder into another one, the manifest last, and remove others."""
    for path in json.loads((aside / _REMOVED).read_bytes()):
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


def _has(folder: Path, manifest: bytes) -> bool:
    try:
        return (folder / MANIFEST).read_bytes() == manifest
    except OSError:
        return False


def _keep(folder: Path, staging: Path, foreign: Iterable[str]) -> None:
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


def _swap(staging: Path, folder: Path) -> None:
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


def _recover(folder: Path) -> None:
    """Complete what a crash in ``_swap`` or ``_replace`` left undone."""
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
