"""Two operators, one device: its lock lets one in, names the holder, expires, and is fenced."""

from __future__ import annotations

import dataclasses
import subprocess
import threading
import time
from concurrent.futures import ThreadPoolExecutor

import pytest

from fabric.change.actor import Actor
from fabric.change.apply import Applier, Options
from fabric.change.journal import Journal
from fabric.change.planner import open_driver
from fabric.core.errors import RefusedError
from fabric.devices.connections import connections as read_connections
from fabric.devices.device_lock import Claim, device_lock, plain
from fabric.workflow import apply as workflow
from fabric.workflow import rollback as rolling_back
from fabric.workflow import rollback_states
from tests.change import labs, memory_fabric
from tests.change.engine_runs import is_after, is_before, silent
from tests.change.scripted import ScriptedDriver
from tests.change.test_kill import prepared, run_child
from tests.change.test_stuck_lab import APPLY, ROOT
from tests.devices.memory import MemoryDriver
from tests.waiting import LONGEST_S

OTHER = Claim("rocefab-lock-7-0123456789abcdef", "bob@laptop", 7, "2026-11-22T10:00:00+0000")
OPTIONS = Options(verify_s=0.05, poll_s=0.01)
SONIC = labs.INVENTORY.replace("7060X6-64PE", "ACS-MSN4700")


def driver(folder, name):
    return MemoryDriver(memory_fabric.connection(folder, name))


def apply(folder, plan, state="state"):
    journal = Journal(folder / state, Actor("alice", "bastion"))
    with ThreadPoolExecutor(4) as pool:
        connections = memory_fabric.connections(folder)
        return Applier(journal, connections, pool, silent, OPTIONS).apply(plan)


def test_a_locked_device_stops_the_run_before_it_begins_and_names_the_holder(folder):
    plan = memory_fabric.make_plan(folder)
    driver(folder, "leaf2").claim(OTHER, 600, "")
    result = apply(folder, plan)
    assert not result.ok
    assert (
        "leaf2: run 7 of bob@laptop since 2026-11-22T10:00:00+0000 has locked it"
        in (result.reasons[0])
    )
    assert all(is_before(folder, name) for name in memory_fabric.names())
    assert driver(folder, "leaf2").claimed().token == OTHER.token


def test_a_lock_that_expired_is_taken_over_and_removed_in_the_end(folder):
    driver(folder, "leaf2").claim(OTHER, -1, "")
    assert apply(folder, memory_fabric.make_plan(folder)).ok
    assert [driver(folder, name).claimed() for name in memory_fabric.names()] == [None] * 3


@pytest.mark.parametrize("method", ["commit", "confirm", "save"])
def test_whoever_lost_the_lock_writes_no_more(folder, method):
    """A controller that hung for longer than its lock lasts, and wakes up."""
    plan = memory_fabric.make_plan(folder)
    before = {"commit": "stage", "confirm": "commit", "save": "confirm"}
    ScriptedDriver.act(
        "leaf2",
        f"after {before[method]}",
        lambda device: device.claim(OTHER, 600, device.claimed().token),
    )
    result = apply(folder, plan)
    assert not result.ok
    assert "run 7 of bob@laptop" in result.reasons[0]
    assert ScriptedDriver.effects["leaf2", method] == 0
    assert ScriptedDriver.effects["leaf2", "rollback"] == 0
    assert driver(folder, "leaf2").claimed().token == OTHER.token
    assert is_before(folder, "leaf1")


def test_a_lock_that_a_reboot_removed_is_taken_again(folder):
    plan = memory_fabric.make_plan(folder)

    def vanish(device):
        device.unclaim(device.claimed().token)

    ScriptedDriver.act("leaf2", "after stage", vanish)
    assert apply(folder, plan).ok
    assert is_after(folder, "leaf2")


def test_the_lock_of_a_killed_run_is_its_own_and_nobody_elses(tmp_path, monkeypatch):
    memory_fabric.use_memory_drivers(monkeypatch)
    folder = prepared(tmp_path)
    assert run_child(folder, 20, "after").returncode == -9
    held = driver(folder, "leaf1").claimed()
    assert held.run == 1
    assert held.left_s > 60
    plan = workflow.read_plan(folder / "plan.json")
    monkeypatch.setattr(workflow, "reachable_by", lambda *_: memory_fabric.connections(folder))
    fresh = workflow.Freshness(despite_inventory=True)
    other = workflow.apply(plan, folder / "other", None, OPTIONS, silent, freshness=fresh)
    assert not other.ok
    resumed = workflow.resume(folder / "state", None, OPTIONS, silent)
    assert resumed.ok, resumed.reasons
    assert driver(folder, "leaf1").claimed() is None


def test_a_rollback_breaks_the_lock_of_the_interrupted_run(tmp_path, monkeypatch):
    memory_fabric.use_memory_drivers(monkeypatch)
    folder = prepared(tmp_path)
    assert run_child(folder, 20, "after").returncode == -9
    monkeypatch.setattr(
        rollback_states, "reachable_by", lambda *_: memory_fabric.connections(folder)
    )
    assert rolling_back.rollback(1, folder / "state", None, silent).ok
    assert driver(folder, "leaf1").claimed() is None
    assert is_before(folder, "leaf1")


