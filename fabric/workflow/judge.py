"""judge: two readings of every device, and what is wrong with the fabric, the cause first."""

from __future__ import annotations

import difflib
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from fabric.core.errors import InputError
from fabric.core.findings import Finding, Severity
from fabric.health.ends import ends_of
from fabric.health.judge import judge
from fabric.health.plan import plan_of
from fabric.health.reading import Reading
from fabric.health.settings import NAMES, Settings
from fabric.health.window import Window
from fabric.report.judged import outcome_of, report
from fabric.report.recorded_windows import Planned, recorded_windows
from fabric.validate.waivers import Decisions
from fabric.workflow.devices import chosen
from fabric.workflow.observe import Pace, Selection, observe_again
from fabric.workflow.port_plans import expected
from fabric.workflow.state_file import read_state

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence
    from pathlib import Path

    from fabric.health.ends import Ends
    from fabric.health.judge import Judgement
    from fabric.platforms.model import Sku
    from fabric.report.observed import Seen
    from fabric.validate.runner import Outcome
    from fabric.workflow.project import Project
    from fabric.workflow.recording import Recording

__all__ = [
    "JudgeOptions",
    "Judged",
    "Judging",
    "Pace",
    "Selection",
    "judge_devices",
    "judge_file",
    "settings_of",
]


@dataclass(frozen=True)
class Judged:
    """A judgement, and what comes of it with the waivers of the inventory.

    Parameters
    ----------
    warnings : tuple of Finding
        What is odd about a file of readings.
    """

    judgement: Judgement
    outcome: Outcome
    file: str
    warnings: tuple[Finding, ...] = ()

    def report(self, form: str, fail_on: Severity) -> str:
        """Return it in one of the forms of `check`."""
        return report(self.judgement, self.outcome, form, self.file, fail_on, self.warnings)


@dataclass(frozen=True)
class JudgeOptions:
    """How to judge.

    Parameters
    ----------
    states : sequence of Path
        Files with the jobs that run, as `place --avoid-state` takes them.
    max_age_s : float
        Age from which such a file is stale.
    unjudged : Severity
        Of what could not be judged.
    """

    selection: Selection
    settings: Settings
    states: Sequence[Path] = ()
    max_age_s: float = 900.0
    unjudged: Severity = Severity.INFO


def judge_devices(
    project: Project,
    connections_file: Path | None,
    wanted: JudgeOptions,
    pace: Pace,
    progress: Callable[[str, str], None],
) -> Judged:
    """Read every selected device again and again, and judge the last two readings of each.

    Parameters
    ----------
    pace : Pace
        At least two readings of each device.

    Raises
    ------
    InputError
        When a device, the connections file or a file of jobs is wrong.
    """
    judging = Judging(project, wanted)  # what is wrong is reported before devices are read
    seen = observe_again(project, connections_file, wanted.selection, (), progress, pace)
    return _judged(judging, seen)


def judge_file(project: Project, recording: Recording, wanted: JudgeOptions) -> Judged:
    """Judge the last two readings of each device in a file of JSON lines.

    Raises
    ------
    InputError
        When a file is wrong, or holds no device of the fabric.
    """
    judging, odd = Judging(project, wanted), recording.odd
    seen = list(recorded_windows(recording.file, planned_of(judging.ends), odd))
    recording.check({one.device: one.time for one in seen})
    return replace(_judged(judging, seen), warnings=tuple(odd.findings()))


def planned_of(ends: Ends) -> dict[str, Planned]:
    """Return what the inventory says of each device that a record may be about."""
    switches = ends.fabric.switches
    of_model = {sku: Planned(sku.nos, every_port(sku)) for sku in {*switches.skus}}
    planned = {name: of_model[sku] for name, sku in zip(switches.names, switches.skus, strict=True)}
    hosts = zip(ends.names[len(planned) :], ends.rows[len(planned) :], strict=True)
    return planned | {name: Planned("host", frozenset(rows)) for name, rows in hosts}


def every_port(sku: Sku) -> frozenset[str]:
    """Return all ports that a switch may have, those for management and service too."""
    return frozenset([*sku.port_numbers(), *(port.name for port in sku.service_ports)])


class Judging:
    """Judges the last two readings of each device, as often as it is asked.

    Raises
    ------
    InputError
        When a device or a file of jobs is wrong.
    """

    def __init__(self, project: Project, wanted: JudgeOptions) -> None:
        self.ends = ends_of(project.fabric)
        self._wanted, self._jobs = wanted, _jobs(project, wanted)
        self._plan = plan_of(self.ends, expected(project))
        self._decisions = Decisions.of(project.intent)
        self._file = f"{project.intent.folder}/fabric.yaml"
        self.names = sorted(chosen(project, wanted.selection))
        self._last: dict[str, tuple[Seen | None, Seen]] = {}

    def put(self, seen: Seen) -> None:
        """Take a reading of a device."""
        before = self._last.get(seen.device)
        self._last[seen.device] = (before[1] if before else None, seen)

    def judged(self, *, is_whole: bool = True) -> Judged:
        """Return the judgement of the readings so far.

        Parameters
        ----------
        is_whole : bool
            Whether all readings are there: a device without one could not be read then.
        """
        none = Reading("", None, None, 0.0)
        readings = {
            name: _reading(*self._last[name]) if name in self._last else none
            for name in self.names
            if is_whole or name in self._last
        }
        window = Window(self.ends, self._plan, readings, self._wanted.settings)
        judgement = judge(window, self._jobs)
        outcome = outcome_of(judgement, self._decisions, self._wanted.unjudged)
        return Judged(judgement, outcome, self._file)


def _judged(judging: Judging, seen: Iterable[Seen]) -> Judged:
    for one in seen:
        judging.put(one)
    return judging.judged()


def _reading(before: Seen | None, after: Seen) -> Reading:
    """Return two readings of a device; both count only where both were made.

    A record says how much time passed by a clock that never jumps; its time of day may.
    """
    elapsed_s = after.clock_s - before.clock_s if before else 0.0
    if before and before.snapshot and after.elapsed_s is not None:
        elapsed_s = after.elapsed_s
    return Reading(
        after.platform,
        before.snapshot if before else None,
        after.snapshot,
        max(0.0, elapsed_s),
        after.error,
    )


def _jobs(project: Project, wanted: JudgeOptions) -> dict[str, tuple[str, ...]]:
    state = read_state(wanted.states, project.fabric, wanted.max_age_s)
    return {job.name: job.hosts for job in state.jobs}


def settings_of(words: Sequence[str]) -> Settings:
    """Return the limits with what ``NAME=VALUE`` words change.

    Raises
    ------
    InputError
        With each word that is wrong.
    """
    values: dict[str, float] = {}
    findings = []
    for word in words:
        name, _, text = word.partition("=")
        try:
            value = float(text)
        except ValueError:
            value = -1.0
        if name not in NAMES:
            close = difflib.get_close_matches(name, NAMES, n=1)
            fix = f"did you mean {close[0]!r}?" if close else f"available: {', '.join(NAMES)}"
            findings.append(Finding("OBS004", Severity.ERROR, f"unknown limit {name!r}", fix))
        elif not 0 < value < float("inf"):
            message = f"{name}: {text!r} is not a number above 0"
            fix = f"write a number, such as {name}={getattr(Settings(), name):g}"
            findings.append(Finding("OBS004", Severity.ERROR, message, fix))
        else:
            values[name] = value
    if findings:
        raise InputError("invalid --limit", findings)
    return Settings().changed(values)
