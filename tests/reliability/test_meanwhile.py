"""What happens around a run: the clock jumps, cables move, a rollback fails, a signal comes."""

from __future__ import annotations

import datetime as dt
import json
import re
import shlex
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from fabric.change.options import Options
from fabric.core.errors import RefusedError
from fabric.lab.faults import Fault
from fabric.lab.spec import Neighbour
from fabric.systems.eos.drivers import EosDriver
from fabric.systems.sonic.drivers import SonicDriver
from fabric.workflow.apply import apply, status
from tests.change import labs
from tests.change.labs import planned
from tests.cli.runs import BACKGROUND, run
from tests.waiting import until

ROOT = Path(__file__).parents[2]
OPTIONS = Options(timer_s=60, verify_s=3.0, poll_s=0.1)
KMAX = ("kmax_bytes: 1500000", "kmax_bytes: 1400000")
DAY_S = 86_400.0


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    folder = tmp_path_factory.mktemp("meanwhile")
    with (
        pytest.MonkeyPatch.context() as patch,
        labs.running_lab(folder, patch) as (lab, project, connections),
    ):
        first = planned(project, connections)
        assert apply(first, folder / "state", connections, OPTIONS, labs.silent).ok
        yield lab, folder, connections


@pytest.fixture
def changing(site):
    """The lab and a plan of one setting; faults and inventory are restored."""
    lab, folder, connections = site
    project = labs.changed(folder / "inventory", *KMAX)
    change_plan = planned(project, connections)
    assert change_plan.waves == ((labs.SPINE,), (labs.LEAF,))
    yield lab, folder / "state", connections, change_plan
    for name in lab.names():
        lab[name].faults.clear()
    project = labs.changed(folder / "inventory", *reversed(KMAX))
    left = planned(project, connections)
    assert left.empty or apply(left, folder / "state", connections, OPTIONS, labs.silent).ok


def states(state):
    run = status(state)[-1]["run"]
    return {row["device"]: row["state"] for row in status(state, run)}


def running(switch):
    return json.dumps(switch.running, sort_keys=True)


@pytest.mark.fault(23)
@pytest.mark.parametrize("jump_s", [-DAY_S, DAY_S])
def test_the_clock_jumps_by_a_day_in_the_confirm_window(changing, monkeypatch, jump_s):
    _, state, connections, change_plan = changing
    real, jumped = time.time, []

    def progress(device, text):
        if device == labs.LEAF and text.startswith("commit"):
            jumped.append(jump_s)

    monkeypatch.setattr(time, "time", lambda: real() + sum(jumped))
    begin_s = time.monotonic()
    result = apply(change_plan, state, connections, OPTIONS, progress)
    assert jumped
    assert result.ok, result.reasons
    assert time.monotonic() - begin_s < 60
    assert set(states(state).values()) == {"done"}
    rows = status(state, result.run)
    assert abs(rows[1]["at"] - rows[0]["at"] - jump_s) < 60, "the journal has seen the jump"
    assert dt.datetime.fromtimestamp(rows[1]["at"], dt.UTC)


@pytest.mark.fault(25)
def test_a_cable_that_moves_in_the_confirm_window_stops_the_wave(changing):
    lab, state, connections, change_plan = changing
    leaf, before = lab[labs.LEAF], running(lab[labs.LEAF])
    right = leaf.neighbours["Ethernet0"]

    def progress(device, text):
        if device == labs.LEAF and text.startswith("commit"):
            leaf.neighbours["Ethernet0"] = [Neighbour("Ethernet0", "gpu9", "eth1")]

    try:
        result = apply(change_plan, state, connections, OPTIONS, progress)
    finally:
        leaf.neighbours["Ethernet0"] = right
    assert not result.ok
    assert "lldp Ethernet0: gpu9 eth1, expected gpu1 eth1" in result.reasons[0]
    assert states(state) == {labs.SPINE: "done", labs.LEAF: "rolled-back"}
    assert running(leaf) == before


@pytest.mark.fault(26)
def test_a_rollback_that_fails_halts_the_run(changing, monkeypatch):
    """The spine goes away after its commit: the leaf is not touched, the timer does the rest."""
    lab, state, connections, change_plan = changing
    before, old_text = running(lab[labs.LEAF]), lab[labs.SPINE].running_text
    said, commit = [], EosDriver.commit

    def vanishing(driver, *words):
        commit(driver, *words)
        lab[labs.SPINE].faults.add(Fault("cut_at_command", times=0))

    monkeypatch.setattr(EosDriver, "commit", vanishing)
    progress = lambda device, text: said.append(f"{device}: {text}")  # noqa: E731
    result = apply(change_plan, state, connections, OPTIONS, progress)
    assert not result.ok
    assert result.confirmed == result.rolled_back == ()
    assert states(state) == {labs.SPINE: "failed"}
    assert running(lab[labs.LEAF]) == before
    timer = "s was set: it rolls back the change, unless that is rolled back already; check the"
    told = next(text for text in said if timer in text)
    assert lab[labs.SPINE].running_text != old_text
    lab[labs.SPINE].faults.clear()
    typed = shlex.split(re.search(r"`rocefab (.*)`", told)[1])
    ended = run(*typed, "--connections", connections)
    assert ended.code == 0, ended.said
    assert lab[labs.SPINE].running_text == old_text


