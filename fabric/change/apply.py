"""Applies a plan wave by wave: stage, commit with a timer, verify, confirm, save - or go back.

Every step is in the journal before it begins. A device is left alone when it is not who it was,
when it changed since the plan was made, or when somebody else is at work on it. When one device
of a wave fails, the whole wave goes back and the run stops; waves before it stay.
"""

from __future__ import annotations

import json
import time
from contextlib import suppress
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from fabric.change.adapter import Draft, adapters, load_adapters
from fabric.change.expectation import deviations
from fabric.change.journal import State
from fabric.change.planner import check_identity, open_driver
from fabric.core.errors import (
    ConnectionLostError,
    DeviceError,
    FabricError,
    ForeignSessionError,
    StalePlanError,
)
from fabric.observe import read_running, read_snapshot
from fabric.observe.snapshot import Running

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from concurrent.futures import Executor

    from fabric.change.journal import Event, Journal
    from fabric.change.model import DevicePlan, Plan
    from fabric.devices.driver import Connection, Driver
    from fabric.observe.snapshot import Snapshot


@dataclass(frozen=True)
class Options:
    """How to apply.

    Parameters
    ----------
    timer_s : int
        Commit timer of the devices; must outlast staging, commit and verification of a wave.
    verify_s : float
        How long a wave may take to look healthy.
    poll_s : float
        Pause between two looks.
    """

    timer_s: int = 300
    verify_s: float = 60.0
    poll_s: float = 0.5


@dataclass
class _Work:
    """One device while its wave is under way."""

    plan: DevicePlan
    connection: Connection
    driver: Driver
    before: Running
    seen: Snapshot
    draft: Draft
    token: str = ""
    error: str = ""


@dataclass(frozen=True)
class Result:
    """How a run ended."""

    run: int
    ok: bool
    reasons: tuple[str, ...] = ()
    confirmed: tuple[str, ...] = ()
    rolled_back: tuple[str, ...] = ()


