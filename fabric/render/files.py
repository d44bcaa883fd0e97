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
    from collections.abc import Iterable

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


def put(new: Path, old: Path | None, artefacts: Iterable[Artefact]) -> list[Written]:
    """Write files below a new folder, in whichever process this is called.

    Parameters
    ----------
    old : Path or None
        Folder of an earlier run; a file that is equal there is linked.
    """
    return [_put(new, old, artefact) for artefact in artefacts]


def _put(new: Path, old: Path | None, artefact: Artefact) -> Written:
    mode = _EXECUTABLE_MODE if artefact.executable else FILE_MODE
    if not (old and _linked(old, new, artefact, mode)):
        write_file(new, artefact.path, artefact.content, mode)
    return Written(
        device=artefact.device,
        platform=artefact.platform,
        kind=artefact.kind,
        path=artefact.path,
        sha256=artefact.sha256,
        size_bytes=len(artefact.content),
    )


def _linked(old: Path, new: Path, artefact: Artefact, mode: int) -> bool:
    """Link a file of an earlier run that is equal; say whether there was one."""
    source = old / artefact.path
    try:
        state = source.lstat()
        if stat.S_IFMT(state.st_mode) != stat.S_IFREG or stat.S_IMODE(state.st_mode) != mode:
            return False
        if state.st_size != len(artefact.content) or source.read_bytes() != artefact.content:
            return False
        os.link(source, _made(new, artefact.path))
    except OSError:
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
    """Write a file below a folder, with the folders above it."""
    file = os.open(_made(folder, path), os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    with open(file, "wb", buffering=0) as target:  # noqa: PTH123 - of a number
        target.write(content)
        os.fchmod(file, mode)
