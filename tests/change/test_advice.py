"""What a run says of a device whose rollback failed is true when it is said."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from types import SimpleNamespace

import pytest

from fabric.change.advice import Attempt, Reached, what_follows
from fabric.change.apply import Applier, Options
from fabric.change.journal import Journal, State
from fabric.change.rollback import RollBack
from fabric.core.errors import ConnectionLostError
from tests.cases import each
from tests.change import memory_fabric
from tests.change.labs import silent
from tests.change.scripted import ScriptedDriver

TOKEN = "rocefab-run-7-1-aa"
LOST = ConnectionLostError("leaf1", "no route to host")
NO_TIMER = "no commit timer was set"
UNDO = f"sudo sh /var/lib/rocefab/{TOKEN}/undo.sh"
WILL = "its commit timer will roll back the change"


class Device:
    """What a driver with a script of ours tells: whether its change waits, and the script is there.

    None stands for a device that does not answer.
    """

    undone_by_script = True

    def __init__(self, waits, has_undo):
        self._waits, self._has_undo = waits, has_undo

    def _answer(self, value):
        if value is None:
            raise LOST
        return value

    def pending(self, _token):
        return self._answer(self._waits)

    def has_undo(self, _token):
        return self._answer(self._has_undo)

    def undo_command(self, _token):
        return UNDO


#: How far the change got, its timer, what the device answers; what is said, and what is not.
CASES = {
    "the upload was cut off and the device is away": (
        (Reached.NOTHING, 900, None, None),
        (NO_TIMER, "not committed"),
        (UNDO, "unknown", WILL),
    ),
    "the upload was cut off before the script": (
        (Reached.NOTHING, 900, False, False),
        (NO_TIMER,),
        (UNDO, WILL),
    ),
    "staged, and not yet committed": ((Reached.STAGED, 900, False, True), (NO_TIMER,), (UNDO,)),
    "the commit was cut off": (
        (Reached.COMMITTING, 900, None, None),
        ("unknown", f"if the script is still there: {UNDO}"),
        (NO_TIMER,),
    ),
    "a commit without a timer waits": ((Reached.COMMITTED, 0, True, False), (NO_TIMER,), (WILL,)),
    "committed, and it waits": ((Reached.COMMITTED, 900, True, True), (WILL,), (UNDO, "rocefab ")),
    "committed, and the timer is gone": (
        (Reached.COMMITTED, 900, False, True),
        ("no commit timer will", f"type on it: {UNDO}"),
        (NO_TIMER,),
    ),
    "committed, and the device is away": (
        (Reached.COMMITTED, 900, None, None),
        ("timer of 900 s was set", f"if the script is still there: {UNDO}"),
        (NO_TIMER, "unknown"),
    ),
    "the confirmation was cut off": (
        (Reached.CONFIRMING, 900, None, None),
        ("unknown", "if the script is still there"),
        (NO_TIMER,),
    ),
    "confirmed": (
        (Reached.CONFIRMED, 900, False, False),
        ("the change was confirmed: no commit timer",),
        (UNDO, WILL),
    ),
}


@pytest.mark.fault(26)
@each("name", CASES)
def test_only_what_is_true_is_said(tmp_path, name):
    (reached, timer_s, waits, has_undo), said, unsaid = CASES[name]
    crew = SimpleNamespace(run=7, journal=SimpleNamespace(folder=tmp_path))
    attempt = Attempt(TOKEN, timer_s, reached)
    text = what_follows(crew, Device(waits, has_undo), "leaf1", attempt)
    assert [words for words in said if words not in text] == []
    assert [words for words in unsaid if words in text] == []
    command = f"`rocefab rollback 7 --only leaf1 --commit --state {tmp_path}`"
    assert (command in text) is not (waits and timer_s > 0)


@pytest.fixture
def applier(folder):
    options = Options(verify_s=0.05, poll_s=0.01)
    reachable = memory_fabric.connections(folder)
    with ThreadPoolExecutor(2) as pool:
        yield lambda: Applier(Journal(folder / "state"), reachable, pool, silent, options)


@pytest.mark.fault(2, 26)
def test_a_device_that_is_gone_in_the_upload_has_no_timer(folder, applier):
    def vanish(_driver):
        ScriptedDriver.fail("leaf1", "open", LOST, for_good=True)
        ScriptedDriver.fail("leaf1", "pending", LOST, for_good=True)
        raise LOST

    ScriptedDriver.act("leaf1", "stage", vanish)
    assert not applier().apply(memory_fabric.make_plan(folder)).ok
    event = Journal(folder / "state").states(1)["leaf1"]
    assert event.state is State.FAILED
    assert NO_TIMER in event.detail
    assert "unknown" not in event.detail


@pytest.mark.fault(12)
@pytest.mark.parametrize("by", ["another operator", "a later run"])
def test_a_rollback_never_names_the_option_that_takes_others_along(folder, applier, by):
    plan = memory_fabric.make_plan(folder)
    assert applier().apply(plan).ok
    if by == "a later run":
        with pytest.MonkeyPatch.context() as patch:
            patch.setitem(memory_fabric.INTENDED, "NTP_SERVER", {"192.0.2.11": {}})
            assert applier().apply(memory_fabric.make_plan(folder)).ok
    else:
        edited(folder, "leaf1", "NTP_SERVER", {"192.0.2.77": {}})
    result = applier().roll_back(RollBack(1, ["leaf1"]), plan)
    assert not result.ok
    assert "changed again after run 1" in result.reasons[0]
    assert "force" not in result.reasons[0]
    assert ("by run 2: roll that run back first" in result.reasons[0]) is (by == "a later run")
    assert memory_fabric.state(folder, "leaf1")["running"]["NTP_SERVER"] != {"192.0.2.9": {}}


@pytest.mark.fault(12)
def test_a_rollback_keeps_what_others_configured_beside_the_run(folder, applier):
    """Their rows are no drift, and a return to the state before would remove them."""
    plan = memory_fabric.make_plan(folder)
    assert applier().apply(plan).ok
    edited(folder, "leaf1", "ACL_TABLE", {"COLLEAGUE": {"type": "L3"}})
    result = applier().roll_back(RollBack(1, memory_fabric.names()), plan)
    assert "leaf1: it was changed again after run 1 outside of this journal" in result.reasons[0]
    assert "ACL_TABLE|COLLEAGUE|type" in result.reasons[0]
    assert "COLLEAGUE" in memory_fabric.state(folder, "leaf1")["running"]["ACL_TABLE"]
    assert sorted(result.rolled_back) == ["leaf2", "spine01"]
    assert applier().roll_back(RollBack(1, ["leaf1"], force=True), plan).ok
    assert memory_fabric.state(folder, "leaf1")["running"] == memory_fabric.BEFORE


def edited(folder, name, table, rows):
    """Let somebody change and save a table of a device."""
    state = memory_fabric.state(folder, name)
    state["running"][table] = rows
    connection = memory_fabric.connection(folder, name)
    ScriptedDriver(connection)._write({**state, "startup": state["running"]})
