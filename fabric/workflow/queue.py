"""Several jobs at once: each is placed beside those before it."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, StringConstraints

from fabric.core.file_kinds import FileKind
from fabric.core.user_files import read_json
from fabric.placement.engine.engine import Engine
from fabric.placement.engine.query import Within
from fabric.placement.engine.request import UnplaceableError
from fabric.placement.engine.state import RunningJob
from fabric.placement.place import placed
from fabric.workflow.place import Wanted, chosen, query_of, without_plan
from fabric.workflow.state_file import read_state, validated

if TYPE_CHECKING:
    from pathlib import Path

    from fabric.workflow.project import Project

#: Form of the answers: members are added to it, none is removed or changes its meaning.
FORMAT = "rocefab-placements/1"
_Text = Annotated[str, StringConstraints(max_length=8192)]
_Name = Annotated[str, StringConstraints(min_length=1, max_length=128, pattern=r"^[!-~]+$")]


class JobForm(BaseModel):
    """A job that waits; its members are the options of ``rocefab place``."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    name: _Name
    nodes: int | None = Field(None, ge=1)
    gpus_per_node: int | None = Field(None, ge=1)
    traffic: _Text = "ring"
    layout: _Text = ""
    weights: _Text = ""
    pxn: bool = True
    hosts: _Text = ""
    include: _Text = ""
    exclude: _Text = ""
    within: Within | None = None
    segment: int | None = Field(None, ge=1)
    max_units: int | None = Field(None, ge=1)
    target: float = Field(1.0, ge=0, le=1)
    room: float = Field(0.0, ge=0)
    nvlink_gpus: int | None = Field(None, ge=1)


class QueueForm(BaseModel):
    """Jobs in the order in which they are placed."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    format: Literal["rocefab-queue/1"]
    jobs: list[JobForm] = Field(min_length=1)


def place_queue(project: Project, file: Path, wanted: Wanted) -> dict[str, Any]:
    """Return the placements of a queue as plain data; a job without hosts has the reason.

    Parameters
    ----------
    file : Path
        JSON of the form ``rocefab-queue/1``.
    wanted : Wanted
        Files of the state and of a plan; its other members are not used.

    Raises
    ------
    InputError
        When the file, the state, or the request of a job is wrong: nothing is placed then.
    """
    fabric, jobs = project.fabric, _read(file)
    queries = [without_plan(query_of(Wanted(**_words(job))), wanted, fabric) for job in jobs]
    engine = Engine(fabric, read_state(wanted.avoid, fabric, wanted.max_age_s))
    answers: list[dict[str, Any]] = []
    for job, query in zip(jobs, queries, strict=True):
        try:
            placement = placed(engine, query)
        except UnplaceableError as error:
            reasons = [str(finding) for finding in error.findings]
            answers.append({"name": job.name, "hosts": [], "unplaced": reasons})
            continue
        answers.append({"name": job.name, **chosen(engine, placement, query.traffic)})
        running = RunningJob(job.name, placement.hosts, query.traffic, query.gpus_per_node)
        engine = engine.updated(replace(engine.state, jobs=(*engine.state.jobs, running)))
    return {"format": FORMAT, "placements": answers}


def _words(job: JobForm) -> dict[str, Any]:
    words = job.model_dump(exclude={"name"})
    return {**words, "within": job.within.value if job.within else ""}


def _read(file: Path) -> list[JobForm]:
    return validated(QueueForm, read_json(file, FileKind.STATE), file, "PLC033").jobs
