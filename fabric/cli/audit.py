"""audit: running configurations, judged without an inventory."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer  # noqa: TC002 - read at run time

from fabric.cli import options, output
from fabric.cli.config import ignored_rules
from fabric.cli.exits import CommandExit, Exit
from fabric.cli.options import FailOn, ReportForm, argument, option


def register(app: typer.Typer) -> None:
    """Add the commands of this module."""
    app.command(epilog="Example: rocefab audit backups/")(audit)


def audit(
    context: typer.Context,
    files: Annotated[
        list[Path],
        argument("Configurations and saved outputs of hosts, or folders with those of a fabric."),
    ],
    system: Annotated[
        str,
        option(
            "Switch system of all files; default: recognised by their lines.",
            "SYSTEM",
            metavar="NAME",
        ),
    ] = "",
    form: options.CheckForm = ReportForm.TEXT,
    fail_on: options.FailLevel = FailOn.ERROR,
    ignore: options.Ignore = None,
    pairs: Annotated[
        bool,
        option(
            "Compare NICs with the ports that they are plugged into; FILES may hold NIC profiles.",
            "AUDIT_PAIRS",
            "--pairs",
        ),
    ] = False,
    full: options.FullList = False,
) -> None:
    """Judge running configurations without an inventory.

    Files of one call are taken for one fabric: ports are paired by their descriptions, and both
    ends of a cable compared. Outputs that were saved on hosts are judged too; a folder
    with the name of the host holds them. Findings that differ in names and numbers alone are shown
    as one, with a count; --full and the forms for programs list each.

    Exit codes: 0, 2, 4.
    """
    from fabric.core.counts import counted
    from fabric.core.findings import Severity
    from fabric.workflow import audit as workflow

    severity = Severity[fail_on.name]
    audited = workflow.audit(files, system, ignore or [], pairs=pairs)
    ignored = ignored_rules(context, ignore)
    output.findings(workflow.report(audited, form.value, severity, ignored, full=full))
    devices = {"switch": audited.switches, "host": audited.hosts}
    of = " and ".join(counted(number, word) for word, number in devices.items() if number)
    systems = ", ".join(sorted(set(audited.systems.values())))
    output.note(f"{counted(len(audited.systems), 'file')} of {of} audited: {systems}")
    if audited.outcome.at_least(severity):
        raise CommandExit(Exit.FINDINGS)
