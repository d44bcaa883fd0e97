"""Files of the fabric for other programs, made once for each inventory."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fabric.exchange.forms import plant_exporters
from fabric.workflow.export import Request, export

if TYPE_CHECKING:
    from fabric.serve.source import Loaded

#: The export of a scheduler that describes the fabric, not a job.
_SLURM = "slurm"


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
    if key not in loaded.files:
        request = Request(parts=(part,) if part else ())
        loaded.files[key] = export(loaded.project, form, request)[0]
    return loaded.files[key]
