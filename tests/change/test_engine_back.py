"""The way back: runs that were interrupted, and runs that are taken back."""

from __future__ import annotations

import json
import signal
import threading

import pytest

from fabric.change.journal import Journal, State
from fabric.core.errors import (
    JournalError,
    RefusedError,
)
from tests.change import engine_runs, memory_fabric
from tests.change.engine_runs import (
    LEAVES,
    LOST,
    applier,
    back,
    crashed,
    edit,
    is_after,
    is_before,
    states,
)
from tests.change.scripted import ScriptedDriver

WAVES = engine_runs.WAVES


@pytest.mark.fault(6)
def test_resume_settles_the_others_when_one_is_away(folder, plan):
    crashed(folder, plan)
    ScriptedDriver.fail("leaf2", "open", LOST, for_good=True)
    result = applier(folder).resume(1, plan)
    assert not result.ok
    assert result.reasons == ("leaf2: no route to host",)
    assert is_before(folder, "leaf1")
    assert is_before(folder, "leaf3")
    assert Journal(folder / "state").unfinished() == 1
    ScriptedDriver.reset()
    assert applier(folder).resume(1, plan).ok
    assert all(is_after(folder, name) for name in memory_fabric.names())


def by_hand_after_a_crash(folder, plan):
    crashed(folder, plan)
    state = memory_fabric.state(folder, "leaf1")  # its timer ran out, then somebody came
    state |= {"running": {**state["pending"]["running"], "VLAN": {"Vlan7": {"vlanid": "7"}}}}
    (folder / "leaf1.json").write_text(json.dumps({**state, "pending": None}))
    return state["running"]


@pytest.mark.fault(12)
def test_resume_does_not_undo_the_work_of_others(folder, plan):
    found = by_hand_after_a_crash(folder, plan)
    result = applier(folder).resume(1, plan)
    assert not result.ok
    assert (
        "leaf1: its configuration changed after it was planned: VLAN|Vlan7|vlanid differs now; "
        "run `rocefab plan` again" in result.reasons[0]
    )
    kept = [event.detail for event in Journal(folder / "state").events(1)]
    assert "VLAN|Vlan7|vlanid changed outside this run meanwhile and is kept" in kept
    assert memory_fabric.state(folder, "leaf1")["running"] == found
    assert is_before(folder, "leaf3")


def test_interrupted_run_is_taken_back_by_force_and_counts_as_ended(folder, plan):
    by_hand_after_a_crash(folder, plan)
    reason = back(folder, 1).reasons[0]
    assert "changed again after run 1 outside of this journal (VLAN|Vlan7|vlanid)" in reason
    assert "force" not in reason
    assert Journal(folder / "state").unfinished() == 1
    result = back(folder, 1, force=True)
    assert result.ok, result.reasons
    assert all(is_before(folder, name) for name in memory_fabric.names())
    assert Journal(folder / "state").unfinished() is None
    assert applier(folder).apply(plan).ok


@pytest.mark.fault(10)
def test_new_apply_waits_for_the_interrupted_one(folder, plan):
    crashed(folder, plan)
    with pytest.raises(JournalError, match="run 1 was interrupted"):
        applier(folder).apply(plan)


def test_rollback_is_done_once(folder, plan):
    assert applier(folder).apply(plan).ok
    assert back(folder, 1).ok
    assert all(is_before(folder, name) for name in memory_fabric.names())
    ScriptedDriver.effects.clear()
    again = back(folder, 1)
    assert again.ok, again.reasons
    assert not ScriptedDriver.effects


@pytest.mark.parametrize("method", ["stage", "commit", "confirm", "save"])
@pytest.mark.fault(27)
def test_interrupted_rollback_is_done_again(folder, plan, method):
    assert applier(folder).apply(plan).ok
    main = threading.main_thread().ident
    ScriptedDriver.act("leaf2", method, lambda _: signal.pthread_kill(main, signal.SIGINT))
    with pytest.raises(KeyboardInterrupt):
        back(folder, 1)
    again = back(folder, 1)
    assert again.ok, again.reasons
    assert all(
        memory_fabric.state(folder, name)["running"] == memory_fabric.BEFORE
        for name in memory_fabric.names()
    )


def saved_by_a_colleague(folder, name):
    """Save a VLAN on a device, as somebody does who knows nothing of the run."""
    edit(folder, name, "VLAN", {"Vlan3999": {"vlanid": "3999"}})
    state = memory_fabric.state(folder, name)
    (folder / f"{name}.json").write_text(json.dumps({**state, "startup": state["running"]}))


@pytest.mark.parametrize("method", ["stage", "commit"])
@pytest.mark.fault(12)
def test_going_back_leaves_what_somebody_else_saved_meanwhile(folder, plan, method):
    def meanwhile(_driver):
        saved_by_a_colleague(folder, "leaf2")
        raise RefusedError("leaf2", "no")

    ScriptedDriver.act("leaf2", method, meanwhile)
    result = applier(folder).apply(plan)
    assert not result.ok
    left = memory_fabric.state(folder, "leaf2")
    assert left["running"]["VLAN"] == left["startup"]["VLAN"] == {"Vlan3999": {"vlanid": "3999"}}
    event = Journal(folder / "state").states(1)["leaf2"]
    assert event.state is State.ROLLED_BACK
    assert event.detail == "VLAN|Vlan3999|vlanid changed outside this run meanwhile and is kept"


