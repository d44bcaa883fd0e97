"""What is saved is read back, on memory devices: by a run, a resume and a rollback."""

from __future__ import annotations

import json
from concurrent.futures import ThreadPoolExecutor
from functools import partial

import pytest

from fabric.change.apply import Applier, Options
from fabric.change.journal import Journal, State
from fabric.change.rollback import RollBack
from fabric.change.wave import Wave
from tests.change import memory_fabric
from tests.change.labs import silent
from tests.change.memory_fabric import BEFORE, wanted
from tests.change.scripted import ScriptedDriver

pytestmark = pytest.mark.fault(28)
WAVES = (("leaf1", "leaf2"),)
OPTIONS = Options(verify_s=0.05, poll_s=0.01)
NOT_SAVED = "leaf1: the device reports that it saved"


@pytest.fixture
def applier(folder):
    with ThreadPoolExecutor(2) as pool:
        reachable = memory_fabric.connections(folder)
        yield lambda: Applier(Journal(folder / "state"), reachable, pool, silent, OPTIONS)


def forget(name, *, for_good):
    """Let a device have its old saved configuration again after each save."""

    def restore(driver):
        driver._write({**driver._state(), "startup": BEFORE})

    ScriptedDriver.script[name, "after save"] = (restore, for_good)


def texts(folder, name="leaf1"):
    state = memory_fabric.state(folder, name)
    return state["running"], state["startup"]


def states(folder, run=1):
    return {name: event.state for name, event in Journal(folder / "state").states(run).items()}


def test_a_device_that_forgets_once_is_saved_again(folder, applier):
    forget("leaf1", for_good=False)
    result = applier().apply(memory_fabric.make_plan(folder))
    assert result.ok, result.reasons
    assert texts(folder) == (wanted(), wanted())
    assert ScriptedDriver.effects["leaf1", "save"] == 2
    assert ScriptedDriver.effects["leaf2", "save"] == 1


def test_a_device_that_forgets_always_is_rolled_back_with_its_wave(folder, applier):
    forget("leaf1", for_good=True)
    result = applier().apply(memory_fabric.make_plan(folder))
    assert not result.ok
    assert result.reasons[0].startswith(NOT_SAVED)
    assert [texts(folder, name) for name in WAVES[0]] == [(BEFORE, BEFORE)] * 2
    assert states(folder)["leaf1"] is State.ROLLED_BACK


def test_a_resumed_run_says_saved_of_no_device_that_is_not(folder, applier):
    plan = memory_fabric.make_plan(folder)

    def die(self):
        for step in (self._change, self._verify, self._confirm):
            self._crew.side_by_side(self._work, step)
        raise SystemExit

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Wave, "_forward", die)
        with pytest.raises(SystemExit):
            applier().apply(plan)
    forget("leaf1", for_good=True)
    result = applier().resume(1, plan)
    assert not result.ok
    assert result.reasons[0].startswith(NOT_SAVED)
    assert states(folder)["leaf1"] is State.CONFIRMED
    ScriptedDriver.script.clear()
    assert applier().resume(1, plan).ok
    assert [texts(folder, name) for name in WAVES[0]] == [(wanted(), wanted())] * 2


def test_a_change_after_the_save_is_not_called_saved(folder, applier):
    def edit(driver):
        rows = {**driver._state()["running"], "NTP_SERVER": {"192.0.2.7": {}}}
        driver._write({**driver._state(), "running": rows, "startup": rows})

    ScriptedDriver.act("leaf1", "after save", edit)
    result = applier().apply(memory_fabric.make_plan(folder))
    assert not result.ok
    assert "NTP_SERVER|192.0.2.10| is not as planned any more" in result.reasons[0]


@pytest.mark.parametrize("forgets", [False, True])
def test_a_rollback_saves_what_somebody_brought_back_by_hand(folder, applier, forgets):
    """Without, a restart would load the change that was rolled back."""
    plan = memory_fabric.make_plan(folder)
    assert applier().apply(plan).ok
    file = folder / "leaf1.json"
    file.write_text(json.dumps({**memory_fabric.state(folder, "leaf1"), "running": BEFORE}))
    if forgets:
        still = {"startup": wanted()}
        ScriptedDriver.script["leaf1", "after save"] = (
            lambda driver: driver._write({**driver._state(), **still}),
            True,
        )
    roll_back = partial(applier().roll_back, RollBack(1, memory_fabric.names()))
    result = roll_back(plan)
    assert result.ok is not forgets
    assert texts(folder) == (BEFORE, wanted() if forgets else BEFORE)
    assert not forgets or result.reasons[0].startswith(NOT_SAVED)
