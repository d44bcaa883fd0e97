"""Where the working tree and the history are that a folder belongs to.

Only an entry ``.git`` marks a repository. A folder with ``HEAD``, ``config`` and ``objects`` is
none: any clone can carry such a folder, with programs in its configuration (git-config(1),
safe.bareRepository).
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import TYPE_CHECKING

from fabric.core.errors import FileError, ProgramError
from fabric.core.file_kinds import FileKind
from fabric.core.user_files import open_regular

if TYPE_CHECKING:
    from pathlib import Path

_MARK = ".git"
#: Bytes of a path: PATH_MAX of Linux (limits.h).
_MOST_PATH = 4096


@dataclass(frozen=True)
class Checkout:
    """A working tree and its history.

    Parameters
    ----------
    top : Path
        Top folder of the working tree.
    folder : Path
        The folder of git that the working tree has for itself, with ``HEAD``.
    shared : Path
        The folder with objects and references; another one in a linked worktree.
    """

    top: Path
    folder: Path
    shared: Path

    @property
    def own(self) -> bool:
        """Whether all of it belongs to the account that runs us."""
        places = (self.top, self.top / _MARK, self.folder, self.shared)
        return all(place.lstat().st_uid == os.geteuid() for place in places)


def checkout_of(folder: Path) -> Checkout | None:
    """Return the working tree that a folder is in, by the nearest ``.git`` at or above it.

    Raises
    ------
    ProgramError
        When a file ``.git`` leads to no repository.
    """
    whole = folder.resolve()
    for top in (whole, *whole.parents):
        mark = top / _MARK
        is_link = mark.is_file()
        inner = _pointed(mark, "gitdir: ") if is_link else mark
        checkout = Checkout(top, inner, _shared(inner)) if inner else None
        if checkout and _is_repository(checkout):
            return checkout
        if is_link:
            raise ProgramError("git", f"has no repository where {mark} leads", "repair that file")
    return None


def first_line(path: Path) -> bytes | None:
    """Return the first line of a short file; None where there is no file."""
    try:
        with open_regular(path, FileKind.NOTE, any_size=True) as file:
            return file.read(_MOST_PATH).partition(b"\n")[0]
    except (OSError, FileError):
        return None


def _pointed(path: Path, before: str = "") -> Path | None:
    """Return the folder that a file names, relative to its own."""
    text = os.fsdecode((first_line(path) or b"").rstrip())
    is_named = text.startswith(before) and len(text) > len(before)
    return path.parent / text.removeprefix(before) if is_named else None


def _shared(folder: Path) -> Path:
    return _pointed(folder / "commondir") or folder


def _is_repository(checkout: Checkout) -> bool:
    has_head = first_line(checkout.folder / "HEAD") is not None
    return has_head and all((checkout.shared / name).is_dir() for name in ("objects", "refs"))
