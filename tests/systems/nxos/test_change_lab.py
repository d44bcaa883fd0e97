"""Whole runs on NX-OS in the lab, with NAPALM's client, undisturbed and under faults."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from fabric.change.adapter import adapters
from fabric.change.model import Risk
from fabric.change.planner import open_driver
from fabric.devices.connections import connections as reached
from fabric.lab.faults import Fault
from fabric.observe import read_running
from fabric.systems.nxos.parsers.text import configuration
from fabric.workflow.apply import Options, apply, rollback, status
from fabric.workflow.plan import Selection, plan
from fabric.workflow.verify import drift
from tests.change import labs, nxos_lab

ALL = Selection()
OPTIONS = Options(timer_s=60, verify_s=2.0, poll_s=0.1)
QUEUE = "policy-map type queuing ROCE-OUT\nclass type queuing c-out-8q-q3"
MARKING = (
    "random-detect minimum-threshold 150 kbytes maximum-threshold 1500 kbytes drop-probability 100 "
    "weight 0 ecn"
)


def planned(project, connections):
    return plan(project, connections, ALL, "rail", labs.silent)


def applied(made, folder, connections, options=OPTIONS):
    return apply(made, folder / "state", connections, options, labs.silent)


@pytest.fixture(scope="module")
def whole(tmp_path_factory):
    folder = tmp_path_factory.mktemp("nxos")
    with (
        pytest.MonkeyPatch.context() as patched,
        nxos_lab.running_lab(folder, patched) as (lab, project, connections),
    ):
        fresh = lab[nxos_lab.LEAF].running_text
        result = applied(planned(project, connections), folder, connections)
        assert result.ok, result.reasons
        assert labs.unhealthy(project, connections) == []
        yield lab, project, connections, folder, fresh


@pytest.fixture
def ready(whole):
    """The lab as its inventory says, saved; faults are gone afterwards."""
    lab, project, connections, folder, _ = whole
    file = folder / "inventory" / "fabric.yaml"
    kept = file.read_text()
    yield lab, project, connections, folder
    file.write_text(kept)
    for name in lab.names():
        lab[name].faults.clear()
    made = planned(project, connections)
    assert made.empty or applied(made, folder, connections).ok


def test_from_the_box_to_a_verified_fabric(ready):
    lab, project, connections, _ = ready
    assert labs.unhealthy(project, connections) == []
    assert planned(project, connections).empty
    for name in (nxos_lab.LEAF, nxos_lab.SPINE):
        switch = lab[name]
        assert switch.running_text == switch.startup_text
        assert "rocefab-" not in switch.running_text
        assert switch.state.checkpoints == {}
        assert "username admin password 5" in switch.running_text


@pytest.mark.parametrize(
    ("edit", "path"),
    [
        ("interface Ethernet1/1\npriority-flow-control mode auto", "priority-flow-control mode on"),
        (f"{QUEUE}\nno {MARKING}", "random-detect"),
        ("priority-flow-control override-interface mode off", "override-interface"),
        ("no router bgp 65101", "router bgp 65101"),
        ("vlan 500\nname THEIRS", "vlan 500"),
    ],
)  # fmt: skip
def test_a_change_by_hand_is_drift_and_goes_away(ready, edit, path):
    lab, project, connections, folder = ready
    lab[nxos_lab.LEAF].hand_edit(edit)
    found = {item.device: item for item in drift(project, connections, ALL, labs.silent)}
    assert [name for name, item in found.items() if not item.ok] == [nxos_lab.LEAF]
    assert any(path in change.path for change in found[nxos_lab.LEAF].drift)
    result = applied(planned(project, connections), folder, connections)
    assert result.ok, result.reasons
    assert all(item.ok for item in drift(project, connections, ALL, labs.silent))


def test_whole_run_is_taken_back(ready):
    lab, _, connections, folder = ready
    leaf = lab[nxos_lab.LEAF]
    before = leaf.running_text, leaf.startup_text
    changed = labs.changed(folder / "inventory", "kmax_bytes: 1500000", "kmax_bytes: 1400000")
    made = planned(changed, connections)
    assert made.devices[nxos_lab.LEAF].risk is Risk.HARMLESS
    result = applied(made, folder, connections)
    assert result.ok, result.reasons
    assert "maximum-threshold 1400 kbytes" in leaf.startup_text
    back = rollback(result.run, folder / "state", connections, labs.silent)
    assert back.ok, back.reasons
    assert (leaf.running_text, leaf.startup_text) == before


def test_first_run_is_taken_back_too(tmp_path, monkeypatch):
    with nxos_lab.running_lab(tmp_path, monkeypatch) as (lab, project, connections):
        leaf = lab[nxos_lab.LEAF]
        fresh = leaf.running_text
        result = applied(planned(project, connections), tmp_path, connections)
        assert result.ok, result.reasons
        back = rollback(result.run, tmp_path / "state", connections, labs.silent)
        assert back.ok, back.reasons
        assert leaf.running_text == fresh
        assert leaf.startup_text == fresh


MIXED = {
    "SONiC leaf": ("N9K-C9332D-GX2B", "ACS-MSN4700"),
    "SONiC spine": ("N9K-C9364D-GX2A", "ACS-SN5600"),
}


@pytest.mark.parametrize("name", MIXED)
def test_beside_another_system(tmp_path, monkeypatch, name):
    """Neighbours know each other, and sessions come up, whatever runs at the far end."""
    old, new = MIXED[name]
    text = nxos_lab.INVENTORY.replace(old, new)
    with nxos_lab.running_lab(tmp_path, monkeypatch, text) as (_, project, connections):
        result = applied(planned(project, connections), tmp_path, connections)
        assert result.ok, result.reasons
        assert labs.unhealthy(project, connections) == []


FAULTS = {
    "a line is refused": Fault("refuse_line", pattern="random-detect"),
    "the session breaks at a line": Fault("cut_at_command", pattern="random-detect"),
    "the answer to the lines is lost": Fault("cut_at_byte", pattern="random-detect", count=20),
    "only a part is taken": Fault("accept_part", pattern="random-detect", count=2),
    "the timer runs out at once": Fault("expire_timer", pattern="show running-config"),
    "the checkpoint is refused": Fault("refuse_line", pattern="^checkpoint"),
    "the schedule is refused": Fault("refuse_line", pattern="^time start"),
    "the job is refused": Fault("refuse_line", pattern="^scheduler job name"),
    "it reboots at the confirmation": Fault(
        "reboot", pattern="^no scheduler schedule", seconds=0.5
    ),
    "saving is refused": Fault("refuse_line", pattern="^copy running-config"),
}


@pytest.mark.parametrize("name", FAULTS)
def test_fault_in_the_commit_window(ready, name):
    lab, _, connections, folder = ready
    leaf = lab[nxos_lab.LEAF]
    before = leaf.running_text
    changed = labs.changed(folder / "inventory", "kmax_bytes: 1500000", "kmax_bytes: 1400000")
    made = planned(changed, connections)
    fault = FAULTS[name]
    leaf.faults.add(Fault(fault.kind, fault.pattern, count=fault.count, seconds=fault.seconds))
    result = applied(made, folder, connections)
    leaf.faults.clear()
    assert not result.ok
    assert result.reasons
    assert configuration(leaf.running_text) == configuration(before)
    assert all(schedule.ran for schedule in leaf.state.schedules.values())
    states = {row["device"]: row["state"] for row in status(folder / "state", result.run)}
    assert states[nxos_lab.LEAF] == "rolled-back"


def test_nobody_comes_back_and_the_timer_runs_out(ready):
    """The process dies after the commit: the switch goes back by itself."""
    lab, project, connections, folder = ready
    leaf = lab[nxos_lab.LEAF]
    before = leaf.running_text
    changed = labs.changed(folder / "inventory", "kmax_bytes: 1500000", "kmax_bytes: 1400000")
    made = planned(changed, connections).devices[nxos_lab.LEAF]
    driver = open_driver(
        reached(connections, {nxos_lab.LEAF: "nxos"}, others_allowed=True)[nxos_lab.LEAF]
    )
    running = read_running(driver, [])
    candidate = adapters["nxos"].draft(running, made.artefacts, driver).candidate
    driver.stage(candidate, "rocefab-run-9-1-aa")
    driver.commit(candidate, "rocefab-run-9-1-aa", 60)
    driver.close()
    assert "maximum-threshold 1400 kbytes" in leaf.running_text
    assert "maximum-threshold 1400 kbytes" not in leaf.startup_text
    lab.clock.advance(59)
    assert "maximum-threshold 1400 kbytes" in leaf.running_text
    lab.clock.advance(62)
    assert configuration(leaf.running_text) == configuration(before)
    assert planned(project, connections).empty


def test_journal_explains(ready):
    lab, _, connections, folder = ready
    lab[nxos_lab.LEAF].faults.add(Fault("refuse_line", pattern="random-detect", text="% QOS no\n"))
    changed = labs.changed(folder / "inventory", "kmax_bytes: 1500000", "kmax_bytes: 1400000")
    result = applied(planned(changed, connections), folder, connections)
    lab[nxos_lab.LEAF].faults.clear()
    assert "cannot change the configuration" in " ".join(result.reasons)
    assert "% QOS no" in " ".join(result.reasons)
    states = {row["device"]: row["state"] for row in status(folder / "state", result.run)}
    assert states[nxos_lab.LEAF] == "rolled-back"


def test_killed_in_the_commit_window_and_resumed(tmp_path, monkeypatch):
    """A real process, killed while the leaf waits for its confirmation; another one goes on."""
    with nxos_lab.running_lab(tmp_path, monkeypatch) as (lab, project, connections):
        leaf = lab[nxos_lab.LEAF]
        (tmp_path / "plan.json").write_text(planned(project, connections).to_json())
        command = [sys.executable, "-m", "fabric", "apply"]
        options = ["--connections", str(connections), "--state", str(tmp_path / "state")]
        place = {"cwd": Path(__file__).parents[3], "text": True}
        leaf.faults.add(Fault("slow", pattern="show bgp all", nth=2, times=0, seconds=5))
        process = subprocess.Popen(
            [*command, str(tmp_path / "plan.json"), "--commit", *options],
            stderr=subprocess.PIPE,
            **place,
        )
        for line in process.stderr:
            if line.startswith(f"{nxos_lab.LEAF}: commit"):
                break
        deadline_s = time.monotonic() + 20
        while "router bgp" not in leaf.running_text and time.monotonic() < deadline_s:
            time.sleep(0.05)
        os.kill(process.pid, signal.SIGKILL)
        process.wait()
        process.stderr.close()
        leaf.faults.clear()
        assert "scheduler schedule name rocefab-run-1-" in leaf.running_text
        assert "router bgp" not in leaf.startup_text
        assert status(tmp_path / "state")[-1]["state"] == "interrupted or in progress"
        resumed = subprocess.run(
            [*command, "--resume", *options], capture_output=True, check=False, **place
        )
        assert resumed.returncode == 0, resumed.stderr
        assert status(tmp_path / "state")[-1]["state"] == "done"
        assert labs.unhealthy(project, connections) == []
        assert "rocefab-" not in leaf.running_text
        assert leaf.state.checkpoints == {}
