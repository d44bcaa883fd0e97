"""Whole runs on Enterprise SONiC in the lab, by netmiko, undisturbed and under faults."""

from __future__ import annotations

import pytest

from fabric.change.adapter import adapters
from fabric.change.model import Risk
from fabric.change.planner import open_driver
from fabric.devices.connections import connections as reached
from fabric.lab.faults import Fault
from fabric.observe import read_running
from fabric.systems.esonic.platforms.lines import read
from fabric.workflow.apply import Options, apply, rollback, status
from fabric.workflow.plan import Selection, plan
from fabric.workflow.verify import drift, verify
from tests.change import esonic_lab, labs

ALL = Selection()
OPTIONS = Options(timer_s=60, verify_s=3.0, poll_s=0.1)
LEAF, SPINE = esonic_lab.LEAF, esonic_lab.SPINE
CHANGED = "maximum-threshold 1400 "
TOKEN = "rocefab-run-9-1-aa"


def planned(project, connections):
    return plan(project, connections, ALL, "rail", labs.silent)


def applied(made, folder, connections, options=OPTIONS):
    return apply(made, folder / "state", connections, options, labs.silent)


def lower_kmax(folder):
    return labs.changed(folder / "inventory", "kmax_bytes: 1500000", "kmax_bytes: 1400000")


@pytest.fixture(scope="module")
def whole(tmp_path_factory):
    folder = tmp_path_factory.mktemp("esonic")
    with (
        pytest.MonkeyPatch.context() as patched,
        esonic_lab.running_lab(folder, patched) as (lab, project, connections),
    ):
        result = applied(planned(project, connections), folder, connections)
        assert result.ok, result.reasons
        assert labs.unhealthy(project, connections) == []
        yield lab, project, connections, folder


@pytest.fixture
def ready(whole):
    """The lab as its inventory says, saved; faults are gone afterwards."""
    lab, project, connections, folder = whole
    file = folder / "inventory" / "fabric.yaml"
    kept = file.read_text()
    yield lab, project, connections, folder
    file.write_text(kept)
    for name in lab.names():
        lab[name].faults.clear()
    made = planned(project, connections)
    assert made.empty or applied(made, folder, connections).ok


def test_from_the_box_to_a_verified_fabric(ready):
    lab, project, connections, folder = ready
    assert labs.unhealthy(project, connections) == []
    assert planned(project, connections).empty
    for name in (LEAF, SPINE):
        switch = lab[name]
        assert switch.running_text == switch.startup_text
        assert "username admin password $6$LAB$" in switch.running_text
    for path in (folder / "state").rglob("*"):
        if path.is_file():
            assert b"lab-password" not in path.read_bytes()


@pytest.mark.parametrize(
    ("edit", "path"),
    [
        ("interface Ethernet0\n no priority-flow-control priority 3", "flow-control priority 3"),
        ("interface Ethernet0\n no queue 3 wred-policy", "queue 3 wred-policy ROCE"),
        ("interface Ethernet0\n shutdown", "interface Ethernet0: no shutdown"),
        ("interface Ethernet0\n cable-length 300m", "cable-length"),
        ("no router bgp", "router bgp 65101"),
        ("interface Vlan 500\n description THEIRS", "interface Vlan500"),
        ("no lldp enable", "no lldp enable"),
        ("qos map dscp-tc ROCE\n dscp 26 traffic-class 4", "dscp 26 traffic-class 3"),
    ],
)
def test_a_change_by_hand_is_drift_and_goes_away(ready, edit, path):
    lab, project, connections, folder = ready
    before = lab[LEAF].running_text
    lab[LEAF].hand_edit(edit)
    found = {item.device: item for item in drift(project, connections, ALL, labs.silent)}
    odd = {name for name, item in found.items() if not item.ok}
    assert {LEAF} <= odd <= {LEAF, labs.HOST}  # a shut port is dark at the host too
    assert any(path in change.path for change in found[LEAF].drift)
    result = applied(planned(project, connections), folder, connections)
    assert result.ok, result.reasons
    assert lab[LEAF].running_text == before


def test_pfc_that_is_off_is_a_deviation(ready):
    lab, project, connections, _ = ready
    lab[LEAF].hand_edit("interface Ethernet0\n no priority-flow-control priority 3")
    found = {item.device: item for item in verify(project, connections, ALL, labs.silent)}
    told = [str(item) for item in found[LEAF].deviations]
    assert f"{LEAF}: pfc Ethernet0: priorities none, expected 3" in told


