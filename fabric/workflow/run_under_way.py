"""Which devices a run of rocefab works on now, as its journal on this machine tells."""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from fabric.change.journal import Journal
from fabric.change.lock import run_of_holder
from fabric.change.model import parse_plan
from fabric.core.errors import FabricError

if TYPE_CHECKING:
    from pathlib import Path

#: How long an answer holds, so that each device does not read the file again. Ours.
_HOLDS_S = 1.0


def run_at_work(folder: Path) -> int | None:
    """Return the run of a state folder that a process of this machine works on, if one does."""
    return run_of_holder(folder / "lock")


@dataclass
class RunUnderWay:
    """Tells of a device whether a run works on it.

    Parameters
    ----------
    folder : Path
        State folder; it may come later.
    """

    folder: Path
    _asked_s: float = field(default=-_HOLDS_S, init=False)
    _run: int | None = field(default=None, init=False)
    _devices: frozenset[str] = field(default=frozenset(), init=False)

    def works_on(self, device: str) -> bool:
        """Tell whether a device is in the plan of the run that is in progress."""
        if time.monotonic() - self._asked_s >= _HOLDS_S:
            self._asked_s = time.monotonic()
            self._refresh()
        return device in self._devices

    def _refresh(self) -> None:
        run = run_at_work(self.folder)
        if run != self._run:
            self._devices = self._planned(run)
            self._run = run

    def _planned(self, run: int | None) -> frozenset[str]:
        if run is None:
            return frozenset()
        try:
            text = Journal(self.folder).run(run).plan
            return frozenset(parse_plan(text, f"the plan of run {run}").devices)
        except FabricError:
            return frozenset()
