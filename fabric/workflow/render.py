"""render: check, then write the files of every switch and host."""

from __future__ import annotations

import hashlib
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any

from fabric.core.steps import stage
from fabric.render.files import put, put_again
from fabric.render.index import Index
from fabric.render.output import staged
from fabric.workflow.check import refuse_errors
from fabric.workflow.store import code_version

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from pathlib import Path

    from fabric.render.files import Target
    from fabric.render.manifest import Written
    from fabric.render.output import Staging
    from fabric.workflow.project import Project
    from fabric.workflow.stages import Checked
    from fabric.workflow.store import Store


def render(project: Project, out: Path, *, force: bool = False) -> list[dict[str, Any]]:
    """Write every artefact below a folder and return each path with what became of it.

    A file is written where it is made, into a new folder, so that the files of a large fabric are
    never all in memory. In the end it takes the place of the old one, or its files do.

    Raises
    ------
    InputError
        When the inventory does not pass its check; nothing is written then.
    OutputFolderError
        When the folder holds other files, or edited ones, and ``force`` is not given.
    """
    files: list[Written] = []
    store = project.work.store
    with staged(out, index=_index(store, out), force=force) as staging:

        def verdicts(project: Project) -> Iterable[Checked]:
            then, again = partial(_put, staging.target), partial(_put_again, staging)
            checked = project.check_switches(then=then, again=again)
            files.extend(file for one in checked.values() for file in one.written)
            return checked.values()

        refuse_errors(project, verdicts)
        then, again = partial(put, staging.target), partial(_again, staging)
        done = project.host_files(project.hosts, then, again)
        files += [file for written in done.values() for file in written]
        states = staging.finish(files)
        _keep_index(store, staging, {file.path: file.sha256 for file in files})
    rows = [
        {"device": file.device, "kind": file.kind, "path": file.path, "sha256": file.sha256}
        | {"state": states.pop(file.path)}
        for file in files
    ]
    removed = {"device": "", "kind": "", "sha256": ""}
    return rows + [removed | {"path": path, "state": states[path]} for path in sorted(states)]


def _put(target: Target, checked: Checked) -> Checked:
    return replace(checked, files=[], written=put(target, checked.files))


def _put_again(staging: Staging, checked: Checked) -> Checked | None:
    return checked if _again(staging, checked.written) else None


def _again(staging: Staging, files: list[Written]) -> list[Written] | None:
    return files if put_again(staging.target, staging.inspection, files) else None


def _index(store: Store, folder: Path) -> Index | None:
    """Return what the files of an output folder were like after the last run, where known."""
    kept = store.get([_index_key(folder)])
    return Index.from_bytes(*kept.values()) if kept else None


@stage("write")
def _keep_index(store: Store, staging: Staging, digests: Mapping[str, str]) -> None:
    """Keep what the files of an output folder are like now, unless it was known before."""
    last, folder = staging.inspection, staging.folder
    if last.foreign or not store.keeps:
        return
    known = {
        path: state for path, state in last.unread.items() if last.intact[path] == digests.get(path)
    }
    if not len(known) == len(digests) == len(last.before):
        index = Index.of(folder, digests, known)
        store.put({_index_key(folder): index.to_bytes()})


def _index_key(folder: Path) -> str:
    return hashlib.sha256(f"index\0{code_version()}\0{folder.absolute()}".encode()).hexdigest()
