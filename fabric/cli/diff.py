"""diff: what a change of the inventory does, for those who review it."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from fabric.cli import options, output
from fabric.cli.exits import CommandExit, Exit
from fabric.cli.options import argument, option
from fabric.report.diff.risks import DiffRisk  # noqa: TC001 - typer reads it

if TYPE_CHECKING:
    import typer


class DiffForm(StrEnum):
    """Forms of `diff`."""

    TEXT = "text"
    JSON = "json"
    MARKDOWN = "markdown"
    HTML = "html"


def register(app: typer.Typer) -> None:
    """Add the commands of this module."""
    app.command(epilog="Example: rocefab diff inventory/demo inventory/mixed --format markdown")(
        diff
    )


def diff(
    before: Annotated[
        str,
        argument(
            "Inventory folder; or a git revision, compared with the working tree; or REV..REV; or "
            "REV...REV, from where both were the same.",
            "DIFF_BEFORE",
        ),
    ],
    inventory: Annotated[
        str,
        argument(
            "Inventory folder: the one to compare with, or the one that the revisions have; "
            "default for revisions: this folder.",
            "DIFF_INVENTORY",
        ),
    ] = "",
    form: Annotated[DiffForm, option("Output format.", "DIFF_FORMAT", "--format")] = DiffForm.TEXT,
    jobs: Annotated[
        Path | None,
        option(
            "Jobs that run, as listed by squeue --noheader --format='%i %N'.",
            "JOBS",
            metavar="FILE",
        ),
    ] = None,
    fail_on: Annotated[
        DiffRisk | None,
        option("Lowest risk that sets exit code 4.", "DIFF_FAIL_ON", metavar="RISK"),
    ] = None,
    *,
    detailed_exitcode: Annotated[
        bool, option("Exit with code 5 if there are changes.", "DETAILED_EXITCODE")
    ] = False,
    cache: options.Cache = None,
    fresh: options.Fresh = False,
    workers: options.Workers = "0",
) -> None:
    """Show what a change of the inventory does.

    Compares two inventory folders, or two git revisions of one: cables, addresses, figures of the
    lossless policy, capacity, and the settings of each device with the inventory lines they follow
    from, the risk, and whether a reload is needed. Reads no device and checks nothing out.

    Exit codes: 0, 2, 4 (with --fail-on), 5 (with --detailed-exitcode).
    """
    from fabric.core.errors import InputError
    from fabric.report.diff.consequences import reaches
    from fabric.report.diff.forms import FORMS
    from fabric.report.diff.uncompared import uncompared
    from fabric.workflow.diff import diff as compare
    from fabric.workflow.work import work_of

    work = work_of(cache, fresh=fresh, workers=workers)
    try:
        compared = compare(before, inventory, work, output.Meter(), jobs, output.note)
    except InputError as error:
        output.data(uncompared(form.value, error))  # what is published is never empty
        raise
    output.paged(FORMS[form.value](compared))
    if fail_on and reaches(compared.summary.risk, fail_on.value):
        output.result(f"the highest risk, {compared.summary.risk!r}, reaches that of --fail-on")
        raise CommandExit(Exit.FINDINGS)
    if detailed_exitcode and not compared.empty:
        raise CommandExit(Exit.CHANGES)
