"""Rolls a run back: the devices return to the states that the journal kept.

The waves of the run are rolled back in reverse, the devices of a wave side by side. A device on
which that fails stops no other: it is named, and another call tries it again.
"""

from __future__ import annotations

import re
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING

from fabric.change.drain import Drains
from fabric.change.journal import State
from fabric.change.model import parse_plan
from fabric.change.options import Result
from fabric.change.restoration import (
    LEFT_ALONE,
    Restoration,
    changed_since,
    kept_running,
    some,
)
from fabric.change.saving import save
from fabric.core import hostlist
from fabric.core.errors import ConnectionLostError, NotPlannedError, PlanError, StalePlanError

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping, Sequence

    from fabric.change.crew import Crew
    from fabric.change.journal import Event, Journal
    from fabric.change.model import DevicePlan, Plan
    from fabric.change.session import Session
    from fabric.core.errors import FabricError

#: How a run goes on with devices that are not rolled back: one that was interrupted, and others.
_UNFINISHED = "resume its run with apply --resume, or make a new plan"
#: How the first row of a rollback begins; the number of a run follows.
_ROLLS_BACK = "rolls back run "
_GRANT = "to give the ports back, use `rocefab tenant grant`, then plan and apply"
#: States of devices that a run did not change, or no more.
UNTOUCHED = {State.PENDING, State.ROLLED_BACK, State.SKIPPED}


@dataclass(frozen=True)
class RollBack:
    """What to roll back.

    Parameters
    ----------
    run : int
        The run to roll back; finished, failed in part, or interrupted.
    only : collection of str
        The devices that are rolled back.
    force : bool
        Go back even where the configuration was changed again after the run.
    skip_unreachable : bool
        Whether devices that cannot be reached are left as they are without failing.
    """

    run: int
    only: Collection[str]
    force: bool = False
    skip_unreachable: bool = False

    def skips(self, error: FabricError) -> bool:
        """Tell whether the device of an error is left as it is."""
        return self.skip_unreachable and isinstance(error, ConnectionLostError)


def roll_back(order: RollBack, plan: Plan, crew: Crew) -> Result:
    """Bring the devices that a run touched back to their states before, last changed first.

    An interrupted run counts as ended when all of its devices were rolled back, or skipped. The
    number of the crew is that of the new run; it is under the lock of the journal.
    """
    journal, run = crew.journal, order.run
    unfinished = journal.unfinished() == run
    crew.record("", State.PENDING, "; ".join([f"{_ROLLS_BACK}{run}", *crew.options.notes]))
    touched = touched_devices(run, plan, journal)
    back: list[str] = []
    fix = _UNFINISHED if unfinished else _GRANT
    staying = {name: f"{why}; {fix}" for name, why in left_out(touched, plan).items()}
    failed: dict[str, FabricError] = {}
    for wave in touched:
        plans = [plan.devices[name] for name in wave if name in order.only]
        done, errors = crew.side_by_side(plans, lambda item: _one(crew, order, item, staying))
        back += [item.device for item, _ in done]
        failed |= {item.device: error for item, error in errors}
        _write_down(crew, order, errors)
    Drains(crew, plan, run).back()  # before the last row of the run, which is its end
    skipped = [name for name in failed if order.skips(failed[name])]
    reasons = [str(error) for name, error in failed.items() if name not in skipped]
    crew.record("", State.FAILED if reasons else State.DONE, "; ".join(reasons))
    whole = not reasons and len(back) + len(skipped) == sum(len(wave) for wave in touched)
    if unfinished and whole:
        journal.record(run, "", State.FAILED, f"rolled back by run {crew.run}")
    return Result(crew.run, not reasons, tuple(reasons), (), tuple(back), tuple(skipped))


def touched_devices(run: int, plan: Plan, journal: Journal) -> list[list[str]]:
    """Return the devices that a run has changed, by wave, the last wave first."""
    states = journal.states(run)
    changed = {name for name, event in states.items() if event.state not in UNTOUCHED}
    waves = [
        [name for name in wave if name in changed or journal.may_hide(run, name)]
        for wave in reversed(plan.waves)
    ]
    return [wave for wave in waves if wave]


