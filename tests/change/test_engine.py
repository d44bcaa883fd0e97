"""Every way in which a run can fail, on memory devices: whole waves go back, runs go on."""

from __future__ import annotations

import getpass
import json
import os
import signal
import sqlite3
import threading
from functools import partial

import pytest

from fabric.change import journal as journal_module
from fabric.change.apply import Options
from fabric.change.journal import Journal, State
from fabric.change.stop import StopRequest, Stops
from fabric.core.errors import (
    ConnectionLostError,
    DeviceError,
    InputError,
    JournalError,
    RefusedError,
)
from tests.change import engine_runs, memory_fabric
from tests.change.engine_runs import (
    LEAVES,
    LOST,
    applier,
    back,
    edit,
    is_after,
    is_before,
    states,
)
from tests.change.scripted import ScriptedDriver

WAVES = engine_runs.WAVES


@pytest.mark.parametrize("method", ["stage", "commit", "confirm", "save"])
@pytest.mark.parametrize("error", [RefusedError("leaf2", "no"), LOST, ValueError("a bug")])
@pytest.mark.fault(6)
def test_one_device_fails_and_the_whole_wave_goes_back(folder, plan, method, error):
    ScriptedDriver.fail("leaf2", method, error)
    result = applier(folder).apply(plan)
    assert not result.ok
    assert str(error) in result.reasons[0]
    assert result.confirmed == ("spine01",)
    assert sorted(result.rolled_back) == list(LEAVES)
    assert is_after(folder, "spine01")
    assert all(is_before(folder, name) for name in LEAVES)


@pytest.mark.parametrize("method", ["commit", "confirm"])
@pytest.mark.fault(1, 6)
def test_an_effect_without_an_answer_is_taken_back(folder, plan, method):
    ScriptedDriver.lose_answer("leaf2", method, LOST)
    result = applier(folder).apply(plan)
    assert not result.ok
    assert all(is_before(folder, name) for name in LEAVES)


@pytest.mark.fault(26)
def test_device_gone_for_good_is_explained(folder, plan):
    def vanish(_driver):
        ScriptedDriver.fail("leaf2", "open", LOST, for_good=True)
        raise LOST

    ScriptedDriver.act("leaf2", "after commit", vanish)
    result = applier(folder).apply(plan)
    assert not result.ok
    event = Journal(folder / "state").states(1)["leaf2"]
    assert event.state is State.FAILED
    assert "no route to host; its commit timer will roll back the change" in event.detail
    assert is_before(folder, "leaf1")
    assert is_before(folder, "leaf3")


@pytest.mark.fault(4)
def test_timer_runs_out_during_the_confirmation(folder, plan):
    ScriptedDriver.act(
        "leaf2", "confirm", lambda driver: driver.rollback(driver._state()["pending"]["token"])
    )
    result = applier(folder).apply(plan)
    assert "timer has already run out" in result.reasons[0]
    assert all(is_before(folder, name) for name in LEAVES)


def test_device_that_never_looks_healthy(folder, plan, monkeypatch):
    """What is waited for is said meanwhile."""
    monkeypatch.setattr("fabric.change.wave.TELL_S", 0.0)
    ScriptedDriver.act(
        "leaf3", "after commit", lambda _: edit(folder, "leaf3", "NTP_SERVER", {"192.0.2.7": {}})
    )
    said = []
    result = applier(folder, progress=lambda *line: said.append(line)).apply(plan)
    waits = "not healthy after 0 s of 0 s: NTP_SERVER|192.0.2.10"
    assert any(name == "leaf3" and text.startswith(waits) for name, text in said)
    assert ("leaf3", "failed: not healthy; more at the end") in said
    assert "leaf3: not healthy: NTP_SERVER|192.0.2.10" in result.reasons[0]
    assert all(is_before(folder, name) for name in LEAVES)


@pytest.mark.parametrize("trouble", ["stale", "foreign", "away", "somebody else", "unknown"])
@pytest.mark.fault(5, 11, 12, 13)
def test_nothing_begins_when_a_device_of_a_later_wave_is_not_ready(folder, plan, trouble):
    journaled = applier(folder)
    if trouble == "stale":
        edit(folder, "leaf3", "NTP_SERVER", {"192.0.2.77": {}})
    elif trouble == "foreign":
        state = memory_fabric.state(folder, "leaf3")
        state["pending"] = {"token": "colleague", "running": {}, "files": {}}
        (folder / "leaf3.json").write_text(json.dumps(state))
    elif trouble == "away":
        ScriptedDriver.fail("leaf3", "open", ConnectionLostError("leaf3", "away"), for_good=True)
    elif trouble == "somebody else":
        state = memory_fabric.state(folder, "leaf3")
        (folder / "leaf3.json").write_text(json.dumps({**state, "name": "leaf9"}))
    else:
        del journaled.connections["leaf3"]
    result = journaled.apply(plan)
    assert not result.ok
    assert len(result.reasons) == 1
    assert "leaf3" in result.reasons[0]
    assert not ScriptedDriver.effects
    assert states(folder) == {"": State.FAILED}
    assert Journal(folder / "state").unfinished() is None


