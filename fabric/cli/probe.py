"""probe: reach every NIC from others."""

from __future__ import annotations

from dataclasses import asdict
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from fabric.cli import options, output
from fabric.cli.exits import CommandExit, Exit
from fabric.cli.options import option
from fabric.core.counts import counted
from fabric.core.formats import with_form

if TYPE_CHECKING:
    from fabric.workflow.probe import Plan, Report, Selection
    from fabric.workflow.project import Project


class Stage(StrEnum):
    """How far each probe goes."""

    PING = "ping"
    RPING = "rping"
    BANDWIDTH = "bandwidth"


def register(app: typer.Typer) -> None:
    """Add the command of this module."""
    app.command(epilog="Example: rocefab probe inventory/demo --run --stage ping")(probe)


def probe(
    inventory: options.Inventory = Path(),
    connections: options.Connections = None,
    ask_password: options.AskPassword = False,  # noqa: ARG001 - its callback does the work
    only: options.Only = "",
    stage: Annotated[
        Stage, option("Last stage of each probe; the order is ping, rping, ib_write_bw.", "STAGE")
    ] = Stage.BANDWIDTH,
    incast: Annotated[
        int,
        option(
            "Number of NICs that send to one NIC at once, on each leaf and rail, instead "
            "of pairs; 0 disables it.",
            "INCAST",
            min=0,
            max=16,
        ),
    ] = 0,
    parallel: options.Parallel = 0,
    *,
    run: Annotated[
        bool, option("Run the probes. Without this option only the plan is shown.", "", "--run")
    ] = False,
    form: options.FormatOption = options.Format.TEXT,
) -> None:
    """Test that every NIC is reachable over every kind of path.

    Tests paths through one leaf, within a rail, between rails and between units. Each NIC is the
    source and the target of at most two probes of each kind; in a round each host takes part in at
    most one probe. Without --run only the plan is shown. The bandwidth stage loads the fabric: a
    probe passes at 98.5 % of the ceiling with no packet loss. With --incast, all flows into a NIC
    must reach 80 % together, in equal shares, with no packet loss.

    Exit codes: 0, 2, 4 (a NIC is not reachable, too slow, or loses packets).
    """
    from fabric.workflow.probe import Selection, make_plan, quarantined
    from fabric.workflow.probe_run import run as workflow
    from fabric.workflow.project import Project

    selection = Selection(switches=False, only=only, parallel=parallel)
    if incast:
        _incast(Project(inventory), connections, selection, incast, form, run=run)
        return
    plan = make_plan(Project(inventory), selection)
    for line in quarantined(plan.project):
        output.note(line)
    if not run:
        _show(plan, form)
        return
    report = workflow(plan, connections, selection, stage.value, output.Meter())
    if form is options.Format.JSON:
        output.as_json(with_form("probe", asdict(report)))
    else:
        _tell(report)
    if not report.ok:
        raise CommandExit(Exit.FINDINGS)


def _show(plan: Plan, form: options.Format) -> None:
    rows = plan.rows()
    if form is options.Format.JSON:
        members = {"rounds": plan.rounds, "classes": plan.counts(), "probes": rows}
        output.as_json(with_form("probe-plan", members))
        return
    headers = tuple(rows[0])
    output.table(headers, [tuple(row.values()) for row in rows])
    counts = ", ".join(f"{count} {name}" for name, count in plan.counts().items())
    output.note(
        f"{counted(len(rows), 'probe')} in {counted(plan.rounds, 'round')}: {counts}. Add --run to "
        "run them."
    )


def _tell(report: Report) -> None:
    for name, matrix in report.matrices.items():
        rows = [
            (row, *(f"{good}/{every}" if every else "-" for good, every in columns.values()))
            for row, columns in matrix.items()
        ]
        output.table((f"{name} to {name}", *matrix), rows)
        output.data("\n")
    if report.failures:
        headers = ("class", "source", "target", "stage", "failure")
        output.table(headers, [[item[key] for key in headers] for item in report.failures])
        output.data("\n")
    for line in (*report.causes, *(f"counters of {line}" for line in report.lost)):
        output.data(f"{line}\n")
    rate = f"; slowest {report.slowest_gbps:.1f} Gb/s" if report.slowest_gbps is not None else ""
    good = report.probes - len(report.failures)
    output.result(f"{good} of {counted(report.probes, 'probe')} passed{rate}")


def _incast(
    project: Project,
    connections: Path | None,
    selection: Selection,
    senders: int,
    form: options.Format,
    *,
    run: bool,
) -> None:
    from fabric.workflow import incast

    if senders == 1:
        raise typer.BadParameter("incast needs 2 to 16 senders", param_hint="--incast")
    groups = incast.make_groups(project, selection, senders)
    if not run:
        rows = [
            {
                "round": item.round,
                "target": str(item.target),
                "sources": ", ".join(str(leg) for leg in item.sources),
                "needed_gbps": round(item.needed_gbps, 1),
            }
            for item in groups
        ]
        if form is options.Format.JSON:
            output.as_json(rows)
        else:
            output.table(tuple(rows[0]), [tuple(row.values()) for row in rows])
            output.note(
                f"{counted(len(rows), 'group')}. Add --run to run them: each of them fully loads a "
                "NIC."
            )
        return
    report = incast.run(project, groups, connections, selection, output.Meter())
    rows = [item.row() for item in report.groups]
    if form is options.Format.JSON:
        output.as_json(with_form("incast", {"groups": rows, "lost": report.lost}))
    else:
        headers = ("target", "gbps", "needed_gbps", "fairness", "failure")
        output.table(headers, [[row[key] for key in headers] for row in rows])
        output.data("".join(f"counters of {line}\n" for line in report.lost))
        good = sum(not item.failure for item in report.groups)
        output.result(f"{good} of {counted(len(rows), 'group')} passed")
    if not report.ok:
        raise CommandExit(Exit.FINDINGS)
