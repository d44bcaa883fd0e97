"""The driver of Cumulus Linux on the lab: revisions found again, and nothing of others touched."""

from __future__ import annotations

import re

import pytest

from fabric.core.errors import ConnectionLostError, DeviceError, RefusedError
from fabric.devices.candidate import SetLines
from fabric.lab.faults import Fault
from fabric.lab.lab import Lab
from fabric.lab.wiring import specs, wire
from fabric.observe import read_running, read_snapshot
from fabric.workflow.project import Project
from tests.change import labs

PASSWORD = "hunter2-of-the-lab"
TOKEN = "rocefab-run-1-1-aa"
MTU = SetLines(load="nv set interface swp1 link mtu 9000\n")


@pytest.fixture
def lab(tmp_path):
    text = labs.INVENTORY.replace("ACS-MSN4700", "SN4700").replace("7060X6-64PE", "SN5600")
    project = Project(labs.write_inventory(tmp_path / "inventory", text))
    with Lab(specs(project.devices, project.hosts, PASSWORD)) as running:
        wire(running, project.devices)
        yield running


@pytest.fixture
def leaf(lab):
    return lab[labs.LEAF]


def mtu(leaf):
    return leaf.value("interface", "swp1", "link", "mtu")


def test_identity(driver, leaf):
    found = driver.identify()
    assert (found.hostname, found.serial, found.mac) == (labs.LEAF, leaf.spec.serial, leaf.spec.mac)


def test_running_and_saved(driver, leaf):
    found = read_running(driver, [])
    assert found.saved is True
    assert "nv set system aaa user cumulus hashed-password '*'\n" in found.canonical
    assert "$6$" not in found.canonical
    leaf.hand_edit("nv set system hostname other", save=False)
    assert read_running(driver, []).saved is False


def test_every_reading_is_understood(driver, leaf):
    leaf.hand_edit(
        "nv set interface swp1-2 link state up",
        "nv set interface swp17 ip address 10.254.0.1/31",
        "nv set vrf default router bgp neighbor 10.254.0.0 remote-as 65100",
        "nv set vrf default router bgp neighbor 10.254.0.0 bfd enable on",
        "nv set router bgp autonomous-system 65101",
        "nv set qos roce",
        "nv set interface swp2 qos pfc-watchdog state enable",
    )
    leaf.counters["swp2"].update({"rx-pause 3": 7, "marked": 5, "deadlock 3": 1, "tx-frames 3": 9})
    found = read_snapshot(driver)
    assert found.unknown == ()
    assert found.facts is not None
    assert found.facts.model == "SN4700"
    assert found.pfc_priorities["swp1"] == (3,)
    assert found.pfc_counters["swp2"].received[3] == 7
    assert found.ecn["swp2", 3].marked_packets == 5
    assert found.ecn["swp2", 3].kmin_bytes == round(146.48 * 1024)
    assert found.watchdog["swp2", 3].storms_detected == 1
    assert found.queues["swp2", 3].packets == 9
    assert found.bfd == {"10.254.0.0": False}
    assert found.interfaces["swp2"].up is True
    assert found.interfaces["swp3"].up is False


@pytest.mark.fault(17)
def test_no_output_meets_a_pager(driver, leaf, monkeypatch):
    """On a terminal; into a pipe the switch prints as it is."""
    sent = []
    strike = leaf.strike_session
    monkeypatch.setattr(leaf, "strike_session", lambda line: sent.append(line) or strike(line))
    read_running(driver, [])
    read_snapshot(driver)
    driver.foreign_sessions()
    reads = [
        part
        for line in sent
        for part in line.split(";")
        if re.search(r"\bnv (show|config (show|diff|revision))", part)
    ]
    assert len(reads) == 11
    assert [part for part in reads if not part.rstrip().endswith("| cat")] == []


def test_a_failure_before_a_pipe_is_noticed(driver, leaf):
    leaf.faults.add(Fault("refuse_line", pattern="nv config show"))
    with pytest.raises(RefusedError):
        driver.read_running([])


def test_stage_has_no_effect(driver, leaf):
    driver.stage(MTU, TOKEN)
    assert mtu(leaf) == ""
    assert driver.foreign_sessions() == [TOKEN]
    assert not driver.pending(TOKEN)
    assert "rocefab-" not in leaf.run_detached("ls /tmp")[1]
    driver.rollback(TOKEN)
    assert driver.foreign_sessions() == []
    assert leaf.pending is None


@pytest.mark.parametrize("timer_s", [60, 90])
@pytest.mark.fault(4)
def test_the_timer_goes_back(driver, lab, leaf, timer_s):
    driver.stage(MTU, TOKEN)
    driver.commit(MTU, TOKEN, timer_s)
    assert driver.pending(TOKEN)
    assert mtu(leaf) == "9000"
    lab.clock.advance(timer_s - 5)
    assert driver.pending(TOKEN)
    lab.clock.advance(10)
    assert not driver.pending(TOKEN)
    assert mtu(leaf) == ""
    with pytest.raises(DeviceError, match="already run out"):
        driver.confirm(TOKEN)


def test_another_process_confirms(driver, login, lab, leaf):
    driver.stage(MTU, TOKEN)
    driver.commit(MTU, TOKEN, 60)
    driver.close()
    other = login()
    assert other.foreign_sessions() == [TOKEN]
    other.confirm(TOKEN)
    other.save()
    lab.clock.advance(120)
    assert mtu(leaf) == "9000"
    assert leaf.startup == leaf.applied
    assert other.foreign_sessions() == []


