"""The state of a fabric as a file: what is not as planned, and the jobs that run."""

from __future__ import annotations

import time
from collections import Counter
from contextlib import suppress
from dataclasses import replace
from datetime import UTC, datetime
from functools import partial
from itertools import islice
from typing import TYPE_CHECKING, Annotated, Any, Literal, TypeVar

from pydantic import (
    AfterValidator,
    AwareDatetime,
    BaseModel,
    ConfigDict,
    Field,
    StringConstraints,
    ValidationError,
)

from fabric.core import hostlist
from fabric.core.counts import age_text, counted
from fabric.core.errors import InputError
from fabric.core.file_kinds import FileKind
from fabric.core.findings import Finding, Position, Severity, advised
from fabric.core.formats import form_of
from fabric.core.json_text import DoubledNameError, once
from fabric.core.shown import field_text
from fabric.core.user_files import read_json
from fabric.intent.explain_errors import worded
from fabric.placement.condition import ConditionBody, Subject, VisibleName, by_name, named
from fabric.placement.engine.availability import wrong_jobs
from fabric.placement.engine.now import unknown_subjects
from fabric.placement.engine.state import (
    Condition,
    Health,
    RunningJob,
    State,
    worst_last,
)
from fabric.placement.engine.traffic import parse_traffic
from fabric.report.recorded import documents, is_recorded
from fabric.workflow.conditions import conditions_of
from fabric.workflow.json_places import other_form, places_in

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path

    from fabric.topology.model import Fabric

#: Members are added to this form, none is removed or changes its meaning.
FORMAT = form_of("state")
#: Forms of other commands that are read too; their lists have none.
_OF_COMMANDS = (form_of("cabling"), form_of("health"))
_MOST_FINDINGS = 50
#: Seconds that the clock of who writes a state may be ahead of ours: clocks with NTP differ by far
#: less; our choice.
_MOST_SKEW_S = 60.0


_Model = TypeVar("_Model", bound=BaseModel)


