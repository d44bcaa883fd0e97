"""drift --watch as a service: events out, repairs where they are allowed, a changed inventory."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from fabric.core.errors import FileError, InputError
from fabric.core.events import Ledger
from fabric.intent.contents import ContentHash
from fabric.workflow.devices import Selection
from fabric.workflow.drift_repair import Repairs
from fabric.workflow.drift_watch import Watch
from fabric.workflow.project import Project
from fabric.workflow.run_under_way import RunUnderWay
from fabric.workflow.schedule import Pace
from fabric.workflow.state import of_inventory

if TYPE_CHECKING:
    from collections.abc import Callable, Generator
    from pathlib import Path

    from fabric.core.events import Event
    from fabric.workflow.drift_watch import Looked

__all__ = ["DriftService", "Pace", "Selection"]


@dataclass
class DriftService:
    """Watches an inventory until it is told to end.

    Parameters
    ----------
    state : Path or None
        Folder of the journal; None takes that of the inventory.
    ledger : Ledger
        What lasts already, by an earlier process.
    progress : callable
        Called with device and what happens.
    """

    inventory: Path
    connections_file: Path | None
    selection: Selection
    pace: Pace
    state: Path | None
    progress: Callable[[str, str], None]
    ledger: Ledger = field(default_factory=Ledger)

    def events(self) -> Generator[list[Event], None, None]:
        """Yield what each look at a device begins and ends, which may be nothing.

        An inventory that was changed is read again; one that is wrong then is reported, and the
        devices are compared with the one before it.

        Raises
        ------
        InputError
            When the inventory is wrong at the start, or a device or the connections file.
        """
        files = _Files(self.inventory)  # first: a change while it is read is then seen
        project, digest = Project(self.inventory), files.sha256
        while True:
            watch, repairs = self._watch(project), self._repairs(project, digest)
            for looked in watch.looks():
                yield looked.events
                yield self._repaired(repairs, watch, looked)
                if files.have_changed():
                    break
            else:
                return
            if (changed := self._read_again()) is not None:
                project, digest = changed, files.sha256

    def _read_again(self) -> Project | None:
        """Return the project of the changed inventory; None where it is wrong."""
        try:
            changed = Project(self.inventory)
            _ = changed.devices, changed.hosts
        except InputError as error:
            for finding in error.findings:
                self.progress("", str(finding))
            self.progress("", "the inventory is wrong; the one before it counts")
            return None
        self.progress("", "the inventory was changed and is read again")
        return changed

    def _folder(self, project: Project) -> Path:
        return self.state or of_inventory(self.inventory, project.intent.fabric.name)

    def _watch(self, project: Project) -> Watch:
        run = RunUnderWay(self._folder(project))
        return Watch(
            project, self.connections_file, self.selection, self.pace, self.ledger, run.works_on
        )

    def _repairs(self, project: Project, digest: str) -> Repairs:
        return Repairs(project, self.connections_file, self._folder(project), digest, self.progress)

    def _repaired(self, repairs: Repairs, watch: Watch, looked: Looked) -> list[Event]:
        failed = repairs.consider(looked.health, looked.events, self.ledger)
        if failed is None:
            return []
        return self.ledger.update([failed], lambda _: False, watch.now())


class _Files:
    """The content of an inventory, and whether it has changed."""

    def __init__(self, folder: Path) -> None:
        self._hash = ContentHash(folder)
        self.sha256 = self._hash.now()

    def have_changed(self) -> bool:
        """Tell whether the content is another one than at the last call."""
        before = self.sha256
        with suppress(OSError, FileError):  # one is being replaced: the next call sees it
            self.sha256 = self._hash.now()
        return self.sha256 != before
