"""drift --watch: each device is read round robin, and what differs is reported once."""

from __future__ import annotations

import threading
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from fabric.change.planner import open_driver
from fabric.change.windows import is_open
from fabric.core.errors import ConnectionLostError, DeviceError
from fabric.observe.authors import MOST_CHARACTERS, SUBJECT, author, histories
from fabric.workflow.devices import targets
from fabric.workflow.drift_findings import findings_of, is_judged_by
from fabric.workflow.nics import NicLooks
from fabric.workflow.schedule import Schedule
from fabric.workflow.verify import Health, compared, with_origins

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from fabric.change.planner import Target
    from fabric.core.events import Event, Ledger
    from fabric.core.findings import Finding
    from fabric.devices.driver import Driver
    from fabric.observe.authors import Entry
    from fabric.workflow.devices import Selection
    from fabric.workflow.project import Project
    from fabric.workflow.schedule import Pace

__all__ = ["Looked", "Watch"]


@dataclass(frozen=True)
class _Look:
    """What was read of a device, and who changed it where something is new."""

    health: Health
    entries: tuple[Entry, ...] = ()
    was_quiet: bool = False


@dataclass(frozen=True)
class Looked:
    """A look at a device, and what began and ended by it."""

    health: Health
    events: list[Event]


@dataclass
class Watch:
    """Watches the devices of a project.

    Parameters
    ----------
    ledger : Ledger
        What lasts already, by an earlier process.
    is_busy : callable
        Tells of a device whether a run of rocefab works on it now.
    now : callable
        Returns the time, UTC.
    """

    project: Project
    connections_file: Path | None
    selection: Selection
    pace: Pace
    ledger: Ledger
    is_busy: Callable[[str], bool] = lambda _device: False
    now: Callable[[], datetime] = lambda: datetime.now(UTC)

    def __post_init__(self) -> None:
        self._targets = targets(self.project, self.connections_file, self.selection)
        self._nics = NicLooks(self.project)
        self._sessions: dict[str, Driver] = {}
        self._ended = threading.Event()

    def looks(self) -> Iterator[Looked]:
        """Yield each look at a device; sessions that are open at the end are cut."""
        schedule: Schedule[_Look] = Schedule(
            list(self._targets), self._look, lambda look: bool(look.health.error), self.pace
        )
        try:
            for look in schedule.readings():
                yield Looked(look.health, self._update(look))
        finally:
            self._ended.set()
            for driver in list(self._sessions.values()):
                driver.cut()

    def _update(self, look: _Look) -> list[Event]:
        health = look.health
        if self.ledger.new(findings_of(health)):
            health = with_origins(self.project, health)
        present = findings_of(health)
        if look.was_quiet or self.is_quiet(health.device):
            new = set(self.ledger.new(present))
            present = [one for one in present if one not in new]
        by = {setting.path: setting.lines for setting in health.settings}

        def author_of(finding: Finding) -> tuple[str, ...]:
            entry = author(look.entries, by.get(finding.field, ()))
            own = (str(entry),) if entry else ()
            return own or health.suspects

        judged = is_judged_by(health)
        return self.ledger.update(present, judged, self.now(), author_of, health.device)

    def is_quiet(self, device: str) -> bool:
        """Tell whether what begins on a device now is held back: people or a run are at work."""
        windows = self.project.intent.fabric.rollout.windows
        return (bool(windows) and is_open(windows, self.now())) or self.is_busy(device)

    def _look(self, device: str) -> _Look:
        target = self._targets[device]
        was_quiet = self.is_quiet(device)
        try:
            with self._session(target) as driver:
                health = compared(self._nics, target, driver)
                entries = () if was_quiet else self._entries(target, driver, health)
                return _Look(health, entries, was_quiet)
        except DeviceError as error:
            connection = target.connection
            health = Health(connection.device, connection.platform, error=error.reason)
            return _Look(health, (), was_quiet)

    @contextmanager
    def _session(self, target: Target) -> Iterator[Driver]:
        if self._ended.is_set():
            raise ConnectionLostError(target.connection.device, "the watch has ended")
        driver = open_driver(target.connection, self.pace.within_s)
        self._sessions[target.connection.device] = driver
        try:
            yield driver
        finally:
            del self._sessions[target.connection.device]
            driver.close()

    def _entries(self, target: Target, driver: Driver, health: Health) -> tuple[Entry, ...]:
        """Return who changed the configuration; it is asked for when drift begins, not before.

        A device that does not say it, or refuses to, is read all the same.
        """
        platform = target.connection.platform
        drifted = self.ledger.new(findings_of(replace(health, deviations=())))
        if not drifted or platform not in histories:
            return ()
        with suppress(DeviceError):
            text = driver.read_state((SUBJECT,)).get(SUBJECT, "")
            return tuple(histories[platform](text[:MOST_CHARACTERS]))
        return ()
