"""draw: a picture of the network."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from fabric.cli import options, output
from fabric.cli.exits import CommandExit, Exit
from fabric.cli.options import FailOn, option, renamed

if TYPE_CHECKING:
    import typer

    from fabric.report.picture import Marks
    from fabric.workflow.project import Project


def register(app: typer.Typer) -> None:
    """Add the commands of this module."""
    epilog = "Example: rocefab draw inventory/demo --out demo.html"
    app.command(context_settings=renamed(output="out"), epilog=epilog)(draw)


def draw(
    inventory: options.Inventory = Path(),
    file: Annotated[
        Path,
        option(
            "File to write: .svg, .png (needs rocefab[plots]), or .html, an interactive page.",
            "DRAW_OUTPUT",
            "--out",
            metavar="FILE",
        ),
    ] = Path("fabric.svg"),
    findings: Annotated[
        bool,
        option(
            "Mark cables whose settings fail a rule of the lossless path.",
            "DRAW_FINDINGS",
            "--findings",
        ),
    ] = False,
    fail_on: Annotated[
        FailOn, option("Lowest severity for which --findings marks a cable.", "FAIL_ON")
    ] = FailOn.ERROR,
    cabling: Annotated[
        bool,
        option("Read the devices and mark wrong and missing cables.", "DRAW_CABLING", "--cabling"),
    ] = False,
    cabling_file: Annotated[
        Path | None,
        option(
            "Mark cables from the output of `rocefab cabling --format json`.",
            "DRAW_CABLING_FILE",
            metavar="FILE",
        ),
    ] = None,
    connections: options.Connections = None,
    ask_password: options.AskPassword = False,  # noqa: ARG001 - its callback does the work
    parallel: options.Parallel = 0,
) -> None:
    """Draw the network and the state of its cables.

    Draws by tier, unit and rail. In large networks one box represents several devices and
    shows their number. An existing file is overwritten.

    Exit codes: 0, 2, 3 (a device could not be read; the picture is written).
    """
    from fabric.core.findings import Severity
    from fabric.report.picture import Marks, failing_ends, read_cabling
    from fabric.report.picture import draw as workflow
    from fabric.workflow.project import Project

    project, marks = Project(inventory), Marks()
    if findings:
        marks.add_findings(failing_ends(project, Severity[fail_on.name]))
    if cabling_file:
        marks.add_cabling(read_cabling(cabling_file))
    unread = _read_cabling(project, marks, connections, parallel) if cabling else 0
    workflow(project, file, marks)
    output.note(f"wrote {file}")
    if unread:
        raise CommandExit(Exit.DEVICE)


def _read_cabling(project: Project, marks: Marks, connections: Path | None, parallel: int) -> int:
    """Take in what the devices tell; return how many told nothing."""
    from fabric.report.picture import judged_ends
    from fabric.workflow.cabling import Selection, cabling

    selection = Selection(parallel=parallel)
    report = cabling(project, connections, selection, output.Meter())
    marks.add_cabling(judged_ends(report.judged))
    for line in report.unread_lines():
        output.result(line)
    return len(report.unread)
