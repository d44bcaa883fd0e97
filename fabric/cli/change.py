"""plan, apply, rollback; status and report stand in ``status``."""

from __future__ import annotations

from contextlib import contextmanager, suppress
from dataclasses import replace
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from fabric.cli import options, output
from fabric.cli.exits import CommandExit, Exit
from fabric.cli.options import argument, duration_s, option
from fabric.cli.status import journal_folder, report, status
from fabric.core.errors import JournalError, PlanError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from fabric.workflow.apply import Result
    from fabric.workflow.plan import Plan


Full = Annotated[
    bool, option("Print the difference of each device, in all its lines.", "FULL", "--full")
]


FullRun = Annotated[
    bool,
    option(
        "Print the difference of each device, in all its lines; of a run, each step of each "
        "device and each reason.",
        "FULL",
        "--full",
    ),
]


class WaveBy(StrEnum):
    """How leaves are grouped into waves."""

    RAIL = "rail"
    UNIT = "unit"
    DEVICE = "device"


def register(app: typer.Typer) -> None:
    """Add the commands of this module."""
    app.command(epilog="Example: rocefab plan inventory/demo --out plan.json")(plan)
    app.command(epilog="Example: rocefab approve plan.json")(approve)
    app.command(epilog="Example: rocefab apply plan.json --commit")(apply)
    settings = options.renamed(export="out")
    app.command(context_settings=settings, epilog="Example: rocefab status 3")(status)
    app.command(epilog="Example: rocefab report 3 --format html > run3.html")(report)
    app.command(epilog="Example: rocefab rollback 3 --commit")(rollback)


def plan(
    inventory: options.Inventory = Path(),
    out: Annotated[
        Path | None, option("Write the plan to this file, for use with `apply`.", "PLAN")
    ] = None,
    connections: options.Connections = None,
    ask_password: options.AskPassword = False,  # noqa: ARG001 - its callback does the work
    only: options.Only = "",
    switches: options.Switches = True,
    hosts: options.Hosts = True,
    by: Annotated[
        WaveBy, option("One wave of leaves per rail, per unit or per device.", "BY")
    ] = WaveBy.RAIL,
    yang_models: options.YangModels = None,
    parallel: options.Parallel = 0,
    *,
    rollout: Annotated[
        bool,
        option(
            "Order and size the waves by `rollout` of the inventory, and judge the states "
            "between them.",
            "ROLLOUT",
        ),
    ] = False,
    allow_missing: Annotated[
        bool,
        option(
            "Plan the other devices if some cannot be read. The plan lists them, with the risk.",
            "ALLOW_MISSING",
            "--allow-missing",
        ),
    ] = False,
    detailed_exitcode: Annotated[
        bool, option("Exit with code 5 if there are changes.", "DETAILED_EXITCODE")
    ] = False,
    full: Full = False,
    cache: options.Cache = None,
    fresh: options.Fresh = False,
    workers: options.Workers = "0",
    form: options.FormatOption = options.Format.TEXT,
) -> None:
    """Show what would change, in which order and at what risk.

    Reads every selected device. Makes no changes. Differences that differ in names and
    numbers only are shown once, and long ones are cut; --full prints all.

    Exit codes: 0, 2, 3, 5 (with --detailed-exitcode).
    """
    from fabric.workflow import plan as workflow
    from fabric.workflow.plan_text import NO_NET, describe
    from fabric.workflow.project import Project
    from fabric.workflow.work import work_of

    if out is not None and not out.absolute().parent.is_dir():
        raise typer.BadParameter(f"--out: folder {out.parent} does not exist; create it first")
    selection = workflow.Selection(switches, hosts, only, parallel)
    project = Project(inventory, work_of(cache, fresh=fresh, workers=workers))
    planned = workflow.plan(
        project,
        connections,
        selection,
        by.value,
        output.meter_of(project, selection, lines=True),
        yang_models,
        rollout=rollout,
        allow_missing=allow_missing,
    )
    if out is not None:
        _write(out, planned.to_json())
    if form is options.Format.JSON:
        output.data(planned.to_json())
    else:
        output.alarming(describe(planned, full=full, file=out), NO_NET)
    if out is not None:
        use = (
            "it contains no changes"
            if planned.empty
            else f"run `rocefab apply {out} --commit{_stopped(planned)}` to apply it"
        )
        output.note(f"wrote {out}; {use}")
    if detailed_exitcode and not planned.empty:
        raise CommandExit(Exit.CHANGES)


