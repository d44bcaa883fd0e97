"""Devices that are away or fail: planned without, skipped within a budget, reconciled later."""

from __future__ import annotations

import json
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import pytest

from fabric.change.apply import Applier, Options
from fabric.change.budget import Budget, MaxFailures
from fabric.change.expectation import Expectation
from fabric.change.journal import Journal, State
from fabric.change.model import parse_plan
from fabric.change.planner import Target, make_plan
from fabric.change.rollback import RollBack
from fabric.core.artefact import Artefact
from fabric.core.errors import (
    ConnectionLostError,
    DeviceError,
    FabricError,
    InputError,
    JournalError,
    NotPlannedError,
    RefusedError,
)
from fabric.workflow.plan_text import describe
from tests.change import memory_fabric
from tests.change.engine_runs import edit, is_after, is_before, silent
from tests.change.scripted import ScriptedDriver

SPINES, LEAVES, HOSTS = ("spine01",), ("leaf1", "leaf2", "leaf3"), ("gpu1", "gpu2")
WAVES = (SPINES, LEAVES, HOSTS)
ONE = MaxFailures(1)


def lost(name):
    return ConnectionLostError(name, "no route to host")


def targets(folder):
    """Return all devices; gpu1 and gpu2 are cabled to leaf1, by what leaf1 is to see."""
    text = json.dumps(memory_fabric.INTENDED).encode()
    return {
        name: Target(
            memory_fabric.connection(folder, name),
            "leaf",
            (Artefact(name, "sonic", "config_db", f"switches/{name}/config_db.json", text),),
            Expectation(lldp={"Ethernet0": ("gpu1", ("eth1",))} if name == "leaf1" else {}),
        )
        for name in memory_fabric.names()
    }


def planned(folder, *, allow_missing=True):
    with ThreadPoolExecutor(4) as pool:
        return make_plan(
            "memory", WAVES, targets(folder), pool, silent, allow_missing=allow_missing
        )


def applied(folder, plan, limit=ONE):
    options = Options(verify_s=0.05, poll_s=0.01, max_failures=limit)
    journal, connections = Journal(folder / "state"), memory_fabric.connections(folder)
    # Memory devices have no neighbours to see.
    bare = {name: replace(item, expected=Expectation()) for name, item in plan.devices.items()}
    with ThreadPoolExecutor(4) as pool:
        working = Applier(journal, connections, pool, silent, options)
        return working.apply(replace(plan, devices=bare))


def states(folder, run=1):
    events = Journal(folder / "state").states(run)
    return {name: (event.state, event.detail) for name, event in events.items()}


def test_the_others_are_planned_and_the_report_says_who_is_missing(folder):
    ScriptedDriver.fail("gpu1", "open", lost("gpu1"))
    ScriptedDriver.fail("leaf3", "read_running", RefusedError("leaf3", "not today"))
    plan, errors = planned(folder)
    assert {error.device for error in errors} == {"gpu1", "leaf3"} == set(plan.missing)
    assert set(plan.devices) == {"spine01", "leaf1", "leaf2", "gpu2"}
    assert plan.missing["gpu1"].risk.startswith(
        "it keeps its configuration while devices that it is cabled to change: leaf1;"
    )
    assert "no device that it is cabled to changes" in plan.missing["leaf3"].risk
    report = describe(plan)
    assert "2 devices NOT IN THE PLAN:\n  leaf3: not today\n" in report
    assert parse_plan(plan.to_json(), "plan").missing == plan.missing


def test_without_the_option_nothing_is_planned(folder):
    ScriptedDriver.fail("gpu1", "open", lost("gpu1"))
    plan, errors = planned(folder, allow_missing=False)
    assert plan is None
    assert [error.device for error in errors] == ["gpu1"]


def test_a_device_that_cannot_become_what_is_planned_is_not_missing(folder):
    ScriptedDriver.fail("gpu1", "identify", NotPlannedError("gpu1", "a conflict"))
    assert planned(folder)[0] is None


def test_nothing_is_planned_when_all_are_missing(folder):
    for name in memory_fabric.names():
        ScriptedDriver.fail(name, "open", lost(name))
    assert planned(folder)[0] is None


def test_the_next_plan_has_what_was_missing(folder):
    ScriptedDriver.fail("gpu1", "open", lost("gpu1"))
    result = applied(folder, planned(folder)[0])
    assert result.ok
    assert states(folder)["gpu1"] == (State.SKIPPED, "not in the plan: no route to host")
    assert is_before(folder, "gpu1")
    again = planned(folder)[0]
    assert set(again.devices) == {"gpu1"}
    assert not again.missing
    assert applied(folder, again).ok
    assert planned(folder)[0].empty