@pytest.mark.fault(12, 26)
def test_what_is_mixed_with_the_work_of_others_is_not_taken_back(folder, plan):
    """Our change is confirmed, somebody saves a VLAN, then another device fails."""
    ScriptedDriver.act("leaf2", "after confirm", lambda _: saved_by_a_colleague(folder, "leaf2"))
    ScriptedDriver.fail("leaf3", "confirm", RefusedError("leaf3", "no"))
    assert not applier(folder, workers=1).apply(plan).ok
    event = Journal(folder / "state").states(1)["leaf2"]
    assert event.state is State.FAILED
    assert "it was changed outside this run during or after it (VLAN|Vlan3999" in event.detail
    assert "Vlan3999" in memory_fabric.state(folder, "leaf2")["startup"]["VLAN"]


@pytest.mark.fault(26)
def test_a_restoration_that_is_refused_leaves_nothing_waiting(folder, plan):
    assert applier(folder).apply(plan).ok
    ScriptedDriver.effects.clear()
    refusal = RefusedError("leaf2", "another commit waits")
    ScriptedDriver.fail("leaf2", "after commit", refusal)
    assert not back(folder, 1, only=["leaf2"]).ok
    assert ScriptedDriver.effects["leaf2", "rollback"] == 1
    assert is_after(folder, "leaf2")
    ScriptedDriver.fail("leaf2", "stage", refusal)
    assert not back(folder, 1, only=["leaf2"]).ok
    assert ScriptedDriver.effects["leaf2", "rollback"] == 1, "there was nothing to discard"


@pytest.mark.fault(10)
def test_orphans_of_this_journal_are_cleared_away_and_others_are_named(folder, plan):
    journal = Journal(folder / "state")
    run = journal.begin("rollback", "memory", plan.to_json())
    token = journal.next_token(run, "leaf2")
    journal.record(run, "leaf2", State.ROLLING_BACK, token)
    before = memory_fabric.BEFORE
    for name, left in (("leaf2", token), ("leaf3", "rocefab-run-9-1-0000abcd")):
        state = memory_fabric.state(folder, name)
        state["pending"] = {"token": left, "running": before, "files": {}}
        (folder / f"{name}.json").write_text(json.dumps(state))
    result = applier(folder).apply(plan)
    (reason,) = result.reasons
    assert (
        "leaf3: another configuration session is active on it: rocefab-run-9-1-0000abcd" in reason
    )
    assert "(rocefab with another state folder)" in reason
    assert memory_fabric.state(folder, "leaf2")["pending"] is None


@pytest.mark.fault(13, 26)
def test_rollback_takes_back_what_can_be_reached_and_names_the_rest(folder, plan):
    assert applier(folder).apply(plan).ok
    ScriptedDriver.fail("leaf2", "open", LOST, for_good=True)
    result = back(folder, 1)
    assert not result.ok
    assert result.reasons == ("leaf2: no route to host",)
    assert result.rolled_back == ("leaf1", "leaf3", "spine01")
    assert all(is_before(folder, name) for name in ("leaf1", "leaf3", "spine01"))
    ScriptedDriver.reset()
    assert back(folder, 1).ok
    assert is_before(folder, "leaf2")


def test_rollback_of_some_devices_and_without_those_that_are_away(folder, plan):
    crashed(folder, plan)
    assert back(folder, 1, only=["leaf1"]).rolled_back == ("leaf1",)
    assert is_after(folder, "spine01")
    assert Journal(folder / "state").unfinished() == 1
    ScriptedDriver.fail("leaf2", "open", LOST, for_good=True)
    told = []
    result = back(folder, 1, skip_unreachable=True, progress=lambda *words: told.append(words))
    assert result.ok, result.reasons
    assert ("leaf2", "skipped: no route to host") in told
    assert result.skipped == ("leaf2",)
    assert is_before(folder, "spine01")
    assert Journal(folder / "state").unfinished() is None


def test_the_devices_of_a_wave_go_back_side_by_side(folder, plan):
    assert applier(folder).apply(plan).ok
    together = threading.Barrier(len(LEAVES), timeout=60)
    for name in LEAVES:
        ScriptedDriver.act(name, "stage", lambda _: together.wait())
    assert back(folder, 1).ok


@pytest.mark.fault(6)
def test_run_that_failed_in_part_is_taken_back(folder, plan):
    def vanish(_driver):
        ScriptedDriver.fail("leaf2", "open", LOST, for_good=True)
        raise LOST

    ScriptedDriver.act("leaf2", "confirm", vanish)
    assert not applier(folder).apply(plan).ok
    assert states(folder)["leaf2"] is State.FAILED
    ScriptedDriver.reset()
    result = back(folder, 1)
    assert result.ok, result.reasons
    assert result.rolled_back == ("leaf2", "spine01")
    assert all(is_before(folder, name) for name in memory_fabric.names())
