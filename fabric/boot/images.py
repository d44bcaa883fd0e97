"""Images of operating systems: each is what the inventory says, before a device gets it."""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING

from fabric.core.errors import FileError, InputError
from fabric.core.file_kinds import FileKind
from fabric.core.user_files import open_regular

if TYPE_CHECKING:
    from pathlib import Path

    from fabric.intent.inventory import Intent

#: Bytes that are read at a time.
_PIECE = 1 << 20


def checked(intent: Intent, folder: Path) -> dict[str, Path]:
    """Return the image files of an inventory by their name.

    Raises
    ------
    InputError
        Naming each file that is not there, or that has another SHA-256; none is served then.
    """
    wrong, files = [], {}
    for index, image in enumerate(intent.fabric.management.images):
        files[image.file] = folder / image.file
        if reason := _reason(files[image.file], image.sha256):
            path = ("management", "images", index, "sha256")
            fix = "take the file from its vendor again, or correct the value"
            wrong.append(intent.finding("ZTP009", reason, fix, *path))
    if wrong:
        raise InputError("the images are not as the inventory says", wrong)
    return files


def _reason(path: Path, sha256: str) -> str:
    """Return why a file is not the image; empty where it is."""
    try:
        with open_regular(path, FileKind.IMAGE) as file:
            found = hashlib.sha256()
            while piece := file.read(_PIECE):
                found.update(piece)
    except (FileError, OSError) as error:
        return str(error)
    digest = found.hexdigest()
    return "" if digest == sha256 else f"{path} has SHA-256 {digest}"