@dataclass
class Applier:
    """Applies plans.

    Parameters
    ----------
    journal : Journal
        Where everything is written down.
    connections : dict
        Connection by device.
    executor : Executor
        Works on the devices of a wave side by side.
    progress : callable
        Called with device (``""`` for the run) and what happens.
    """

    journal: Journal
    connections: dict[str, Connection]
    executor: Executor
    progress: Callable[[str, str], None]
    options: Options = field(default_factory=Options)

    def apply(self, plan: Plan) -> Result:
        """Apply a plan as a new run."""
        with self.journal.exclusive():
            run = self.journal.begin("apply", plan.fabric, plan.to_json())
            return self._waves(run, plan, plan.waves)

    def resume(self, run: int, plan: Plan) -> Result:
        """Go on with a run that was interrupted.

        Devices that were changed but not confirmed go back first; then their wave is done again.
        """
        load_adapters()
        with self.journal.exclusive():
            states = self.journal.states(run)
            for name in plan.devices:
                self._settle(run, plan.devices[name], states.get(name))
            states = self.journal.states(run)
            done = {name for name, event in states.items() if event.state is State.DONE}
            waves = [tuple(name for name in wave if name not in done) for wave in plan.waves]
            return self._waves(run, plan, [wave for wave in waves if wave])

    def _waves(self, run: int, plan: Plan, waves: Sequence[Sequence[str]]) -> Result:
        confirmed: list[str] = []
        self.journal.record(run, "", State.PENDING, f"{len(waves)} waves")
        for number, wave in enumerate(waves, 1):
            self.progress("", f"wave {number} of {len(waves)}: {', '.join(wave)}")
            reasons = self._wave(run, [plan.devices[name] for name in wave])
            if reasons:
                self.journal.record(run, "", State.FAILED, "; ".join(reasons))
                back = tuple(
                    name
                    for name, event in self.journal.states(run).items()
                    if event.state is State.ROLLED_BACK
                )
                return Result(
                    run,
                    ok=False,
                    reasons=tuple(reasons),
                    confirmed=tuple(confirmed),
                    rolled_back=back,
                )
            confirmed += wave
        self.journal.record(run, "", State.DONE)
        return Result(run, ok=True, confirmed=tuple(confirmed))

    # One wave: nothing is staged before every device of it is ready.

    def _wave(self, run: int, plans: list[DevicePlan]) -> list[str]:
        work, reasons = self._prepare(plans)
        try:
            if reasons:
                return reasons
            for item in work:
                self.journal.keep(run, item.plan.device, _kept(item.before))
            reasons = self._each(work, lambda item: self._change(run, item))
            reasons = reasons or self._each(work, lambda item: self._verify(run, item))
            if reasons:
                self._go_back(run, work)
                return reasons
            reasons = self._each(work, lambda item: self._keep_change(run, item))
            self._go_back(run, [item for item in work if item.error])
            return reasons
        finally:
            for item in work:
                item.driver.close()

    def _prepare(self, plans: list[DevicePlan]) -> tuple[list[_Work], list[str]]:
        futures = [self.executor.submit(self._ready, plan) for plan in plans]
        work, reasons = [], []
        for future in futures:
            try:
                work.append(future.result())
            except FabricError as error:
                reasons.append(str(error))
        return work, reasons

    def _ready(self, plan: DevicePlan) -> _Work:
        load_adapters()
        connection = self.connections[plan.device]
        driver = open_driver(connection)
        try:
            before = _unchanged(plan, driver)
            draft = adapters[plan.platform].draft(before, plan.artefacts, driver)
            return _Work(plan, connection, driver, before, read_snapshot(driver), draft)
        except BaseException:
            driver.close()
            raise

    def _each(self, work: list[_Work], step: Callable[[_Work], None]) -> list[str]:
        futures = [(item, self.executor.submit(step, item)) for item in work]
        for item, future in futures:
            try:
                future.result()
            except FabricError as error:
                item.error = str(error)
                self.progress(item.plan.device, f"failed: {error}")
        return [item.error for item in work if item.error]

    def _change(self, run: int, item: _Work) -> None:
        name = item.plan.device
        item.token = token = next_token(self.journal, run, name)
        self.journal.record(run, name, State.STAGING, token)
        item.driver.stage(item.draft.candidate, token)
        self.journal.record(run, name, State.COMMITTING, token)
        self.progress(
            name, f"commit, {item.draft.candidate.method}, timer {self.options.timer_s} s"
        )
        item.driver.commit(item.draft.candidate, token, self.options.timer_s)
        self.journal.record(run, name, State.COMMITTED, token)

    def _verify(self, run: int, item: _Work) -> None:
        deadline = time.monotonic() + self.options.verify_s
        problems = ["not looked at"]
        while problems:
            problems = self._look(item)
            if not problems:
                break
            if time.monotonic() >= deadline or self._gone(item):
                raise DeviceError(item.plan.device, f"not healthy: {'; '.join(problems)}")
            time.sleep(self.options.poll_s)
        self.journal.record(run, item.plan.device, State.VERIFIED)
        self.progress(item.plan.device, "verified")

    def _gone(self, item: _Work) -> bool:
        """Tell whether the device no longer waits for a confirmation: it went back by itself."""
        try:
            return not item.driver.pending(item.token)
        except ConnectionLostError:
            return False

    def _look(self, item: _Work) -> list[str]:
        try:
            now = read_planned(item.plan, item.driver)
            draft = adapters[item.plan.platform].draft(now, item.plan.artefacts, item.driver)
            problems = [f"{change.path} is not as planned" for change in draft.changes[:3]]
            return problems + worse(item.plan, item.seen, read_snapshot(item.driver))
        except ConnectionLostError as error:
            with suppress(ConnectionLostError):
                self._reopen(item)
            return [error.reason]

    def _reopen(self, item: _Work) -> None:
        item.driver.close()
        item.driver = open_driver(item.connection)

    def _keep_change(self, run: int, item: _Work) -> None:
        name, token = item.plan.device, item.token
        self.journal.record(run, name, State.CONFIRMING, token)
        item.driver.confirm(token)
        self.journal.record(run, name, State.CONFIRMED, token)
        item.driver.save()
        self.journal.record(run, name, State.DONE)
        self.progress(name, "confirmed and saved")

    # The way back.

    def _go_back(self, run: int, work: list[_Work]) -> None:
        futures = [self.executor.submit(self._back, run, item) for item in work]
        for future in futures:
            future.result()

    def _back(self, run: int, item: _Work) -> None:
        name, token = item.plan.device, item.token
        self.journal.record(run, name, State.ROLLING_BACK, item.error)
        try:
            self._patiently(item, lambda: _undo(item.driver, item.plan, item.before, token))
            self.journal.record(run, name, State.ROLLED_BACK)
            self.progress(name, "rolled back")
        except FabricError as error:
            message = f"{error}; its own timer takes the change back"
            self.journal.record(run, name, State.FAILED, message)
            self.progress(name, f"failed: {message}")

    def _patiently(self, item: _Work, step: Callable[[], None]) -> None:
        """Do a step on a fresh session; a device that is away gets time to come back."""
        deadline = time.monotonic() + self.options.verify_s
        while True:
            try:
                self._reopen(item)
                step()
            except ConnectionLostError:
                if time.monotonic() >= deadline:
                    raise
                time.sleep(self.options.poll_s)
            else:
                return

    def _settle(self, run: int, plan: DevicePlan, event: Event | None) -> None:
        """Bring one device of an interrupted run into a state from which to go on."""
        if event is None or event.state in {State.DONE, State.PENDING, State.ROLLED_BACK}:
            return
        token = last_token(self.journal, run, plan.device)
        driver = open_driver(self.connections[plan.device])
        try:
            check_identity(driver.identify(), plan.hostname, plan.serial, plan.mac)
            if event.state in {State.CONFIRMING, State.CONFIRMED}:
                self._finish(run, plan, driver, token)
            else:
                before = kept_running(self.journal, run, plan)
                self.journal.record(run, plan.device, State.ROLLING_BACK, "interrupted")
                _undo(driver, plan, before, token)
                self.journal.record(run, plan.device, State.PENDING, "as before the run")
                self.progress(plan.device, "back to the state before the run")
        finally:
            driver.close()

    def _finish(self, run: int, plan: DevicePlan, driver: Driver, token: str) -> None:
        """Confirm and save a device whose wave was already verified."""
        if driver.pending(token):
            driver.confirm(token)
        now = read_planned(plan, driver)
        if adapters[plan.platform].draft(now, plan.artefacts, driver).changes:
            self.journal.record(run, plan.device, State.PENDING, "its timer ran out")
            return
        driver.save()
        self.journal.record(run, plan.device, State.DONE)
        self.progress(plan.device, "confirmed and saved")


