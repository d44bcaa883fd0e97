"""accept: the tests that a fabric passes before jobs run on it."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from fabric.cli import options, output
from fabric.cli.exits import CommandExit, Exit
from fabric.cli.options import option

if TYPE_CHECKING:
    from fabric.report.accept import Step
    from fabric.workflow.accept import Acceptance


class AcceptForm(StrEnum):
    """Forms of the report."""

    TEXT = "text"
    JSON = "json"
    MARKDOWN = "markdown"
    HTML = "html"
    JUNIT = "junit"


def register(app: typer.Typer) -> None:
    """Add the commands of this module."""
    app.command(epilog="Example: rocefab accept inventory/demo --plan")(accept)


def accept(
    inventory: options.Inventory = Path(),
    connections: options.Connections = None,
    ask_password: options.AskPassword = False,  # noqa: ARG001 - its callback does the work
    file: Annotated[
        Path, option("Record of the acceptance; kept after every step.", "RECORD", "--file")
    ] = Path("acceptance.json"),
    step: Annotated[
        list[str] | None,
        option("Run this step only; may be repeated.", "STEP", metavar="STEP"),
    ] = None,
    record: Annotated[
        str,
        option(
            "Record the result of a step done by hand: STEP=passed or STEP=failed.",
            "RECORD_STEP",
            metavar="STEP=STATE",
        ),
    ] = "",
    results: Annotated[
        list[Path] | None,
        option(
            "Record the NCCL step by results of nccl-tests, as `suspect` takes them; may be "
            "repeated (in the variable: separated by spaces).",
            "NCCL_RESULTS",
            "--results",
        ),
    ] = None,
    by: Annotated[str, option("Who records or signs.", "SIGNER", metavar="NAME")] = "",
    note: Annotated[str, option("Text kept with --record.", "NOTE", metavar="TEXT")] = "",
    parallel: options.Parallel = 0,
    *,
    plan: Annotated[
        bool,
        option("Show the steps and how long they take; nothing is run.", "ACCEPT_PLAN", "--plan"),
    ] = False,
    again: Annotated[
        bool, option("Also run steps that have passed.", "ACCEPT_AGAIN", "--again")
    ] = False,
    sign: Annotated[
        bool, option("Sign the record; every step must have passed.", "ACCEPT_SIGN", "--sign")
    ] = False,
    form: Annotated[
        AcceptForm, option("Report format.", "ACCEPT_FORMAT", "--format")
    ] = AcceptForm.TEXT,
) -> None:
    """Test a fabric before jobs run on it; sign the record.

    Steps: configuration, cabling, links, ping, RDMA, bandwidth, incast, counters; the watchdog and
    NCCL tests are done by hand and recorded. An interrupted run continues with the first
    step that has not passed.

    Exit codes: 0 (all steps so far passed), 2, 4 (a step failed).
    """
    from fabric.workflow.accept import Run, steps
    from fabric.workflow.project import Project

    project = Project(inventory)
    if plan:
        _show_plan(steps(project), form)
        return
    if (record or results or sign) and not by:
        raise typer.BadParameter("name who records or signs", param_hint="--by")
    run = Run(project, file, connections, output.Meter(), parallel)
    if record:
        key, _, state = record.partition("=")
        if state not in ("passed", "failed"):
            raise typer.BadParameter("use STEP=passed or STEP=failed", param_hint="--record")
        run.note(key, passed=state == "passed", by=by, text=note)
    elif results:
        run.take_results(results, by=by)
    elif sign:
        run.sign(by)
    else:
        run.carry_out(step or [], again=again)
    _report(run.acceptance, form)
    if run.acceptance.failed:
        raise CommandExit(Exit.FINDINGS)


def _show_plan(rows: tuple[Step, ...], form: AcceptForm) -> None:
    from dataclasses import asdict

    if form is AcceptForm.JSON:
        output.as_json([asdict(row) for row in rows])
        return
    output.table(
        ("step", "minutes", "what"),
        [(r.key, "by hand" if r.by_hand else f"{r.estimate_s / 60:.1f}", r.title) for r in rows],
    )
    for row in rows:
        for command in row.commands:
            output.data(f"{row.key}: {command}\n")
    minutes = sum(row.estimate_s for row in rows) / 60
    output.note(f"about {minutes:.0f} minutes, and the steps by hand")


def _report(acceptance: Acceptance, form: AcceptForm) -> None:
    from fabric.workflow import accept as workflow

    if form is AcceptForm.JSON:
        output.as_json(workflow.as_data(acceptance))
    elif form is not AcceptForm.TEXT:
        output.data(getattr(workflow, form.value)(acceptance))
    else:
        output.table(("step", "state", "ended", "result"), acceptance.rows())
        for step in acceptance.steps:
            result = acceptance.record.results.get(step.key)
            for line in result.lines if result and result.state == "failed" else ():
                output.data(f"{step.key}: {line}\n")
        output.data(f"{acceptance.verdict()}\n")
