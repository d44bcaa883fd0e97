"""status --devices: what runs left on the devices of a journal, and its removal."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fabric.change.apply import Options
from fabric.change.crew import Crew
from fabric.change.journal import DELETION, Journal, State
from fabric.change.leftovers import Leftover, clean, left_on
from fabric.change.model import parse_plan
from fabric.change.session import Session
from fabric.devices.connections import connections
from fabric.workflow.devices import executor

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from fabric.change.actor import Actor
    from fabric.change.model import DevicePlan
    from fabric.core.errors import FabricError

__all__ = ["Leftover", "leftovers"]


def leftovers(
    state: Path,
    connections_file: Path | None,
    progress: Callable[[str, str], None],
    *,
    remove: bool = False,
    actor: Actor | None = None,
    parallel: int = 0,
) -> tuple[list[Leftover], list[FabricError]]:
    """Return what is left on the devices of all runs, and the errors of those not read.

    Parameters
    ----------
    remove : bool
        Whether orphans are removed; the journal then has a run of kind ``clean``.
    parallel : int
        How many devices are read at the same time; 0 for the default.

    Raises
    ------
    JournalError
        When a run is in progress and something is to be removed.
    """
    journal = Journal(state, actor)
    plans = _devices(journal)
    platforms = {name: plan.platform for name, plan in plans.items()}
    reachable = connections(connections_file, platforms, others_allowed=True)

    def look(plan: DevicePlan) -> list[Leftover]:
        session = Session(plan, reachable)
        try:
            return left_on(session, journal)
        finally:
            session.close()

    with executor(len(plans), parallel) as pool:
        crew = Crew(0, journal, reachable, pool, progress, Options())
        done, errors = crew.side_by_side(list(plans.values()), look)
        dirty = [plan for plan, items in done if any(item.is_orphan for item in items)]
        if remove and dirty:
            with journal.exclusive():
                last = [run for run in journal.runs() if run.kind != DELETION][-1]
                run = journal.begin("clean", last.fabric, last.plan)
                crew = Crew(run, journal, reachable, pool, progress, Options())
                cleaned, failed = crew.side_by_side(dirty, lambda plan: clean(crew, plan))
                texts = "; ".join(str(error) for _, error in failed)
                crew.record("", State.FAILED if failed else State.DONE, texts)
            done = [pair for pair in done if pair[0] not in dirty] + cleaned
            errors += failed
    return [item for _, items in done for item in items], [error for _, error in errors]


def _devices(journal: Journal) -> dict[str, DevicePlan]:
    """Return the devices of all runs, each as its last plan knows it."""
    texts = {record.plan: record.id for record in journal.runs()}
    devices: dict[str, DevicePlan] = {}
    for text, run in texts.items():
        devices |= parse_plan(text, f"the plan of run {run}").devices
    return devices
