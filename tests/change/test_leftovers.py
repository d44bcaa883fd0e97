"""`status --devices --clean` removes orphans; what is in use, and what others made, stays."""

from __future__ import annotations

import json

import pytest

from fabric.change.apply import Options
from fabric.change.journal import Journal, State
from fabric.workflow import apply as workflow
from fabric.workflow import leftovers as module
from fabric.workflow.leftovers import leftovers
from tests.change import labs, memory_fabric
from tests.change.engine_runs import is_after, is_before, silent
from tests.change.test_device_lock import OTHER, SONIC, driver
from tests.change.test_kill import prepared, run_child
from tests.cli.runs import run

STRANGE = "rocefab-run-9-1-0000abcd"


@pytest.fixture
def folder(tmp_path, monkeypatch):
    memory_fabric.use_memory_drivers(monkeypatch)
    here = memory_fabric.connections(tmp_path)
    monkeypatch.setattr(module, "connections", lambda *_, **__: here)
    monkeypatch.setattr(workflow, "reachable_by", lambda *_: here)
    return prepared(tmp_path)


def applied(folder):
    plan = workflow.read_plan(folder / "plan.json")
    words = (plan, folder / "state", None, Options(poll_s=0.01), silent, None)
    assert workflow.apply(*words, workflow.Freshness(despite_inventory=True)).ok


def left(folder, *, remove=False):
    items, errors = leftovers(folder / "state", None, silent, remove=remove)
    assert not errors
    return {(item.device, item.kind): (item.state, item.removed) for item in items}


def wait_for(folder, name, token):
    """Let a change wait on a device, as a run that ended badly leaves one."""
    state = memory_fabric.state(folder, name)
    before = {"running": memory_fabric.BEFORE, "files": {}}
    (folder / f"{name}.json").write_text(
        json.dumps({**state, "pending": {"token": token, **before}})
    )


def test_nothing_is_left_by_a_run_that_ended_well(folder):
    applied(folder)
    assert left(folder, remove=True) == {}
    assert [record.kind for record in Journal(folder / "state").runs()] == ["apply"]


def test_what_an_ended_run_left_is_an_orphan_and_is_removed(folder):
    applied(folder)
    journal = Journal(folder / "state")
    token = journal.tokens("leaf1")[0]
    wait_for(folder, "leaf1", token)
    driver(folder, "leaf2").claim(OTHER, -1, "")
    expected = {("leaf1", "change"): "orphan", ("leaf2", "lock"): "orphan"}
    assert left(folder) == {key: (state, False) for key, state in expected.items()}
    assert memory_fabric.state(folder, "leaf1")["pending"], "a list changes nothing"
    assert left(folder, remove=True) == {key: (state, True) for key, state in expected.items()}
    assert left(folder) == {}
    assert memory_fabric.state(folder, "leaf1")["running"] == memory_fabric.BEFORE
    rows = Journal(folder / "state").events(2)
    assert f"removes change {token}" in [row.detail for row in rows]
    assert rows[-1].state is State.DONE
    assert Journal(folder / "state").verify().whole


def test_what_is_of_others_stays(folder):
    applied(folder)
    wait_for(folder, "leaf1", STRANGE)
    driver(folder, "leaf2").claim(OTHER, 600, "")
    other = ("another state folder", False)
    assert left(folder, remove=True) == {("leaf1", "change"): other, ("leaf2", "lock"): other}
    assert memory_fabric.state(folder, "leaf1")["pending"]["token"] == STRANGE
    assert driver(folder, "leaf2").claimed().token == OTHER.token


def test_what_an_interrupted_run_needs_stays(folder):
    assert run_child(folder, 20, "after").returncode == -9
    before = left(folder, remove=True)
    assert before[("leaf1", "lock")] == ("interrupted run: resume it or roll it back", False)
    assert {state for state, _ in before.values()} == {"interrupted run: resume it or roll it back"}
    assert ("leaf1", "change") in before
    assert driver(folder, "leaf1").claimed().run == 1
    assert workflow.resume(folder / "state", None, Options(poll_s=0.01), silent).ok
    assert is_after(folder, "leaf1")
    assert left(folder) == {}


def test_a_device_that_is_away_is_named_and_the_others_are_listed(folder):
    applied(folder)
    driver(folder, "leaf2").claim(OTHER, 600, "")
    (folder / "leaf1.json").unlink()
    ended = run("status", "--devices", "--state", folder / "state")
    assert ended.code == 3
    assert "not read: leaf1: no such device" in ended.err
    assert "run 7 of bob@laptop" in ended.out
    assert is_before(folder, "leaf2") is False


def test_clean_alone_is_an_error(folder):
    assert run("status", "--clean", "--state", folder / "state").code == 2


def test_folders_of_changes_on_a_lab_device(tmp_path, monkeypatch):
    with labs.running_lab(tmp_path, monkeypatch, SONIC) as running:
        lab, project, file = running
        plan, state = labs.planned(project, file), tmp_path / "state"
        options = Options(timer_s=60, verify_s=6.0, poll_s=0.1)
        assert workflow.apply(plan, state, file, options, silent).ok
        token = Journal(state).tokens(labs.LEAF)[0]
        for name in (token, STRANGE, "notes"):
            lab[labs.LEAF].fs.mkdir(f"/var/lib/rocefab/{name}")
        words = ("status", "--devices", "--state", state, "--connections", file, "--format", "json")
        rows = {row["name"]: row for row in json.loads(run(*words).out)}
        assert {name: row["state"] for name, row in rows.items()} == {
            token: "orphan",
            STRANGE: "another state folder",
        }
        assert {row["kind"] for row in rows.values()} == {"folder"}
        cleaned = json.loads(run(*words, "--clean").out)
        assert {row["name"] for row in cleaned if row["removed"]} == {token}
        left_over = lab[labs.LEAF].fs.listing("/var/lib/rocefab")
        assert sorted(left_over) == sorted([STRANGE, "notes"])
