"""observe: the operational state of devices in one form, whatever system they run."""

from __future__ import annotations

import difflib
import math
import time
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from functools import partial
from typing import TYPE_CHECKING, Any

from fabric.change.planner import open_driver
from fabric.core.errors import DeviceError, InputError
from fabric.core.findings import Finding, Severity
from fabric.devices.gnmi import GnmiDriver
from fabric.devices.kept_session import KeptSession
from fabric.observe import openconfig, read_snapshot
from fabric.observe.host_session import read_counters
from fabric.observe.hostfacts.assemble import host_facts
from fabric.observe.parsers import gnmi_readings, parsers
from fabric.observe.rates import rates
from fabric.observe.state import NicCounters
from fabric.report.observed import FIELDS, Seen
from fabric.workflow.devices import Selection, chosen, executor, project_connections
from fabric.workflow.nics import nic_names
from fabric.workflow.schedule import Pace, Schedule

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
    from pathlib import Path

    from fabric.devices.driver import Connection, Driver
    from fabric.observe.parsers import Reading
    from fabric.workflow.project import Project

__all__ = [
    "FIELDS",
    "Pace",
    "Seen",
    "Selection",
    "observe",
    "observe_again",
    "observed",
    "turns",
]

_NICS = "nics"


def observe(
    project: Project,
    connections_file: Path | None,
    selection: Selection,
    fields: Sequence[str],
    progress: Callable[[str, str], None],
) -> list[Seen]:
    """Read the state of every selected device; a device that fails does not stop the others.

    Parameters
    ----------
    fields : sequence of str
        Names of ``FIELDS``; empty for all that the platforms can read.

    Raises
    ------
    InputError
        When a field, a device or the connections file is wrong.
    """
    pace = Pace(parallel=selection.parallel)
    readings = observe_again(project, connections_file, selection, fields, progress, pace)
    return next(turns(readings, observed(project, selection), math.inf), [])


def observed(project: Project, selection: Selection) -> list[str]:
    """Return the names of the selected devices, in the order of the inventory."""
    names = chosen(project, selection)
    return [name for name in (*project.devices, *project.hosts) if name in names]


def turns(
    readings: Iterable[Seen], devices: Sequence[str], interval_s: float
) -> Iterator[list[Seen]]:
    """Yield readings in lists: one of each device, or those that came within an interval.

    A list is in the order of ``devices``, and has a device twice only where two readings of it
    came.
    """
    places = {name: place for place, name in enumerate(devices)}
    turn: list[Seen] = []
    end_s = time.monotonic() + interval_s
    for one in readings:
        turn.append(one)
        if len(turn) >= len(devices) or time.monotonic() > end_s:
            yield sorted(turn, key=lambda seen: places[seen.device])
            turn, end_s = [], time.monotonic() + interval_s
    if turn:
        yield sorted(turn, key=lambda seen: places[seen.device])


def observe_again(
    project: Project,
    connections_file: Path | None,
    selection: Selection,
    fields: Sequence[str],
    progress: Callable[[str, str], None],
    pace: Pace,
) -> Iterator[Seen]:
    """Yield each reading of a device when it is there, with rates from its second one on.

    Rates count from the last time that the device could be read.

    Raises
    ------
    InputError
        As `observe`.
    """
    _refuse_unknown(fields)
    reachable = project_connections(project, connections_file)
    look = _Look(project, tuple(fields), pace.within_s, keep=pace.number != 1)
    sessions = {
        name: KeptSession(name, partial(_session, reachable[name]))
        for name in observed(project, selection)
    }
    last: dict[str, Seen] = {}
    schedule = Schedule(
        list(sessions),
        lambda name: look.at(reachable[name], sessions[name]),
        lambda seen: seen.snapshot is None,
        pace,
    )
    try:
        for read in schedule.readings():
            seen = _with_rates(read, last.get(read.device))
            if seen.snapshot is not None:
                last[seen.device] = seen
            progress(seen.device, seen.error or "read")
            yield seen
    finally:
        with executor(len(sessions)) as pool:
            list(pool.map(KeptSession.end, sessions.values()))


@dataclass(frozen=True)
class _Look:
    """Reads a device."""

    project: Project
    fields: tuple[str, ...]
    within_s: float
    keep: bool

    def at(self, connection: Connection, session: KeptSession) -> Seen:
        """Return what a device says; an error of the device is a part of it."""
        offered = {field for field, _ in _readings(connection).values()}
        offered |= {_NICS} if connection.device in self.project.hosts else set()
        seen = Seen(
            connection.device,
            connection.platform,
            unread=tuple(field for field in self.fields if field not in offered),
        )
        try:
            seen = session.use(lambda driver: self._read(driver, seen), self.within_s)
        except DeviceError as error:
            seen = replace(seen, error=error.reason)
        if not self.keep:
            session.end()
        return replace(seen, time=datetime.now(UTC), clock_s=time.monotonic())

    def _read(self, driver: Driver, seen: Seen) -> Seen:
        readings = _readings(driver.connection)
        snapshot = read_snapshot(driver, self.fields or None, readings)
        nics = self._nics(driver, seen.device)
        unknown = {readings[subject][0] for subject in snapshot.unknown}
        if nics is not None and not all(nic.counters and nic.hw_counters for nic in nics.values()):
            unknown.add(_NICS)
        known = {name: nic for name, nic in (nics or {}).items() if nic.counters or nic.hw_counters}
        return replace(
            seen,
            snapshot=replace(snapshot, nics=known if nics is not None else None, raw={}),
            unknown=tuple(field for field in FIELDS if field in unknown),
        )

    def _nics(self, driver: Driver, name: str) -> dict[str, NicCounters] | None:
        """Return the counters of the lossless NICs of a host; None where they are not asked for."""
        host = self.project.hosts.get(name)
        if host is None or (self.fields and _NICS not in self.fields):
            return None
        session: Any = driver
        names = nic_names(host)
        facts = host_facts(name, read_counters(session, names))
        nics = {nic.interface: facts.nic(nic.rdma_device) for nic in names}
        return {
            nic.interface: (
                NicCounters(nic.rdma_device, read.up, read.counters, read.hw_counters)
                if (read := nics[nic.interface])
                else NicCounters(nic.rdma_device)
            )
            for nic in names
        }


def _readings(connection: Connection) -> Mapping[str, tuple[str, Reading]]:
    if not connection.gnmi_port:
        return parsers[connection.platform].readings
    return dict(gnmi_readings.items()).get(connection.platform, openconfig.READINGS)


def _session(connection: Connection, within_s: float) -> Driver:
    """Return an open session: of gNMI where the connections file says that it is read by it."""
    return open_driver(connection, within_s, GnmiDriver if connection.gnmi_port else None)


def _with_rates(seen: Seen, last: Seen | None) -> Seen:
    if seen.snapshot is None or last is None or last.snapshot is None:
        return seen
    return replace(seen, rates=rates(last.snapshot, seen.snapshot, seen.clock_s - last.clock_s))


def _refuse_unknown(fields: Sequence[str]) -> None:
    findings = []
    for name in fields:
        if name not in FIELDS:
            close = difflib.get_close_matches(name, FIELDS, n=1)
            fix = f"did you mean {close[0]!r}?" if close else f"available: {', '.join(FIELDS)}"
            findings.append(Finding("OBS001", Severity.ERROR, f"unknown field {name!r}", fix))
    if findings:
        raise InputError("nothing was read", findings)