def test_unsaved_configuration_is_reported(ready):
    lab, project, connections, _ = ready
    lab[LEAF].hand_edit("snmp-server location rack")
    found = {item.device: item for item in verify(project, connections, ALL, labs.silent)}
    assert [str(item) for item in found[LEAF].deviations] == [
        f"{LEAF}: saved configuration: the running configuration is not saved"
    ]
    lab[LEAF].hand_edit("no snmp-server location rack")


def test_whole_run_is_taken_back(ready):
    lab, _, connections, folder = ready
    leaf = lab[LEAF]
    before = leaf.running_text, leaf.startup_text
    made = planned(lower_kmax(folder), connections)
    assert made.devices[LEAF].risk is Risk.HARMLESS
    result = applied(made, folder, connections)
    assert result.ok, result.reasons
    assert CHANGED in leaf.startup_text
    back = rollback(result.run, folder / "state", connections, labs.silent)
    assert back.ok, back.reasons
    assert (leaf.running_text, leaf.startup_text) == before


def test_first_run_is_taken_back_too(tmp_path, monkeypatch):
    with esonic_lab.running_lab(tmp_path, monkeypatch) as (lab, project, connections):
        leaf = lab[LEAF]
        fresh, restarts = leaf.running_text, leaf.restarts
        result = applied(planned(project, connections), tmp_path, connections)
        assert result.ok, result.reasons
        back = rollback(result.run, tmp_path / "state", connections, labs.silent)
        assert back.ok, back.reasons
        assert leaf.running_text == fresh
        assert leaf.startup_text == fresh
        assert leaf.restarts == restarts


def test_a_switch_without_lossless_buffers_is_not_planned(tmp_path, monkeypatch):
    with esonic_lab.running_lab(tmp_path, monkeypatch) as (lab, project, connections):
        lab[LEAF].hand_edit("no buffer init lossless")
        before = lab[LEAF].running_text
        with pytest.raises(Exception, match="buffer init lossless"):
            planned(project, connections)
        assert lab[LEAF].running_text == before


MIXED = {
    "SONiC leaf": ("Z9332F-ON", "ACS-MSN4700"),
    "EOS spine": ("Z9664F-ON", "7060X6-64PE"),
}


@pytest.mark.parametrize("name", MIXED)
def test_beside_another_system(tmp_path, monkeypatch, name):
    """Neighbours know each other, and sessions come up, whatever runs at the far end."""
    old, new = MIXED[name]
    text = esonic_lab.INVENTORY.replace(old, new)
    with esonic_lab.running_lab(tmp_path, monkeypatch, text) as (_, project, connections):
        result = applied(planned(project, connections), tmp_path, connections)
        assert result.ok, result.reasons
        assert labs.unhealthy(project, connections) == []


LINE = "^green "
FAULTS = {
    "a line is refused": Fault("refuse_line", pattern=LINE),
    "the session breaks at a line": Fault("cut_at_command", pattern=LINE),
    "the answer to a line is lost": Fault("cut_at_byte", pattern=LINE, count=2),
    "only a part is taken": Fault("accept_part", pattern="^qos wred-policy", count=1),
    "the timer runs out at once": Fault("expire_timer", pattern="show ip bgp summary", nth=2),
    "the timer cannot be armed": Fault("refuse_line", pattern="systemctl enable"),
    "the dump fails": Fault("refuse_line", pattern="before.json"),
    "it reboots at a line": Fault("reboot", pattern=LINE, seconds=0.5),
    "it reboots at the confirmation": Fault("reboot", pattern="systemctl stop", seconds=0.5),
    "saving is refused": Fault("refuse_line", pattern="config save"),
    "the way back by lines is refused": Fault("refuse_line", pattern=LINE, times=2),
}


