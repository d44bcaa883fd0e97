"""The deletion of a plan that was sent for review: a row of the journal says who did it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fabric.change.actor import Actor
from fabric.change.journal import DELETION, Journal, State
from fabric.change.model import Plan

if TYPE_CHECKING:
    from pathlib import Path

__all__ = ["record_deletion"]


def record_deletion(state: Path, fabric: str, plan: str, by: str, detail: str) -> None:
    """Write down that a plan is deleted, as a run that changes no device.

    Parameters
    ----------
    state : Path
        State folder of the journal.
    plan : str
        SHA-256 of the plan.
    by : str
        Who deletes it; empty where that is not known.
    detail : str
        Whose plan it is, and who approved it.

    Raises
    ------
    JournalError
        When the journal cannot be written, or is on a server and a run is in progress.
    """
    reason = f"plan {plan[:12]} deleted by {by or 'a user of the service'}"
    journal = Journal(state, Actor(reason=reason))
    with journal.beside():
        run = journal.begin(DELETION, fabric, Plan(fabric, (), {}).to_json())
        journal.record(run, "", State.DONE, f"{reason}: {plan}, {detail}")
