"""What a list of runs says of a run that later runs rolled back."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from fabric.change.journal import Journal, State
from fabric.report.run_rows import rolled_back
from fabric.workflow.run_list import all_runs
from tests.serve.reviewed import plan_of

if TYPE_CHECKING:
    from pathlib import Path

BACK = State.ROLLED_BACK
#: Devices of the first run, those of its rollbacks, and what is said: words, and on how many
#: devices the change stays.
RUNS: dict[str, tuple[dict[str, State], list[dict[str, State]], str, int]] = {
    "not rolled back": ({"a": State.DONE, "b": State.DONE}, [], "", 2),
    "rolled back": (
        {"a": State.DONE, "b": State.SKIPPED},
        [{"a": BACK}],
        "rolled back by run 2",
        0,
    ),
    "in part": (
        {"a": State.DONE, "b": State.DONE},
        [{"a": BACK, "b": State.FAILED}],
        "rolled back in part by run 2",
        1,
    ),
    "by two runs": (
        {"a": State.DONE, "b": State.DONE},
        [{"a": BACK, "b": State.FAILED}, {"a": BACK, "b": BACK}],
        "rolled back by runs 2 and 3",
        0,
    ),
    "a rollback that did nothing": ({"a": State.DONE}, [{"a": State.FAILED}], "", 1),
    "nothing was changed": ({"a": BACK, "b": State.PENDING}, [], "", 0),
}


@pytest.mark.parametrize("name", RUNS)
def test_a_run_says_which_runs_rolled_it_back(name: str, tmp_path: Path) -> None:
    applied, rollbacks, words, stays_on = RUNS[name]
    journal = Journal(tmp_path)
    for turn, states in enumerate([applied, *rollbacks]):
        run = journal.begin("rollback" if turn else "apply", "demo", plan_of().to_json())
        detail = "rolls back run 1; a note" if turn else "1 waves"
        journal.record(run, "", State.PENDING, detail)
        for device, state in states.items():
            journal.record(run, device, state)
        journal.record(run, "", State.DONE)
    first, *others = all_runs(journal)
    assert (rolled_back(first), first["stays_on"]) == (words, stays_on)
    assert [(rolled_back(row), row["stays_on"]) for row in others] == [("", 0)] * len(rollbacks)
