"""adopt: the lossless policy that runs, as overrides of the inventory."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from fabric.cli import options, output
from fabric.cli.exits import CommandExit, Exit
from fabric.cli.options import argument, option

if TYPE_CHECKING:
    import typer


def register(app: typer.Typer) -> None:
    """Add the commands of this module."""
    app.command(epilog="Example: rocefab adopt inventory/demo running/")(adopt)


def adopt(
    inventory: options.Inventory,
    folder: Annotated[
        Path | None,
        argument("Folder of saved configurations and outputs of hosts, as `audit` takes."),
    ] = None,
    running: Annotated[bool, option("Read what switches and hosts run now.", "RUNNING")] = False,
    connections: options.Connections = None,
    ask_password: options.AskPassword = False,  # noqa: ARG001 - its callback does the work
    parallel: options.Parallel = 0,
    commit: Annotated[
        bool,
        option("Write the files. Without this option the command is a dry run.", "", "--commit"),
    ] = False,
    form: options.FormatOption = options.Format.TEXT,
    cache: options.Cache = None,
    fresh: options.Fresh = False,
    workers: options.Workers = "0",
) -> None:
    """Adopt the lossless policy that switches and hosts run.

    Each field takes the value of most devices of a role; devices that differ have their own. The
    values are written to devices/adopted.yaml and hosts/adopted.yaml, other files stay as they are.
    Groups of devices with one policy, and what would still change on each device, are listed.
    Nothing is sent to a device.

    Exit codes: 0, 2, 3, 4 (a switch cannot be rendered with these files, or `check` finds errors).
    """
    import typer

    from fabric.workflow import adopt as workflow
    from fabric.workflow import adopt_reading, adopt_report
    from fabric.workflow.adopt_files import write
    from fabric.workflow.project import Project
    from fabric.workflow.work import work_of

    if running == (folder is not None):
        raise typer.BadParameter("specify a folder of saved configurations, or --running")
    project = Project(inventory, work_of(cache, fresh=fresh, workers=workers))
    if folder is not None:
        read = adopt_reading.from_files(project, folder)
    else:
        read = adopt_reading.from_devices(project, connections, output.Meter(), parallel)
    adopted = workflow.adopt(project, read)
    if form is options.Format.JSON:
        output.as_json(adopt_report.as_object(adopted, read))
    else:
        output.data(adopt_report.describe(adopted, read))
    if commit:
        for path in write(inventory, adopted.files):
            output.note(f"{path} was written")
    else:
        output.note("Dry run: nothing was written. Add --commit to write the files.")
    if read.failed:
        raise CommandExit(Exit.DEVICE)
    if adopted.failure or adopted.errors:
        raise CommandExit(Exit.FINDINGS)
