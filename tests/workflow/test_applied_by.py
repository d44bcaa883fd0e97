"""The dry run of `apply` says which run applied the plan already."""

from __future__ import annotations

from pathlib import Path

import pytest

from fabric.change.journal import Journal, State
from fabric.change.model import DevicePlan, Plan
from fabric.workflow.apply import applied_by

NAMES = ("leaf1", "leaf2")
DEVICES = {
    name: DevicePlan(name, "sonic", "leaf", name, "", "", "", "live", (), "", ()) for name in NAMES
}
PLAN = Plan("tiny", (NAMES,), DEVICES)
OTHER = Plan("tiny", (NAMES[:1],), {"leaf1": DEVICES["leaf1"]})
Run = tuple[str, Plan, State | None, dict[str, State], str]
APPLIED: Run = ("apply", PLAN, State.DONE, dict.fromkeys(NAMES, State.DONE), "")
BACK = dict.fromkeys(NAMES, State.ROLLED_BACK)
#: Kind, plan, end, states of the devices, and words of each run -> what is said.
RUNS: dict[str, tuple[list[Run], str]] = {
    "none": ([], ""),
    "another plan": ([("apply", OTHER, State.DONE, {"leaf1": State.DONE}, "")], ""),
    "whole": ([APPLIED], "run 1 applied this plan to 2 of 2 devices"),
    "in part": (
        [("apply", PLAN, State.FAILED, {"leaf1": State.DONE, "leaf2": State.SKIPPED}, "")],
        "run 1 applied this plan to 1 of 2 devices",
    ),
    "not ended": ([("apply", PLAN, None, {"leaf1": State.DONE}, "")], ""),
    "rolled back": ([APPLIED, ("rollback", PLAN, State.DONE, BACK, "rolls back run 1")], ""),
    "and applied again": (
        [APPLIED, ("rollback", PLAN, State.DONE, BACK, "rolls back run 1"), APPLIED],
        "run 3 applied this plan to 2 of 2 devices",
    ),
    "and rejected then": (
        [APPLIED, ("apply", PLAN, State.FAILED, {}, "")],
        "run 1 applied this plan to 2 of 2 devices",
    ),
}


@pytest.mark.parametrize("name", RUNS)
def test_which_run_applied_a_plan(name: str, tmp_path: Path) -> None:
    runs, words = RUNS[name]
    assert applied_by(PLAN, tmp_path / "none") == ""
    for kind, plan, end, states, detail in runs:
        journal = Journal(tmp_path)
        number = journal.begin(kind, plan.fabric, plan.to_json())
        journal.record(number, "", State.PENDING, detail)
        for device, state in states.items():
            journal.record(number, device, state)
        if end:
            journal.record(number, "", end)
    assert applied_by(PLAN, tmp_path) == words
