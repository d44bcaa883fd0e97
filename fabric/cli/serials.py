"""adopt-serials."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from fabric.cli import output
from fabric.cli.options import Inventory, option

if TYPE_CHECKING:
    from fabric.workflow.serials import Adopted

#: Names that a line of the summary has.
_NAMED = 8


def register(app: typer.Typer) -> None:
    """Add the command of this module."""
    example = "rocefab adopt-serials inventory/demo --from packing-list.csv"
    app.command(name="adopt-serials", epilog=f"Example: {example}")(adopt_serials)


def adopt_serials(
    inventory: Inventory = Path(),
    source: Annotated[
        list[Path] | None,
        option(
            "Packing list or table (CSV), leases of Kea or dnsmasq, or the output of `lldpcli show "
            "neighbors` of the management switch; may be repeated.",
            "SERIALS",
            "--from",
        ),
    ] = None,
    *,
    dry_run: Annotated[
        bool, option("Print the diff, and write nothing.", "SERIALS_DRY_RUN", "--dry-run")
    ] = False,
) -> None:
    """Take serials and MACs of devices over from files.

    Lines of all files are joined where they share a name, serial, MAC, port or address. What
    contradicts the inventory is an error, and nothing is written.

    Exit codes: 0, 2.
    """
    from fabric.workflow.serials import adopt_serials as workflow

    if not source:
        raise typer.BadParameter("name a file with --from")
    adopted = workflow(inventory, source, dry_run=dry_run)
    if adopted.edited:
        output.data(adopted.edited.diff)
    for line in _summary(adopted, dry_run=dry_run):
        output.note(line)


def _summary(adopted: Adopted, *, dry_run: bool) -> list[str]:
    from fabric.core import hostlist

    lines = [f"{adopted.taken} devices have something new"]
    if adopted.waiting:
        lines.append(f"still unknown: {hostlist.fold(adopted.waiting)}")
    lines += [f"{row.place}: of no device of the inventory" for row in adopted.strangers[:_NAMED]]
    if len(adopted.strangers) > _NAMED:
        lines.append(f"and {len(adopted.strangers) - _NAMED:,} more lines of no device")
    if adopted.edited:
        lines.append("dry run: nothing was written" if dry_run else adopted.edited.next_step)
    return lines
