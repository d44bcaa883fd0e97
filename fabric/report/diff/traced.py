"""An inventory folder that is compared, and one difference with what tells whom it concerns."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, TypeAlias

from fabric.intent.documents import KINDS

if TYPE_CHECKING:
    from collections.abc import Mapping

    from fabric.intent.cabling import CableRow
    from fabric.intent.documents import Folder
    from fabric.intent.yaml.file import Document
    from fabric.report.diff.model import Edit

    Path: TypeAlias = tuple[str | int, ...]

#: Sections of ``fabric.yaml`` that change no file, and what they change.
FILELESS = {
    "waivers": "what `check` reports",
    "severity": "what `check` reports",
    "rollout": "how changes are rolled out",
    "drift": "what is repaired without being asked",
}


@dataclass(frozen=True)
class Contents:
    """One of two inventory folders.

    Parameters
    ----------
    folder : Folder
        Its YAML files and cables.
    shown : str
        How messages name the folder.
    tables : mapping
        Other files of ``platforms/`` by their path in the folder.
    """

    folder: Folder
    shown: str
    tables: Mapping[str, bytes] = field(default_factory=dict)

    def documents(self) -> dict[str, tuple[str, Document]]:
        """Return kind and document of each YAML file by its path in the folder."""
        folder = self.folder
        kinds = (("fabric", [folder.fabric]), *((kind, getattr(folder, kind)) for kind in KINDS))
        return {
            self._inside(document.file): (kind, document)
            for kind, documents in kinds
            for document in documents
        }

    def _inside(self, file: str) -> str:
        return file.removeprefix(self.shown).lstrip("/") if self.shown != "." else file

    def cables(self) -> dict[str, CableRow]:
        """Return the cables that are named one by one, by their first end."""
        cabling = self.folder.cabling
        return {f"{row.device} {row.port}": row for row in cabling.rows} if cabling else {}


class _Absent:
    """Stands for a value that is not there, which null is not."""


#: The value of what is not there.
ABSENT = _Absent()


@dataclass(frozen=True)
class Swap:
    """An edit as data: what stands in a file on both sides, and where.

    ``before`` or ``after`` is `ABSENT` where the value is not there.

    Parameters
    ----------
    section : int
        How many mappings around the value come or go with it, and with the others in them.
    """

    file: str
    before_path: Path
    after_path: Path
    before: Any
    after: Any
    section: int = 0


@dataclass(frozen=True)
class Traced:
    """An edit with what tells which devices it can concern.

    Parameters
    ----------
    kind : str
        ``fabric``, ``cabling``, ``table``, or a folder of `KINDS`.
    path : tuple of str
        Members that lead to the value, without the items of lists.
    names : frozenset of str
        Devices that the override names, on either side.
    swap : Swap or None
        What to change to make this edit alone; None where that is not supported.
    """

    edit: Edit
    kind: str
    path: tuple[str, ...] = ()
    names: frozenset[str] = frozenset()
    swap: Swap | None = None

    @property
    def effective(self) -> bool:
        """Whether it can change a file; that is not so of the sections of `FILELESS`."""
        return not (self.kind == "fabric" and self.path[:1] and self.path[0] in FILELESS)
