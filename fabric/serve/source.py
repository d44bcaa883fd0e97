"""The engine that answers now, and its replacement when the inventory changes."""

from __future__ import annotations

import time
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from fabric.core.errors import FabricError, InputError
from fabric.core.findings import Finding, Severity
from fabric.placement.engine.engine import Engine
from fabric.serve.answers import Kept, Names
from fabric.serve.extender import Prioritiser
from fabric.workflow.project import Project

if TYPE_CHECKING:
    from pathlib import Path

    from fabric.serve.book import Book
    from fabric.topology.model import Fabric

#: Files of an inventory folder that are watched; more than these are not one inventory.
_MAX_FILES = 10_000


@dataclass(frozen=True)
class Loaded:
    """An inventory with the engine that answers for it.

    Parameters
    ----------
    project : Project
        The inventory.
    engine : Engine
        The engine, told the state.
    book : Book
        That state.
    names : Names
        Its host names, ready to be written.
    loaded_s : float
        When it was loaded, seconds since 1970.
    number : int
        Counts the inventories that this process has loaded.
    files : dict
        Texts for other programs, by form and part; filled as they are asked for.
    kept : Kept
        Answers to placements of this inventory and state.
    prioritiser : Prioritiser
        Placements of pods, in rows of this inventory.
    """

    project: Project
    engine: Engine
    book: Book
    names: Names
    loaded_s: float
    number: int = 1
    files: dict[tuple[str, str], str] = field(default_factory=dict)
    kept: Kept = field(default_factory=Kept)
    prioritiser: Prioritiser = field(default_factory=Prioritiser)

    @property
    def fabric(self) -> Fabric:
        """The network."""
        return self.engine.fabric

    def told(self, book: Book) -> Loaded:
        """Return the same with another state.

        Raises
        ------
        InputError
            When the state is about what the fabric does not have.
        """
        return replace(self, engine=self.engine.updated(book.state()), book=book, kept=Kept())


def load(folder: Path, book: Book, number: int = 1) -> Loaded:
    """Return the inventory of a folder with its engine.

    Raises
    ------
    InputError
        When the inventory is wrong, or the state is about what it does not have.
    """
    project = Project(folder)
    fabric = project.fabric
    engine = Engine(fabric, book.state())
    return Loaded(project, engine, book, Names(fabric), time.time(), number)


def findings_of(error: FabricError) -> tuple[Finding, ...]:
    """Return the findings of an error; one with its text where it has none."""
    own = error.findings if isinstance(error, InputError) else ()
    return own or (Finding("SRV006", Severity.ERROR, str(error)),)


def fingerprint(folder: Path) -> tuple[tuple[str, int, int], ...]:
    """Return name, time and size of each file below a folder; another value is a change."""
    found = []
    for path in folder.rglob("*"):
        try:
            status = path.stat()
        except OSError:
            continue
        if not path.is_dir():
            found.append((str(path), status.st_mtime_ns, status.st_size))
        if len(found) >= _MAX_FILES:
            break
    return tuple(sorted(found))