def test_of_two_runs_at_the_same_moment_one_wins(folder):
    plan = memory_fabric.make_plan(folder)
    gate = threading.Barrier(2)
    results = {}

    def go(name):
        gate.wait(LONGEST_S)
        results[name] = apply(folder, plan, name)

    threads = [threading.Thread(target=go, args=(name,)) for name in ("one", "two")]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(result.ok for result in results.values()) == [False, True], results
    assert all(is_after(folder, name) for name in memory_fabric.names())


def test_words_on_a_device_are_plain():
    assert plain("O'Neil; rm -rf /") == "O_Neil__rm_-rf__"
    assert plain("") == "unknown"


# On the lab: the same by files of the stand-ins.


@pytest.fixture(scope="module")
def lab(tmp_path_factory):
    with (
        pytest.MonkeyPatch.context() as patch,
        labs.running_lab(tmp_path_factory.mktemp("lab"), patch, SONIC) as running,
    ):
        yield running


def opened(lab, name):
    _, project, file = lab
    platforms = {one: design.platform for one, design in project.devices.items()}
    platforms |= dict.fromkeys(project.hosts, "host")
    return open_driver(read_connections(file, platforms)[name])


@pytest.mark.parametrize("name", [labs.LEAF, labs.HOST])
def test_a_lock_by_the_shell_of_a_device(lab, name):
    token = "rocefab-lock-1-fedcba9876543210"
    mine = dataclasses.replace(OTHER, token=token, owner="alice@x", run=1)
    first, second = opened(lab, name), opened(lab, name)
    one, two = device_lock(first), device_lock(second)
    assert one.claimed() is None
    held = one.claim(mine, 600, "")
    assert (held.token, held.owner, held.run, held.since) == (mine.token, "alice@x", 1, mine.since)
    assert 590 <= held.left_s <= 600
    assert two.claim(OTHER, 600, "").token == mine.token
    two.unclaim(OTHER.token)
    assert two.claimed().token == mine.token
    assert one.claim(mine, 900, "").left_s > 800, "extended"
    assert two.claim(OTHER, 1, mine.token).token == OTHER.token
    time.sleep(2.1)
    assert two.claimed().expired
    assert one.claim(mine, 600, "").token == mine.token
    one.unclaim(mine.token)
    assert two.claimed() is None
    first.close()
    second.close()


def test_many_sessions_claim_and_one_gets_it(lab):
    drivers = [opened(lab, labs.LEAF) for _ in range(6)]
    claims = [
        dataclasses.replace(OTHER, token=f"rocefab-lock-{number}-aaaa", run=number)
        for number in range(6)
    ]
    with ThreadPoolExecutor(6) as pool:
        held = list(
            pool.map(lambda pair: pair[0].claim(pair[1], 60, ""), zip(drivers, claims, strict=True))
        )
    assert len({claim.token for claim in held}) == 1
    drivers[0].unclaim(held[0].token)
    for one in drivers:
        one.close()


def test_a_lock_without_a_tool_is_an_error_and_not_a_lock(lab):
    stand_in = lab[0][labs.LEAF]
    flock = stand_in.tools.pop("flock")
    session = opened(lab, labs.LEAF)
    try:
        with pytest.raises(RefusedError):
            device_lock(session).claim(OTHER, 60, "")
    finally:
        stand_in.tools["flock"] = flock
        session.close()


def test_a_run_names_the_holder_and_two_processes_race(lab, tmp_path):
    _, project, file = lab
    plan = labs.planned(project, file)
    (tmp_path / "plan.json").write_text(plan.to_json())
    holder = opened(lab, labs.LEAF)
    device_lock(holder).claim(OTHER, 600, "")
    result = workflow.apply(plan, tmp_path / "zero", file, Options(), silent)
    assert not result.ok
    assert f"{labs.LEAF}: run 7 of bob@laptop" in result.reasons[0]
    device_lock(holder).unclaim(OTHER.token)
    holder.close()
    words = [str(tmp_path / "plan.json"), "--commit", "--connections", str(file)]
    racers = [
        subprocess.Popen(
            [*APPLY, *words, "--state", str(tmp_path / name)],
            stderr=subprocess.PIPE,
            text=True,
            cwd=ROOT,
        )
        for name in ("one", "two")
    ]
    said = [racer.communicate(timeout=300)[1] for racer in racers]
    assert sorted(racer.returncode for racer in racers) == [0, 3], said
    assert labs.planned(project, file).empty
    for name in (labs.LEAF, labs.SPINE, labs.HOST):
        session = opened(lab, name)
        assert device_lock(session).claimed() is None
        session.close()


def test_a_driver_without_a_place_has_no_lock():
    from fabric.devices import drivers

    with_lock = {name for name in drivers if getattr(drivers[name], "has_lock", False)}
    assert with_lock == {"sonic", "esonic", "cumulus", "host"}
