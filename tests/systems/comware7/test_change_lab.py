"""Whole runs on Comware 7 in the lab, with netmiko's client, undisturbed and under faults."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path

import pytest

from fabric.change.adapter import adapters
from fabric.change.model import Risk, parse_plan
from fabric.change.planner import open_driver
from fabric.core.errors import PlanError
from fabric.devices.connections import connections as reached
from fabric.lab.faults import Fault
from fabric.observe import read_running
from fabric.workflow.apply import Options, apply, rollback, status
from fabric.workflow.plan import NO_NET, Selection, describe, plan
from fabric.workflow.verify import drift
from tests.change import comware7_lab, labs

ALL = Selection()
OPTIONS = Options(timer_s=60, verify_s=2.0, poll_s=0.1)
PORT = "interface HundredGigE1/0/1"


def planned(project, connections):
    return plan(project, connections, ALL, "rail", labs.silent)


def applied(made, folder, connections, options=OPTIONS):
    return apply(made, folder / "state", connections, options, labs.silent)


@pytest.fixture(scope="module")
def whole(tmp_path_factory):
    folder = tmp_path_factory.mktemp("comware7")
    with (
        pytest.MonkeyPatch.context() as patched,
        comware7_lab.running_lab(folder, patched) as (lab, project, connections),
    ):
        fresh = lab[comware7_lab.LEAF].text
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
    for name in (comware7_lab.LEAF, comware7_lab.SPINE):
        switch = lab[name]
        assert switch.text == switch.startup
        assert "rocefab-" not in switch.text
        assert switch.files == {}
        assert not switch.armed
        assert "password hash $h$6$LAB" in switch.text


PORT2 = "interface HundredGigE1/0/2"
EDITS = {
    f"{PORT}\nundo priority-flow-control no-drop dot1p": "no-drop dot1p 3",
    f"{PORT}\npriority-flow-control no-drop dot1p 3-4": "no-drop dot1p 3-4",
    f"{PORT}\nflow-control": "flow-control",
    f"{PORT}\nundo qos wfq": "qos wfq cs6 group sp",
    f"{PORT2}\nport link-mode route\nip address 198.51.100.1 255.255.255.0": "198.51.100.1",
    "qos map-table dscp-lp\nimport 26 export 2": "import 26 export 3",
    "undo lldp global enable": "lldp global enable",
    "arp timer aging 20": "arp timer aging 4",
    "mac-address timer aging 600": "mac-address timer aging 600",
    "bgp 65101\nundo peer 10.254.0.0": "peer 10.254.0.0 as-number",
    "vlan 500\nname THEIRS": "vlan 500",
}


@pytest.mark.parametrize(
    "edits", [EDITS, {"undo bgp 65101": "bgp 65101"}, {"undo vlan 101": "vlan"}]
)
def test_changes_by_hand_are_drift_and_go_away(ready, edits):
    lab, project, connections, folder = ready
    for edit in edits:
        lab[comware7_lab.LEAF].hand_edit(edit)
    found = {item.device: item for item in drift(project, connections, ALL, labs.silent)}
    assert [name for name, item in found.items() if not item.ok] == [comware7_lab.LEAF]
    paths = [change.path for change in found[comware7_lab.LEAF].drift]
    assert [words for words in edits.values() if not any(words in path for path in paths)] == []
    result = applied(planned(project, connections), folder, connections)
    assert result.ok, result.reasons
    assert all(item.ok for item in drift(project, connections, ALL, labs.silent))


def test_what_a_person_set_beside_ours_stays(ready):
    lab, project, connections, _ = ready
    leaf = lab[comware7_lab.LEAF]
    leaf.hand_edit(
        "priority-flow-control deadlock cos 3 interval 10\n"
        f"{PORT}\npriority-flow-control deadlock enable\n"
        "priority-flow-control dot1p 3 headroom 2000"
    )
    assert planned(project, connections).empty
    assert all(item.ok for item in drift(project, connections, ALL, labs.silent))
    leaf.hand_edit(
        "undo priority-flow-control deadlock cos 3 interval\n"
        f"{PORT}\nundo priority-flow-control deadlock enable\n"
        "undo priority-flow-control dot1p 3 headroom"
    )
    assert leaf.text == leaf.startup


def test_whole_run_is_taken_back(ready):
    lab, _, connections, folder = ready
    leaf = lab[comware7_lab.LEAF]
    before = leaf.text, leaf.startup
    changed = labs.changed(folder / "inventory", "kmax_bytes: 1500000", "kmax_bytes: 1400000")
    made = planned(changed, connections)
    assert made.devices[comware7_lab.LEAF].risk is Risk.HARMLESS
    result = applied(made, folder, connections)
    assert result.ok, result.reasons
    assert "high-limit 6731" in leaf.startup
    back = rollback(result.run, folder / "state", connections, labs.silent)
    assert back.ok, back.reasons
    assert (leaf.text, leaf.startup) == before


def test_first_run_is_taken_back_too(tmp_path, monkeypatch):
    with comware7_lab.running_lab(tmp_path, monkeypatch) as (lab, project, connections):
        leaf = lab[comware7_lab.LEAF]
        fresh = leaf.text
        result = applied(planned(project, connections), tmp_path, connections)
        assert result.ok, result.reasons
        back = rollback(result.run, tmp_path / "state", connections, labs.silent)
        assert back.ok, back.reasons
        assert leaf.text == fresh
        assert leaf.startup == fresh


MIXED = {
    "SONiC leaf": ("leaf: {sku: S9820-64H}", "leaf: {sku: ACS-MSN2700}"),
    "SONiC spine": ("spine: {sku: S9820-64H}", "spine: {sku: DellEMC-Z9264f-C64}"),
}


@pytest.mark.parametrize("name", MIXED)
def test_beside_another_system(tmp_path, monkeypatch, name):
    """Neighbours know each other, and sessions come up, whatever runs at the far end."""
    old, new = MIXED[name]
    text = comware7_lab.INVENTORY.replace(old, new)
    with comware7_lab.running_lab(tmp_path, monkeypatch, text) as (_, project, connections):
        result = applied(planned(project, connections), tmp_path, connections)
        assert result.ok, result.reasons
        assert labs.unhealthy(project, connections) == []


FAULTS = {
    "a line is refused": Fault("refuse_line", pattern="^queue 3 low-limit"),
    "a line is refused in other words": Fault(
        "refuse_line", pattern="^queue 3 low-limit", text="The device is busy.\n"
    ),
    "the session breaks at a line": Fault("cut_at_command", pattern="^queue 3 low-limit"),
    "the answer to a line is lost": Fault("cut_at_byte", pattern="^queue 3 low-limit", count=2),
    "only a part is taken": Fault("accept_part", pattern="^qos wred queue table", count=1),
    "the timer runs out at once": Fault("expire_timer", pattern="^display interface|^display bgp"),
    "the file is refused": Fault("refuse_line", pattern=r"^save rocefab-"),
    "the timer is refused": Fault("refuse_line", pattern="^configuration commit delay"),
    "the mark is refused": Fault("refuse_line", pattern="^route-policy rocefab-"),
    "the confirmation is refused": Fault("refuse_line", pattern="^configuration commit$"),
    "it reboots at the confirmation": Fault(
        "reboot", pattern="^configuration commit$", seconds=0.5
    ),
    "saving is refused": Fault("refuse_line", pattern="^save safely force"),
}


@pytest.mark.parametrize("name", FAULTS)
def test_fault_in_the_commit_window(ready, name):
    lab, _, connections, folder = ready
    leaf = lab[comware7_lab.LEAF]
    before = leaf.text
    changed = labs.changed(folder / "inventory", "kmax_bytes: 1500000", "kmax_bytes: 1400000")
    made = planned(changed, connections)
    fault = FAULTS[name]
    leaf.faults.add(
        Fault(fault.kind, fault.pattern, count=fault.count, seconds=fault.seconds, text=fault.text)
    )
    result = applied(made, folder, connections)
    leaf.faults.clear()
    assert not result.ok
    assert result.reasons
    assert leaf.text == before
    assert not leaf.armed
    states = {row["device"]: row["state"] for row in status(folder / "state", result.run)}
    assert states[comware7_lab.LEAF] == "rolled-back"


def test_nobody_comes_back_and_the_timer_runs_out(ready):
    """The process dies after the commit: the switch goes back by itself."""
    lab, project, connections, folder = ready
    leaf = lab[comware7_lab.LEAF]
    before = leaf.text
    changed = labs.changed(folder / "inventory", "kmax_bytes: 1500000", "kmax_bytes: 1400000")
    made = planned(changed, connections).devices[comware7_lab.LEAF]
    driver = open_driver(
        reached(connections, {comware7_lab.LEAF: "comware7"}, others_allowed=True)[
            comware7_lab.LEAF
        ]
    )
    running = read_running(driver, [])
    candidate = adapters["comware7"].draft(running, made.artefacts, driver).candidate
    driver.stage(candidate, "rocefab-run-9-1-aa")
    driver.commit(candidate, "rocefab-run-9-1-aa", 60)
    driver.close()
    assert "high-limit 6731" in leaf.text
    assert "high-limit 6731" not in leaf.startup
    lab.clock.advance(59)
    assert "high-limit 6731" in leaf.text
    lab.clock.advance(62)
    assert leaf.text == before
    assert planned(project, connections).empty


def test_a_release_without_a_timer_needs_a_word(ready):
    """The plan says so, and nothing is begun before somebody has said to go on."""
    lab, _, connections, folder = ready
    leaf = lab[comware7_lab.LEAF]
    before = leaf.text
    changed = labs.changed(folder / "inventory", "kmax_bytes: 1500000", "kmax_bytes: 1300000")
    leaf.has_commit_delay = False
    try:
        made = parse_plan(planned(changed, connections).to_json(), "plan.json")
        line = next(line for line in describe(made).splitlines() if "SAFETY NET" in line)
        assert line.startswith(f"    {NO_NET}: this release has no `configuration commit delay`: %")
        assert describe(made).count(NO_NET) == 1
        wanted = f"no safety net on {comware7_lab.LEAF} .*console access"
        with pytest.raises(PlanError, match=wanted):
            applied(made, folder, connections)
        assert leaf.text == before
        bold = replace(OPTIONS, without_net=True)
        leaf.faults.add(
            Fault("refuse_line", pattern="high-limit", text=" % Wrong parameter found\n")
        )
        assert not applied(made, folder, connections, bold).ok
        assert leaf.text == before
        leaf.faults.clear()
        result = applied(planned(changed, connections), folder, connections, bold)
        assert result.ok, result.reasons
        assert "rocefab-" not in leaf.text
        assert rollback(result.run, folder / "state", connections, labs.silent).ok
        assert leaf.text == before
    finally:
        leaf.has_commit_delay = True


def test_journal_explains(ready):
    lab, _, connections, folder = ready
    lab[comware7_lab.LEAF].faults.add(
        Fault("refuse_line", pattern="high-limit", text=" % Wrong parameter found\n")
    )
    changed = labs.changed(folder / "inventory", "kmax_bytes: 1500000", "kmax_bytes: 1400000")
    result = applied(planned(changed, connections), folder, connections)
    lab[comware7_lab.LEAF].faults.clear()
    assert "'queue 3 low-limit 722 high-limit 6731' was rejected" in " ".join(result.reasons)
    assert "% Wrong parameter found" in " ".join(result.reasons)
    states = {row["device"]: row["state"] for row in status(folder / "state", result.run)}
    assert states[comware7_lab.LEAF] == "rolled-back"


def test_killed_in_the_commit_window_and_resumed(tmp_path, monkeypatch):
    """A real process, killed while the leaf waits for its confirmation; another one goes on."""
    with comware7_lab.running_lab(tmp_path, monkeypatch) as (lab, project, connections):
        leaf = lab[comware7_lab.LEAF]
        (tmp_path / "plan.json").write_text(planned(project, connections).to_json())
        command = [sys.executable, "-m", "fabric", "apply"]
        options = ["--connections", str(connections), "--state", str(tmp_path / "state")]
        place = {"cwd": Path(__file__).parents[3], "text": True}
        leaf.faults.add(Fault("slow", pattern="display bgp", nth=2, times=0, seconds=5))
        process = subprocess.Popen(
            [*command, str(tmp_path / "plan.json"), "--commit", *options],
            stderr=subprocess.PIPE,
            **place,
        )
        for line in process.stderr:
            if line.startswith(f"{comware7_lab.LEAF}: commit"):
                break
        deadline_s = time.monotonic() + 20
        while "bgp 65101" not in leaf.text and time.monotonic() < deadline_s:
            time.sleep(0.05)
        os.kill(process.pid, signal.SIGKILL)
        process.wait()
        process.stderr.close()
        leaf.faults.clear()
        assert "route-policy rocefab-run-1-" in leaf.text
        assert "bgp 65101" not in leaf.startup
        assert status(tmp_path / "state")[-1]["state"] == "interrupted or in progress"
        resumed = subprocess.run(
            [*command, "--resume", *options], capture_output=True, check=False, **place
        )
        assert resumed.returncode == 0, resumed.stderr
        assert status(tmp_path / "state")[-1]["state"] == "done"
        assert labs.unhealthy(project, connections) == []
        assert "rocefab-" not in leaf.text
        assert leaf.files == {}
