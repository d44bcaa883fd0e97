"""observe: the operational state of devices in one form, whatever system they run."""

from __future__ import annotations

import difflib
import math
import time
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from itertools import count
from typing import TYPE_CHECKING, Any

from fabric.change.planner import open_driver
from fabric.core.errors import DeviceError, InputError
from fabric.core.findings import Finding, Severity
from fabric.observe import read_snapshot
from fabric.observe.host_session import read_counters
from fabric.observe.hostfacts.assemble import host_facts
from fabric.observe.parsers import parsers
from fabric.observe.rates import rates
from fabric.observe.state import NicCounters
from fabric.report.observed import FIELDS, Seen
from fabric.workflow.devices import Selection, chosen, executor, project_connections
from fabric.workflow.nics import nic_names

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from pathlib import Path

    from fabric.devices.driver import Connection, Driver
    from fabric.workflow.project import Project

__all__ = ["FIELDS", "Rounds", "Seen", "Selection", "observe", "observe_again"]

_NICS = "nics"


@dataclass(frozen=True)
class Rounds:
    """How often devices are read.

    Parameters
    ----------
    interval_s : float
        From the start of one reading of all devices to that of the next.
    number : int
        How many; 0 for no end.
    within_s : float
        How long a device may take each time; its session is cut then.
    """

    interval_s: float = 0.0
    number: int = 1
    within_s: float = math.inf


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
    once = Rounds()
    return next(observe_again(project, connections_file, selection, fields, progress, once))


def observe_again(
    project: Project,
    connections_file: Path | None,
    selection: Selection,
    fields: Sequence[str],
    progress: Callable[[str, str], None],
    rounds: Rounds,
) -> Iterator[list[Seen]]:
    """Yield the state of every selected device again and again, with rates from the second time on.

    Rates count from the last time that a device could be read. A round that takes longer than the
    interval delays the next one.

    Raises
    ------
    InputError
        As `observe`.
    """
    _refuse_unknown(fields)
    reachable = project_connections(project, connections_file)
    chosen_names = chosen(project, selection)
    look = _Look(project, tuple(fields), rounds.within_s)
    last: dict[str, Seen] = {}
    begin_s = time.monotonic()
    for number in range(rounds.number) if rounds.number else count():
        time.sleep(max(0.0, begin_s + number * rounds.interval_s - time.monotonic()))
        to_read = {name: one for name, one in reachable.items() if name in chosen_names}
        seen = [_with_rates(one, last.get(one.device)) for one in look.all(to_read, progress)]
        last |= {one.device: one for one in seen if one.snapshot is not None}
        yield seen


@dataclass(frozen=True)
class _Look:
    """Reads devices, some at a time."""

    project: Project
    fields: tuple[str, ...]
    within_s: float

    def all(
        self, reachable: dict[str, Connection], progress: Callable[[str, str], None]
    ) -> Iterator[Seen]:
        with executor(len(reachable)) as pool:
            for future in [pool.submit(self._of, one) for one in reachable.values()]:
                seen = future.result()
                progress(seen.device, seen.error or "read")
                yield seen

    def _of(self, connection: Connection) -> Seen:
        readings = parsers[connection.platform].readings
        offered = {field for field, _ in readings.values()}
        offered |= {_NICS} if connection.device in self.project.hosts else set()
        seen = Seen(
            connection.device,
            connection.platform,
            unread=tuple(field for field in self.fields if field not in offered),
        )
        try:
            seen = self._read(connection, seen)
        except DeviceError as error:
            seen = replace(seen, error=error.reason)
        return replace(seen, time=datetime.now(UTC), clock_s=time.monotonic())

    def _read(self, connection: Connection, seen: Seen) -> Seen:
        readings = parsers[connection.platform].readings
        driver = open_driver(connection, self.within_s)
        try:
            snapshot = read_snapshot(driver, self.fields or None)
            nics = self._nics(driver, seen.device)
        finally:
            driver.close()
        unknown = {readings[subject][0] for subject in snapshot.unknown}
        if nics is not None and not all(nic.counters and nic.hw_counters for nic in nics.values()):
            unknown.add(_NICS)
        known = {name: nic for name, nic in (nics or {}).items() if nic.counters or nic.hw_counters}
        return replace(
            seen,
            snapshot=replace(snapshot, nics=known if nics is not None else None),
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
