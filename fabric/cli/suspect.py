"""suspect: what explains slow collectives, and which hosts to test next."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from fabric.cli import output
from fabric.cli.exits import CommandExit, Exit
from fabric.cli.options import Fail, Format, FormatOption, argument, option

if TYPE_CHECKING:
    import typer


def register(app: typer.Typer) -> None:
    """Add the commands of this module."""
    app.command(epilog="Example: rocefab suspect inventory/rail-512")(suspect)


def suspect(
    inventory: Annotated[Path, argument("Inventory folder.", "INVENTORY")],
    results: Annotated[
        list[Path] | None,
        argument(
            "Outputs of nccl-tests or rccl-tests, or burn-in reports (CSV: hosts, gbyte_s, rails, "
            "collective); default: none, for the first test."
        ),
    ] = None,
    fail: Fail = None,
    noise_percent: Annotated[
        float, option("Relative error of a result.", "NOISE_PERCENT", min=0.1, max=50)
    ] = 2.0,
    most: Annotated[int, option("Suspects to list.", "MOST_SUSPECTS", min=1, max=1000)] = 10,
    form: FormatOption = Format.TEXT,
) -> None:
    """Name what slows collectives down; choose the next test.

    Suspects are NICs, cables, hosts and leaves in the order of their probability, if one thing is
    wrong. Results are compared with `rocefab expect`.

    Exit codes: 0, 2, 4 (the first suspect, or one of the first two, is as likely as all others).
    """
    from fabric.core.units import percent_to_share
    from fabric.workflow.project import Project
    from fabric.workflow.suspect import suspect as workflow

    suspicion = workflow(
        Project(inventory),
        results or (),
        failures=fail or (),
        noise=percent_to_share(noise_percent),
        most=most,
    )
    if form is Format.JSON:
        output.as_json(suspicion.as_dict())
    else:
        for title, table in suspicion.tables() if suspicion.results else ():
            output.data(f"{title}\n")
            output.table(table.headers, table.rows)
            output.data("\n")
        output.data("".join(f"{line}\n" for line in suspicion.sentences()))
    if suspicion.has_fault:
        raise CommandExit(Exit.FINDINGS)
