"""The runs of a journal as plain data, each with what later runs rolled back of it."""

from __future__ import annotations

from collections import Counter, defaultdict
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

from fabric.change.journal import State
from fabric.change.rollback import UNTOUCHED, run_rolled_back

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from fabric.change.journal import Journal, RunRecord


@dataclass(frozen=True)
class ListedRun:
    """A run, as far as its own rows tell.

    Parameters
    ----------
    row : dict
        Plain data, without the plan.
    devices : frozenset of str
        Devices that it changed; of a rollback, those that it brought back.
    rolls_back : int
        The run that it rolls back; 0 where it rolls back none.
    """

    row: dict[str, Any]
    devices: frozenset[str]
    rolls_back: int


def listed(journal: Journal, record: RunRecord) -> ListedRun:
    """Return a run."""
    events = journal.events(record.id)
    states = {event.device: event.state for event in events if event.device}
    row = {
        "run": record.id,
        "kind": record.kind,
        "fabric": record.fabric,
        "started": record.started,
        "state": journal.standing(record, events),
        "devices": dict(Counter(state.value for state in states.values())),
        **asdict(record.by),
    }
    rolls_back = run_rolled_back(events) if record.kind == "rollback" else 0
    devices = {
        name
        for name, state in states.items()
        if (state is State.ROLLED_BACK if rolls_back else state not in UNTOUCHED)
    }
    return ListedRun(row, frozenset(devices), rolls_back)


def all_runs(journal: Journal) -> list[dict[str, Any]]:
    """Return all runs of a journal, oldest first."""
    return rows([listed(journal, record) for record in journal.runs()])


def rows(runs: Sequence[ListedRun]) -> list[dict[str, Any]]:
    """Return runs as plain data, with the runs that rolled them back.

    ``stays_on`` is the number of devices that have the change of a run, as far as the journal
    knows.
    """
    back: dict[int, dict[int, frozenset[str]]] = defaultdict(dict)
    for run in runs:
        if run.rolls_back and run.devices:
            back[run.rolls_back][run.row["run"]] = run.devices
    return [{**run.row, **_later(run, back.get(run.row["run"], {}))} for run in runs]


def _later(run: ListedRun, back: Mapping[int, frozenset[str]]) -> dict[str, Any]:
    stays = frozenset() if run.rolls_back else run.devices.difference(*back.values())
    return {"rolled_back_by": [*back], "stays_on": len(stays)}
