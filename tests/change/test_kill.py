"""kill -9 at any write of the journal, then status and resume reach a clean end."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from fabric.change.apply import Options
from fabric.workflow import apply as workflow
from tests.change import memory_fabric

ROOT = Path(__file__).parents[2]
#: Writes of an undisturbed run over three devices; test_every_write_is_covered checks it.
WRITES = 30


@pytest.fixture(autouse=True)
def memory_drivers(monkeypatch):
    memory_fabric.use_memory_drivers(monkeypatch)


def prepared(folder: Path) -> Path:
    memory_fabric.create(folder)
    (folder / "plan.json").write_text(memory_fabric.make_plan(folder).to_json())
    return folder


def run_child(folder: Path, number: int, when: str) -> subprocess.CompletedProcess:
    return subprocess.run(
        [sys.executable, "-m", "tests.change.killed_apply", str(folder), str(number), when],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )


def resume(folder: Path, monkeypatch):
    monkeypatch.setattr(
        workflow, "reachable_by", lambda plan, file: memory_fabric.connections(folder)
    )
    return workflow.resume(folder / "state", None, Options(poll_s=0.01), lambda *_: None)


@pytest.mark.fault(8)
def test_every_write_is_covered(tmp_path):
    done = run_child(prepared(tmp_path), 0, "never")
    assert done.returncode == 0, done.stderr
    assert int(done.stdout) == WRITES


@pytest.mark.parametrize("when", ["before", "after"])
@pytest.mark.parametrize("number", range(1, WRITES + 1))
@pytest.mark.fault(8)
def test_killed_run_reaches_a_clean_end(tmp_path, monkeypatch, number, when):
    folder = prepared(tmp_path)
    killed = run_child(folder, number, when)
    assert killed.returncode == -9, killed.stderr

    rows = workflow.status(folder / "state")
    if number == 1 and when == "before":
        assert rows == []  # not even the run was written down: nothing was touched
        assert memory_fabric.state(folder, "spine01")["running"] == memory_fabric.BEFORE
        return
    if number == WRITES and when == "after":
        assert rows[-1]["state"] == "done"
    else:
        assert rows[-1]["state"] == "interrupted"
        assert workflow.status(folder / "state", 1) is not None
        assert resume(folder, monkeypatch).ok

    for name in memory_fabric.names():
        state = memory_fabric.state(folder, name)
        assert state["running"] == memory_fabric.wanted()
        assert state["startup"] == memory_fabric.wanted()
        assert state["pending"] is None
    assert workflow.status(folder / "state")[-1]["state"] == "done"
    states = {row["device"]: row["state"] for row in workflow.status(folder / "state", 1)}
    assert states == dict.fromkeys(memory_fabric.names(), "done")


@pytest.mark.fault(8)
def test_killed_twice(tmp_path, monkeypatch):
    folder = prepared(tmp_path)
    assert run_child(folder, 4, "after").returncode == -9
    with monkeypatch.context() as patch:
        from fabric.change.wave import Wave

        patch.setattr(Wave, "_forward", lambda _: (_ for _ in ()).throw(KeyboardInterrupt))
        with pytest.raises(KeyboardInterrupt):
            resume(folder, patch)
    assert resume(folder, monkeypatch).ok
    assert memory_fabric.state(folder, "leaf2")["running"] == memory_fabric.wanted()


@pytest.mark.fault(8)
def test_next_apply_is_refused_until_the_interrupted_run_is_settled(tmp_path, monkeypatch):
    folder = prepared(tmp_path)
    run_child(folder, 5, "after")
    plan = workflow.read_plan(folder / "plan.json")
    words = (plan, folder / "state", None, Options(), lambda *_: None, None)
    with pytest.raises(workflow.JournalError, match="run 1 was interrupted"):
        workflow.apply(*words, workflow.Freshness(despite_inventory=True))
