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
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

from fabric.core.errors import OutputFolderError, RenderError
from fabric.core.steps import stage

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from fabric.core.artefact import Artefact

FileState: TypeAlias = Literal["added", "changed", "removed", "unchanged"]

MANIFEST = "manifest.json"
#: Goes up when a reader of the manifest must change.
MANIFEST_FORMAT = 1
_FILE_MODE, _EXECUTABLE_MODE, _FOLDER_MODE = 0o644, 0o755, 0o755
_SHOWN = 5
_AT_FDCWD, _RENAME_EXCHANGE = -100, 2  # linux/fcntl.h, linux/fs.h


@stage("write")
def write(
    artefacts: Iterable[Artefact],
    folder: Path,
    *,
    force: bool = False,
    manifest_extra: Mapping[str, Any] | None = None,
) -> dict[str, FileState]:
    """Make a folder hold exactly these artefacts and their manifest.

    Parameters
    ----------
    artefacts : iterable of Artefact
        The files; those of an earlier run that are not among them are removed.
    folder : Path
        Output folder; made when absent.
    force : bool
        Replace files that were changed by hand. Files that are not ours are kept then, except
        where an artefact has the same path.
    manifest_extra : mapping, optional
        Further members of the manifest; must not hold what differs between equal runs.

    Returns
    -------
    dict of str to {"added", "changed", "removed", "unchanged"}
        What became of each path, compared with the manifest of the last run.

    Raises
    ------
    OutputFolderError
        When the folder holds what the last run did not write, or cannot be written.
    RenderError
        When two artefacts claim one path.
    """
    ordered = sorted(artefacts, key=lambda artefact: artefact.path)
    _check_paths([artefact.path for artefact in ordered])
    manifest = manifest_text(ordered, manifest_extra or {})
    try:
        _recover(folder)
        foreign = _inspect(folder, force=force)
        states = _states(_previous(folder), ordered)
        if foreign or not _is_current(folder, manifest):
            _replace(ordered, manifest, folder, foreign)
    except OSError as error:
        raise OutputFolderError(
            f"{folder} cannot be written: {error}; choose another output folder"
        ) from error
    return states


def _states(before: dict[str, str], artefacts: list[Artefact]) -> dict[str, FileState]:
    states: dict[str, FileState] = dict.fromkeys(before, "removed")
    for artefact in artefacts:
        old = before.get(artefact.path)
        same = old == artefact.sha256
        states[artefact.path] = "added" if old is None else "unchanged" if same else "changed"
    return states


def manifest_text(artefacts: list[Artefact], extra: Mapping[str, Any]) -> bytes:
    """Return the manifest: what was written, with size and digest, and nothing of this run."""
    rows = [
        {
            "device": artefact.device,
            "platform": artefact.platform,
            "kind": artefact.kind,
            "path": artefact.path,
            "sha256": artefact.sha256,
            "bytes": len(artefact.content),
        }
        for artefact in artefacts
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


def _inspect(folder: Path, *, force: bool) -> list[str]:
    """Return the files that are not ours; refuse them, and changed ones, unless forced."""
    if folder.is_symlink():
        raise OutputFolderError(f"{folder} is a symbolic link; specify its target folder")
    if not folder.exists():
        return []
    if not folder.is_dir():
        raise OutputFolderError(f"{folder} is not a folder; choose another output folder")
    digests = _previous(folder)
    foreign, changed = [], []
    for path in _entries(folder):
        if path not in digests:
            if path != MANIFEST or not digests:
                foreign.append(path)
        elif _digest(folder / path) != digests[path]:
            changed.append(path)
    if not force:
        _refuse(folder, "were not written by rocefab", foreign)
        _refuse(folder, "were modified after rocefab wrote them", changed)
    return foreign


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


def _is_current(folder: Path, manifest: bytes) -> bool:
    """Say whether nothing would change; ``_inspect`` or this looks at every file."""
    try:
        if (folder / MANIFEST).read_bytes() != manifest:
            return False
    except OSError:
        return False
    previous = _previous(folder)
    return all(_digest(folder / path) == digest for path, digest in previous.items())


def _replace(artefacts: list[Artefact], manifest: bytes, folder: Path, foreign: list[str]) -> None:
    parent = folder.absolute().parent
    parent.mkdir(parents=True, exist_ok=True)
    staging = Path(tempfile.mkdtemp(prefix=f".{folder.name}.", suffix=".new", dir=parent))
    try:
        staging.chmod(_FOLDER_MODE)
        for artefact in artefacts:
            mode = _EXECUTABLE_MODE if artefact.executable else _FILE_MODE
            _write_file(staging, artefact.path, artefact.content, mode)
        _write_file(staging, MANIFEST, manifest, _FILE_MODE)
        _keep(folder, staging, foreign)
        _swap(staging, folder)
    finally:
        shutil.rmtree(staging, ignore_errors=True)


def _write_file(folder: Path, path: str, content: bytes, mode: int) -> None:
    target = folder
    for part in PurePosixPath(path).parts[:-1]:
        target /= part
        if not target.is_dir():
            target.mkdir()
            target.chmod(_FOLDER_MODE)
    target /= PurePosixPath(path).name
    target.write_bytes(content)
    target.chmod(mode)


def _keep(folder: Path, staging: Path, foreign: list[str]) -> None:
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
