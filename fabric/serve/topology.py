"""Files of the fabric for other programs, made once for each inventory."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fabric.core.errors import InputError
from fabric.core.findings import Finding, Severity
from fabric.exchange.forms import plant_exporters
from fabric.workflow.export import Request, export

if TYPE_CHECKING:
    from fabric.serve.source import Loaded

#: The export of a scheduler that describes the fabric, not a job.
_SLURM = "slurm"
#: Parts of it that are about a job; its hosts come from ``POST /v1/placements``.
_OF_A_JOB = {(_SLURM, "hostfile")}


def forms() -> list[str]:
    """Return the forms that need no job."""
    return sorted([*plant_exporters, _SLURM])


def topology(loaded: Loaded, form: str, part: str = "") -> str:
    """Return what `rocefab export FORM` prints.

    Raises
    ------
    InputError
        When there is no such part, several files, or the inventory does not pass its check.
    """
    key = (form, part)
    if key in _OF_A_JOB:
        message = f"{part} is about a job"
        finding = Finding("PLC008", Severity.ERROR, message, "use POST /v1/placements", "part")
        raise InputError("the export cannot be written", [finding])
    if key not in loaded.files:
        request = Request(parts=(part,) if part else ())
        loaded.files[key] = export(loaded.project, form, request)[0]
    return loaded.files[key]
