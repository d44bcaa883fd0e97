"""Whole runs on VRP8 in the lab, with netmiko, undisturbed and under faults."""

from __future__ import annotations

import pytest

from fabric.change.adapter import adapters
from fabric.change.model import Risk
from fabric.change.planner import open_driver
from fabric.devices.connections import connections as reached
from fabric.lab.faults import Fault
from fabric.observe import read_running
from fabric.systems.vrp8.lab.state import Candidate
from fabric.workflow.apply import Options, apply, rollback, status
from fabric.workflow.plan import Selection, plan
from fabric.workflow.verify import drift, verify
from tests.change import labs, vrp8_lab

ALL = Selection()
OPTIONS = Options(timer_s=60, verify_s=2.0, poll_s=0.1)
KMAX = ("kmax_bytes: 1500000", "kmax_bytes: 1400000")


def planned(project, connections):
    return plan(project, connections, ALL, "rail", labs.silent)


def applied(made, folder, connections, options=OPTIONS):
    return apply(made, folder / "state", connections, options, labs.silent)


@pytest.fixture(scope="module")
def whole(tmp_path_factory):
    folder = tmp_path_factory.mktemp("vrp8")
    with (
        pytest.MonkeyPatch.context() as patched,
        vrp8_lab.running_lab(folder, patched) as (lab, project, connections),
    ):
        fresh = {name: lab[name].running_text for name in (vrp8_lab.LEAF, vrp8_lab.SPINE)}
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
    for name in (vrp8_lab.LEAF, vrp8_lab.SPINE):
        switch = lab[name]
        assert switch.running_text == switch.startup_text
        assert switch.state.trial is None
        assert " local-user admin password irreversible-cipher $1d$LAB$" in switch.running_text
        assert "interface MEth0/0/0\n ip binding vpn-instance MGMT\n" in switch.running_text


@pytest.mark.parametrize(
    ("edit", "path"),
    [
        ("interface 100GE1/0/1\n undo dcb pfc enable roce mode manual", "dcb pfc enable"),
        ("interface 100GE1/0/1\n undo qos queue 3 ecn", "qos queue 3 ecn"),
        ("drop-profile roce-ecn\n undo ecn", "ecn buffer-size"),
        ("dcb pfc global disable", "global disable"),
        ("dcb pfc roce\n priority 4", "priority 4"),
        ("undo bgp 65101", "bgp 65101"),
        ("vlan batch 500", "vlan batch 500"),
        ("diffserv domain roce\n undo ip-dscp-inbound 26", "ip-dscp-inbound 26"),
    ],
)
def test_a_change_by_hand_is_drift_and_goes_away(ready, edit, path):
    lab, project, connections, folder = ready
    lab[vrp8_lab.LEAF].hand_edit(edit)
    found = {item.device: item for item in drift(project, connections, ALL, labs.silent)}
    assert [name for name, item in found.items() if not item.ok] == [vrp8_lab.LEAF]
    assert any(path in change.path for change in found[vrp8_lab.LEAF].drift)
    result = applied(planned(project, connections), folder, connections)
    assert result.ok, result.reasons
    assert all(item.ok for item in drift(project, connections, ALL, labs.silent))


def test_pfc_that_deadlocks_turned_off_is_a_deviation(ready):
    lab, project, connections, _ = ready
    counters = lab[vrp8_lab.LEAF].count("100GE1/0/1")
    counters.turned_off.add(3)
    try:
        found = {i.device: i for i in verify(project, connections, ALL, labs.silent)}
        assert ["pfc 100GE1/0/1" in str(one) for one in found[vrp8_lab.LEAF].deviations] == [True]
    finally:
        counters.turned_off.clear()


def test_whole_run_is_taken_back(ready):
    lab, _, connections, folder = ready
    leaf = lab[vrp8_lab.LEAF]
    before = leaf.running_text, leaf.startup_text
    made = planned(labs.changed(folder / "inventory", *KMAX), connections)
    assert made.devices[vrp8_lab.LEAF].risk is Risk.HARMLESS
    result = applied(made, folder, connections)
    assert result.ok, result.reasons
    assert "high-limit 1400000" in leaf.startup_text
    back = rollback(result.run, folder / "state", connections, labs.silent)
    assert back.ok, back.reasons
    assert (leaf.running_text, leaf.startup_text) == before


def test_first_run_is_taken_back_too(tmp_path, monkeypatch):
    with vrp8_lab.running_lab(tmp_path, monkeypatch) as (lab, project, connections):
        switches = [lab[name] for name in (vrp8_lab.LEAF, vrp8_lab.SPINE)]
        fresh = [switch.running_text for switch in switches]
        result = applied(planned(project, connections), tmp_path, connections)
        assert result.ok, result.reasons
        back = rollback(result.run, tmp_path / "state", connections, labs.silent)
        assert back.ok, back.reasons
        assert [switch.running_text for switch in switches] == fresh
        assert [switch.startup_text for switch in switches] == fresh


LEAF_LINES = (
    "leaf: {sku: CE8855-32CQ4BQ}, spine: {sku: CE8851-32CQ8DQ-P}}\n"
    "speeds: {host_gbps: 100, uplink_gbps: 100}\n"
)
SPLIT_LINES = (
    "leaf: {sku: CE8851-32CQ8DQ-P, breakouts: [{cages: '1', mode: 2x50G}]}, "
    "spine: {sku: CE8851-32CQ8DQ-P}}\nspeeds: {host_gbps: 50, uplink_gbps: 100}\n"
)


