"""import --compare: what a second import would change in an inventory."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

from fabric.core.shown import printable
from fabric.workflow.diff import between
from fabric.workflow.diff_source import Source
from fabric.workflow.imports import import_inventory

if TYPE_CHECKING:
    from collections.abc import Callable

    from fabric.core.findings import Finding
    from fabric.report.diff.model import Diff
    from fabric.workflow.imports import Request
    from fabric.workflow.work import Work

#: Values that the new files mark as assumed; the inventory has its own.
_ASSUMED = "EXC015"


def import_again(
    form: str,
    source: str,
    inventory: Path,
    request: Request,
    work: Work,
    progress: Callable[[str, str], None],
) -> tuple[Diff, tuple[Finding, ...]]:
    """Return how an import differs from an inventory, and what the user should know.

    Nothing is written. What the source does not say comes from the inventory, unless the request
    names another base.

    Raises
    ------
    InputError
        With all that is wrong with the source or the inventory.
    """
    request = request if request.base else replace(request, base=inventory)
    with TemporaryDirectory() as parent:
        folder = Path(parent) / inventory.absolute().name
        _, notes = import_inventory(form, source, folder, request, progress)
        before = Source(inventory, str(inventory), work)
        after = Source(folder, f"the import of {printable(source)}", work)
        said = tuple(note for note in notes if note.rule != _ASSUMED)
        return between(before, after, {}, progress), said
