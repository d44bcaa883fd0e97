"""Which state folder an inventory has: one for each, whatever folder a command runs in."""

from __future__ import annotations

import hashlib
import os
import re
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

from fabric.change.journal import Journal
from fabric.change.remote import checked_url, is_url, link
from fabric.change.rollback import ways_on
from fabric.core.errors import FileError, InputError, JournalError
from fabric.core.file_kinds import FileKind
from fabric.core.files import write_whole
from fabric.core.user_files import read_text

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fabric.change.model import Plan

__all__ = ["existing", "of_inventory", "of_plan", "of_url"]

#: Where earlier versions kept their journal: in the folder that the command ran in.
EARLIER = Path(".rocefab")
_DATABASE = "journal.sqlite3"
#: Names the inventory of a state folder.
_INVENTORY = "inventory"


def user_folder() -> Path:
    """Return where the state folders of a user are: XDG Base Directory Specification 0.8."""
    base = os.environ.get("XDG_STATE_HOME", "")
    return (Path(base) if base.startswith("/") else Path.home() / ".local" / "state") / "rocefab"


def of_inventory(inventory: Path, fabric: str = "fabric") -> Path:
    """Return the state folder of an inventory, which need not exist.

    Its name is that of the fabric, and the beginning of the SHA-256 of the resolved path; a
    fabric that gets another name keeps its folder.
    """
    key = hashlib.sha256(str(inventory.resolve()).encode()).hexdigest()[:8]
    name = re.sub(r"[^A-Za-z0-9_-]", "_", fabric)[:64]
    found = sorted(user_folder().glob(f"*-{key}"))
    return found[0] if found else user_folder() / f"{name}-{key}"


def of_url(url: str) -> Path:
    """Return the folder of this user with the copy of a journal in PostgreSQL.

    Raises
    ------
    InputError
        When it is no such URL, or holds a password.
    JournalError
        When the folder cannot be made.
    """
    if not is_url(url):
        raise InputError(
            "--state: only URLs of PostgreSQL are supported: postgresql://HOST/DATABASE"
        )
    key = hashlib.sha256(checked_url(url).encode()).hexdigest()[:8]
    folder = user_folder() / f"postgresql-{key}"
    try:
        link(folder, url)
    except OSError as error:
        raise JournalError(f"{folder} cannot be written: {error.strerror}") from error
    return folder


def of_plan(plan: Plan) -> Path:
    """Return the state folder in which a plan is applied, and note there whose it is.

    Raises
    ------
    JournalError
        When an earlier version left an interrupted run in ``.rocefab``, or the folder cannot be
        made.
    """
    if plan.origin is None:
        return EARLIER
    _check_earlier()
    folder = of_inventory(Path(plan.origin.inventory), plan.fabric)
    try:
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        write_whole(folder / _INVENTORY, f"{plan.origin.inventory}\n".encode())
    except OSError as error:
        message = f"the state folder {folder} cannot be written: {error.strerror}; use --state"
        raise JournalError(message) from error
    return folder


def _check_earlier() -> None:
    if not (EARLIER / _DATABASE).exists():
        return
    run = Journal(EARLIER).unfinished()
    if run is not None:
        way = ways_on(run, Journal(EARLIER), f" --state {EARLIER}")
        raise JournalError(f"{EARLIER} holds run {run}, which was interrupted; {way}")


def existing(inventory: Path | None) -> Path | None:
    """Return the state folder of the runs that are asked for; None where there are none yet.

    Parameters
    ----------
    inventory : Path or None
        Whose runs; None: the inventory that this folder is, or else the one below it.

    Raises
    ------
    JournalError
        When several inventories below this folder have runs.
    """
    if inventory is not None:
        folder = of_inventory(inventory)
        return folder if folder.is_dir() else None
    here = Path.cwd().resolve()
    if (own := of_inventory(here)).is_dir():
        return own
    folders = [one for one, path in _known() if path.is_relative_to(here)]
    folders += [EARLIER] if (EARLIER / _DATABASE).exists() else []
    if len(folders) > 1:
        names = ", ".join(str(one) for one in folders)
        raise JournalError(
            f"several state folders belong to {here}: {names}; specify one with --inventory or "
            "--state"
        )
    return folders[0] if folders else None


def _known() -> Iterator[tuple[Path, Path]]:
    """Yield the state folders of this user, each with the inventory that it belongs to."""
    for folder in sorted(user_folder().glob("*-*")):
        with suppress(FileError):
            yield folder, Path(read_text(folder / _INVENTORY, FileKind.NOTE).strip())
