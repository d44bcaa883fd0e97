"""The output folder: artefacts and a manifest, replaced as a whole.

Everything is written into a new folder beside the old one, which is then exchanged for it in one
step: whoever looks, or whatever crashes, sees the old files or the new ones, never a mix. In a
folder of many files only those that change are replaced, one by one, and the manifest last; the
next run completes what a crash left. A folder that holds anything that the last manifest does not
vouch for is left alone.
"""

from __future__ import annotations

from contextlib import contextmanager, suppress
from dataclasses import dataclass
from operator import attrgetter
from typing import TYPE_CHECKING, Any

from fabric.core.errors import FileError, OutputFolderError
from fabric.core.file_kinds import FileKind
from fabric.core.steps import stage
from fabric.core.user_files import read_bytes
from fabric.render import replacing
from fabric.render.files import FILE_MODE, Target, put, write_file
from fabric.render.index import Known
from fabric.render.inspection import Inspection, inspect
from fabric.render.manifest import MANIFEST, FileState, check_paths, manifest_text, states_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping
    from pathlib import Path

    from fabric.core.artefact import Artefact
    from fabric.render.index import Index
    from fabric.render.manifest import Written

#: Files from which on only those that change are replaced, our choice: a link for each file that
#: stays, and the removal of the old one, take a second for 40,000 files.
MANY_FILES = 10_000


@dataclass(frozen=True)
class Staging:
    """New files that take their place in the output folder in the end.

    Parameters
    ----------
    target : Target
        Folder beside it, for `put`.
    inspection : Inspection
        What the output folder holds.
    """

    folder: Path
    target: Target
    inspection: Inspection

    @stage("write")
    def finish(
        self, files: Iterable[Written], extra: Mapping[str, Any] | None = None
    ) -> dict[str, FileState]:
        """Make the output folder hold exactly the files that were put, and their manifest.

        Returns
        -------
        dict of str to {"added", "changed", "removed", "unchanged"}
            What became of each path, compared with the manifest of the last run.

        Raises
        ------
        RenderError
            When two of the files have one path.
        """
        ordered = sorted(files, key=attrgetter("path"))
        paths = [file.path for file in ordered]
        if paths != [*self.inspection.before]:  # those were checked when they were written
            check_paths(paths)
        manifest = manifest_text(ordered, extra or {})
        states = states_of(self.inspection.before, ordered)
        foreign = self.inspection.foreign
        if not foreign and self.inspection.is_intact and _has(self.folder, manifest):
            return states
        new = self.target.new
        write_file(new, MANIFEST, manifest, FILE_MODE)
        if self.target.stays:
            gone = [path for path, state in states.items() if state == "removed"]
            replacing.replace_files(new, self.folder, gone)
        else:
            replacing.keep(self.folder, new, foreign)
            replacing.swap(new, self.folder)
        return states

    def known(self, states: Mapping[str, FileState]) -> Known:
        """Return what is still as the index of the last run has it, after `finish`.

        Parameters
        ----------
        states : mapping
            What became of each path.
        """
        if self.target.old is None:
            return Known()
        changed = [path for path, state in states.items() if state != "unchanged"]
        left = self.inspection.known.without(changed)
        return left if self.target.stays else Known(left.files)


@contextmanager
def staged(folder: Path, *, index: Index | None = None, force: bool = False) -> Iterator[Staging]:
    """Yield a new folder for an output folder; it is gone afterwards unless it was finished.

    Parameters
    ----------
    folder : Path
        Output folder; made when absent.
    index : Index, optional
        What its files were like after the last run, so that not all have to be read.
    force : bool
        Replace files that were changed by hand. Files that are not ours are kept then, except
        where an artefact has the same path.

    Raises
    ------
    OutputFolderError
        When the folder holds what the last run did not write, or cannot be written.
    """
    parent = folder.absolute().parent
    absent = [path for path in (parent, *parent.parents) if not path.exists()]
    try:
        replacing.recover(folder)
        with stage("write"):
            inspection = inspect(folder, index, force=force)
        parent.mkdir(parents=True, exist_ok=True)
        with replacing.beside(folder) as new:
            old = folder if inspection.before and not force else None
            stays = old is not None and len(inspection.before) >= MANY_FILES
            yield Staging(folder, Target(new, old, stays=stays), inspection)
    except OSError as error:
        raise OutputFolderError(
            f"{folder} cannot be written: {error}; choose another output folder"
        ) from error
    finally:
        with suppress(OSError):  # where something is in them, they stay
            for path in absent:
                path.rmdir()


def write(
    artefacts: Iterable[Artefact],
    folder: Path,
    *,
    force: bool = False,
    manifest_extra: Mapping[str, Any] | None = None,
) -> dict[str, FileState]:
    """Make a folder hold exactly these artefacts and their manifest, as `staged` says.

    Raises
    ------
    OutputFolderError
        When the folder holds what the last run did not write, or cannot be written.
    RenderError
        When two artefacts claim one path.
    """
    ordered = sorted(artefacts, key=lambda artefact: artefact.path)
    check_paths([artefact.path for artefact in ordered])
    with staged(folder, force=force) as staging:
        with stage("write"):
            files = put(staging.target, ordered)
        return staging.finish(files, manifest_extra)


def _has(folder: Path, manifest: bytes) -> bool:
    try:
        return read_bytes(folder / MANIFEST, FileKind.MANIFEST) == manifest
    except FileError:
        return False
