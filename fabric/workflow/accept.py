"""accept: the tests that a fabric passes before jobs run on it, resumable, with a signed record."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from fabric.core.counts import counted
from fabric.core.errors import InputError
from fabric.core.file_kinds import FileKind
from fabric.core.files import write_whole
from fabric.core.findings import Finding, Position, Severity
from fabric.core.steps import steps as reported
from fabric.core.user_files import read_text
from fabric.probe.reach.commands import DURATION_S, INCAST_S, ceiling_gbps
from fabric.report.accept import (
    Acceptance,
    Record,
    Result,
    State,
    Step,
    as_data,
    html,
    junit,
    markdown,
)
from fabric.workflow.cabling import cabling
from fabric.workflow.expect import usual
from fabric.workflow.incast import make_groups
from fabric.workflow.incast import run as run_incast
from fabric.workflow.probe import make_plan, marking, quarantined
from fabric.workflow.probe_run import run as run_probe
from fabric.workflow.suspect import suspect
from fabric.workflow.verify import Selection, verify

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from fabric.probe.reach.commands import Marking
    from fabric.workflow.incast import Group
    from fabric.workflow.probe import Plan
    from fabric.workflow.project import Project
    from fabric.workflow.verify import Health

    Progress = Callable[[str, str], None]
    Outcome = tuple[list[str], str]

__all__ = ["Acceptance", "Run", "as_data", "html", "junit", "markdown", "steps"]

#: Seconds in which the counters of NICs are watched; our choice: long enough for a PFC storm of
#: one watchdog period to show, short enough to repeat.
WATCH_S = 10
#: NICs that send to one in the incast step; our choice: the most that `probe --incast` takes on a
#: small rail, and enough to fill a NIC from more than one side.
SENDERS = 2
#: Seconds for one device to be read, and for one round of pings: measured on the lab, see
#: docs/reference/speed.md; real devices take longer.
READ_S, PING_S = 0.5, 1.0
_BITS = 8


def steps(project: Project) -> tuple[Step, ...]:
    """Return the steps of an acceptance with how long they are expected to take."""
    everything = Selection(switches=False)
    devices = len(project.devices) + len(project.hosts)
    plan = make_plan(project, everything)
    groups = _groups(project)
    read_s = READ_S * devices
    rounds = groups[-1].round + 1 if groups else 0
    return (
        Step("configuration", "Configuration, BGP, LLDP and PFC are as planned", read_s),
        Step("cabling", "Every cable is where it is planned", read_s),
        Step("links", "No NIC loses packets or has link errors while idle", read_s + WATCH_S),
        Step("ping", "Every NIC reaches others over every kind of path", PING_S * plan.rounds),
        Step("rdma", "RDMA connections work over every kind of path", 2 * PING_S * plan.rounds),
        Step("bandwidth", "Pairs of NICs reach the planned rate", DURATION_S * plan.rounds),
        Step("incast", "Several NICs share one without loss", float(INCAST_S * rounds)),
        Step("counters", "No NIC lost packets under load", read_s + WATCH_S),
        Step("watchdog", "The PFC watchdog ends a pause storm", commands=_watchdog(project)),
        Step(
            "nccl", "All-reduce reaches the expected bus bandwidth", commands=_nccl(project, plan)
        ),
    )


def _groups(project: Project) -> list[Group]:
    try:
        return list(make_groups(project, Selection(switches=False), SENDERS))
    except InputError:  # no rail has enough hosts
        return []


def _watchdog(project: Project) -> tuple[str, ...]:
    """Return what a person does: it stops one NIC, which no tool should do unasked."""
    host = next(iter(project.hosts.values()))
    nic = host.nics[0]
    return (
        f"make {host.name} {nic.interface} send pause frames for longer than the detection time",
        f"{nic.leaf} {nic.leaf_port} detects the storm and restores the port",
        "other NICs of the rail keep their rate",
    )


def _nccl(project: Project, plan: Plan) -> tuple[str, ...]:
    """Return one run of nccl-tests for each rail, and for all, with the ceiling of each."""
    host = next(iter(project.hosts.values()))
    packets = _rdma_packets(plan)
    lines = []
    rates = []
    for nic in host.nics:
        gbyte_s = ceiling_gbps(nic.speed_gbps, packets) / _BITS
        rates.append(gbyte_s)
        lines.append(
            f"NCCL_IB_HCA=={nic.rdma_device} all_reduce_perf -b 8M -e 8G -f 2 -g 1: "
            f"at most {gbyte_s:.1f} GB/s busbw on rail {nic.rail}{usual(project, (nic.rail,))}"
        )
    lines.append(
        "all rails, `rocefab place` prints the settings: "
        f"at most {sum(rates):.1f} GB/s busbw{usual(project)}"
    )
    return tuple(lines)


def _rdma_packets(plan: Plan) -> Marking:
    """Return the packets between the first two NICs that are probed."""
    pair = plan.leg(int(plan.table.source[0])), plan.leg(int(plan.table.target[0]))
    return marking(*pair)


@dataclass
class Run:
    """An acceptance of a fabric, kept in a file after every step.

    Parameters
    ----------
    file : Path
        The record; it is read when it exists.
    parallel : int
        How many devices take part in a step at the same time; 0 for the default of the step.

    Raises
    ------
    InputError
        When the record is damaged, or is of another fabric or inventory.
    """

    project: Project
    file: Path
    connections: Path | None
    progress: Progress
    parallel: int = 0

    def __post_init__(self) -> None:
        """Read the record."""
        self._steps = steps(self.project)
        self._all = Selection(parallel=self.parallel)
        self.record = self._read()

    @property
    def acceptance(self) -> Acceptance:
        """The record with its steps."""
        return Acceptance(self.record, self._steps)

    def carry_out(self, only: Sequence[str] = (), *, again: bool = False) -> None:
        """Carry out the steps that are open, in their order.

        Parameters
        ----------
        only : sequence of str
            Keys of the steps to carry out, whatever came of them before.
        again : bool
            Whether steps that passed are carried out again.
        """
        self._reject_unknown(only)
        self._write()
        for step in reported("steps", self._steps):
            done = self.record.results.get(step.key, Result()).state == "passed"
            if step.by_hand or (only and step.key not in only) or (done and not (only or again)):
                continue
            self.progress("accept", step.title)
            started = _now()
            failures, summary = getattr(self, f"_{step.key}")()
            state: State = "failed" if failures else "passed"
            self._keep(step.key, Result(state, summary, tuple(failures), started, _now()))

    def note(self, key: str, *, passed: bool, by: str, text: str) -> None:
        """Record the result of a step that a person carried out."""
        self._reject_unknown([key])
        state: State = "passed" if passed else "failed"
        lines = (text,) if text else ()
        self._keep(key, Result(state, f"recorded by {by}", lines, _now(), _now(), by))

    def take_results(self, files: Sequence[Path], *, by: str) -> None:
        """Record the NCCL step by the results of nccl-tests, rccl-tests or a burn-in.

        It passes when every host was tested, and every result is as high as is usual.
        """
        suspicion = suspect(self.project, files)
        lines = (*suspicion.slow(), *suspicion.untested())
        state: State = "failed" if lines else "passed"
        summary = f"{counted(len(suspicion.results), 'result')}, recorded by {by}"
        self._keep("nccl", Result(state, summary, lines, _now(), _now(), by))

    def sign(self, name: str) -> None:
        """Sign the record.

        Raises
        ------
        InputError
            When a step failed or is open.
        """
        acceptance = self.acceptance
        if acceptance.failed or acceptance.open:
            fix = "run every step, or record it with --record"
            raise _error("ACC002", f"nothing was signed: {acceptance.verdict()}", fix)
        self.record = self.record.signed(name)
        self._write()

    def _configuration(self) -> Outcome:
        health = verify(self.project, self.connections, self._all, self.progress)
        return _health(health, counted(len(health), "device"))

    def _cabling(self) -> Outcome:
        seen = cabling(self.project, self.connections, self._all, self.progress)
        wrong = [f"{item.near} - {item.far}: {item.verdict}" for item in seen.wrong]
        return wrong + seen.unread_lines(), seen.summary()

    def _links(self) -> Outcome:
        return self._watched()

    def _counters(self) -> Outcome:
        return self._watched()

    def _watched(self) -> Outcome:
        chosen = replace(self._all, switches=False)
        health = verify(self.project, self.connections, chosen, self.progress, window_s=WATCH_S)
        return _health(health, counted(sum(len(item.nics) for item in health), "NIC"))

    def _ping(self) -> Outcome:
        return self._probed("ping")

    def _rdma(self) -> Outcome:
        return self._probed("rping")

    def _bandwidth(self) -> Outcome:
        return self._probed("bandwidth")

    def _probed(self, stage: str) -> Outcome:
        hosts = replace(self._all, switches=False)
        plan = make_plan(self.project, hosts)
        report = run_probe(plan, self.connections, hosts, stage, self.progress)
        failures = [
            f"{item['source']} - {item['target']}: {item['stage']}: {item['failure']}"
            for item in report.failures
        ]
        good = report.probes - len(failures)
        summary = f"{good} of {counted(report.probes, 'probe')} passed{_unchecked(self.project)}"
        return [*failures, *report.causes, *report.lost], summary

    def _incast(self) -> Outcome:
        hosts = replace(self._all, switches=False)
        try:
            groups = make_groups(self.project, hosts, SENDERS)
        except InputError:
            return [], f"no rail has {SENDERS + 1} hosts"
        report = run_incast(self.project, groups, self.connections, hosts, self.progress)
        failures = [
            f"{item.row()['target']}: {item.failure}" for item in report.groups if item.failure
        ]
        good = len(report.groups) - len(failures)
        return [*failures, *report.lost], f"{good} of {counted(len(report.groups), 'group')} passed"

    def _reject_unknown(self, keys: Sequence[str]) -> None:
        known = [step.key for step in self._steps]
        unknown = [key for key in keys if key not in known]
        if unknown:
            raise _error("ACC001", f"there is no step {unknown[0]!r}", f"use {', '.join(known)}")

    def _read(self) -> Record:
        own = Record(self.project.intent.fabric.name, _inventory_hash(self.project))
        if not self.file.exists():
            return own
        try:
            record = Record.from_json(read_text(self.file, FileKind.ACCEPTANCE))
        except (ValueError, KeyError, TypeError) as error:
            fix = "remove the file to start again"
            raise _error("ACC003", f"the record cannot be read: {error}", fix, self.file) from error
        if (record.fabric, record.inventory_sha256) != (own.fabric, own.inventory_sha256):
            fix = "use another --file, or remove this one to start again"
            message = "the record is of another fabric, or of another state of the inventory"
            raise _error("ACC003", message, fix, self.file)
        return record

    def _keep(self, key: str, result: Result) -> None:
        self.record = self.record.with_result(key, result)
        self._write()

    def _write(self) -> None:
        try:
            write_whole(self.file, self.record.to_json().encode())
        except OSError as error:
            message = f"the record cannot be written: {error.strerror}"
            raise _error("ACC003", message, "use another --file", self.file) from error


def _health(health: list[Health], what: str) -> Outcome:
    """Return the devices that are not as planned, and how many were seen."""
    bad = [item for item in health if not item.ok]
    lines = [
        line
        for item in bad
        for line in (
            *([f"{item.device}: {item.error}"] if item.error else []),
            *map(str, item.deviations),
            *(f"{item.device}: {setting}" for setting in item.settings),
            *(f"{item.device} {nic.interface}: {nic.reason}" for nic in item.nics if nic.bad),
        )
    ]
    return lines, f"{what} read, {len(bad)} not as planned"


def _unchecked(project: Project) -> str:
    """Return how many NICs are in quarantine, so that no probe was sent to them."""
    alone = len(quarantined(project))
    return f"; {alone} NIC{'s' * (alone != 1)} not checked: quarantine" if alone else ""


def _inventory_hash(project: Project) -> str:
    """Return the hash of what is rendered: the same inventory gives the same."""
    digest = hashlib.sha256()
    for artefacts in (*project.switch_artefacts.values(), *project.host_artefacts.values()):
        for artefact in artefacts:
            digest.update(f"{artefact.path}\0{artefact.sha256}\n".encode())
    return digest.hexdigest()


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="seconds")


def _error(rule: str, message: str, fix: str, file: Path | None = None) -> InputError:
    place = Position(str(file)) if file else None
    return InputError(message, [Finding(rule, Severity.ERROR, message, fix, "", place)])
