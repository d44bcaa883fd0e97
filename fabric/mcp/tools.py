"""The tools: what each takes and returns, and which command it is. None changes anything."""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import dataclass, replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from fabric.core.errors import InputError
from fabric.core.findings import Position, Severity
from fabric.mcp.arguments import (
    AuditArguments,
    CheckArguments,
    DiffArguments,
    ExplainArguments,
    Paged,
    StatusArguments,
)
from fabric.mcp.replies import ExplainReply, FindingsReply, StatusReply
from fabric.placement.job import JobRequest
from fabric.report.budget import find_port, port_budget
from fabric.report.defects import defect_details, is_defect_id
from fabric.report.diff.model import json_schema as schema_of_diff
from fabric.report.placement import PlacementDocument
from fabric.report.rules import is_rule_id, rule_details
from fabric.serve.replies import WhatIfReply
from fabric.serve.requests import WhatIfBody
from fabric.serve.whatif import whatif_answer
from fabric.workflow import apply, audit, check
from fabric.workflow.diff import diff
from fabric.workflow.explain import explain
from fabric.workflow.place import place
from fabric.workflow.project import Project
from fabric.workflow.state import existing
from fabric.workflow.work import Work

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from pydantic import BaseModel

    from fabric.report.table import Table

    Answer = dict[str, Any]

B = TypeVar("B", bound="BaseModel")


@dataclass(frozen=True)
class Place:
    """Where the tools read.

    Parameters
    ----------
    inventory : Path
        Folder of the inventory.
    state : Path or None
        State folder of `rocefab apply`; None: that of the inventory.
    """

    inventory: Path
    state: Path | None = None


@dataclass(frozen=True)
class Tool(Generic[B]):
    """A command that answers questions.

    Parameters
    ----------
    name, description : str
        How clients know it.
    arguments : type of BaseModel
        What it takes.
    reply : dict
        JSON Schema of the answer.
    answer : callable
        From arguments to the answer.
    """

    name: str
    description: str
    arguments: type[B]
    reply: dict[str, Any]
    answer: Callable[[Place, B], Answer]


def _check(place: Place, wanted: CheckArguments) -> Answer:
    outcome = check.check(Project(place.inventory))
    text = check.report(outcome, "json", place.inventory)
    return _findings(json.loads(text), wanted, wanted.device)


def _audit(_: Place, wanted: AuditArguments) -> Answer:
    with TemporaryDirectory(prefix="rocefab-") as folder:
        files = [Path(folder) / name for name in wanted.configurations]
        for file, text in zip(files, wanted.configurations.values(), strict=True):
            file.write_text(text, encoding="utf-8")
        try:
            audited = audit.audit(files, wanted.system)
        except InputError as error:
            raise _without(error, f"{folder}/") from error
        report = audit.report(audited, "json", Severity.ERROR)
    return _findings(json.loads(report.replace(f"{folder}/", "")), wanted)


def _without(error: InputError, folder: str) -> InputError:
    """Return an error that names files as the client did."""
    findings = [
        replace(one, position=Position(one.position.file.replace(folder, ""), one.position.line))
        for one in error.findings
        if one.position
    ]
    return InputError(str(error).replace(folder, ""), findings)


def _findings(report: Answer, wanted: Paged, device: str = "") -> Answer:
    rows = [row for row in report["findings"] if device in ("", row["device"])]
    page, following = _page(rows, wanted)
    return {
        "counts": Counter(row["severity"] for row in rows),
        "findings": page,
        "checked": len(report["checked"]),
        "broken": report["broken"],
        "next": following,
    }


def _page(rows: list[Any], wanted: Paged) -> tuple[list[Any], int | None]:
    end = wanted.offset + wanted.limit
    return rows[wanted.offset : end], end if end < len(rows) else None


def _explain(place: Place, wanted: ExplainArguments) -> Answer:
    if is_defect_id(wanted.subject):
        return _records(defect_details(wanted.subject, place.inventory))
    if is_rule_id(wanted.subject):
        return _records(rule_details(wanted.subject))
    project = Project(place.inventory)
    if port := find_port(project, wanted.subject, wanted.text):
        return _records(port_budget(project, project.devices[wanted.subject], port))
    return {"answers": [item.as_dict() for item in explain(project, wanted.subject, wanted.text)]}


def _records(table: Table) -> Answer:
    return {"answers": [dict(zip(table.headers, row, strict=True)) for row in table.rows]}


def _whatif(place: Place, wanted: WhatIfBody) -> Answer:
    return whatif_answer(Project(place.inventory), wanted)


def _diff(place: Place, wanted: DiffArguments) -> Answer:
    # A suffix that git takes for itself: a folder with the name of a revision is not meant.
    return diff(f"{wanted.since}^{{commit}}", str(place.inventory), Work()).as_dict()


def _place(place_of: Place, wanted: JobRequest) -> Answer:
    return place(Project(place_of.inventory), wanted)


def _status(place: Place, wanted: StatusArguments) -> Answer:
    folder = place.state or existing(place.inventory)
    rows = apply.status(folder, wanted.run) if folder else []
    page, following = _page(rows, wanted)
    return {"rows": page, "next": following}


def tools() -> Sequence[Tool[Any]]:
    """Return all tools, in the order in which a change needs them."""
    findings = FindingsReply.model_json_schema()
    return (
        Tool(
            "check",
            "Validate the inventory against all rules: errors, warnings and how to correct them.",
            *(CheckArguments, findings, _check),
        ),
        Tool(
            "explain",
            "Explain a rule, a known defect, a line of a device's configuration, or the lossless "
            "budget of a port: headroom term by term, thresholds, ECN and watchdog.",
            *(ExplainArguments, ExplainReply.model_json_schema(), _explain),
        ),
        Tool(
            "whatif",
            "Show what fails with links, switches, racks or hosts, or what a drain moves.",
            *(WhatIfBody, WhatIfReply.model_json_schema(), _whatif),
        ),
        Tool(
            "diff",
            "Show what the working tree of the inventory changes since a git revision: settings of "
            "each device, causes, risk, and whether a reload is needed.",
            *(DiffArguments, schema_of_diff(), _diff),
        ),
        Tool(
            "place",
            "Select hosts for a job and order its ranks; nothing is reserved.",
            *(JobRequest, PlacementDocument.model_json_schema(), _place),
        ),
        Tool(
            "audit",
            "Judge running configurations of switches without the inventory.",
            *(AuditArguments, findings, _audit),
        ),
        Tool(
            "status",
            "List the runs of `rocefab apply`, or the devices of a run with their state.",
            *(StatusArguments, StatusReply.model_json_schema(), _status),
        ),
    )
