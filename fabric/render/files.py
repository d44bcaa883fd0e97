"""The files of artefacts below a new folder, written by whichever process makes them."""

from __future__ import annotations

import os
import stat
from contextlib import suppress
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING

from fabric.render.manifest import Written, written

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from fabric.core.artefact import Artefact
    from fabric.render.inspection import Inspection

FILE_MODE, FOLDER_MODE = 0o644, 0o755
_EXECUTABLE_MODE = 0o755


@dataclass(frozen=True)
class Target:
    """Where files go.

    Parameters
    ----------
    old : Path or None
        Folder of an earlier run.
    stays : bool
        Whether a file that is equal in the old folder stays there, in place of a link in the new.
    """

    new: Path
    old: Path | None
    stays: bool = False


def put(target: Target, artefacts: Iterable[Artefact]) -> list[Written]:
    """Write files below a new folder, in whichever process this is called."""
    return [_put(target, artefact) for artefact in artefacts]


def _put(target: Target, artefact: Artefact) -> Written:
    mode = _mode(artefact.executable)
    if not _taken(target, artefact, mode):
        write_file(target.new, artefact.path, artefact.content, mode)
    return written(artefact)


def _mode(executable: bool) -> int:  # noqa: FBT001 - of one field
    return _EXECUTABLE_MODE if executable else FILE_MODE


def _taken(target: Target, artefact: Artefact, mode: int) -> bool:
    """Take over a file of an earlier run that is equal; say whether there was one."""
    if target.old is None:
        return False
    source = f"{target.old}/{artefact.path}"
    try:
        if not _is_plain(source, len(artefact.content), mode):
            return False
        if Path(source).read_bytes() != artefact.content:
            return False
        if not target.stays:
            os.link(source, _made(target.new, artefact.path))
    except OSError:
        return False
    return True


def _is_plain(path: str, size_bytes: int, mode: int) -> bool:
    """Tell whether a path is a file of a size and a mode."""
    state = os.lstat(path)
    return (
        stat.S_IFMT(state.st_mode) == stat.S_IFREG
        and stat.S_IMODE(state.st_mode) == mode
        and state.st_size == size_bytes
    )


def put_again(target: Target, last: Inspection, files: Sequence[Written]) -> bool:
    """Take over files of an earlier run, all or none; say whether it was done.

    Parameters
    ----------
    last : Inspection
        What the folder of the earlier run holds.
    files : sequence of Written
        What they must be.
    """
    if target.old is None:
        return False
    try:
        for file in files:
            if last.intact.get(file.path) != file.sha256:
                return False
            mode, place = _mode(file.executable), f"{target.old}/{file.path}"
            if file.path not in last.known.files and not _is_plain(place, file.size_bytes, mode):
                return False
        for file in () if target.stays else files:
            os.link(f"{target.old}/{file.path}", _made(target.new, file.path))
    except OSError:
        for file in files:
            (target.new / file.path).unlink(missing_ok=True)
        return False
    return True


def _made(folder: Path, path: str) -> str:
    """Return where a file goes, with the folders above it made."""
    head, _, name = path.rpartition("/")
    return os.path.join(_made_folder(folder, head) if head else folder, name)  # noqa: PTH118 - of 100,000 files


@lru_cache(1024)  # a device has some files in each of its folders
def _made_folder(folder: Path, path: str) -> str:
    above = path.rpartition("/")[0]
    target = f"{_made_folder(folder, above) if above else folder}/{path.rpartition('/')[2]}"
    with suppress(FileExistsError):  # another process was first
        os.mkdir(target)  # noqa: PTH102 - of 100,000 folders
        os.chmod(target, FOLDER_MODE)  # noqa: PTH101
    return target


def write_file(folder: Path, path: str, content: bytes, mode: int) -> None:
    """Write a new file below a folder, with the folders above it."""
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL  # never into a file that is linked elsewhere
    file = os.open(_made(folder, path), flags, 0o600)
    try:
        left = memoryview(content)
        while left:
            left = left[os.write(file, left) :]
        os.fchmod(file, mode)
    finally:
        os.close(file)
