"""place: hosts, ranks and settings for a job."""

from __future__ import annotations

from collections import Counter
from dataclasses import asdict, dataclass, replace
from typing import TYPE_CHECKING, Any

from pydantic import ValidationError

from fabric.core import hostlist
from fabric.core.errors import InputError
from fabric.core.findings import Finding, Severity
from fabric.intent.explain_errors import worded
from fabric.placement.engine.engine import Engine
from fabric.placement.engine.query import JOB_RULE
from fabric.placement.engine.state import worst_last
from fabric.placement.environment import environment
from fabric.placement.gids import expected_gids
from fabric.placement.job import JobRequest, query_of
from fabric.placement.job_host import JobImage
from fabric.placement.place import placed, warnings_of
from fabric.report.placement import PLACEMENT_FORMAT
from fabric.workflow.conditions import conditions_of_plan
from fabric.workflow.hashed_load import hashed_load
from fabric.workflow.state_file import read_state

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from fabric.placement.engine.query import Answer, Query
    from fabric.placement.engine.traffic import Traffic
    from fabric.placement.place import Placement
    from fabric.topology.model import Fabric
    from fabric.workflow.project import Project


@dataclass(frozen=True)
class StateFiles:
    """Files with the state of hosts, switches and cables, and a plan.

    Parameters
    ----------
    avoid : tuple of Path
        States, readings, and reports of other commands.
    max_age_s : float
        Age from which one of them is stale.
    against_plan : Path or None
        Plan whose hosts and leaves take no job.
    """

    avoid: tuple[Path, ...] = ()
    max_age_s: float = 900.0
    against_plan: Path | None = None


def job_request(**members: Any) -> JobRequest:
    """Return a job by its members, which are those of ``JobRequest``.

    Raises
    ------
    InputError
        With each member that is wrong.
    """
    try:
        return JobRequest(**members)
    except ValidationError as error:
        findings = [
            _wrong(str(path[0]), words.message, words.fix)
            for path, words in worded(error, JobRequest, members)
        ]
        raise InputError("the job cannot be placed", findings) from error


def place(
    project: Project,
    job: JobRequest,
    files: StateFiles = StateFiles(),
    lossless_class: str | None = None,
) -> dict[str, Any]:
    """Return a placement as plain data: the members of `PlacementDocument`.

    Raises
    ------
    InputError
        When the request is wrong or cannot be met; ``findings`` have the reason.
    """
    fabric = project.fabric
    query = checked_query(job, fabric)
    engine = engine_of(fabric, files)
    placement = placed(engine, query)
    return {
        "format": PLACEMENT_FORMAT,
        **chosen(engine, placement, query.traffic, assumed(job)),
        **_settings(fabric, placement, JobImage(lossless_class=lossless_class)),
    }


def engine_of(fabric: Fabric, files: StateFiles) -> Engine:
    """Return the engine of a fabric as files say that it is.

    Raises
    ------
    InputError
        When a file is wrong, or of another fabric.
    """
    state = read_state(files.avoid, fabric, files.max_age_s)
    if files.against_plan is not None:
        planned = conditions_of_plan(files.against_plan, fabric)
        state = replace(state, conditions=worst_last((*state.conditions, *planned)))
    return Engine(fabric, state)


def checked_query(job: JobRequest, fabric: Fabric) -> Query:
    """Return the query of a job, or raise InputError with all that is wrong with its texts."""
    findings: list[Finding] = []
    query = query_of(job, len(fabric.hosts), lambda *words: findings.append(_wrong(*words)))
    if findings:
        raise InputError("the job cannot be placed", findings)
    return query


def _wrong(field: str, message: str, fix: str) -> Finding:
    return Finding(JOB_RULE, Severity.ERROR, message, fix, field=field)


def assumed(job: JobRequest) -> list[str]:
    """Return what a job does not say, and what it gets."""
    if job.nodes is not None or job.hosts is not None:
        return []
    return ["nodes is not set: the job gets 1 host; set nodes to the number of hosts it needs"]


def chosen(
    engine: Engine, placement: Placement, traffic: Traffic, warnings: Sequence[str] = ()
) -> dict[str, Any]:
    """Return what was chosen, and how good it is, as plain data; other warnings come first."""
    answer, fabric = placement.answer, engine.fabric
    return {
        "fabric": fabric.intent.fabric.name,
        "hosts": list(placement.hosts),
        "hostlist": hostlist.fold(placement.hosts),
        "units": {unit: list(hosts) for unit, hosts in placement.units.items()},
        "rails": list(placement.rails),
        "reason": placement.reason,
        **figures(engine, answer, traffic),
        "warnings": [*warnings, *warnings_of(answer)],
        "ranks": [asdict(rank) for rank in placement.ranks],
    }


def figures(engine: Engine, answer: Answer, traffic: Traffic) -> dict[str, Any]:
    """Return how good an answer is, and why hosts were kept out, as plain data."""
    return {
        "cost": _number(answer.cost),
        "link_load": _number(answer.load),
        "link_load_hashed": _number(hashed_load(engine, answer, traffic)),
        "bound": _number(answer.bound),
        "gap": _number(answer.gap),
        "bottleneck": answer.bottleneck,
        "rate": _number(answer.rate),
        "slowed": [
            {"job": name, "before": _number(before), "after": _number(after)}
            for name, before, after in answer.slowed
        ],
        "spine_crossings_per_rail": answer.crossings,
        "pod_crossings_per_rail": answer.pod_crossings,
        "room": asdict(answer.room),
        "degraded": dict(answer.graded),
        "not_considered": dict(answer.unusable),
        "not_needed": dict(answer.not_needed),
        "links_not_as_planned": dict(answer.links),
    }


def _number(value: float) -> float | None:
    """Return a number as JSON has it: None for one without end, six digits else."""
    return round(value, 6) if value < float("inf") else None


def _settings(fabric: Fabric, placement: Placement, image: JobImage) -> dict[str, Any]:
    by_host = {host: environment(fabric, placement, host, image) for host in placement.hosts}
    alike = Counter(tuple(own.values.items()) for own in by_host.values())
    usual = dict(alike.most_common(1)[0][0])
    common = next(own for own in by_host.values() if own.values == usual)
    differing = {host: own.values for host, own in by_host.items() if own.values != common.values}
    return {
        "environment": common.values,
        "environment_reasons": {item.name: item.reason for item in common.settings},
        "environment_left_out": {item.name: item.reason for item in common.left_out},
        "environment_by_host": differing,
        "gids": {
            host: [asdict(gid) for gid in expected_gids(fabric, host)] for host in placement.hosts
        },
    }


def host_names(text: str) -> list[str]:
    """Return the hosts of a range, or raise InputError."""
    try:
        return hostlist.expand(text)
    except ValueError as error:
        words = hostlist.worded(error, "use a range such as gpu[001-004]")
        finding = Finding("PLC004", Severity.ERROR, *words)
        raise InputError("invalid host list", [finding]) from error