@pytest.mark.parametrize("name", FAULTS)
def test_fault_in_the_commit_window(ready, name):
    """Whatever goes wrong, the switch is as before."""
    lab, _, connections, folder = ready
    leaf = lab[LEAF]
    before = leaf.running_text
    made = planned(lower_kmax(folder), connections)
    fault = FAULTS[name]
    numbers = {"nth": fault.nth, "times": fault.times, "count": fault.count}
    leaf.faults.add(Fault(fault.kind, fault.pattern, seconds=fault.seconds, **numbers))
    result = applied(made, folder, connections)
    leaf.faults.clear()
    assert not result.ok
    assert result.reasons
    assert leaf.running_text == before
    assert leaf.startup_text == before
    assert not leaf.systemd.jobs
    states = {row["device"]: row["state"] for row in status(folder / "state", result.run)}
    assert states.get(LEAF, "untouched") in {"rolled-back", "untouched"}


def test_a_slow_switch_is_waited_for(ready):
    lab, _, connections, folder = ready
    lab[LEAF].faults.add(Fault("slow", pattern="green", seconds=0.3, times=2))
    result = applied(planned(lower_kmax(folder), connections), folder, connections)
    assert result.ok, result.reasons


def committed(lab, connections, project):
    """Return a driver after a change that waits for its confirmation."""
    made = planned(project, connections).devices[LEAF]
    driver = open_driver(reached(connections, {LEAF: "esonic"}, others_allowed=True)[LEAF])
    running = read_running(driver, [])
    candidate = adapters["esonic"].draft(running, made.artefacts, driver).candidate
    driver.stage(candidate, TOKEN)
    driver.commit(candidate, TOKEN, 60)
    assert CHANGED in lab[LEAF].running_text
    return driver


def test_nobody_comes_back_and_the_timer_runs_out(ready):
    """The process dies after the commit: the switch goes back by itself."""
    lab, project, connections, folder = ready
    leaf = lab[LEAF]
    before = leaf.running_text
    committed(lab, connections, lower_kmax(folder)).close()
    assert CHANGED not in leaf.startup_text
    lab.clock.advance(59)
    assert CHANGED in leaf.running_text
    lab.clock.advance(4)
    assert leaf.running_text == before
    leaf.run_detached("rm -rf /var/lib/rocefab/" + TOKEN)
    lab.clock.advance(2)
    assert planned(project, connections).empty


def test_going_back_by_lines_restarts_nothing(ready):
    """And where they do not lead back, the database is loaded again."""
    lab, _, connections, folder = ready
    leaf = lab[LEAF]
    before, restarts = leaf.running_text, leaf.restarts
    project = lower_kmax(folder)
    driver = committed(lab, connections, project)
    assert driver.pending(TOKEN)
    driver.rollback(TOKEN)
    assert (leaf.running_text, leaf.restarts) == (before, restarts)
    assert not driver.pending(TOKEN)
    leaf.run_detached("rm -rf /var/lib/rocefab/" + TOKEN)
    driver.close()
    driver = committed(lab, connections, project)
    leaf.hand_edit("ntp server 203.0.113.9")
    driver.rollback(TOKEN)
    assert leaf.running_text == before
    assert leaf.restarts == restarts + 1
    leaf.run_detached("rm -rf /var/lib/rocefab/" + TOKEN)
    driver.close()
    lab.clock.advance(2)


def test_journal_explains(ready):
    lab, _, connections, folder = ready
    text = "% Error: Hardware says no\n"
    lab[LEAF].faults.add(Fault("refuse_line", pattern=LINE, text=text))
    result = applied(planned(lower_kmax(folder), connections), folder, connections)
    lab[LEAF].faults.clear()
    assert "'green minimum-threshold 150 maximum-threshold 1400" in " ".join(result.reasons)
    assert "Hardware says no" in " ".join(result.reasons)
    states = {row["device"]: row["state"] for row in status(folder / "state", result.run)}
    assert states[LEAF] == "rolled-back"


def test_another_switch_is_never_written_to(ready):
    lab, _, connections, folder = ready
    made = planned(lower_kmax(folder), connections)
    before = lab[LEAF].running_text
    lab[LEAF].faults.add(Fault("identity", pattern="hostname", text="other-switch", times=0))
    result = applied(made, folder, connections)
    assert not result.ok
    assert "'other-switch'" in " ".join(result.reasons)
    assert lab[LEAF].running_text == before


def test_a_plan_after_the_change_is_empty(ready):
    _, _, connections, folder = ready
    project = lower_kmax(folder)
    result = applied(planned(project, connections), folder, connections)
    assert result.ok, result.reasons
    assert planned(project, connections).empty
    assert read("") == read("!\n")
