"""Which inventory a state folder belongs to, also after the folder of the inventory was moved."""

from __future__ import annotations

import hashlib
import os
import re
from contextlib import suppress
from dataclasses import dataclass
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING, Any

from fabric.core.errors import FabricError, FileError
from fabric.core.file_kinds import FileKind
from fabric.core.files import write_whole
from fabric.core.user_files import read_text
from fabric.intent.documents import MAIN_FILE, read_folder

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

#: Files of a state folder: the path of its inventory, and the name of the fabric.
_INVENTORY, _FABRIC = "inventory", "fabric"


@dataclass(frozen=True)
class Owner:
    """A state folder with the inventory and the name of the fabric that it was written for."""

    folder: Path
    inventory: Path
    fabric: str


def user_folder() -> Path:
    """Return where the state folders of a user are: XDG Base Directory Specification 0.8."""
    base = os.environ.get("XDG_STATE_HOME", "")
    return (Path(base) if base.startswith("/") else Path.home() / ".local" / "state") / "rocefab"


def owners() -> Iterator[Owner]:
    """Yield the state folders of this user that note their inventory."""
    for folder in sorted(user_folder().glob("*-*")):
        with suppress(FileError):
            inventory = Path(read_text(folder / _INVENTORY, FileKind.NOTE).strip())
            yield Owner(folder, inventory, _noted_fabric(folder))


def of_inventory(inventory: Path, fabric: str = "") -> Path:
    """Return the state folder of an inventory, which need not exist.

    It is the one that notes this inventory. Where none does, it is the only one of a fabric of
    this name whose inventory is gone, and otherwise a new one: the name of the fabric, and the
    beginning of the SHA-256 of the resolved path.

    Parameters
    ----------
    fabric : str
        Name of the fabric; default: the one in the inventory.
    """
    path = inventory.resolve()
    known = list(owners())
    own = [owner.folder for owner in known if owner.inventory == path]
    return own[0] if own else _unnoted(path, _file_name(fabric or name_of(path)), known)


def _unnoted(path: Path, name: str, known: Sequence[Owner]) -> Path:
    """Return the state folder of an inventory that no folder notes."""
    noted, is_here = {owner.folder for owner in known}, _is_there(path)
    for number in count():
        key = hashlib.sha256(f"{path}{chr(0) * number}".encode()).hexdigest()[:8]
        folders = sorted(user_folder().glob(f"*-{key}"))
        if folders and (folders[0] not in noted or not is_here):
            return folders[0]  # of an earlier version, or of an inventory that was here
        if not folders:
            break
    moved = [
        owner.folder
        for owner in known
        if is_here and _file_name(owner.fabric) == name and not _is_there(owner.inventory)
    ]
    return moved[0] if len(moved) == 1 else user_folder() / f"{name}-{key}"


def note_owner(folder: Path, inventory: Path, fabric: str) -> None:
    """Make a state folder, and note there whose it is.

    An inventory that is not on this machine, as of a plan from elsewhere, replaces no note.

    Raises
    ------
    OSError
        When it cannot be written.
    """
    folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    if (folder / _INVENTORY).exists() and not _is_there(inventory):
        return
    write_whole(folder / _INVENTORY, f"{inventory}\n".encode())
    write_whole(folder / _FABRIC, f"{fabric}\n".encode())


def taken_over(folder: Path | None, inventory: Path) -> str:
    """Return whose state folder it was, where the inventory was elsewhere; empty where not."""
    path = inventory.resolve()
    for owner in owners():
        if owner.folder == folder and owner.inventory != path and not _is_there(owner.inventory):
            return (
                f"the state in {folder} was written for {owner.fabric} in {owner.inventory}, "
                "which is gone; to begin another one, use --state"
            )
    return ""


def name_of(inventory: Path) -> str:
    """Return the name of the fabric of an inventory; ``fabric`` where it cannot be read."""
    name: Any = None
    with suppress(FabricError):
        if _is_there(inventory):
            name = read_folder(inventory, str(inventory)).fabric.data.get("name")
    return name if isinstance(name, str) else "fabric"


def _noted_fabric(folder: Path) -> str:
    """Return the fabric of a state folder; earlier versions have it in the name of the folder."""
    try:
        return read_text(folder / _FABRIC, FileKind.NOTE).strip()
    except FileError:
        return folder.name.rpartition("-")[0]


def _file_name(fabric: str) -> str:
    return re.sub(r"[^A-Za-z0-9_-]", "_", fabric)[:64]


def _is_there(inventory: Path) -> bool:
    """Say whether an inventory is there; one that cannot be looked at may be."""
    try:
        (inventory / MAIN_FILE).stat()
    except (FileNotFoundError, NotADirectoryError):
        return False
    except OSError:
        return True
    return True