def run_rolled_back(events: Iterable[Event]) -> int:
    """Return the run that a rollback rolls back, by its rows; 0 where they do not say."""
    details = (event.detail for event in events if not event.device)
    numbers = (re.match(rf"{_ROLLS_BACK}(\d+)", detail) for detail in details)
    return next((int(number[1]) for number in numbers if number), 0)


def left_out(touched: Iterable[Sequence[str]], plan: Plan) -> dict[str, str]:
    """Return the devices that no rollback of a run touches, each with why.

    They take ports out of a tenant, or are hosts at such ports: with its old files, a host would
    have the addresses of a tenant that its ports have left.

    Parameters
    ----------
    touched : iterable of sequence of str
        The devices that the run has changed, by wave.
    """
    names = [name for wave in touched for name in wave]
    reasons = {name: plan.devices[name].one_way for name in names}
    for name in names:
        leaves = [leaf for leaf in plan.devices[name].revoked_at if reasons.get(leaf)]
        if leaves:
            reasons[name] = f"ports of it leave a tenant at {hostlist.fold_inside(leaves)}"
    return {name: why for name, why in reasons.items() if why}


def ways_on(run: int, journal: Journal, place: str = "") -> str:
    """Return how an interrupted run goes on: what takes a port out of a tenant never goes back.

    Parameters
    ----------
    place : str
        Options that the commands need, with a space before them.
    """
    resume = f"resume it with `rocefab apply --resume{place}`"
    with suppress(PlanError):
        plan = parse_plan(journal.run(run).plan, f"the plan of run {run}")
        if left_out(touched_devices(run, plan, journal), plan):
            return f"{resume}; it is not rolled back, since it takes ports out of a tenant"
    return f"{resume} or roll it back with `rocefab rollback {run} --commit{place}`"


def _write_down(
    crew: Crew, order: RollBack, errors: Sequence[tuple[DevicePlan, FabricError]]
) -> None:
    for item, error in errors:
        crew.record(item.device, State.FAILED, str(error))
        if order.skips(error):  # the end of the run has its name alone
            crew.progress(item.device, f"skipped: {str(error).removeprefix(f'{item.device}: ')}")
        else:
            crew.tell_failure(item.device, error)


def _one(crew: Crew, order: RollBack, plan: DevicePlan, staying: Mapping[str, str]) -> None:
    crew.check_going(plan.device)
    if why := staying.get(plan.device):
        raise NotPlannedError(plan.device, f"it is not rolled back: {why}")
    crew.record(plan.device, State.ROLLING_BACK)
    session = crew.session(plan)
    try:
        _restore(crew, order, session)
    finally:
        session.close()
    crew.record(plan.device, State.ROLLED_BACK)
    crew.progress(plan.device, "rolled back")


def _restore(crew: Crew, order: RollBack, session: Session) -> None:
    restoration = Restoration(crew.journal, crew.run, crew.options.timer_s)
    session.check_alone(own=crew.journal.tokens(session.name))
    restoration.abort_own(session)
    before, now = kept_running(crew.journal, order.run, session.plan), session.running()
    if now.fingerprint == before.fingerprint:
        if now.saved is False:  # a restart would load the run again
            save(session)
        return
    if not order.force and (others := changed_since(session, before, now)):
        raise StalePlanError(
            f"{session.name}: it was changed again after run {order.run}"
            f"{_by_whom(crew, order.run, session.name, others)}"
        )
    restoration.restore(session, before, now)


def _by_whom(crew: Crew, run: int, device: str, others: set[str]) -> str:
    """Return which later run changed a device, or that it was none of this journal."""
    for later in reversed(crew.journal.runs_after(run)):
        event = crew.journal.states(later.id).get(device)
        if later.kind == "apply" and event and event.state is State.DONE:
            return f", by run {later.id}: roll that run back first"
    return f" outside of this journal ({some(others)}): {LEFT_ALONE}"
