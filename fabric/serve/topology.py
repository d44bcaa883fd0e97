"""Files of the fabric for other programs, made once for each inventory."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fabric.core.errors import InputError
from fabric.core.exports import About, exporters, with_part
from fabric.core.findings import Finding, Severity
from fabric.workflow.export import Request, export

if TYPE_CHECKING:
    from fabric.serve.source import Loaded

#: Exports for jobs with parts that describe the fabric; their other parts need a job.
_PARTS = {
    "slurm": ("topology", "topology-yaml", "block", "partitions"),
    "k8stopo": ("nodes", "node-features", "kueue", "volcano", "kai", "grove"),
}


def forms() -> list[str]:
    """Return the forms that need no job, and parts that stand for form and part: ``kueue``."""
    names = [name for name, one in exporters.items() if one.about is About.FABRIC or name in _PARTS]
    parts = {name: _PARTS.get(name, tuple(exporters[name].parts)) for name in names}
    alone = (part for name in names for part in parts[name] if with_part(part) == [name])
    return [*names, *(part for part in alone if part not in exporters)]


def topology(loaded: Loaded, form: str, part: str = "") -> str:
    """Return what `rocefab export FORM --what PART` prints.

    Raises
    ------
    InputError
        When there is no such part, several files, or the inventory does not pass its check.
    """
    key = (form, part)
    if key not in loaded.files:
        known = _PARTS.get(form)
        if part and known and part not in known:
            message = f"{part!a} does not describe the fabric"
            fix = f"use {', '.join(known)}"
            finding = Finding("PLC008", Severity.ERROR, message, fix, "part")
            raise InputError("the export cannot be written", [finding])
        request = Request(parts=(part,) if part else ())
        loaded.files[key] = export(loaded.project, form, request)[0]
    return loaded.files[key]
