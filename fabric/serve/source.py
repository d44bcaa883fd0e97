"""The engine that answers now, and its replacement when the inventory changes."""

from __future__ import annotations

import time
from contextlib import suppress
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

import numpy as np

from fabric.core.errors import FabricError, InputError
from fabric.core.findings import Finding, Severity
from fabric.placement.engine.engine import Engine
from fabric.placement.engine.now import unknown_subjects
from fabric.placement.engine.query import Query
from fabric.placement.engine.state import State, worst_last
from fabric.qos.ecmp.load import MOST_FLOWS, MOST_LINKS, quick_max_load
from fabric.serve.answers import AnswerCache, Names
from fabric.serve.extender import Prioritiser
from fabric.workflow.project import Project

if TYPE_CHECKING:
    from pathlib import Path

    from fabric.placement.engine.state import Condition
    from fabric.serve.book import Book
    from fabric.topology.model import Fabric

#: Files of an inventory folder that are watched; more than these are not one inventory.
_MAX_FILES = 10_000


@dataclass(frozen=True)
class Loaded:
    """An inventory with the engine that answers for it.

    Parameters
    ----------
    engine : Engine
        The engine, told the state.
    names : Names
        Its host names, ready to be written.
    loaded_s : float
        When it was loaded, seconds since 1970.
    number : int
        Counts the inventories that this process has loaded.
    unknown : frozenset of str
        Subjects of conditions that were sent for another inventory, and that this one lacks.
    observed : tuple of Condition
        What the readings say, beside the book.
    files : dict
        Texts for other programs, by form and part; filled as they are asked for.
    kept : AnswerCache
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
    unknown: frozenset[str] = frozenset()
    observed: tuple[Condition, ...] = ()
    files: dict[tuple[str, str], str] = field(default_factory=dict)
    kept: AnswerCache = field(default_factory=AnswerCache)
    prioritiser: Prioritiser = field(default_factory=Prioritiser)

    @property
    def fabric(self) -> Fabric:
        """The network."""
        return self.engine.fabric

    def with_state(self, book: Book) -> Loaded:
        """Return the same with another state.

        Raises
        ------
        InputError
            When the state is about what the fabric does not have.
        """
        return self._told(book, self.observed)

    def with_observed(self, observed: tuple[Condition, ...]) -> Loaded:
        """Return the same with other readings, whose conditions are all of this fabric."""
        return self._told(self.book, observed)

    def _told(self, book: Book, observed: tuple[Condition, ...]) -> Loaded:
        told = book.state(self.fabric, self.unknown)
        state = State(worst_last((*observed, *told.conditions)), told.jobs)
        engine = self.engine.updated(state)
        return replace(self, engine=engine, book=book, observed=observed, kept=AnswerCache())

    def ignored(self) -> list[str]:
        """Return subjects of conditions and hosts of jobs that this inventory does not have."""
        subjects = self.unknown.intersection(self.book.conditions)
        return sorted(subjects | self.book.unknown_hosts(self.fabric))


def load(folder: Path, book: Book, number: int = 1) -> Loaded:
    """Return the inventory of a folder with its engine.

    Raises
    ------
    InputError
        When the inventory is wrong.
    """
    project = Project(folder)
    engine, unknown = _engine(project.fabric, book)
    with suppress(InputError):  # the first search imports and caches what all others use
        engine.place(Query(nodes=1))
    _warm_hashed_loads(project.fabric)
    names = Names(project.fabric)
    return Loaded(project, engine, book, names, time.time(), number, unknown)


def _warm_hashed_loads(fabric: Fabric) -> None:
    """Compute the laws of hashed flows that answers about leaves with all their uplinks need."""
    uplinks = np.bincount(fabric.uplinks.lower)[: fabric.switches.leaf_count]
    for links in np.unique(uplinks[uplinks > 0]).tolist():
        flows = 1
        while links <= MOST_LINKS and (flows := flows * 2) <= MOST_FLOWS:
            quick_max_load(flows, links)


def _engine(fabric: Fabric, book: Book) -> tuple[Engine, frozenset[str]]:
    """Return the engine, and subjects of conditions that the fabric does not have."""
    try:
        return Engine(fabric, book.state(fabric)), frozenset()
    except InputError:
        unknown = frozenset(unknown_subjects(fabric, book.conditions))
        if not unknown:
            raise
        return Engine(fabric, book.state(fabric, unknown)), unknown


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
