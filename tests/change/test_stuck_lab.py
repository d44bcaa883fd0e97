"""Runs that meet a wedged device, or somebody else who commits: fresh processes and races."""

from __future__ import annotations

import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from fabric.core.errors import RefusedError
from fabric.lab.faults import Fault
from fabric.systems.eos.drivers import EosDriver
from fabric.workflow.apply import Options, apply, status
from fabric.workflow.rollback import rollback
from tests.change import labs
from tests.change.labs import planned
from tests.waiting import LONGEST_S, until

OPTIONS = Options(timer_s=60, verify_s=6.0, poll_s=0.1)
APPLY = (sys.executable, "-m", "fabric", "apply")
ROOT = Path(__file__).parents[2]
VLAN = "vlan 3999\n   name colleague"


def applied(made, state, connections):
    return apply(made, state, connections, OPTIONS, labs.silent)


@pytest.fixture
def ready(tmp_path, monkeypatch):
    """A lab on which the inventory has been applied, and a changed inventory."""
    with labs.running_lab(tmp_path, monkeypatch) as (lab, project, connections):
        result = applied(planned(project, connections), tmp_path / "state", connections)
        assert result.ok, result.reasons
        old, new = "kmax_bytes: 1500000", "kmax_bytes: 1400000"
        changed = labs.changed(tmp_path / "inventory", old, new)
        yield lab, changed, connections, tmp_path / "state"


def states_of(state):
    run = status(state)[-1]["run"]
    return {row["device"]: row["state"] for row in status(state, run)}


@pytest.mark.fault(2, 27)
def test_the_second_ctrl_c_ends_a_run_with_a_wedged_leaf_and_resume_goes_on(ready):
    lab, project, connections, state = ready
    made, wedged = planned(project, connections), labs.LEAF
    (state.parent / "plan.json").write_text(made.to_json())
    options = ["--connections", str(connections), "--state", str(state)]
    lab[wedged].faults.add(Fault("hang", pattern="sftp put", times=0))
    process = subprocess.Popen(
        [*APPLY, str(state.parent / "plan.json"), "--commit", *options],
        stderr=subprocess.PIPE,
        text=True,
        cwd=ROOT,
    )
    until(lambda: states_of(state).get(wedged) == "staging", "the leaf is staged")
    time.sleep(1.0)
    process.send_signal(signal.SIGINT)
    time.sleep(1.0)
    assert process.poll() is None, "the first one waits for what is under way"
    process.send_signal(signal.SIGINT)
    _, said = process.communicate(timeout=LONGEST_S)
    assert process.returncode == 130
    assert "press Ctrl-C again to stop immediately" in said
    assert "rocefab: terminated" in said
    lab[wedged].faults.clear()
    assert status(state)[-1]["state"] == "interrupted"
    resumed = subprocess.run(
        [*APPLY, "--resume", *options], capture_output=True, text=True, check=False, cwd=ROOT
    )
    assert resumed.returncode == 0, resumed.stderr
    assert labs.unhealthy(project, connections) == []


def sessions(spine):
    return {name: one.state for name, one in spine.state.sessions.items()}


def commit_by_hand(spine, lines, timer_s=0):
    spine.open_foreign_session("colleague", lines)
    spine.state.commit("colleague", timer_s)


@pytest.mark.parametrize("timer_s", [0, 600])
@pytest.mark.fault(12)
def test_somebody_commits_on_eos_between_our_stage_and_our_commit(ready, monkeypatch, timer_s):
    """Their work stays, nothing of ours is left, and the next plan and apply are not in the way."""
    lab, project, connections, state = ready
    spine = lab[labs.SPINE]
    made = planned(project, connections)
    stage = EosDriver.stage
    meanwhile = []

    def staged(driver, candidate, token):
        stage(driver, candidate, token)
        if not meanwhile:
            meanwhile.append(token)
            commit_by_hand(spine, VLAN, timer_s)

    monkeypatch.setattr(EosDriver, "stage", staged)
    result = applied(made, state, connections)
    assert "rocefab-run" not in " ".join(
        name for name, found in sessions(spine).items() if found == "pending"
    )
    if timer_s:
        assert not result.ok
        assert "configuration session colleague" in result.reasons[0]
        assert "vlan 3999" in spine.running_text
        spine.state.commit("colleague")
        assert "vlan 3999" in spine.running_text
    monkeypatch.undo()
    monkeypatch.setenv("ROCEFAB_PASSWORD", "lab-password")
    again = applied(planned(project, connections), state, connections)
    assert again.ok, again.reasons


