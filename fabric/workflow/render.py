"""render: check, then write the files of every switch and host."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

from fabric.render.files import Written, put
from fabric.render.output import staged
from fabric.workflow.check import refuse_errors
from fabric.workflow.stages import CHECKED_SWITCH, HOST

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from fabric.validate.runner import Outcome
    from fabric.workflow.project import Project
    from fabric.workflow.stages import Checked


def render(project: Project, out: Path, *, force: bool = False) -> list[dict[str, Any]]:
    """Write every artefact below a folder and return each path with what became of it.

    A file is written where it is made, into a new folder that takes the place of the old one in
    the end, so that the files of a large fabric are never all in memory.

    Raises
    ------
    InputError
        When the inventory does not pass its check; nothing is written then.
    OutputFolderError
        When the folder holds other files, or edited ones, and ``force`` is not given.
    """
    files: list[Written] = []
    with staged(out, force=force) as staging:

        def verdicts(project: Project) -> Iterable[Outcome | None]:
            done = project.each_switch(CHECKED_SWITCH, partial(_put, staging.new, staging.old))
            files.extend(file for written, _ in done.values() for file in written)
            return [outcome for _, outcome in done.values()]

        refuse_errors(project, verdicts)
        done = project.each_host(HOST, partial(put, staging.new, staging.old))
        files += [file for written in done.values() for file in written]
        states = staging.finish(files)
    rows = [
        {"device": file.device, "kind": file.kind, "path": file.path, "sha256": file.sha256}
        | {"state": states.pop(file.path)}
        for file in files
    ]
    removed = {"device": "", "kind": "", "sha256": ""}
    return rows + [removed | {"path": path, "state": states[path]} for path in sorted(states)]


def _put(new: Path, old: Path | None, checked: Checked) -> tuple[list[Written], Outcome | None]:
    files, outcome = checked
    return put(new, old, files), outcome
