"""Brings the devices of an interrupted run into states from which to go on."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fabric.change.journal import Event, State
from fabric.change.restoration import Restoration, kept_running
from fabric.change.saving import save_planned

if TYPE_CHECKING:
    from collections.abc import Sequence

    from fabric.change.crew import Crew
    from fabric.change.model import DevicePlan
    from fabric.change.session import Session

_SETTLED = {State.DONE, State.PENDING, State.ROLLED_BACK, State.SKIPPED}
#: Where no good row is left of a device.
_UNKNOWN = Event(0.0, "", State.PENDING, "")
_VERIFIED = {State.CONFIRMING, State.CONFIRMED}


def settle(crew: Crew, plans: Sequence[DevicePlan]) -> list[str]:
    """Settle every device that was under way; return why some could not be.

    Devices whose wave was verified are confirmed and saved, and so is what is never undone; the
    others are rolled back.
    """
    states = crew.journal.states(crew.run)
    open_plans = [plan for plan in plans if _is_open(crew, plan, states.get(plan.device))]
    _, errors = crew.side_by_side(
        open_plans, lambda plan: _settle(crew, plan, states.get(plan.device, _UNKNOWN))
    )
    return [str(error) for _, error in errors]


def _is_open(crew: Crew, plan: DevicePlan, event: Event | None) -> bool:
    if event is not None and event.state not in _SETTLED:
        return True
    is_done = event is not None and event.state is State.DONE
    return not is_done and crew.journal.may_hide(crew.run, plan.device)


def _settle(crew: Crew, plan: DevicePlan, event: Event) -> None:
    session = crew.session(plan)
    try:
        if event.state in _VERIFIED:
            _finish(crew, session, event.detail)
            return
        if plan.one_way and event.state is not State.STAGING:
            _go_on(crew, session, event)
            return
        before = kept_running(crew.journal, crew.run, plan)
        crew.record(plan.device, State.ROLLING_BACK, "interrupted")
        restoration = Restoration(crew.journal, crew.run, crew.options.timer_s)
        kept = restoration.undo(session, before)
        crew.record(plan.device, State.PENDING, kept or "as before the run")
        crew.progress(plan.device, kept or "restored to the state before the run")
    finally:
        session.close()


def _go_on(crew: Crew, session: Session, event: Event) -> None:
    """Save what is never undone, where it is in force; else it is done again."""
    if event.state in (State.COMMITTING, State.COMMITTED):
        session.driver.conclude(event.detail)
    if session.draft(session.running()).changes:
        crew.record(session.name, State.PENDING, f"not undone: {session.plan.one_way}")
        return
    save_planned(session)
    crew.record(session.name, State.DONE)
    crew.progress(session.name, "saved")


def _finish(crew: Crew, session: Session, token: str) -> None:
    """Confirm and save a device whose wave was already verified."""
    if session.driver.pending(token):
        session.driver.confirm(token)
    if session.draft(session.running()).changes:
        crew.record(session.name, State.PENDING, "its commit timer expired")
        return
    save_planned(session)
    crew.record(session.name, State.DONE)
    crew.progress(session.name, "confirmed and saved")