@pytest.mark.fault(12, 18)
def test_going_back_keeps_a_vlan_that_somebody_saved_on_eos(ready, monkeypatch):
    """Our change is refused; VLAN 3999, saved after our reading, stays in running and startup."""
    lab, project, connections, state = ready
    spine = lab[labs.SPINE]
    made = planned(project, connections)
    stage = EosDriver.stage

    def staged(driver, candidate, token):
        commit_by_hand(spine, VLAN)
        spine.state.copy("running-config", "startup-config")
        spine.faults.add(Fault("refuse_line", pattern="random-detect ecn minimum"))
        stage(driver, candidate, token)

    monkeypatch.setattr(EosDriver, "stage", staged)
    result = applied(made, state, connections)
    assert not result.ok
    assert "vlan 3999" in spine.running_text
    assert "vlan 3999" in spine.startup_text
    (row,) = [row for row in status(state, 2) if row["device"] == labs.SPINE]
    assert row["state"] == "rolled-back"
    assert "is kept" in row["detail"]


@pytest.mark.fault(10)
def test_an_orphan_of_an_earlier_run_is_cleared_and_that_of_another_folder_is_named(ready):
    lab, project, connections, state = ready
    spine = lab[labs.SPINE]
    made = planned(project, connections)
    spine.open_foreign_session("rocefab-run-7-1-0000abcd", VLAN)
    result = applied(made, state, connections)
    assert not result.ok
    assert "rocefab-run-7-1-0000abcd (rocefab with another state folder)" in result.reasons[0]
    spine.state.abort("rocefab-run-7-1-0000abcd")
    from fabric.change.journal import Journal, State

    journal = Journal(state)
    journal.record(1, labs.SPINE, State.DONE, "rocefab-run-1-9-0000abcd")
    spine.open_foreign_session("rocefab-run-1-9-0000abcd", VLAN)
    result = applied(planned(project, connections), state, connections)
    assert result.ok, result.reasons


@pytest.mark.fault(26)
def test_a_restoration_that_eos_refuses_leaves_no_session(ready, monkeypatch):
    lab, project, connections, state = ready
    assert applied(planned(project, connections), state, connections).ok
    commit = EosDriver.commit

    def refused(driver, *_words):
        raise RefusedError(driver.connection.device, "Pending commit confirm already in process!")

    monkeypatch.setattr(EosDriver, "commit", refused)
    result = rollback(2, state, connections, labs.silent, only=labs.SPINE)
    assert "Pending commit confirm" in result.reasons[0]
    assert "pending" not in sessions(lab[labs.SPINE]).values()
    monkeypatch.setattr(EosDriver, "commit", commit)
    assert rollback(2, state, connections, labs.silent, only=labs.SPINE).ok


@pytest.mark.fault(10)
def test_two_applies_race_and_neither_leaves_anything_staged(ready):
    """Two processes with folders of their own; one of them at most gets its way."""
    lab, project, connections, state = ready
    (state.parent / "plan.json").write_text(planned(project, connections).to_json())
    words = [str(state.parent / "plan.json"), "--commit", "--connections", str(connections)]
    racers = [
        subprocess.Popen(
            [*APPLY, *words, "--state", str(state.parent / name)],
            stderr=subprocess.PIPE,
            text=True,
            cwd=ROOT,
        )
        for name in ("one", "two")
    ]
    said = [racer.communicate(timeout=300)[1] for racer in racers]
    assert sum(racer.returncode == 0 for racer in racers) <= 1, said
    assert "pending" not in sessions(lab[labs.SPINE]).values(), said
    again = planned(project, connections)
    if not again.empty:
        assert applied(again, state, connections).ok


@pytest.mark.fault(13, 26)
def test_rollback_reaches_what_it_can_in_a_fresh_process(ready):
    lab, project, connections, state = ready
    assert applied(planned(project, connections), state, connections).ok
    lab[labs.LEAF].faults.add(Fault("cut_at_command", times=0))
    words = ["rollback", "2", "--commit", "--connections", str(connections), "--state", str(state)]
    done = subprocess.run(
        [sys.executable, "-m", "fabric", *words],
        capture_output=True,
        text=True,
        check=False,
        cwd=ROOT,
    )
    assert done.returncode == 3
    assert f"{labs.SPINE}: rolled back" in done.stderr
    assert f"run 3: {labs.LEAF}: " in done.stderr
    lab[labs.LEAF].faults.clear()
    assert rollback(2, state, connections, labs.silent, only=labs.LEAF).ok
