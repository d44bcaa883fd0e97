"""The files of artefacts below a new folder, written by whichever process makes them."""

from __future__ import annotations

import os
import stat
from contextlib import suppress
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from fabric.core.artefact import Artefact

FILE_MODE, FOLDER_MODE = 0o644, 0o755
_EXECUTABLE_MODE = 0o755


@dataclass(frozen=True, slots=True)
class Written:
    """What the manifest has of a file."""

    device: str
    platform: str
    kind: str
    path: str
    sha256: str
    size_bytes: int
    executable: bool = False


def written(artefact: Artefact) -> Written:
    """Return what the manifest has of a file."""
    return Written(
        device=artefact.device,
        platform=artefact.platform,
        kind=artefact.kind,
        path=artefact.path,
        sha256=artefact.sha256,
        size_bytes=len(artefact.content),
        executable=artefact.executable,
    )


def put(new: Path, old: Path | None, artefacts: Iterable[Artefact]) -> list[Written]:
    """Write files below a new folder, in whichever process this is called.

    Parameters
    ----------
    old : Path or None
        Folder of an earlier run; a file that is equal there is linked.
    """
    return [_put(new, old, artefact) for artefact in artefacts]


def _put(new: Path, old: Path | None, artefact: Artefact) -> Written:
    mode = _mode(artefact.executable)
    if not (old and _linked(old, new, artefact, mode)):
        write_file(new, artefact.path, artefact.content, mode)
    return written(artefact)


def _mode(executable: bool) -> int:  # noqa: FBT001 - of one field
    return _EXECUTABLE_MODE if executable else FILE_MODE


def _linked(old: Path, new: Path, artefact: Artefact, mode: int) -> bool:
    """Link a file of an earlier run that is equal; say whether there was one."""
    source = f"{old}/{artefact.path}"
    try:
        if not _is_plain(source, len(artefact.content), mode):
            return False
        if Path(source).read_bytes() != artefact.content:
            return False
        os.link(source, _made(new, artefact.path))
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


def put_again(
    new: Path, old: Path | None, digests: Mapping[str, str], files: Iterable[Written]
) -> bool:
    """Link files of an earlier run below a new folder, all or none; say whether it was done.

    Parameters
    ----------
    digests : mapping
        SHA-256 of each file of the earlier run as it is now.
    files : iterable of Written
        What they must be.
    """
    listed = list(files)
    try:
        if old is None or not all(
            digests.get(file.path) == file.sha256
            and _is_plain(f"{old}/{file.path}", file.size_bytes, _mode(file.executable))
            for file in listed
        ):
            return False
        for file in listed:
            os.link(f"{old}/{file.path}", _made(new, file.path))
    except OSError:
        for file in listed:
            Path(new, file.path).unlink(missing_ok=True)
        return False
    return True


def _made(folder: Path, path: str) -> str:
    """Return where a file goes, with the folders above it made."""
    head, _, name = path.rpartition("/")
    return os.path.join(_made_folder(folder, head) if head else folder, name)  # noqa: PTH118 - of 100,000 files


@lru_cache(1024)  # a device has some files in each of its folders
def _made_folder(folder: Path, path: str) -> str:
    target = folder
    for part in PurePosixPath(path).parts:
        target /= part
        if not target.is_dir():
            with suppress(FileExistsError):  # another process was first
                target.mkdir()
            target.chmod(FOLDER_MODE)
    return str(target)


def write_file(folder: Path, path: str, content: bytes, mode: int) -> None:
    """Write a new file below a folder, with the folders above it."""
    file = os.open(_made(folder, path), os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    try:
        left = memoryview(content)
        while left:
            left = left[os.write(file, left) :]
        os.fchmod(file, mode)
    finally:
        os.close(file)