def _stopped(plan: Plan) -> str:
    """Return the option without which apply does not begin."""
    hazards = plan.rollout.hazards if plan.rollout else ()
    return " --traffic-stopped" if hazards else ""


def approve(
    plan_file: Annotated[Path, argument("Plan file written by `rocefab plan`.", metavar="PLAN")],
    *,
    withdraw: Annotated[
        bool, option("Withdraw the approval of this account.", "", "--withdraw")
    ] = False,
) -> None:
    """Approve a plan, for `rocefab apply --approvals`.

    Writes PLAN.approvals, with the account that runs the command and the SHA-256 of the plan. The
    author of a plan cannot approve it.

    Exit codes: 0, 2, 3.
    """
    from fabric.workflow.approvals import approve as write

    path, approvals, needed = write(plan_file, withdraw=withdraw)
    names = ", ".join(one.name for one in approvals.counting(()))
    output.note(f"wrote {path}; approved by {names or 'nobody'}; {needed} needed")


def _write(path: Path, text: str) -> None:
    from fabric.workflow import plan as workflow

    try:
        workflow.write_plan(path, text)
    except OSError as error:
        raise typer.BadParameter(f"--out: {path} cannot be written: {error.strerror}") from error


def apply(
    plan_file: Annotated[
        Path | None, argument("Plan file written by `rocefab plan`.", metavar="PLAN")
    ] = None,
    connections: options.Connections = None,
    ask_password: options.AskPassword = False,  # noqa: ARG001 - its callback does the work
    inventory: Annotated[
        Path | None,
        option(
            "Inventory folder of the plan, or whose run is resumed; default: the one that the "
            "plan names, or the one in or below the current folder.",
            "INVENTORY",
            "--inventory",
            callback=lambda path: path and options.inventory_folder(path),
        ),
    ] = None,
    state: options.StateFolder = None,
    timer_s: Annotated[
        int, option("Commit timer on the devices, in seconds.", "TIMER_S", min=30, max=86_000)
    ] = 900,
    verify_s: Annotated[
        float, option("Seconds that a wave has to become healthy.", "VERIFY_S", min=1)
    ] = 240.0,
    reason: options.Reason = "",
    ticket: options.Ticket = "",
    max_age: Annotated[
        str,
        options.duration("Age from which a plan is rejected", "MAX_AGE", "--max-age"),
    ] = "24h",
    max_failures: Annotated[
        str,
        option(
            "Devices that may fail, in each wave and in all, without stopping the run: 3 or 1%. "
            "They are rolled back and skipped.",
            "",
            "--max-failures",
            metavar="N|N%",
        ),
    ] = "0",
    parallel: options.Parallel = 0,
    *,
    full: FullRun = False,
    commit: Annotated[
        bool,
        option("Apply the changes. Without this option the command is a dry run.", "", "--commit"),
    ] = False,
    without_net: Annotated[
        bool,
        option(
            "Also change devices that have no commit timer to roll back an unconfirmed "
            "change. The plan lists them.",
            "",
            "--without-safety-net",
        ),
    ] = False,
    despite_cabling: Annotated[
        bool,
        option(
            "Also change ports that are cabled to a different device than planned, and accept "
            "sessions without addresses over them. The journal records it.",
            "",
            "--despite-cabling",
        ),
    ] = False,
    traffic_stopped: Annotated[
        bool,
        option(
            "Also apply a roll-out between whose waves packets of the lossless class are lost; "
            "the plan lists where. Without a roll-out: send no pings.",
            "",
            "--traffic-stopped",
        ),
    ] = False,
    approvals: Annotated[
        str,
        option(
            "Approvals of the plan: a file of `rocefab approve`, or the URL of `rocefab serve` "
            "with a token in ROCEFAB_TOKEN. The journal records them.",
            "APPROVALS",
            "--approvals",
            metavar="FILE|URL",
        ),
    ] = "",
    despite_age: Annotated[
        bool,
        option("Apply a plan that is older. The journal records it.", "", "--despite-age"),
    ] = False,
    despite_inventory: Annotated[
        bool,
        option(
            "Apply a plan although its inventory was changed since, or is not on this machine. "
            "The journal records it.",
            "",
            "--despite-inventory",
        ),
    ] = False,
    resume: Annotated[
        bool,
        option(
            "Resume the interrupted run with the plan in the journal. --commit is not "
            "needed, because the run was started with it.",
            "",
            "--resume",
        ),
    ] = False,
) -> None:
    """Apply a plan, wave by wave.

    A wave that fails is rolled back, and the run stops. A port that changes must be cabled as
    planned, where LLDP can tell. The pairs of NICs that the plan names are pinged before and after
    the waves of their leaves. Without --commit the command is a dry run: it shows the
    change report and makes no changes.

    Exit codes: 0, 2, 3.
    """
    from fabric.workflow import apply as workflow

    actor = workflow.Actor(reason=reason, ticket=ticket)
    max_age_s = duration_s("--max-age", max_age)
    options = workflow.Options(
        timer_s=timer_s,
        verify_s=verify_s,
        without_net=without_net,
        despite_cabling=despite_cabling,
        traffic_stopped=traffic_stopped,
        max_failures=workflow.MaxFailures.from_text(max_failures),
        parallel=parallel,
    )
    if resume:
        if plan_file is not None:
            raise typer.BadParameter("--resume reads the plan from the journal; do not pass PLAN")
        folder = journal_folder(state, inventory)
        with _told_how_to_go_on(None, folder):
            meter = output.Meter(lines=True, full=full)
            _end(workflow.resume(folder, connections, options, meter, actor), full=full)
        return
    if plan_file is None:
        message = "specify a plan file, or use --resume to continue an interrupted run"
        raise typer.BadParameter(message)
    planned = workflow.read_plan(plan_file)
    if approvals:
        from fabric.workflow.approvals import approvals_of

        options = replace(options, approvals=approvals_of(planned, approvals))
    fresh = workflow.Freshness(
        max_age_s,
        despite_age=despite_age,
        despite_inventory=despite_inventory,
        inventory=inventory,
    )
    if not commit:
        from fabric.workflow.plan_text import NO_NET, describe

        output.alarming(describe(planned, verify_s, full=full, file=plan_file), NO_NET)
        _warn(lambda: fresh.check(planned, output.progress))
        _warn(lambda: workflow.check_approvals(planned, options, fresh))
        applied = workflow.applied_by(planned, state)
        again = f"{applied[:1].upper()}{applied[1:]}; for what is left, run `rocefab plan` again"
        way = again if applied else "Add --commit to apply the plan."
        output.note(f"Dry run: no changes were made. {way}")
        return
    if planned.empty:
        output.note("The plan contains no changes.")
        return
    with _told_how_to_go_on(planned, state):
        meter = output.Meter(lines=True, full=full)
        result = workflow.apply(planned, state, connections, options, meter, actor, fresh)
        _end(result, full=full)


