"""render: check, then write the files of every switch and host."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from fabric.render.output import write
from fabric.workflow.check import refuse_errors

if TYPE_CHECKING:
    from pathlib import Path

    from fabric.workflow.project import Project


def render(project: Project, out: Path, *, force: bool = False) -> list[dict[str, Any]]:
    """Write every artefact below a folder and return each path with what became of it.

    Raises
    ------
    InputError
        When the inventory does not pass its check; nothing is written then.
    OutputFolderError
        When the folder holds other files, or edited ones, and ``force`` is not given.
    """
    refuse_errors(project)
    artefacts = [
        item
        for group in (project.switch_artefacts, project.host_artefacts)
        for items in group.values()
        for item in items
    ]
    states = write(artefacts, out, force=force)
    rows = [
        {"device": item.device, "kind": item.kind, "path": item.path, "sha256": item.sha256}
        | {"state": states.pop(item.path)}
        for item in artefacts
    ]
    removed = {"device": "", "kind": "", "sha256": ""}
    return rows + [removed | {"path": path, "state": states[path]} for path in sorted(states)]
