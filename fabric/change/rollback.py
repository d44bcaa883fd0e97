"""Takes a run back: the devices return to the states that the journal kept."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fabric.change.journal import State
from fabric.change.options import Options, Result
from fabric.change.session import Session
from fabric.change.way_back import WayBack, kept_running
from fabric.core.errors import FabricError, StalePlanError

if TYPE_CHECKING:
    from collections.abc import Callable

    from fabric.change.journal import Journal
    from fabric.change.model import DevicePlan, Plan
    from fabric.devices.driver import Connection

_UNTOUCHED = {State.PENDING, State.ROLLED_BACK}


def roll_back(
    run: int,
    plan: Plan,
    journal: Journal,
    connections: dict[str, Connection],
    progress: Callable[[str, str], None],
    *,
    force: bool = False,
) -> Result:
    """Bring every device that a run touched back to its state before, last changed first.

    A run that was interrupted, or failed in part, is taken back too, and then counts as ended.
    When a device cannot be brought back, the rest is left for another call; devices that are
    back already are passed over.

    Parameters
    ----------
    run : int
        The run to take back.
    force : bool
        Go back even where the configuration was changed again after the run.

    Raises
    ------
    JournalError
        When another run is under way.
    """
    with journal.exclusive():
        unfinished = journal.unfinished() == run
        new = journal.begin("rollback", plan.fabric, plan.to_json())
        journal.record(new, "", State.PENDING, f"takes back run {run}")
        way = WayBack(journal, new, Options().timer_s)
        back: list[str] = []
        for name in _touched(run, plan, journal):
            journal.record(new, name, State.ROLLING_BACK)
            try:
                _one(run, way, Session(plan.devices[name], connections), force=force)
            except FabricError as error:
                journal.record(new, name, State.FAILED, str(error))
                journal.record(new, "", State.FAILED, str(error))
                return Result(new, ok=False, reasons=(str(error),), rolled_back=tuple(back))
            journal.record(new, name, State.ROLLED_BACK)
            progress(name, "rolled back")
            back.append(name)
        journal.record(new, "", State.DONE)
        if unfinished:
            journal.record(run, "", State.FAILED, f"taken back by run {new}")
        return Result(new, ok=True, rolled_back=tuple(back))


def _touched(run: int, plan: Plan, journal: Journal) -> list[str]:
    states = journal.states(run)
    return [
        name
        for wave in reversed(plan.waves)
        for name in wave
        if name in states and states[name].state not in _UNTOUCHED
    ]


def _one(run: int, way: WayBack, session: Session, *, force: bool) -> None:
    try:
        session.check_alone(own=way.journal.tokens(session.name))
        way.abort_own(session)
        before, now = kept_running(way.journal, run, session.plan), session.running()
        if now.fingerprint == before.fingerprint:
            return
        if not force:
            _check_as_planned(run, session.plan, session)
        way.bring_back(session, before, now)
    finally:
        session.close()


def _check_as_planned(run: int, plan: DevicePlan, session: Session) -> None:
    if session.draft(session.running()).changes:
        message = f"{plan.device}: it was changed again after run {run}; use --force to go back"
        raise StalePlanError(message)
