"""observe, cabling: what the devices of a fabric tell."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from fabric.cli import options, output
from fabric.cli.exits import CommandExit, Exit
from fabric.cli.options import option

if TYPE_CHECKING:
    import typer


def register(app: typer.Typer) -> None:
    """Add the commands of this module."""
    example = "rocefab observe inventory/demo --connections lab/connections.json --field bgp"
    app.command(epilog=f"Example: {example}")(observe)
    app.command(epilog="Example: rocefab cabling inventory/demo")(cabling)


def observe(
    inventory: options.Inventory = Path(),
    connections: options.Connections = None,
    ask_password: options.AskPassword = False,  # noqa: ARG001 - its callback does the work
    only: options.Only = "",
    field: Annotated[
        list[str] | None,
        option(
            "Read only this field, such as bgp, interfaces, pfc_counters; may be repeated.",
            "FIELD",
            metavar="FIELD",
        ),
    ] = None,
    switches: options.Switches = True,
    hosts: options.Hosts = True,
    form: options.FormatOption = options.Format.TEXT,
) -> None:
    """Read the state of devices: ports, sessions, tables, counters.

    A value that a device did not report, or that could not be parsed, is unknown and never zero.

    Exit codes: 0, 2, 3 (a device could not be read).
    """
    from fabric.workflow.observe import Selection
    from fabric.workflow.observe import observe as workflow
    from fabric.workflow.project import Project

    selection = Selection(switches=switches, hosts=hosts, only=only)
    seen = workflow(Project(inventory), connections, selection, field or [], output.watch)
    if form is options.Format.JSON:
        output.as_json([item.as_dict() for item in seen])
    else:
        rows = [row for item in seen for row in item.rows()]
        output.table(("device", "platform", "field", "seen"), rows)
        for item in seen:
            if item.unread:
                output.note(
                    f"{item.device}: not supported on its platform: {', '.join(item.unread)}"
                )
    if any(item.error for item in seen):
        raise CommandExit(Exit.DEVICE)


def cabling(
    inventory: options.Inventory = Path(),
    connections: options.Connections = None,
    ask_password: options.AskPassword = False,  # noqa: ARG001 - its callback does the work
    only: options.Only = "",
    switches: options.Switches = True,
    hosts: options.Hosts = True,
    form: options.FormatOption = options.Format.TEXT,
) -> None:
    """Compare the cabling with the plan and list the plugs to move.

    Reads LLDP, links and MAC tables. If a device cannot be read, its cables
    are checked from the other end.

    Exit codes: 0, 2, 3 (a device could not be read), 4 (a cable is not as planned).
    """
    from fabric.workflow.cabling import Selection
    from fabric.workflow.cabling import cabling as workflow
    from fabric.workflow.project import Project

    selection = Selection(switches=switches, hosts=hosts, only=only)
    report = workflow(Project(inventory), connections, selection, output.watch)
    if form is options.Format.JSON:
        output.as_json(report.as_dict())
    else:
        if report.rows():
            output.table(("end", "other end", "verdict", "seen"), report.rows())
        for number, line in enumerate(report.work_order(), 1):
            output.data(f"{number}. {line}\n")
        output.note(f"{len(report.judged)} cables: {report.summary()}")
        for device, reason in report.unread:
            output.note(f"{device}: {reason}")
    if report.wrong:
        raise CommandExit(Exit.FINDINGS)
    if report.unread:
        raise CommandExit(Exit.DEVICE)
