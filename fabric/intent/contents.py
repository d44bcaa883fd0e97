"""The files that an inventory consists of, and a hash of them."""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING

from fabric.intent.cabling import CSV_FILE, DOT_FILE
from fabric.intent.documents import KINDS, MAIN_FILE, SITE_FOLDER

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


def inventory_hash(folder: Path) -> str:
    """Return the SHA-256 over names and contents of the files of an inventory folder.

    The fabrics of its site count as well: hosts of one name are one machine in all of them. What
    else lies in the folder, such as plans and reports, does not.

    Raises
    ------
    OSError
        When a file cannot be read, or there is no inventory.
    """
    whole = hashlib.sha256()
    folder = folder.resolve()
    for path in _all_files(folder):
        content = hashlib.sha256(path.read_bytes()).hexdigest()
        whole.update(f"{path.relative_to(folder.parent)}\0{content}\n".encode())
    return whole.hexdigest()


def inventory_stamp(folder: Path) -> tuple[tuple[str, int, int, int], ...]:
    """Return name, time, size and inode of each of these files: the hash changes with it alone.

    Raises
    ------
    OSError
        When a file cannot be read, or there is no inventory.
    """
    found = [(str(path), path.stat()) for path in _all_files(folder.resolve())]
    return tuple((name, one.st_mtime_ns, one.st_size, one.st_ino) for name, one in found)


def _all_files(folder: Path) -> Iterator[Path]:
    in_site = folder.parent.name == SITE_FOLDER
    (folder / MAIN_FILE).stat()
    for one in sorted(folder.parent.iterdir()) if in_site else [folder]:
        yield from _files(one)


def _files(folder: Path) -> Iterator[Path]:
    for name in (MAIN_FILE, CSV_FILE, DOT_FILE):
        if (folder / name).is_file():
            yield folder / name
    for kind in KINDS:
        for path in sorted((folder / kind).rglob("*")):
            if path.is_file() and not path.name.startswith("."):
                yield path
