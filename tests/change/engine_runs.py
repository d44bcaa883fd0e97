"""Runs of the engine over a fabric in memory, and what became of its devices."""

from __future__ import annotations

import json
from concurrent.futures import ThreadPoolExecutor

import pytest

from fabric.change.apply import Applier, Options
from fabric.change.journal import Journal
from fabric.change.model import parse_plan
from fabric.change.rollback import RollBack
from fabric.change.wave import Wave
from fabric.core.errors import (
    ConnectionLostError,
)
from tests.change import memory_fabric

WAVES = (("spine01",), ("leaf1", "leaf2", "leaf3"))
LEAVES = WAVES[1]
OPTIONS = Options(verify_s=0.05, poll_s=0.01)
LOST = ConnectionLostError("leaf2", "no route to host")


def silent(_device, _text):
    """Say nothing."""


def applier(folder, workers=4, progress=silent):
    pool = ThreadPoolExecutor(workers)
    return Applier(
        Journal(folder / "state"), memory_fabric.connections(folder), pool, progress, OPTIONS
    )


def back(folder, run, *, only=None, progress=silent, **options):
    working = applier(folder, progress=progress)
    plan = parse_plan(working.journal.run(run).plan, "plan")
    names = memory_fabric.names() if only is None else only
    return working.roll_back(RollBack(run, names, **options), plan)


def states(folder, run=1):
    found = Journal(folder / "state").states(run)
    return {name: event.state for name, event in found.items()}


def is_before(folder, name):
    state = memory_fabric.state(folder, name)
    wanted = memory_fabric.BEFORE
    return state["running"] == state["startup"] == wanted and state["pending"] is None


def is_after(folder, name):
    state = memory_fabric.state(folder, name)
    wanted = memory_fabric.wanted()
    return state["running"] == state["startup"] == wanted and state["pending"] is None


def edit(folder, name, table, rows):
    state = memory_fabric.state(folder, name)
    state["running"][table] = rows
    (folder / f"{name}.json").write_text(json.dumps(state))


def crash_after_commit(monkeypatch):
    """Let the second wave die when all of its devices wait for their confirmation."""

    def forward(self):
        self._crew.side_by_side(self._work, self._change)
        raise SystemExit

    original = Wave._forward
    monkeypatch.setattr(
        Wave, "_forward", lambda self: (original if len(self._work) == 1 else forward)(self)
    )


def crashed(folder, plan):
    with pytest.MonkeyPatch.context() as patch:
        crash_after_commit(patch)
        with pytest.raises(SystemExit):
            applier(folder).apply(plan)
    assert Journal(folder / "state").unfinished() == 1