@pytest.mark.parametrize("method", ["open", "read_running", "stage", "commit", "confirm", "save"])
def test_one_of_a_wave_may_fail_and_goes_back_alone(folder, method):
    plan = planned(folder)[0]
    ScriptedDriver.fail("leaf2", method, lost("leaf2"))
    result = applied(folder, plan)
    assert result.ok, result.reasons
    assert result.skipped == ("leaf2",)
    assert is_before(folder, "leaf2")
    assert all(is_after(folder, name) for name in memory_fabric.names() if name != "leaf2")
    state, detail = states(folder)["leaf2"]
    assert state is State.SKIPPED
    assert "no route to host" in detail
    assert states(folder)[""] == (State.DONE, "skipped: leaf2")
    assert set(planned(folder)[0].devices) == {"leaf2"}


def test_a_device_that_changed_meanwhile_may_be_skipped(folder):
    plan = planned(folder)[0]
    edit(folder, "gpu1", "NTP_SERVER", {"192.0.2.77": {}})
    assert applied(folder, plan).skipped == ("gpu1",)


@pytest.mark.parametrize("method", ["open", "stage", "commit", "confirm", "save"])
def test_more_than_the_budget_rolls_the_wave_back(folder, method):
    plan = planned(folder)[0]
    for name in ("leaf2", "leaf3"):
        ScriptedDriver.fail(name, method, lost(name))
    result = applied(folder, plan)
    assert not result.ok
    assert all(is_before(folder, name) for name in (*LEAVES, *HOSTS))
    assert is_after(folder, "spine01") == (method != "open")  # preflight comes before the waves


def test_the_budget_is_for_all_waves(folder):
    plan = planned(folder)[0]
    for name in ("leaf2", "gpu2"):
        ScriptedDriver.fail(name, "commit", lost(name))
    result = applied(folder, plan)
    assert not result.ok
    assert result.skipped == ("leaf2",)
    assert all(is_before(folder, name) for name in ("leaf2", *HOSTS))
    assert all(is_after(folder, name) for name in ("spine01", "leaf1", "leaf3"))


def test_a_wave_of_one_never_fails_alone(folder):
    plan = planned(folder)[0]
    ScriptedDriver.fail("spine01", "commit", lost("spine01"))
    result = applied(folder, plan, MaxFailures(3))
    assert not result.ok
    assert all(is_before(folder, name) for name in memory_fabric.names())


def test_a_run_stops_where_a_device_cannot_be_rolled_back(folder):
    plan = planned(folder)[0]

    def vanish(_driver):
        ScriptedDriver.fail("leaf2", "open", lost("leaf2"), for_good=True)
        ScriptedDriver.fail("leaf2", "foreign_sessions", lost("leaf2"), for_good=True)
        raise lost("leaf2")

    ScriptedDriver.act("leaf2", "after commit", vanish)
    result = applied(folder, plan)
    assert not result.ok
    assert states(folder)["leaf2"][0] is State.FAILED
    assert all(is_after(folder, name) for name in ("spine01", "leaf1", "leaf3"))
    assert all(is_before(folder, name) for name in HOSTS)


def test_without_a_budget_one_failure_stops_the_run(folder):
    plan = planned(folder)[0]
    ScriptedDriver.fail("gpu1", "open", lost("gpu1"))
    result = applied(folder, plan, MaxFailures())
    assert not result.ok
    assert all(is_before(folder, name) for name in memory_fabric.names())


def test_a_skipped_device_is_not_rolled_back_again(folder):
    plan = planned(folder)[0]
    ScriptedDriver.fail("leaf2", "commit", lost("leaf2"))
    assert applied(folder, plan).ok
    ScriptedDriver.effects.clear()
    journal, connections = Journal(folder / "state"), memory_fabric.connections(folder)
    with ThreadPoolExecutor(4) as pool:
        working = Applier(journal, connections, pool, silent, Options(verify_s=0.05, poll_s=0.01))
        names = memory_fabric.names()
        assert working.roll_back(RollBack(1, names), parse_plan(journal.run(1).plan, "plan")).ok
    assert not any(device == "leaf2" for device, _ in ScriptedDriver.effects)


@pytest.mark.parametrize(
    ("limit", "devices", "allowed"),
    [("0", 100, 0), ("3", 2, 3), ("1%", 224, 3), ("1%", 32, 1), ("0%", 99, 0), ("100%", 7, 7)],
)
def test_limits(limit, devices, allowed):
    assert MaxFailures.from_text(limit).of(devices) == allowed


@pytest.mark.parametrize("text", ["", "-1", "1.5", "101%", "many", "1 %", "nan%"])
def test_wrong_limits(text):
    with pytest.raises(InputError, match="is not a number such as 3 or 1%"):
        MaxFailures.from_text(text)


@pytest.mark.parametrize("error", [JournalError("disk full"), FabricError("internal error, x")])
def test_an_error_of_ours_is_none_of_a_device(error):
    budget = Budget(MaxFailures(2), (LEAVES,))
    assert budget.allows({"leaf1": DeviceError("leaf1", "no")})
    assert not budget.allows({"leaf1": error})
