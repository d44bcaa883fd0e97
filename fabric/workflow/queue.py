"""Several jobs at once: each is placed beside those before it."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from fabric.core.errors import InputError, UnplaceableError
from fabric.core.file_kinds import FileKind
from fabric.core.findings import Finding, Severity
from fabric.core.formats import form_of
from fabric.core.user_files import read_json
from fabric.placement.engine.state import RunningJob
from fabric.placement.job import JobRequest, Name
from fabric.placement.place import placed
from fabric.validate.report.plain_json import finding_json
from fabric.workflow.json_places import other_form, places_in
from fabric.workflow.place import StateFiles, assumed, checked_query, chosen, engine_of
from fabric.workflow.state_file import doubled_names, validated

if TYPE_CHECKING:
    from collections.abc import Collection
    from pathlib import Path

    from fabric.placement.engine.query import Query
    from fabric.topology.model import Fabric
    from fabric.workflow.project import Project

#: Form of the answers: members are added to it, none is removed or changes its meaning.
FORMAT = form_of("placements")
#: Form of the file that is read.
QUEUE_FORMAT = form_of("queue")

#: Options beside a queue: all others are of one job.
_WITH_QUEUE = ("--queue", "--avoid-state", "--state-max-age", "--against-plan", "--format")


class QueuedJob(JobRequest):
    """A job that waits."""

    name: Name


class QueueForm(BaseModel):
    """Jobs in the order in which they are placed."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    format: Literal["rocefab-queue/1"]
    jobs: list[QueuedJob] = Field(min_length=1)


def place_queue(project: Project, file: Path, files: StateFiles) -> dict[str, Any]:
    """Return the placements of a queue as plain data; a job without hosts has the reason.

    Parameters
    ----------
    file : Path
        JSON of the form ``rocefab-queue/1``.
    files : StateFiles
        Files of the state and of a plan.

    Raises
    ------
    InputError
        When the file, the state, or the request of a job is wrong: nothing is placed then.
    """
    fabric, jobs = project.fabric, _read(file)
    queries = [_query(file, number, job, fabric) for number, job in enumerate(jobs)]
    engine = engine_of(fabric, files)
    answers: list[dict[str, Any]] = []
    for job, query in zip(jobs, queries, strict=True):
        try:
            placement = placed(engine, query)
        except UnplaceableError as error:
            answers.append({"name": job.name, "hosts": [], **_unplaced(error)})
            continue
        answer = chosen(engine, placement, query.traffic, assumed(job))
        answers.append({"name": job.name, **answer})
        running = RunningJob(job.name, placement.hosts, query.traffic, query.gpus_per_node)
        engine = engine.updated(replace(engine.state, jobs=(*engine.state.jobs, running)))
    return {"format": FORMAT, "placements": answers}


def _unplaced(error: UnplaceableError) -> dict[str, Any]:
    """Return why a job has no hosts: as sentences, and as findings."""
    return {
        "unplaced": [str(finding) for finding in error.findings],
        "findings": [finding_json(one) for one in error.findings],
    }


def refuse_with_queue(given: Collection[str]) -> None:
    """Raise when an option was given that says nothing beside a queue.

    Parameters
    ----------
    given : collection of str
        Options of the command line, with their dashes.

    Raises
    ------
    InputError
        With a finding for each option.
    """
    findings = [
        Finding(
            "PLC038",
            Severity.ERROR,
            f"--queue does not use {option}",
            "omit it; a job in the file has its own",
            field=option,
        )
        for option in given
        if option not in _WITH_QUEUE
    ]
    if findings:
        raise InputError("the queue cannot be placed", findings)


def _query(file: Path, number: int, job: QueuedJob, fabric: Fabric) -> Query:
    """Return the query of a job; what is wrong with it has its place in the file."""
    try:
        return checked_query(job, fabric)
    except InputError as error:
        place = places_in(file)
        findings = [
            replace(
                one,
                field=f"jobs[{number}].{one.field}",
                position=place(("jobs", number, one.field)),
            )
            for one in error.findings
        ]
        raise InputError(f"{file}: the job {job.name} cannot be placed", findings) from error


def _read(file: Path) -> list[QueuedJob]:
    data = read_json(file, FileKind.QUEUE)
    given = data.get("format") if isinstance(data, dict) else None
    message, fix = other_form(given, QUEUE_FORMAT)
    if message:
        place = places_in(file)(("format",))
        fix = FileKind.QUEUE.fix if given is None else fix
        finding = Finding("PLC033", Severity.ERROR, message, fix, field="format", position=place)
        raise InputError(f"{file}: the file is wrong", [finding])
    jobs = validated(QueueForm, data, file, "PLC033").jobs
    findings = [
        Finding("PLC033", Severity.ERROR, *words, field="jobs", position=places_in(file)(("jobs",)))
        for words in doubled_names(job.name for job in jobs)
    ]
    if findings:
        raise InputError(f"{file}: the file is wrong", findings)
    return jobs