@pytest.mark.fault(11)
def test_wave_does_not_start_when_one_device_changes_just_before_it(folder, plan):
    ScriptedDriver.act(
        "spine01", "save", lambda _: edit(folder, "leaf2", "NTP_SERVER", {"192.0.2.77": {}})
    )
    result = applier(folder).apply(plan)
    assert "leaf2: its configuration changed after it was planned" in result.reasons[0]
    assert not [key for key in ScriptedDriver.effects if key[0] in LEAVES]


@pytest.mark.fault(12)
def test_wave_does_not_start_when_somebody_begins_just_before_it(folder, plan):
    def begin(_driver):
        state = memory_fabric.state(folder, "leaf3")
        state["pending"] = {"token": "colleague", "running": {}, "files": {}}
        (folder / "leaf3.json").write_text(json.dumps(state))

    ScriptedDriver.act("spine01", "save", begin)
    result = applier(folder).apply(plan)
    assert "leaf3: another configuration session is active on it: colleague" in result.reasons[0]
    assert not [key for key in ScriptedDriver.effects if key[0] in LEAVES]


def test_what_is_under_way_is_asked_once_before_the_waves_and_again_in_each(
    folder, plan, monkeypatch
):
    asked, at_first_write, ask = [], [], ScriptedDriver.foreign_sessions
    monkeypatch.setattr(
        ScriptedDriver,
        "foreign_sessions",
        lambda driver: [asked.append(driver.connection.device), *ask(driver)][1:],
    )
    ScriptedDriver.act("spine01", "stage", lambda _: at_first_write.extend(asked))
    assert applier(folder).apply(plan).ok
    assert sorted(at_first_write) == sorted([*memory_fabric.names(), "spine01"])
    assert asked.count("leaf1") > 1


@pytest.mark.fault(5)
def test_device_that_is_replaced_during_the_run_is_not_written_to(folder, plan):
    def swap(_driver):
        state = memory_fabric.state(folder, "leaf2")
        (folder / "leaf2.json").write_text(json.dumps({**state, "name": "leaf9"}))
        ScriptedDriver.effects.clear()
        raise LOST

    ScriptedDriver.act("leaf2", "confirm", swap)
    result = applier(folder, workers=1).apply(plan)
    assert not result.ok
    assert not [key for key in ScriptedDriver.effects if key[0] == "leaf2"]
    assert "host name is 'leaf9'" in Journal(folder / "state").states(1)["leaf2"].detail


@pytest.mark.parametrize("when", ["", "after "])
@pytest.mark.parametrize("method", ["stage", "commit", "confirm", "save"])
@pytest.mark.fault(27)
def test_ctrl_c_takes_the_wave_back_and_resume_goes_on(folder, plan, method, when):
    main = threading.main_thread().ident
    stop = lambda _: signal.pthread_kill(main, signal.SIGINT)  # noqa: E731
    ScriptedDriver.act("leaf2", when + method, stop)
    with pytest.raises(KeyboardInterrupt):
        applier(folder).apply(plan)
    assert all(is_before(folder, name) for name in LEAVES)
    assert Journal(folder / "state").unfinished() == 1
    assert applier(folder).resume(1, plan).ok
    assert all(is_after(folder, name) for name in memory_fabric.names())


@pytest.mark.parametrize("method", ["stage", "commit", "confirm"])
@pytest.mark.parametrize("run", [1, 2])
def test_a_request_to_stop_does_what_ctrl_c_does(folder, plan, method, run):
    stops = Stops(folder / "state")
    ask = lambda _: stops.ask(StopRequest(run=run, by="alice", at=1.0))  # noqa: E731
    ScriptedDriver.act("leaf2", f"after {method}", ask)
    if run == 2:  # the request is of another run
        assert applier(folder).apply(plan).ok
        return
    with pytest.raises(KeyboardInterrupt):
        applier(folder).apply(plan)
    assert all(is_before(folder, name) for name in LEAVES)
    journal = Journal(folder / "state")
    assert journal.unfinished() == 1
    assert journal.states(1)[""].detail == "stop requested by alice"
    assert applier(folder).resume(1, plan).ok
    assert not stops.path.exists()


@pytest.mark.parametrize("text", ["", "{", '{"run": 0}', "[1]", '{"run": 1, "by": "x"}'])
def test_a_damaged_request_to_stop_stops_nothing(folder, text):
    stops = Stops(folder)
    stops.path.write_text(text)
    assert stops.asked(1) is None


