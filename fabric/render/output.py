"""The output folder: artefacts and a manifest, replaced as a whole.

Everything is written into a new folder beside the old one, which is then exchanged for it in one
step: whoever looks, or whatever crashes, sees the old files or the new ones, never a mix. A
folder that holds anything that the last manifest does not vouch for is left alone.
"""

from __future__ import annotations

import ctypes
import errno
import hashlib
import json
import os
import shutil
import tempfile
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

from fabric.core.errors import OutputFolderError, RenderError
from fabric.core.steps import stage
from fabric.render.files import FILE_MODE, FOLDER_MODE, put, write_file

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from fabric.core.artefact import Artefact
    from fabric.render.files import Written

FileState: TypeAlias = Literal["added", "changed", "removed", "unchanged"]

MANIFEST = "manifest.json"
#: Goes up when a reader of the manifest must change.
MANIFEST_FORMAT = 1
_SHOWN = 5
_AT_FDCWD, _RENAME_EXCHANGE = -100, 2  # linux/fcntl.h, linux/fs.h


@dataclass(frozen=True)
class Staging:
    """A new folder that takes the place of the output folder in one step.

    Parameters
    ----------
    folder : Path
        Output folder.
    new : Path
        Folder beside it, for `put`.
    foreign : tuple of str
        Files in the output folder that are not ours, and are kept.
    digests : mapping
        SHA-256 of each file of the manifest that is there, unchanged.
    is_intact : bool
        Whether that is every file of the manifest.
    links : bool
        Whether files of the output folder may be linked.
    """

    folder: Path
    new: Path
    foreign: tuple[str, ...]
    digests: Mapping[str, str]
    is_intact: bool
    links: bool

    @property
    def old(self) -> Path | None:
        """Folder of the files that `put` may link."""
        return self.folder if self.links else None

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
        ordered = sorted(files, key=lambda file: file.path)
        _check_paths([file.path for file in ordered])
        manifest = manifest_text(ordered, extra or {})
        states = _states(_previous(self.folder), ordered)
        if self.foreign or not (self.is_intact and _has(self.folder, manifest)):
            write_file(self.new, MANIFEST, manifest, FILE_MODE)
            _keep(self.folder, self.new, self.foreign)
            _swap(self.new, self.folder)
        return states


@contextmanager
def staged(folder: Path, *, force: bool = False) -> Iterator[Staging]:
    """Yield a new folder for an output folder; it is gone afterwards unless it was finished.

    Parameters
    ----------
    folder : Path
        Output folder; made when absent.
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
        foreign, digests, is_intact = _inspect(folder, force=force)
        parent.mkdir(parents=True, exist_ok=True)
        new = Path(tempfile.mkdtemp(prefix=f".{folder.name}.", suffix=".new", dir=parent))
        new.chmod(FOLDER_MODE)
        links = not force and folder.is_dir()
        yield Staging(folder, new, tuple(foreign), digests, is_intact, links)
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
    _check_paths([artefact.path for artefact in ordered])
    with staged(folder, force=force) as staging:
        with stage("write"):
            files = put(staging.new, staging.old, ordered)
        return staging.finish(files, manifest_extra)


def _states(before: dict[str, str], files: list[Written]) -> dict[str, FileState]:
    states: dict[str, FileState] = dict.fromkeys(before, "removed")
    for file in files:
        old = before.get(file.path)
        same = old == file.sha256
        states[file.path] = "added" if old is None else "unchanged" if same else "changed"
    return states


def manifest_text(files: list[Written], extra: Mapping[str, Any]) -> bytes:
    """Return the manifest: what was written, with size and digest, and nothing of this run."""
    rows = [
        {
            "device": file.device,
            "platform": file.platform,
            "kind": file.kind,
            "path": file.path,
            "sha256": file.sha256,
            "bytes": file.size_bytes,
        }
        for file in files
    ]
    document = {"format": MANIFEST_FORMAT, **extra, "artefacts": rows}
    return (json.dumps(document, indent=2) + "\n").encode()


def _check_paths(paths: list[str]) -> None:
    """Refuse a path that is taken, as a file or as a folder."""
    taken = {MANIFEST}
    for path in paths:
        parents = {str(parent) for parent in PurePosixPath(path).parents}
        double = path if path in taken else next(iter(parents & taken), None)
        if double is not None:
            raise RenderError(f"{path}: conflicts with {double}, another artefact or the manifest")
        taken.add(path)


def _inspect(folder: Path, *, force: bool) -> tuple[list[str], dict[str, str], bool]:
    """Return the files that are not ours, ours that are unchanged, and whether all are.

    Files that are not ours, and changed ones, are refused, unless forced.
    """
    if folder.is_symlink():
        raise OutputFolderError(f"{folder} is a symbolic link; specify its target folder")
    if not folder.exists():
        return [], {}, False
    if not folder.is_dir():
        raise OutputFolderError(f"{folder} is not a folder; choose another output folder")
    digests = _previous(folder)
    missing = set(digests)
    foreign, changed = [], []
    for path in _entries(folder):
        missing.discard(path)
        if path not in digests:
            if path != MANIFEST or not digests:
                foreign.append(path)
        elif _digest(folder / path) != digests[path]:
            changed.append(path)
    if not force:
        _refuse(folder, "were not written by rocefab", foreign)
        _refuse(folder, "were modified after rocefab wrote them", changed)
    gone = missing.union(changed)
    intact = {path: digest for path, digest in digests.items() if path not in gone}
    return foreign, intact, len(intact) == len(digests)


def _refuse(folder: Path, what: str, paths: list[str]) -> None:
    if paths:
        shown = ", ".join(paths[:_SHOWN]) + (" ..." if len(paths) > _SHOWN else "")
        raise OutputFolderError(
            f"{folder}: {len(paths)} file(s) {what}: {shown}; use an empty folder, "
            "move them, or pass --force"
        )


def _previous(folder: Path) -> dict[str, str]:
    """Return path -> digest of the last run; empty when no readable manifest is there."""
    try:
        document = json.loads((folder / MANIFEST).read_bytes())
        return {row["path"]: row["sha256"] for row in document["artefacts"]}
    except (OSError, ValueError, KeyError, TypeError):
        return {}


def _entries(folder: Path) -> Iterator[str]:
    """Yield everything below the folder that is not a plain folder, links unfollowed, sorted."""
    for entry in sorted(os.scandir(folder), key=lambda item: item.name):
        if entry.is_dir(follow_symlinks=False):
            for inner in _entries(Path(entry.path)):
                yield f"{entry.name}/{inner}"
        else:
            yield entry.name


def _digest(path: Path) -> str:
    if path.is_symlink() or not path.is_file():
        return ""
    return hashlib.sha256(path.read_bytes()).hexdigest()


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


def _aside(folder: Path) -> Path:
    return folder.absolute().parent / f".{folder.name}.rocefab-old"


def _recover(folder: Path) -> None:
    """Finish what a crash between the two renames of ``_swap`` left undone."""
    aside = _aside(folder)
    if aside.is_dir() and not aside.is_symlink():
        if folder.exists():
            shutil.rmtree(aside)
        else:
            aside.rename(folder)