def _warn(check: Callable[[], object]) -> None:
    """Say why a plan would be rejected, without rejecting it."""
    try:
        check()
    except PlanError as error:
        output.note(f"would be rejected: {error}")


@contextmanager
def _told_how_to_go_on(plan: Plan | None, state: Path | None) -> Iterator[None]:
    """Say how an interrupted run goes on, where one had begun."""
    from fabric.workflow import apply as workflow

    try:
        yield
    except KeyboardInterrupt:
        with suppress(JournalError):
            if waiting := workflow.interrupted(plan, state):
                output.note(waiting)
        raise


def _end(result: Result, *, full: bool = False) -> None:
    """Say how a run ended; a run that stopped sets the exit code."""
    from fabric.workflow.run_text import describe_end

    for line in describe_end(result, full=full):
        output.result(f"run {result.run}: {line}")
    if not result.ok:
        raise CommandExit(Exit.DEVICE)


def rollback(
    run: Annotated[
        int | None, argument("Run to roll back; if it is missing, the error lists the runs.")
    ] = None,
    inventory: options.OfInventory = None,
    connections: options.Connections = None,
    ask_password: options.AskPassword = False,  # noqa: ARG001 - its callback does the work
    state: options.StateFolder = None,
    reason: options.Reason = "",
    ticket: options.Ticket = "",
    parallel: options.Parallel = 0,
    *,
    commit: Annotated[
        bool,
        option("Apply the changes. Without this option the command is a dry run.", "", "--commit"),
    ] = False,
    force: Annotated[
        bool,
        option(
            "Roll back even if a device was changed after the run; that change is lost too.",
            "",
            "--force",
        ),
    ] = False,
    only: Annotated[
        str,
        option(
            "Limit the rollback to these devices: su1-rail[0-1],gpu001; default: all "
            "devices of the run.",
            "ROLLBACK_ONLY",
            metavar="DEVICES",
        ),
    ] = "",
    skip_unreachable: Annotated[
        bool,
        option(
            "Skip devices that are not reachable, without failing the run.",
            "",
            "--skip-unreachable",
        ),
    ] = False,
    traffic_stopped: Annotated[
        bool,
        option(
            "Roll back although packets of the lossless class are lost between the waves; the "
            "states between them are not judged. Only the rollback of a roll-out needs it.",
            "",
            "--traffic-stopped",
        ),
    ] = False,
    full: Annotated[
        bool, option("Print each step of each device and each reason.", "FULL", "--full")
    ] = False,
) -> None:
    """Roll back the devices of a run to their state before it.

    Rolls back wave by wave, the last wave first. A device that cannot be rolled back does not stop
    the others and is listed at the end. The states between the waves are judged as by `plan`, for
    which devices that the run did not finish are read. Without --commit the command is a dry run
    that lists the devices, and the packets that can be lost between the waves.

    Exit codes: 0, 2, 3.
    """
    from fabric.workflow import rollback as workflow
    from fabric.workflow.apply import Actor, runs_that_are

    folder = journal_folder(state, inventory)
    if run is None:
        raise PlanError(f"specify the run to roll back: {runs_that_are(folder)}")
    if not commit:
        back = workflow.would_go_back(run, folder, only)
        lines = [*back, *workflow.would_stay(run, folder, only)]
        if not traffic_stopped:
            lines += workflow.would_lose(run, folder, connections, only, inventory, parallel)
        output.data("".join(f"{line}\n" for line in lines))
        them = "the devices of the waves" if len(back) < len(lines) else "these devices"
        output.note(
            f"Dry run: {them} would be rolled back. Add --commit to roll them back."
            if back
            else "Dry run: no device would be rolled back."
        )
        return
    with _told_how_to_go_on(None, folder):
        result = workflow.rollback(
            run,
            folder,
            connections,
            output.Meter(lines=True, full=full),
            only=only,
            force=force,
            skip_unreachable=skip_unreachable,
            actor=Actor(reason=reason, ticket=ticket),
            options=workflow.Options(traffic_stopped=traffic_stopped, parallel=parallel),
            inventory=inventory,
        )
        _end(result, full=full)