def test_another_process_takes_back(driver, login, leaf):
    before = set(leaf.applied)
    driver.stage(MTU, TOKEN)
    driver.commit(MTU, TOKEN, 60)
    driver.close()
    login().rollback(TOKEN)
    assert leaf.applied == before
    assert leaf.confirming is None


def test_what_goes_is_unset_first(driver, leaf):
    leaf.hand_edit("nv set interface vlan9 ip address 10.0.0.1/24")
    way = SetLines(
        unload="nv unset interface vlan9\n",
        load="nv set interface vlan9 ip address 10.0.0.2/24\n",
    )
    driver.stage(way, TOKEN)
    driver.commit(way, TOKEN, 60)
    driver.confirm(TOKEN)
    assert {p[-1] for p in leaf.applied if p[:2] == ("interface", "vlan9")} == {
        *("svi", "9", "10.0.0.2/24")
    }


def test_work_of_others_is_seen_and_not_touched(driver, leaf):
    leaf.run_detached("nv set system hostname somebody")
    (name,) = driver.foreign_sessions()
    assert name == "revision 2 (pending)"
    with pytest.raises(RefusedError, match="in the way"):
        driver.stage(MTU, TOKEN)
    assert leaf.pending == 2
    assert leaf.run_detached("nv config diff applied pending -o commands")[1] == (
        f"nv unset system hostname {labs.LEAF}\nnv set system hostname somebody\n"
    )
    driver.rollback(TOKEN)
    assert leaf.pending == 2


@pytest.mark.fault(18)
def test_a_refused_line_leaves_nothing(driver, leaf):
    bad = SetLines(load="nv set interface swp1 link mtu 99999\n")
    with pytest.raises(RefusedError, match="Invalid parameter '99999'"):
        driver.stage(bad, TOKEN)
    assert driver.foreign_sessions() == [TOKEN]  # the patch left its revision behind
    driver.rollback(TOKEN)
    assert driver.foreign_sessions() == []
    assert "rocefab-" not in leaf.run_detached("ls /tmp")[1]
    assert mtu(leaf) == ""
    leaf.run_detached("nv set system hostname somebody")
    assert driver.foreign_sessions() == ["revision 3 (pending)"]


@pytest.mark.parametrize("pattern", ["sudo -n tee", "nv config patch"])
@pytest.mark.parametrize("nth", [1, 2])
@pytest.mark.fault(1)
def test_a_session_that_breaks_leaves_a_revision_that_is_found(driver, login, leaf, pattern, nth):
    way = SetLines(unload="nv unset interface eth0 ip vrf\n", load=MTU.load)
    leaf.faults.add(Fault("cut_at_command", pattern=pattern, nth=nth))
    with pytest.raises(ConnectionLostError):
        driver.stage(way, TOKEN)
    other = login()
    assert set(other.foreign_sessions()) <= {TOKEN}
    other.rollback(TOKEN)
    assert other.foreign_sessions() == []
    assert leaf.pending is None


def test_an_invalid_configuration_is_refused_and_dropped(driver, leaf):
    bad = SetLines(load="nv set bridge domain br_default vlan 4000\n")
    driver.stage(bad, TOKEN)
    with pytest.raises(RefusedError, match="4000 is reserved"):
        driver.commit(bad, TOKEN, 60)
    driver.rollback(TOKEN)
    assert driver.foreign_sessions() == []


@pytest.mark.fault(22)
def test_secrets_stay_out_of_errors(driver, leaf):
    line = "nv set system aaa user x hashed-password HUNTER2 more\n"
    leaf.faults.add(
        Fault("refuse_line", pattern="nv config patch", text=f"Error: cannot take {line}")
    )
    with pytest.raises(RefusedError) as caught:
        driver.stage(SetLines(load="nv set system hostname x\n"), TOKEN)
    assert "HUNTER2" not in str(caught.value)


def test_a_timer_that_is_not_armed_is_noticed(driver, leaf, monkeypatch):
    monkeypatch.setattr(leaf, "apply", lambda number, _confirm_s: leaf.detach())
    driver.stage(MTU, TOKEN)
    with pytest.raises(RefusedError, match="did not apply the change"):
        driver.commit(MTU, TOKEN, 60)


def test_a_confirmation_that_is_not_taken_is_noticed(driver, leaf, monkeypatch):
    driver.stage(MTU, TOKEN)
    driver.commit(MTU, TOKEN, 60)
    monkeypatch.setattr(leaf, "keep", lambda: None)
    with pytest.raises(DeviceError, match="still waits"):
        driver.confirm(TOKEN)
    monkeypatch.setattr(leaf, "go_back", lambda: None)
    with pytest.raises(DeviceError, match="did not roll back the change"):
        driver.rollback(TOKEN)


def test_revisions_that_cannot_be_read_are_an_error(driver, leaf):
    leaf.tools["nv"] = lambda *_: leaf.tools["hostname"](None, [], "")
    with pytest.raises(DeviceError, match="no JSON of revisions"):
        driver.foreign_sessions()


@pytest.mark.parametrize("token", ["x", "rocefab-; reboot", "rocefab-A", ""])
def test_only_tokens_name_changes(driver, token):
    with pytest.raises(ValueError, match="is not a change token"):
        driver.stage(MTU, token)
    with pytest.raises(ValueError, match="is not a change token"):
        driver.pending(token)


def test_a_lost_session_is_an_error(driver, leaf):
    leaf.faults.add(Fault("cut_at_command", pattern="config apply"))
    driver.stage(MTU, TOKEN)
    with pytest.raises(ConnectionLostError):
        driver.commit(MTU, TOKEN, 60)
