"""Which state folder an inventory has: one for each, whatever folder a command runs in."""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import TYPE_CHECKING

from fabric.change.journal import Journal
from fabric.change.remote import checked_url, is_url, link
from fabric.change.rollback import ways_on
from fabric.core.errors import InputError, JournalError
from fabric.workflow.state_owners import note_owner, of_inventory, owners, taken_over, user_folder

if TYPE_CHECKING:
    from fabric.change.model import Plan

__all__ = ["existing", "has_runs", "of_inventory", "of_plan", "of_url", "taken_by", "taken_over"]

#: Where earlier versions kept their journal: in the folder that the command ran in.
EARLIER = Path(".rocefab")
_DATABASE = "journal.sqlite3"


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
    inventory = Path(plan.origin.inventory)
    folder = of_inventory(inventory, plan.fabric)
    try:
        note_owner(folder, inventory, plan.fabric)
    except OSError as error:
        message = f"the state folder {folder} cannot be written: {error.strerror}; use --state"
        raise JournalError(message) from error
    return folder


def taken_by(plan: Plan) -> str:
    """Return from where a plan takes its state folder over; empty where it has its own."""
    if plan.origin is None:
        return ""
    inventory = Path(plan.origin.inventory)
    return taken_over(of_inventory(inventory, plan.fabric), inventory)


def has_runs(folder: Path) -> bool:
    """Tell whether a folder has a journal; `rocefab serve` has a folder without one too."""
    return (folder / _DATABASE).exists()


def _check_earlier() -> None:
    if not has_runs(EARLIER):
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
        return folder if has_runs(folder) else None
    here = Path.cwd().resolve()
    if has_runs(own := of_inventory(here)):
        return own
    below = [owner.folder for owner in owners() if owner.inventory.is_relative_to(here)]
    folders = [folder for folder in (*below, EARLIER) if has_runs(folder)]
    if len(folders) > 1:
        of = {owner.folder: owner.inventory for owner in owners()}
        names = ", ".join(f"{one} (of {of[one]})" if one in of else str(one) for one in folders)
        raise JournalError(
            f"several state folders belong to {here}: {names}; specify one with --inventory or "
            "--state"
        )
    return folders[0] if folders else None
