"""status: the runs of a journal, its hashes, and what is left on devices."""

from __future__ import annotations

from dataclasses import asdict
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any

import typer

from fabric.cli import options, output
from fabric.cli.exits import CommandExit, Exit
from fabric.cli.options import argument, option
from fabric.core.clock import clock
from fabric.core.counts import counted
from fabric.core.errors import JournalError


def status(
    run: Annotated[int | None, argument("Run to show; default: all runs.")] = None,
    inventory: options.OfInventory = None,
    state: options.StateFolder = None,
    connections: options.Connections = None,
    ask_password: options.AskPassword = False,  # noqa: ARG001 - its callback does the work
    parallel: options.Parallel = 0,
    form: options.FormatOption = options.Format.TEXT,
    export: Annotated[
        Path | None,
        option("Write all rows of the journal to this file, as JSON lines.", "EXPORT", "--out"),
    ] = None,
    *,
    devices: Annotated[
        bool,
        option(
            "List the locks, waiting changes and folders of runs that are left on devices.",
            "STATUS_DEVICES",
            "--devices",
        ),
    ] = False,
    clean: Annotated[
        bool,
        option(
            "With --devices: remove what runs that have ended left there, and expired locks.",
            "",
            "--clean",
        ),
    ] = False,
    boot: Annotated[
        bool,
        option(
            "Count the devices that start from the box, by the log that --boot-log names.",
            "STATUS_BOOT",
            "--boot",
        ),
    ] = False,
    boot_log: options.BootLogOption = None,
    verify: Annotated[
        bool,
        option(
            "Check the hashes of all rows, plans and saved states.", "STATUS_VERIFY", "--verify"
        ),
    ] = False,
) -> None:
    """Show the runs in the journal, or the devices of one run.

    With --verify the command checks that nothing in the journal was damaged or edited. With
    --devices it reads the devices of the journal; only --clean changes something there.

    Exit codes: 0, 2, 3 (with --devices), 4 (with --verify: damage).
    """
    from fabric.workflow import apply as workflow

    if boot:
        _boot(inventory, boot_log, form)
        return
    if clean and not devices:
        raise typer.BadParameter("--clean needs --devices")
    must_exist = run is not None or verify or devices or export is not None
    folder = journal_folder(state, inventory) if must_exist else _state(state, inventory)
    if export and folder:
        output.note(f"wrote {counted(workflow.export(folder, export), 'row')} to {export}")
    if verify and folder:
        chain = workflow.verify(folder)
        output.note(f"journal in {folder}: {chain}")
        if not chain.whole:
            raise CommandExit(Exit.FINDINGS)
    if devices and folder:
        _left(folder, connections, form, parallel, remove=clean)
    if verify or export or devices:
        return
    rows = workflow.status(folder, run) if folder else []
    if form is not options.Format.JSON and run is None and not rows:
        output.note(f"no runs in {folder} yet" if folder else _no_runs(inventory))
        return
    _print_runs(rows, form, is_one=run is not None)
    if form is not options.Format.JSON and (way := workflow.interrupted(None, folder)):
        output.note(way)


def _print_runs(rows: list[dict[str, Any]], form: options.Format, *, is_one: bool) -> None:
    from fabric.report.run_rows import rolled_back

    if form is options.Format.JSON:
        output.as_json(rows)
    elif not is_one:
        output.table(
            ["run", "kind", "fabric", "started", "state", "devices", "by", "ticket", "reason"],
            [
                [
                    row["run"],
                    row["kind"],
                    row["fabric"],
                    clock(row["started"]),
                    ", ".join(filter(None, [row["state"], rolled_back(row)])),
                    ", ".join(f"{count} {word}" for word, count in row["devices"].items()),
                    f"{row['user']}@{row['host']}" if row["user"] else "",
                    row["ticket"],
                    row["reason"],
                ]
                for row in rows
            ],
        )
    else:
        output.table(
            ["device", "state", "since", "detail"],
            [[row["device"], row["state"], clock(row["at"]), row["detail"]] for row in rows],
        )


def _boot(inventory: Path | None, log: Path | None, form: options.Format) -> None:
    """Print how many devices of an inventory are how far, and which ones."""
    from fabric.boot.log import State, read_log, states
    from fabric.core import hostlist
    from fabric.workflow.project import Project

    if log is None or inventory is None:
        raise typer.BadParameter("--boot needs --inventory and --boot-log")
    fabric = Project(inventory).fabric
    reached = states(read_log(log), (*fabric.switches.names, *fabric.hosts.names))
    by_state = {state: [name for name, at in reached.items() if at is state] for state in State}
    if form is options.Format.JSON:
        output.as_json({state.title: names for state, names in by_state.items()})
        return
    output.table(
        ["state", "devices", "names"],
        [
            [state.title, len(names), hostlist.fold_inside(names) if names else ""]
            for state, names in by_state.items()
        ],
    )


class RecordForm(StrEnum):
    """Forms of the record of a run."""

    MARKDOWN = "markdown"
    HTML = "html"
    JSON = "json"


def report(
    run: Annotated[int, argument("Run to report.")],
    inventory: options.OfInventory = None,
    state: options.StateFolder = None,
    form: Annotated[
        RecordForm, option("Output format.", "REPORT_FORMAT", "--format")
    ] = RecordForm.MARKDOWN,
    *,
    full: Annotated[
        bool,
        option(
            "Print each device, each row of the journal and each difference, in all its lines.",
            "FULL",
            "--full",
        ),
    ] = False,
) -> None:
    """Print the record of a run for the change process.

    What was changed, by whom, when and why, the gates, the time that devices took, the rows of the
    journal, and the differences. Similar devices are shown once, and long differences are cut;
    --full prints all. JSON always has all.

    Exit codes: 0, 2.
    """
    from fabric.workflow import apply as workflow

    record = workflow.record(journal_folder(state, inventory), run, full=full)
    forms = {"markdown": record.as_markdown, "html": record.as_html, "json": record.as_json}
    output.paged(forms[form.value]())


def _left(
    folder: Path,
    connections: Path | None,
    form: options.Format,
    parallel: int,
    *,
    remove: bool,
) -> None:
    from fabric.workflow.leftovers import leftovers

    items, errors = leftovers(
        folder, connections, output.progress, remove=remove, parallel=parallel
    )
    if form is options.Format.JSON:
        output.as_json([asdict(item) for item in items])
    elif items:
        output.table(
            ["device", "kind", "name", "state", "detail"],
            [
                [
                    item.device,
                    item.kind,
                    item.name,
                    "removed" if item.removed else item.state,
                    item.detail,
                ]
                for item in items
            ],
        )
    else:
        output.note("nothing of rocefab is left on the devices that were read")
    for error in errors:
        output.result(f"not read: {error}")
    if errors:
        raise CommandExit(Exit.DEVICE)


def journal_folder(state: Path | None, inventory: Path | None) -> Path:
    """Return the state folder with a journal, instead of creating an empty one."""
    folder = _state(state, inventory)
    if folder is None or not folder.is_dir():
        which = f"{folder} contains no journal" if folder else _no_runs(inventory)
        message = f"{which}; specify the inventory with --inventory, or its folder with --state"
        raise JournalError(message)
    return folder


def _state(state: Path | None, inventory: Path | None) -> Path | None:
    from fabric.workflow.state import existing, taken_over

    folder = state or existing(inventory)
    if inventory is not None and state is None and (taken := taken_over(folder, inventory)):
        output.note(taken)
    return folder


def _no_runs(inventory: Path | None) -> str:
    return f"no runs yet of {inventory or 'an inventory in this folder'}"
