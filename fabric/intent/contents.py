"""The files that an inventory consists of, and a hash of them."""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING

from fabric.core.file_kinds import FileKind
from fabric.core.user_files import read_bytes
from fabric.intent.cabling import CSV_FILE, DOT_FILE
from fabric.intent.documents import DEFECTS_FOLDER, KINDS, MAIN_FILE, SITE_FOLDER

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path, PurePath

_TOP = (MAIN_FILE, CSV_FILE, DOT_FILE)
_FOLDERS = (*KINDS, DEFECTS_FOLDER)


def inventory_hash(folder: Path) -> str:
    """Return the SHA-256 over names and contents of the files of an inventory folder.

    The fabrics of its site count as well: hosts of one name are one machine in all of them. What
    else lies in the folder, such as plans and reports, does not.

    Raises
    ------
    OSError, FileError
        When a file cannot be read, or there is no inventory.
    """
    whole = hashlib.sha256()
    for name, path in inventory_files(folder):
        content = hashlib.sha256(read_bytes(path, FileKind.OTHER)).hexdigest()
        whole.update(f"{name}\0{content}\n".encode())
    return whole.hexdigest()


def copy_inventory(folder: Path, target: Path) -> None:
    """Copy the files of an inventory into a new folder, and nothing else that lies beside them.

    Raises
    ------
    OSError, FileError
        When a file cannot be read or written.
    """
    for path in _files(folder):
        copied = target / path.relative_to(folder)
        copied.parent.mkdir(parents=True, exist_ok=True)
        copied.write_bytes(read_bytes(path, FileKind.OTHER))


class ContentHash:
    """The hash of an inventory for who asks often: files are read again when one has changed."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._seen: tuple[object, ...] | None = None
        self._hash = ""

    def now(self) -> str:
        """Return what `inventory_hash` returns.

        Raises
        ------
        OSError, FileError
            When a file cannot be read, or there is no inventory.
        """
        status = ((name, path.stat()) for name, path in inventory_files(self._folder))
        seen = tuple((name, one.st_mtime_ns, one.st_size, one.st_ino) for name, one in status)
        if seen != self._seen:
            self._hash = inventory_hash(self._folder)
            self._seen = seen
        return self._hash


def inventory_files(folder: Path) -> Iterator[tuple[str, Path]]:
    """Yield the files of an inventory and of its site, and how the hash names them.

    Raises
    ------
    OSError
        When there is no inventory.
    """
    folder = folder.resolve()
    in_site = folder.parent.name == SITE_FOLDER
    folders = sorted(folder.parent.iterdir()) if in_site else [folder]
    (folder / MAIN_FILE).stat()
    for one in folders:
        for path in _files(one):
            yield str(path.relative_to(folder.parent)), path


def is_part(name: PurePath) -> bool:
    """Tell whether a file of this name in an inventory folder is a part of the inventory."""
    kind, *inner = name.parts or ("",)
    if not inner:
        return kind in (*_TOP, *_FOLDERS)  # a kind without more can be a link to a folder
    return kind in _FOLDERS and not name.name.startswith(".")


def _files(folder: Path) -> Iterator[Path]:
    inside = (path for kind in _FOLDERS for path in sorted((folder / kind).rglob("*")))
    for path in (*(folder / name for name in _TOP), *inside):
        if is_part(path.relative_to(folder)) and path.is_file():
            yield path