def test_a_link_is_no_request_to_stop(folder):
    stops, other = Stops(folder), folder / "other"
    other.write_text(StopRequest(run=1, by="", at=0).model_dump_json())
    stops.path.symlink_to(other)
    assert stops.asked(1) is None


def effects():
    """Count what was done; saving belongs to the confirmation, which was written down."""
    return sum(number for key, number in ScriptedDriver.effects.items() if key[1] != "save")


@pytest.mark.parametrize("good_writes", range(0, 35, 2))
@pytest.mark.fault(7)
def test_full_disk_has_no_further_effect(folder, plan, monkeypatch, good_writes):
    writes, at_failure = [0], []

    class FillingUp(sqlite3.Connection):
        def execute(self, words, *values):
            writes[0] += words == "BEGIN IMMEDIATE"
            if words == "BEGIN IMMEDIATE" and writes[0] > good_writes:
                at_failure.append(effects())
                raise sqlite3.OperationalError("database or disk is full")
            return super().execute(words, *values)

    connect = partial(sqlite3.connect, factory=FillingUp)
    working = applier(folder, workers=1)
    with monkeypatch.context() as patch:
        patch.setattr(journal_module.sqlite3, "connect", connect)
        # Before the first row there is no run that stops.
        then = ".*Commit timers roll back" if good_writes else "$"
        with pytest.raises(JournalError, match=f"disk is full{then}"):
            working.apply(plan)
    assert effects() == at_failure[0]
    if Journal(folder / "state").runs():
        assert applier(folder).resume(1, plan).ok
        assert all(is_after(folder, name) for name in memory_fabric.names())


@pytest.mark.fault(10)
def test_one_run_at_a_time(folder, plan):
    journal = Journal(folder / "state")
    with journal.exclusive():
        who = getpass.getuser()
        whose = rf"run that is starting of {who} on .*, process {os.getpid()}, since 2"
        with pytest.raises(JournalError, match=f"another run is in progress.*{whose}"):
            applier(folder).apply(plan)
        run = journal.begin("apply", "memory", plan.to_json())
        with pytest.raises(JournalError, match=f"another run is in progress.*: run {run} of "):
            applier(folder).apply(plan)
        with pytest.raises(JournalError, match="another run is in progress"):
            applier(folder).resume(1, plan)
    assert not ScriptedDriver.effects


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({"timer_s": 60, "verify_s": 60}, "can expire while a wave is verified for 60 s"),
        ({"timer_s": 89, "verify_s": 60}, "set it to at least 90 s"),
        ({"timer_s": 86_400}, "the longest commit timer is 86399 s"),
    ],
)
def test_timer_outlasts_verification(values, message):
    with pytest.raises(InputError, match=message):
        Options(**values)


@pytest.mark.parametrize(
    "text",
    ["", "{", "[]", "null", '{"config": {}}', '{"config": 1, "canonical": "", "files": {}}',
     '{"config": {}, "canonical": "", "files": []}', '{"config": {}, "canonical": 5, "files": {}}',
     '{"config": {}, "canonical": "", "files": {"/x": 1}}'],
)  # fmt: skip
@pytest.mark.fault(9)
def test_a_damaged_kept_state_is_an_error_of_its_device_alone(folder, plan, text):
    assert applier(folder).apply(plan).ok
    (folder / "state" / "runs" / "1" / "leaf2.before.json").write_text(text)
    result = back(folder, 1)
    assert not result.ok
    assert "the state of leaf2 before run 1" in result.reasons[0]
    assert result.rolled_back == ("leaf1", "leaf3", "spine01")


def test_a_link_in_the_place_of_the_lock_is_not_followed(folder, plan):
    (folder / "state").mkdir()
    (folder / "victim").write_text("untouched")
    (folder / "state" / "lock").symlink_to(folder / "victim")
    with pytest.raises(JournalError, match="cannot be locked"):
        applier(folder).apply(plan)
    assert (folder / "victim").read_text() == "untouched"


def test_kept_states_are_for_the_owner_alone(folder, plan):
    (folder / "state").mkdir(mode=0o755)
    assert applier(folder).apply(plan).ok
    for path in (folder / "state" / "runs").rglob("*"):
        assert path.stat().st_mode & 0o077 == 0, path
    assert (folder / "state" / "runs").stat().st_mode & 0o077 == 0


def test_names_of_changes_are_never_the_same(folder):
    one, two = Journal(folder / "one"), Journal(folder / "two")
    assert one.next_token(1, "leaf1") != two.next_token(1, "leaf1")


@pytest.mark.fault(9)
def test_broken_journal_is_a_clear_error(folder, plan):
    (folder / "state").mkdir()
    (folder / "state" / "journal.sqlite3").write_text("this is not a database, not at all" * 40)
    with pytest.raises(JournalError, match="the journal cannot be used"):
        applier(folder)
    assert isinstance(LOST, DeviceError)
