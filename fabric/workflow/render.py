"""render: check, then write the files of every switch and host."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, replace
from functools import partial
from operator import attrgetter
from typing import TYPE_CHECKING, Any

from fabric.core.steps import stage
from fabric.render.changes import Changes
from fabric.render.files import put, put_again
from fabric.render.index import INDEX_FORMAT, Index
from fabric.render.output import staged
from fabric.workflow.check import Handling, check, refuse

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from fabric.render.files import Target
    from fabric.render.manifest import FileState, Written
    from fabric.render.output import Staging
    from fabric.workflow.project import Project
    from fabric.workflow.stages import Checked
    from fabric.workflow.store import Store


@dataclass(frozen=True)
class Rendered:
    """Files that are in an output folder, and what became of each path.

    Parameters
    ----------
    files : sequence of Written
        The files, by device.
    states : mapping
        Whether each path was added, changed or removed, or is unchanged.
    """

    files: Sequence[Written]
    states: Mapping[str, FileState]

    def rows(self, prefix: str = "") -> list[dict[str, Any]]:
        """Return each file with what became of it; a prefix goes before its path."""
        rows = [
            {
                "device": file.device,
                "kind": file.kind,
                "path": prefix + file.path,
                "sha256": file.sha256,
                "state": self.states[file.path],
            }
            for file in self.files
        ]
        removed = dict.fromkeys(("device", "kind", "sha256"))
        gone = sorted(path for path, state in self.states.items() if state == "removed")
        return rows + [{**removed, "path": prefix + path, "state": "removed"} for path in gone]


def without_mac(project: Project) -> int:
    """Return how many SONiC switches have no MAC address in the inventory.

    vlanmgrd and intfmgrd exit without that of DEVICE_METADATA (sonic-net/sonic-swss cfgmgr), which
    `apply` keeps as it is on the switch.
    """
    switches, overrides = project.fabric.switches, project.fabric.intent.device_overrides
    sonic = (
        name for name, sku in zip(switches.names, switches.skus, strict=True) if sku.nos == "sonic"
    )
    return sum(not any(one.value.mac for one in overrides.get(name, ())) for name in sonic)


def render(project: Project, out: Path, *, force: bool = False) -> list[dict[str, Any]]:
    """Write every artefact below a folder and return each path with what became of it.

    Raises
    ------
    InputError
        When the inventory does not pass its check; nothing is written then.
    OutputFolderError
        When the folder holds other files, or edited ones, and ``force`` is not given.
    """
    return render_files(project, out, force=force).rows()


def render_files(project: Project, out: Path, *, force: bool = False) -> Rendered:
    """Write every artefact below a folder.

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

        def take(checked: dict[str, Checked]) -> None:
            files.extend(file for one in checked.values() for file in one.written)

        handling = Handling(partial(_put, staging.target), partial(_put_again, staging), take)
        refuse(project, check(project, files=handling))
        sources = project.host_sources() if store.keeps else {}
        same = _same_hosts(staging, sources)
        left = [name for name in project.hosts if name not in same]
        done = project.host_files(left, partial(put, staging.target))
        files += [file for written in (*same.values(), *done.values()) for file in written]
        states = staging.finish(files)
        _keep_index(store, staging, files, states, sources)
    return Rendered(files, states)


def _put(target: Target, checked: Checked) -> Checked:
    return replace(checked, files=[], written=put(target, checked.files))


def _put_again(staging: Staging, checked: Checked) -> Checked | None:
    return checked if put_again(staging.target, staging.inspection, checked.written) else None


def _same_hosts(staging: Staging, sources: Mapping[str, str]) -> dict[str, list[Written]]:
    """Take over the files of hosts that follow from the same as in the last run; return them."""
    last = staging.inspection
    same = last.index.unchanged(sources) if last.index else {}
    if staging.target.stays and last.is_known:
        return same
    return {name: files for name, files in same.items() if put_again(staging.target, last, files)}


def _index(store: Store, folder: Path) -> Index | None:
    """Return what the files of an output folder were like after the last run, where known."""
    whole, changes = _index_keys(folder)
    kept = store.get([whole, changes])
    if whole not in kept:
        return None
    index = Index.from_bytes(kept[whole])
    return index.with_changes(Changes.from_bytes(kept[changes])) if kept.get(changes) else index


@stage("write")
def _keep_index(
    store: Store,
    staging: Staging,
    files: Sequence[Written],
    states: Mapping[str, FileState],
    sources: Mapping[str, str],
) -> None:
    """Keep what the files of an output folder are like now, unless it was known before."""
    folder, last, kinds = staging.folder, staging.inspection, set(states.values())
    if last.foreign or not store.keeps:
        return
    same = last.index is not None and last.index.sources == sources
    if same and last.is_known and kinds == {"unchanged"}:
        return
    whole, changes = _index_keys(folder)
    few = None
    if last.index and staging.target.stays and kinds <= {"changed", "unchanged"}:
        changed = {file.path: file for file in files if states[file.path] == "changed"}
        few = last.index.changes_now(folder, changed, sources, last.known)
    if few:
        store.put({changes: few.to_bytes()})
        return
    ordered = sorted(files, key=attrgetter("path"))
    index = Index.of(folder, ordered, sources, staging.known(states))
    store.put({whole: index.to_bytes(), changes: b""})


def _index_keys(folder: Path) -> list[str]:
    """Return the keys of an index that is kept whole, and of what has changed since."""
    prefix = f"index\0{INDEX_FORMAT}\0{folder.absolute()}\0"
    return [hashlib.sha256(f"{prefix}{part}".encode()).hexdigest() for part in ("whole", "changes")]