@pytest.mark.fault(26)
def test_what_a_person_types_on_a_device_rolls_it_back(changing, monkeypatch):
    """The rollback of the leaf fails; the command of the message, typed there, does it."""
    lab, state, connections, change_plan = changing
    before, said = running(lab[labs.LEAF]), []

    def rejected(driver, *_):
        raise RefusedError(driver.connection.device, "no space left on device")

    def break_after_commit(device, text):
        said.append(text)
        if device == labs.LEAF and text.startswith("commit"):
            broken.setattr(SonicDriver, "rollback", rejected)
            broken.setattr(SonicDriver, "stage", rejected)
            broken.setattr(SonicDriver, "pending", lambda *_: False)

    with monkeypatch.context() as broken:
        result = apply(change_plan, state, connections, OPTIONS, break_after_commit)
    assert states(state) == {labs.SPINE: "done", labs.LEAF: "failed"}
    assert result.confirmed == (labs.SPINE,)
    assert running(lab[labs.LEAF]) != before
    told = next(text for text in said if "or type on it: " in text)
    lab[labs.LEAF].run_detached(told.partition("or type on it: sudo ")[2])
    assert running(lab[labs.LEAF]) == before


@pytest.mark.fault(26)
def test_what_a_rejected_rollback_leaves_is_named(changing, monkeypatch):
    """Our own lines are never taken for those of somebody else, which would be kept."""
    lab, state, connections, change_plan = changing
    said = []

    def rejected(driver, _token):
        raise RefusedError(driver.connection.device, "configuration session limit reached")

    with monkeypatch.context() as broken:
        broken.setattr("fabric.change.wave.worse", lambda *_, **__: ["BGP is down"])
        broken.setattr(EosDriver, "rollback", rejected)
        progress = lambda device, text: said.append(f"{device}: {text}")  # noqa: E731
        result = apply(change_plan, state, connections, OPTIONS, progress)
    assert result.rolled_back == ()
    assert states(state) == {labs.SPINE: "failed"}
    assert any("its commit timer will roll back the change" in line for line in said), said
    lab.clock.advance(OPTIONS.timer_s + 1)
    assert "1400000" not in lab[labs.SPINE].running_text


def started(state, connections, change_plan, lab, prefix=()):
    """Return a process that waits in the confirm window of the leaf."""
    (state.parent / "plan.json").write_text(change_plan.to_json())
    lab[labs.LEAF].faults.add(Fault("slow", pattern="show ip bgp summary", nth=2, seconds=5))
    options = ["--connections", str(connections), "--state", str(state)]
    words = ["-m", "fabric", "apply", state.parent / "plan.json", "--commit", *options]
    process = subprocess.Popen(
        [*prefix, sys.executable, *words],
        stderr=subprocess.PIPE,
        text=True,
        cwd=ROOT,
    )
    for line in process.stderr:
        if line.startswith(f"{labs.LEAF}: commit"):
            break
    until(lambda: states(state).get(labs.LEAF) == "committed", "the leaf is committed")
    return process, options


@pytest.mark.fault(27)
@pytest.mark.parametrize(
    ("number", "prefix"),
    [(signal.SIGTERM, ()), (signal.SIGTERM, BACKGROUND), (signal.SIGKILL, ())],
    ids=["sigterm", "sigterm-in-the-background", "sigkill"],
)
def test_a_run_that_is_ended_from_outside_goes_on(changing, number, prefix):
    """SIGTERM of a service manager or script, SIGKILL of the kernel that has no memory left."""
    lab, state, connections, change_plan = changing
    process, options = started(state, connections, change_plan, lab, prefix)
    process.send_signal(number)
    _, said = process.communicate(timeout=30)
    ends_in_order = number is signal.SIGTERM
    assert process.returncode == (143 if ends_in_order else -number)
    assert (" was interrupted; resume it with `rocefab apply" in said) is ends_in_order
    assert "Traceback" not in said
    lab[labs.LEAF].faults.clear()
    assert status(state)[-1]["state"] == "interrupted"
    left = "rolled-back" if ends_in_order else "committed"
    assert states(state) == {labs.SPINE: "done", labs.LEAF: left}
    resumed = subprocess.run(
        [sys.executable, "-m", "fabric", "apply", "--resume", *options],
        capture_output=True,
        text=True,
        check=False,
        cwd=ROOT,
    )
    assert resumed.returncode == 0, resumed.stderr
    assert set(states(state).values()) == {"done"}


@pytest.mark.fault(28)
def test_a_run_does_not_save_what_it_rolls_back(changing, monkeypatch):
    lab, state, connections, change_plan = changing
    leaf = lab[labs.LEAF]
    saved = leaf.fs.read("/etc/sonic/config_db.json")
    confirm = SonicDriver.confirm

    def rejected(driver, token):
        raise RefusedError(driver.connection.device, "no")

    monkeypatch.setattr(SonicDriver, "confirm", rejected)
    assert not apply(change_plan, state, connections, OPTIONS, labs.silent).ok
    monkeypatch.setattr(SonicDriver, "confirm", confirm)
    assert leaf.fs.read("/etc/sonic/config_db.json") == saved