class _Form(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class JobForm(_Form):
    """A job that runs."""

    name: VisibleName
    hosts: str | list[VisibleName] = Field(description="A range such as gpu[001-004], or a list.")
    traffic: Annotated[str, StringConstraints(max_length=200)] = "ring"


class StateForm(_Form):
    """All that is not as planned by host, switch, ``device:port`` or range; jobs that run."""

    format: Literal["rocefab-state/1"]
    written: AwareDatetime | None = Field(None, description="When it was so; default: file time.")
    fabric: VisibleName | None = Field(
        None, description="Name of the fabric; default: not compared."
    )
    conditions: Annotated[dict[Subject, ConditionBody], AfterValidator(by_name)] = {}
    jobs: list[JobForm] = []


def read_state(files: Iterable[Path], fabric: Fabric, max_age_s: float) -> State:
    """Return what some files say of a fabric: those of this form, and those of other commands.

    Parameters
    ----------
    max_age_s : float
        Age from which a file is stale: by its member ``written``, by the oldest ``time`` of its
        readings, else by its last change.

    Raises
    ------
    InputError
        When a file cannot be read, is stale, or is of another form or fabric.
    """
    found: list[Condition] = []
    jobs: list[RunningJob] = []
    names = {*fabric.switch_row, *fabric.host_row}
    for file in files:
        data = (
            list(documents(file, names))
            if is_recorded(file)
            else read_json(file, FileKind.STATE, object_pairs_hook=partial(_once, file))
        )
        _refuse_stale(data, file, max_age_s)
        if isinstance(data, dict) and data.get("format") == FORMAT:
            state = state_of(data, file, fabric)
            found, jobs = [*found, *state.conditions], [*jobs, *state.jobs]
        else:
            _refuse_other_form(data, file)
            found += conditions_of(data, fabric, file)
    return State(worst_last(found), tuple(jobs))


def _once(file: Path, pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Return an object; one that names a member twice does not say which of them holds."""
    try:
        return once(pairs)
    except DoubledNameError as error:
        finding = _finding("PLC032", file, error.name, str(error), "leave one of them")
        raise InputError("the state is wrong", [finding]) from error


def _refuse_other_form(data: Any, file: Path) -> None:
    """Refuse a state of another form, and a list of nothing, which would avoid nothing."""
    if data == []:
        message, fix = "the list is empty: nothing is avoided", "leave the file out, or write it"
    elif isinstance(data, dict) and {"format", "conditions", "jobs"} & data.keys():
        if data.get("format") in _OF_COMMANDS:
            return
        message, fix = other_form(data.get("format"), FORMAT)
    else:
        return
    finding = _finding("PLC032", file, "format", message, fix, places_in(file)(("format",)))
    raise InputError("the state is wrong", [finding])


def _refuse_stale(data: Any, file: Path, max_age_s: float) -> None:
    """Refuse a state that is too old, or of a time to come, whose age nobody knows."""
    age_s = time.time() - _written_s(data, file.stat().st_mtime)
    if age_s > max_age_s:
        limit = f"older than {age_text(max_age_s)} is stale"
        message = f"the state is {age_text(age_s)} old, and {limit}"
        fix = "write it again, or raise --state-max-age"
    elif age_s < -_MOST_SKEW_S:
        message = f"the state is of a time {age_text(-age_s)} from now"
        fix = "set the clock right, and write it again"
    else:
        return
    finding = Finding("PLC032", Severity.ERROR, message, fix, position=Position(str(file)))
    raise InputError("the state cannot be used", [finding])


def _written_s(data: Any, file_time_s: float) -> float:
    try:
        written = min(one["time"] for one in data) if isinstance(data, list) else data["written"]
        return datetime.fromisoformat(str(written)).astimezone(UTC).timestamp()
    except (KeyError, TypeError, ValueError):
        return file_time_s


def state_of(data: Any, file: Path, fabric: Fabric) -> State:
    """Return the state of a file of ours.

    Raises
    ------
    InputError
        With each member that is wrong, and each name that the fabric does not have.
    """
    findings: list[Finding] = []
    try:
        form = validated(StateForm, data, file, "PLC032")
    except InputError as error:
        findings, form = list(error.findings), _readable(data)
    if form.fabric not in {None, fabric.intent.fabric.name}:
        message = f"a state of {form.fabric!a}, not of {fabric.intent.fabric.name!a}"
        fix, where = "name a state of this fabric", places_in(file)(("fabric",))
        finding = _finding("PLC032", file, "fabric", message, fix, where)
        raise InputError("the state is wrong", [finding])
    conditions = tuple(
        Condition(subject, one.health, one.reason, one.capacity)
        for subject, one in form.conditions.items()
    )
    jobs = []
    for number, job in enumerate(form.jobs):
        try:
            hosts = hostlist.expand(job.hosts) if isinstance(job.hosts, str) else job.hosts
            jobs.append(RunningJob(job.name, tuple(hosts), parse_traffic(job.traffic)))
        except ValueError as error:
            message = f"job {job.name!r}: {error}"
            where = places_in(file)(("jobs", number))
            findings.append(_finding("PLC032", file, f"jobs[{number}]", message, place=where))
    names_twice = doubled_names(job.name for job in form.jobs)
    findings += [_finding("PLC032", file, "jobs", *words) for words in names_twice]
    names = unknown_subjects(fabric, form.conditions)
    unknown: list[tuple[Finding, tuple[str, ...]]]
    unknown = [(one, ("conditions", subject)) for subject, one in names.items()]
    unknown += [(one, ("jobs",)) for one in wrong_jobs(fabric, jobs)]
    if unknown:
        place = places_in(file)
        findings += [replace(one, position=place(path)) for one, path in unknown]
    if findings:
        raise InputError("the state is wrong", findings)
    return State(conditions, tuple(jobs))


def doubled_names(names: Iterable[str]) -> list[tuple[str, str]]:
    """Return what is wrong with names that several jobs have, and what to do."""
    counts = Counter(names)
    return [
        (f"{counted(count, 'job')} have the name {name!r}", "give each its name")
        for name, count in counts.items()
        if count > 1
    ]


def _readable(data: dict[str, Any]) -> StateForm:
    """Return the names of a wrong file, so that unknown ones are named with its other errors."""
    conditions, jobs = data.get("conditions"), data.get("jobs")
    subjects = (
        [one for one in conditions if isinstance(one, str)] if isinstance(conditions, dict) else []
    )
    return StateForm.model_construct(
        format="rocefab-state/1",
        conditions=dict.fromkeys(named(subjects), ConditionBody(health=Health.DOWN)),
        jobs=list(_readable_jobs(jobs if isinstance(jobs, list) else [])),
    )


def _readable_jobs(jobs: list[Any]) -> Iterator[JobForm]:
    for job in jobs:
        with suppress(ValidationError):
            yield JobForm.model_validate(job)


def validated(form: type[_Model], data: Any, file: Path, rule: str) -> _Model:
    """Return the data of a file in a form; raises InputError with each member that is wrong."""
    try:
        return form.model_validate(data)
    except ValidationError as error:
        place = places_in(file)
        findings = [
            _finding(rule, file, field_text(path), words.message, words.fix, place(path))
            for path, words in islice(worded(error, form, data), _MOST_FINDINGS)
        ]
        raise InputError(f"{file}: the file is wrong", findings) from error


def _finding(
    rule: str, file: Path, field: str, message: str, fix: str = "", place: Position | None = None
) -> Finding:
    fix = advised(fix, "see docs/jobs.md, which shows the form")
    position = place or Position(str(file))
    return Finding(rule, Severity.ERROR, message, fix, field=field, position=position)