def test_what_a_rollback_of_the_switch_forgets_is_sent_again(tmp_path, monkeypatch):
    """The trial does not bring back what stood on ports that were split: rocefab does."""
    whole = LEAF_LINES.replace("CE8855-32CQ4BQ", "CE8851-32CQ8DQ-P")
    text = vrp8_lab.INVENTORY.replace(LEAF_LINES, whole)
    with vrp8_lab.running_lab(tmp_path, monkeypatch, text) as (lab, project, connections):
        assert applied(planned(project, connections), tmp_path, connections).ok
        leaf = lab[vrp8_lab.LEAF]
        before = leaf.running_text, leaf.startup_text
        made = planned(labs.changed(tmp_path / "inventory", whole, SPLIT_LINES), connections)
        assert made.devices[vrp8_lab.LEAF].risk is Risk.PORT_FLAP
        result = applied(made, tmp_path, connections)
        assert not result.ok  # the lab is not cabled for the parts: the run is taken back
        assert "description gpu1" in leaf.running_text
        assert (leaf.running_text, leaf.startup_text) == before
        assert leaf.state.trial is None


MIXED = {
    "SONiC leaf": ("CE8855-32CQ4BQ", "ACS-MSN3700"),
    "EOS spine": ("CE8851-32CQ8DQ-P", "7050DX4-32S"),
}


@pytest.mark.parametrize("name", MIXED)
def test_beside_another_system(tmp_path, monkeypatch, name):
    """Neighbours know each other, and sessions come up, whatever runs at the far end."""
    text = vrp8_lab.INVENTORY.replace(*MIXED[name])
    with vrp8_lab.running_lab(tmp_path, monkeypatch, text) as (_, project, connections):
        result = applied(planned(project, connections), tmp_path, connections)
        assert result.ok, result.reasons
        assert labs.unhealthy(project, connections) == []


FAULTS = {
    "a line is refused": Fault("refuse_line", pattern="^ecn buffer-size"),
    "the session breaks at a line": Fault("cut_at_command", pattern="^ecn buffer-size"),
    "the commit is refused": Fault("refuse_line", pattern="^commit trial"),
    "the session breaks at the commit": Fault("cut_at_command", pattern="^commit trial"),
    "the answer to the commit is lost": Fault("cut_at_byte", pattern="^commit trial", count=20),
    "only a part is taken": Fault("accept_part", pattern="^commit trial", count=1),
    "the timer runs out at once": Fault("expire_timer", pattern="display current-configuration"),
    "it reboots after the commit": Fault("reboot", pattern="^display lldp", nth=2, seconds=0.5),
    "it reboots at the confirmation": Fault("reboot", pattern="^commit persist", seconds=0.5),
    "saving is refused": Fault("refuse_line", pattern="^save"),
}


@pytest.mark.parametrize("name", FAULTS)
def test_fault_in_the_commit_window(ready, name):
    lab, _, connections, folder = ready
    leaf = lab[vrp8_lab.LEAF]
    before = leaf.running_text, leaf.startup_text
    made = planned(labs.changed(folder / "inventory", *KMAX), connections)
    fault = FAULTS[name]
    leaf.faults.add(
        Fault(fault.kind, fault.pattern, fault.nth, count=fault.count, seconds=fault.seconds)
    )
    result = applied(made, folder, connections)
    leaf.faults.clear()
    assert not result.ok
    assert result.reasons
    assert (leaf.running_text, leaf.startup_text) == before
    assert leaf.state.trial is None
    states = {row["device"]: row["state"] for row in status(folder / "state", result.run)}
    assert states[vrp8_lab.LEAF] == "rolled-back"


def test_nobody_comes_back_and_the_timer_runs_out(ready):
    """The process dies after the commit: the switch goes back by itself."""
    lab, project, connections, folder = ready
    leaf = lab[vrp8_lab.LEAF]
    before = leaf.running_text
    changed = labs.changed(folder / "inventory", *KMAX)
    made = planned(changed, connections).devices[vrp8_lab.LEAF]
    driver = open_driver(
        reached(connections, {vrp8_lab.LEAF: "vrp8"}, others_allowed=True)[vrp8_lab.LEAF]
    )
    running = read_running(driver, [])
    candidate = adapters["vrp8"].draft(running, made.artefacts, driver).candidate
    driver.stage(candidate, "rocefab-run-9-1-aa")
    assert leaf.running_text == before
    driver.commit(candidate, "rocefab-run-9-1-aa", 60)
    driver.close()
    assert "high-limit 1400000" in leaf.running_text
    assert "high-limit 1400000" not in leaf.startup_text
    lab.clock.advance(50)
    assert "high-limit 1400000" in leaf.running_text
    lab.clock.advance(11)
    assert leaf.running_text == before
    assert planned(project, connections).empty


def test_somebody_else_on_trial_is_in_the_way(ready):
    lab, _, connections, folder = ready
    made = planned(labs.changed(folder / "inventory", *KMAX), connections)
    state = lab[vrp8_lab.LEAF].state
    with lab[vrp8_lab.LEAF].lock:
        state.commit(Candidate(), "commit trial 600 persist theirs", None, None)
    result = applied(made, folder, connections)
    with lab[vrp8_lab.LEAF].lock:
        state.go_back()
    assert not result.ok
    assert "another configuration session is active on it: theirs" in " ".join(result.reasons)


def test_journal_explains(ready):
    lab, _, connections, folder = ready
    fault = Fault("refuse_line", pattern="^ecn buffer-size", text="Error: No more profiles.")
    lab[vrp8_lab.LEAF].faults.add(fault)
    result = applied(
        planned(labs.changed(folder / "inventory", *KMAX), connections), folder, connections
    )
    lab[vrp8_lab.LEAF].faults.clear()
    assert "Error: No more profiles." in " ".join(result.reasons)
    states = {row["device"]: row["state"] for row in status(folder / "state", result.run)}
    assert states[vrp8_lab.LEAF] == "rolled-back"
