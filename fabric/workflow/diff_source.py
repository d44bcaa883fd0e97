"""One side of a difference: an inventory folder with the files that were rendered of it."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING

from fabric.core.errors import InputError, UnsupportedError
from fabric.core.file_kinds import FileKind
from fabric.core.user_files import read_bytes
from fabric.intent.documents import KINDS, read_folder
from fabric.intent.site import load_beside
from fabric.report.diff.traced import Contents
from fabric.topology.site import Members
from fabric.workflow.project import Project

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from pathlib import Path

    from fabric.core.artefact import Artefact
    from fabric.workflow.work import Work

_TABLES = KINDS[2]


@dataclass(frozen=True)
class Source:
    """One side of a difference.

    Parameters
    ----------
    shown : str
        How messages name it: the folder, or revision and folder.
    """

    folder: Path
    shown: str
    work: Work
    _rendered: dict[str, list[Artefact]] = field(default_factory=dict, repr=False)

    @cached_property
    def designs(self) -> Project:
        """The inventory and what follows from it."""
        members = Members(load_beside(self.folder, self.shown))
        return Project(self.folder, self.work, members)

    def files(self, names: Iterable[str]) -> dict[str, list[Artefact]]:
        """Return the rendered files of some devices; no others are rendered.

        Raises
        ------
        InputError
            When the inventory asks for what a system cannot do.
        """
        project, chosen = self.designs, list(names)
        missing = [name for name in chosen if name not in self._rendered]
        switches = [name for name in missing if name in project.fabric.switch_row]
        hosts = [name for name in missing if name in project.fabric.host_row]
        try:
            self._rendered.update(project.switch_files(switches))
            self._rendered.update(project.host_files(hosts))
        except UnsupportedError as error:
            raise InputError(f"nothing was compared: {error}", error.findings) from error
        return {name: self._rendered[name] for name in chosen}

    def keep(self, files: Mapping[str, list[Artefact]]) -> None:
        """Take files of devices that were rendered elsewhere."""
        self._rendered.update(files)

    def kept(self, names: Iterable[str]) -> dict[str, list[Artefact]]:
        """Return the files of those devices that were rendered already."""
        return {name: self._rendered[name] for name in names if name in self._rendered}

    def contents(self) -> Contents:
        """Return the files of the inventory."""
        folder = self.folder / _TABLES
        tables = {
            f"{_TABLES}/{path.relative_to(folder).as_posix()}": read_bytes(path, FileKind.OTHER)
            for path in sorted(folder.rglob("*"))
            if path.is_file() and path.suffix != ".yaml"
        }
        return Contents(read_folder(self.folder, self.shown), self.shown, tables)
