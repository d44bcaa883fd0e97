"""judge: what is wrong with a running fabric, the cause first."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from fabric.cli import options, output
from fabric.cli.exits import CommandExit, Exit
from fabric.cli.options import FailOn, ReportForm, option

if TYPE_CHECKING:
    import typer

    from fabric.core.findings import Severity
    from fabric.workflow.judge import Judged


def register(app: typer.Typer) -> None:
    """Add the commands of this module."""
    app.command(epilog="Example: rocefab judge inventory/demo --interval-s 30")(judge)


def judge(
    inventory: options.Inventory = Path(),
    connections: options.Connections = None,
    ask_password: options.AskPassword = False,  # noqa: ARG001 - its callback does the work
    only: options.Only = "",
    switches: options.Switches = True,
    hosts: options.Hosts = True,
    interval_s: Annotated[
        float,
        option(
            "Seconds between the two readings of every device.", "INTERVAL_S", min=0.1, max=86_400
        ),
    ] = 10.0,
    timeout_s: options.ReadingLimit = 120.0,
    readings: Annotated[
        Path | None,
        option(
            "Judge the last two readings of each device in this file, which `rocefab observe "
            "--out` wrote; no device is read.",
            "READINGS",
        ),
    ] = None,
    jobs: Annotated[
        list[Path] | None,
        option(
            "JSON file with the jobs that run, as `place --avoid-state` takes it: a cause names "
            "the jobs that it slows down; may be repeated (in the variable: separated by spaces).",
            "RUNNING_JOBS",
        ),
    ] = None,
    state_max_age: options.StateMaxAge = "15m",
    parallel: options.Parallel = 0,
    limit: Annotated[
        list[str] | None,
        option(
            "Another limit of a verdict, such as storm_percent=80; may be repeated (in the "
            "variable: separated by spaces).",
            "LIMIT",
            metavar="NAME=VALUE",
        ),
    ] = None,
    fail_on: options.FailLevel = FailOn.ERROR,
    unjudged: Annotated[
        FailOn, option("Severity of what could not be judged.", "UNJUDGED")
    ] = FailOn.INFO,
    form: options.CheckForm = ReportForm.TEXT,
) -> None:
    """Judge a running fabric by two readings of every device.

    Names the cause: the NIC that began a pause storm, the cable that damages frames, the host
    that marks wrongly. What follows from a cause is listed below it. Counters that a device does
    not report are named: what depends on them is not judged.

    Exit codes: 0, 2, 3 (a verdict failed), 4 (a cause of this severity, or a device not read).
    """
    from fabric.core.findings import Severity
    from fabric.workflow import judge as workflow
    from fabric.workflow.project import Project
    from fabric.workflow.recording import Recording

    settings = workflow.settings_of(limit or ())
    selection = workflow.Selection(switches=switches, hosts=hosts, only=only)
    max_age_s = options.duration_s("--state-max-age", state_max_age)
    holes = Severity[unjudged.name]
    wanted = workflow.JudgeOptions(selection, settings, tuple(jobs or ()), max_age_s, holes)
    project, severity = Project(inventory), Severity[fail_on.name]
    if readings:
        recording = Recording(readings, output.result)
        end(workflow.judge_file(project, recording, wanted), form.value, severity)
    else:
        pace = workflow.Pace(interval_s, 2, timeout_s, parallel)
        judged = workflow.judge_devices(project, connections, wanted, pace, output.Meter())
        end(judged, form.value, severity)


def end(judged: Judged, form: str, fail_on: Severity) -> None:
    """Print a judgement, and end with its exit code."""
    output.warnings(judged.warnings)
    output.findings(judged.report(form, fail_on))
    if judged.outcome.at_least(fail_on):
        raise CommandExit(Exit.FINDINGS)
    if judged.outcome.broken:
        raise CommandExit(Exit.DEVICE)