def _unchanged(plan: DevicePlan, driver: Driver) -> Running:
    """Return the running state of a device, which must be the one that was planned for."""
    check_identity(driver.identify(), plan.hostname, plan.serial, plan.mac)
    check_alone(plan.device, driver)
    before = read_planned(plan, driver)
    if before.fingerprint != plan.fingerprint:
        message = f"{plan.device}: its configuration changed after the plan; plan again"
        raise StalePlanError(message)
    return before


def check_alone(device: str, driver: Driver) -> None:
    """Refuse a device on which somebody else is at work.

    Raises
    ------
    ForeignSessionError
        Naming the session or timer.
    """
    foreign = driver.foreign_sessions()
    if foreign:
        message = f"somebody else is at work on it: {', '.join(foreign)}"
        raise ForeignSessionError(device, message)


def _staged(journal: Journal, run: int, device: str) -> list[str]:
    return [
        event.detail
        for event in journal.events(run)
        if event.device == device and event.state is State.STAGING
    ]


def next_token(journal: Journal, run: int, device: str) -> str:
    """Return a name for a change that no earlier attempt has used on the device."""
    return f"rocefab-run-{run}-{len(_staged(journal, run, device)) + 1}"


def last_token(journal: Journal, run: int, device: str) -> str:
    """Return the name that the last attempt has on the device."""
    return (_staged(journal, run, device) or [f"rocefab-run-{run}-0"])[-1]


def worse(plan: DevicePlan, before: Snapshot, now: Snapshot) -> list[str]:
    """Return what is wrong now and was not wrong before."""
    old = {(item.subject, item.item) for item in deviations(plan.expected, before)}
    return [
        str(item) for item in deviations(plan.expected, now) if (item.subject, item.item) not in old
    ]


def read_planned(plan: DevicePlan, driver: Driver) -> Running:
    """Return the running state of a planned device."""
    adapter = adapters[plan.platform]
    return read_running(driver, adapter.files(plan.artefacts), adapter.subjects(plan.artefacts))


def _undo(driver: Driver, plan: DevicePlan, before: Running, token: str) -> None:
    """Take a change back by whatever way is still open, and make sure."""
    if driver.pending(token) or token in driver.foreign_sessions():
        driver.rollback(token)
    now = read_planned(plan, driver)
    if now.fingerprint == before.fingerprint:
        return
    candidate = adapters[plan.platform].restore(before, now)
    again = f"{token}-back"
    driver.stage(candidate, again)
    driver.commit(candidate, again, Options().timer_s)
    driver.confirm(again)
    driver.save()
    if read_planned(plan, driver).fingerprint != before.fingerprint:
        raise DeviceError(plan.device, "the state before the run could not be brought back whole")


def _kept(before: Running) -> str:
    return json.dumps({
        "config": before.config,
        "canonical": before.canonical,
        "files": dict(before.files),
    })


def kept_running(journal: Journal, run: int, plan: DevicePlan) -> Running:
    """Return the state of a device from before a run."""
    data = journal.kept(run, plan.device)
    return Running(
        device=plan.device,
        platform=plan.platform,
        config=data["config"],
        canonical=str(data["canonical"]),
        saved=None,
        files=data["files"],  # type: ignore[arg-type]
    )
