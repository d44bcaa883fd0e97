"""Takes a finished run back: the devices return to the states that the journal kept."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fabric.change.adapter import adapters, load_adapters
from fabric.change.apply import (
    Options,
    Result,
    check_alone,
    kept_running,
    next_token,
    read_planned,
)
from fabric.change.journal import State
from fabric.change.planner import check_identity, open_driver
from fabric.core.errors import DeviceError, FabricError, StalePlanError

if TYPE_CHECKING:
    from collections.abc import Callable

    from fabric.change.journal import Journal
    from fabric.change.model import DevicePlan, Plan
    from fabric.devices.driver import Connection, Driver


def roll_back(
    run: int,
    plan: Plan,
    journal: Journal,
    connections: dict[str, Connection],
    progress: Callable[[str, str], None],
    *,
    force: bool = False,
) -> Result:
    """Bring every device that a run changed back to its state before, last changed first.

    Parameters
    ----------
    run : int
        The run to take back.
    force : bool
        Go back even where the configuration was changed again after the run.
    """
    load_adapters()
    with journal.exclusive():
        states = journal.states(run)
        changed = [
            name
            for wave in reversed(plan.waves)
            for name in wave
            if name in states and states[name].state is State.DONE
        ]
        new = journal.begin("rollback", plan.fabric, plan.to_json())
        journal.record(new, "", State.PENDING, f"takes back run {run}")
        back: list[str] = []
        for name in changed:
            journal.record(new, name, State.ROLLING_BACK)
            try:
                _one(run, new, plan.devices[name], journal, connections[name], force=force)
            except FabricError as error:
                journal.record(new, name, State.FAILED, str(error))
                journal.record(new, "", State.FAILED, str(error))
                return Result(new, ok=False, reasons=(str(error),), rolled_back=tuple(back))
            journal.record(new, name, State.ROLLED_BACK)
            progress(name, "rolled back")
            back.append(name)
        journal.record(new, "", State.DONE)
        return Result(new, ok=True, rolled_back=tuple(back))


def _one(
    run: int, new: int, plan: DevicePlan, journal: Journal, connection: Connection, *, force: bool
) -> None:
    driver = open_driver(connection)
    try:
        check_identity(driver.identify(), plan.hostname, plan.serial, plan.mac)
        check_alone(plan.device, driver)
        _restore(run, new, plan, journal, driver, force=force)
    finally:
        driver.close()


def _restore(
    run: int, new: int, plan: DevicePlan, journal: Journal, driver: Driver, *, force: bool
) -> None:
    before, now = kept_running(journal, run, plan), read_planned(plan, driver)
    if now.fingerprint == before.fingerprint:
        return
    adapter = adapters[plan.platform]
    if not force and adapter.draft(now, plan.artefacts, driver).changes:
        message = f"{plan.device}: it was changed again after run {run}; use --force to go back"
        raise StalePlanError(message)
    candidate, token = adapter.restore(before, now), next_token(journal, new, plan.device)
    journal.record(new, plan.device, State.STAGING, token)
    driver.stage(candidate, token)
    driver.commit(candidate, token, Options().timer_s)
    if read_planned(plan, driver).fingerprint != before.fingerprint:
        driver.rollback(token)
        raise DeviceError(plan.device, "the earlier state could not be brought back whole")
    driver.confirm(token)
    driver.save()
