"""apply, status, rollback: carry out a plan and keep account of it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from fabric.change.apply import Applier, Options, Result
from fabric.change.journal import Journal, State
from fabric.change.model import Plan, parse_plan, read_plan
from fabric.change.rollback import roll_back
from fabric.core.errors import JournalError
from fabric.devices.connections import connections
from fabric.workflow.devices import executor

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from fabric.devices.driver import Connection

__all__ = ["Options", "Result", "apply", "read_plan", "resume", "rollback", "status"]


def apply(
    plan: Plan,
    state: Path,
    connections_file: Path | None,
    options: Options,
    progress: Callable[[str, str], None],
) -> Result:
    """Carry out a plan.

    Raises
    ------
    JournalError
        When an earlier run was interrupted, or another one is under way.
    """
    reachable = _reachable(plan, connections_file)
    with executor(len(plan.devices)) as pool:
        return Applier(Journal(state), reachable, pool, progress, options).apply(plan)


def resume(
    state: Path,
    connections_file: Path | None,
    options: Options,
    progress: Callable[[str, str], None],
) -> Result:
    """Go on with the interrupted run.

    Raises
    ------
    JournalError
        When there is none.
    """
    journal = Journal(state)
    run = journal.unfinished()
    if run is None:
        message = "no run was interrupted; there is nothing to go on with"
        raise JournalError(message)
    plan = _plan_of(journal, run)
    reachable = _reachable(plan, connections_file)
    with executor(len(plan.devices)) as pool:
        return Applier(journal, reachable, pool, progress, options).resume(run, plan)


def rollback(
    run: int,
    state: Path,
    connections_file: Path | None,
    progress: Callable[[str, str], None],
    *,
    force: bool = False,
) -> Result:
    """Take a run back, whether it is finished, failed or was interrupted."""
    journal = Journal(state)
    journal.run(run)
    plan = _plan_of(journal, run)
    reachable = _reachable(plan, connections_file)
    return roll_back(run, plan, journal, reachable, progress, force=force)


def status(state: Path, run: int | None = None) -> list[dict[str, Any]]:
    """Return all runs, or the devices of one run, as plain data."""
    if run is None and not state.exists():
        return []
    journal = Journal(state)
    if run is not None:
        journal.run(run)
        return [
            {"device": name, "state": event.state.value, "at": event.at, "detail": event.detail}
            for name, event in journal.states(run).items()
            if name
        ]
    rows = []
    for record in journal.runs():
        states = journal.states(record.id)
        own = states.pop("", None)
        counts: dict[str, int] = {}
        for event in states.values():
            counts[event.state.value] = counts.get(event.state.value, 0) + 1
        rows.append({
            "run": record.id,
            "kind": record.kind,
            "fabric": record.fabric,
            "started": record.started,
            "state": _run_state(own.state if own else None),
            "devices": counts,
        })
    return rows


def _run_state(state: State | None) -> str:
    return state.value if state in {State.DONE, State.FAILED} else "interrupted or under way"


def _plan_of(journal: Journal, run: int) -> Plan:
    return parse_plan(journal.run(run).plan, f"the plan of run {run}")


def _reachable(plan: Plan, file: Path | None) -> dict[str, Connection]:
    platforms = {name: device.platform for name, device in plan.devices.items()}
    return connections(file, platforms, others_allowed=True)
