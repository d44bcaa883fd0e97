"""The driver of Comware 7 on the lab: the timer of the switch, its questions, and its refusals."""

from __future__ import annotations

import pytest

from fabric.core.errors import ConnectionLostError, DeviceError, RefusedError
from fabric.devices.candidate import LinePatch
from fabric.lab.faults import Fault
from fabric.lab.lab import Lab
from fabric.lab.wiring import specs, wire
from fabric.observe import read_running, read_snapshot
from fabric.systems.comware7.drivers.session import refusal
from fabric.workflow.project import Project
from tests.change import labs

PASSWORD = "hunter2-of-the-lab"
TOKEN = "rocefab-run-1-1-aa"
OTHER = "rocefab-run-2-1-bb"
CHANGE = LinePatch("interface HundredGigE1/0/1\n description x\nvlan 7\n name Y\n")
ROUTED = (
    "lldp global enable\n"
    "interface HundredGigE1/0/17\nport link-mode route\n"
    "ip address 10.254.0.1 255.255.255.254\nquit\n"
    "interface HundredGigE1/0/1\npriority-flow-control enable\n"
    "priority-flow-control no-drop dot1p 3\nquit\n"
    "bgp 65101\npeer 10.254.0.0 as-number 65100\n"
    "address-family ipv4 unicast\npeer 10.254.0.0 enable\n"
)


@pytest.fixture(scope="module")
def whole_lab(tmp_path_factory):
    folder = tmp_path_factory.mktemp("comware7") / "inventory"
    project = Project(labs.write_inventory(folder, labs.COMWARE7))
    with Lab(specs(project.devices, project.hosts, PASSWORD)) as running:
        wire(running, project.devices)
        yield running


@pytest.fixture
def leaf(whole_lab):
    """The leaf, fresh from the box again afterwards."""
    found = whole_lab[labs.LEAF]
    fresh = found.text
    yield found
    found.faults.clear()
    found.disarm()
    found.files.clear()
    found.has_commit_delay = True
    found.become(fresh)
    found.save()


def test_identity(driver, leaf):
    found = driver.identify()
    assert (found.hostname, found.serial, found.mac) == (labs.LEAF, leaf.spec.serial, leaf.spec.mac)
    leaf.faults.add(Fault("identity", text="another"))
    assert driver.identify().hostname == "another"


def test_running_and_saved(driver, leaf):
    found = read_running(driver, [])
    assert found.saved is True
    assert "import 26 export 3" in found.canonical
    assert "import 0 export 2" in found.canonical
    leaf.hand_edit("vlan 9")
    assert read_running(driver, []).saved is False
    leaf.startup = ""
    assert read_running(driver, []).saved is False


def test_every_reading_is_understood(driver, leaf):
    leaf.hand_edit(ROUTED)
    leaf.count("HundredGigE1/0/1").pauses = 7
    found = read_snapshot(driver)
    assert found.unknown == ()
    assert found.facts is not None
    assert found.facts.model == "S9820-64H"
    assert found.pfc_priorities["HundredGigE1/0/1"] == (3,)
    assert found.pfc_priorities["HundredGigE1/0/2"] == ()
    assert found.interfaces["HundredGigE1/0/1"].counters["in_pause_frames"] == 7
    assert found.bgp["10.254.0.0"].asn == 65100
    assert found.lldp["HundredGigE1/0/1"][0].system_name == labs.HOST
    assert found.neighbours == {}


def test_long_answers_are_not_paged(driver):
    found = driver.read_running([])
    assert len(found["config"].splitlines()) > 100
    assert "More" not in found["config"]


def test_a_change_waits_and_is_confirmed(driver, leaf):
    before = leaf.startup
    driver.stage(CHANGE, TOKEN)
    assert list(leaf.files) == [f"{TOKEN}.cfg"]
    assert not driver.pending(TOKEN)
    driver.commit(CHANGE, TOKEN, 90)
    assert driver.pending(TOKEN)
    assert driver.foreign_sessions() == [TOKEN]
    assert leaf.armed
    assert " description x\n" in leaf.text
    assert TOKEN not in read_running(driver, []).canonical
    driver.confirm(TOKEN)
    assert not leaf.armed
    assert leaf.files == {}
    assert "rocefab-" not in leaf.text
    assert " description x\n" in leaf.text
    assert leaf.startup == before
    driver.save()
    assert leaf.startup == leaf.text


def test_minutes_are_rounded_up(driver, leaf, whole_lab):
    whole_lab.clock.stop()
    driver.stage(CHANGE, TOKEN)
    driver.commit(CHANGE, TOKEN, 61)
    whole_lab.clock.advance(115)
    assert leaf.armed
    whole_lab.clock.advance(10)
    assert not leaf.armed
    assert not driver.pending(TOKEN)
    assert "description x" not in leaf.text
    with pytest.raises(RefusedError, match="already run out"):
        driver.confirm(TOKEN)


def test_a_change_is_taken_back_at_once(driver, leaf):
    before = leaf.text
    driver.stage(CHANGE, TOKEN)
    driver.commit(CHANGE, TOKEN, 60)
    driver.rollback(TOKEN)
    assert leaf.text == before
    assert not leaf.armed
    assert leaf.files == {}
    with pytest.raises(RefusedError, match="there is no change"):
        driver.rollback(TOKEN)


def test_another_process_confirms_or_takes_back(login, leaf):
    first = login()
    first.stage(CHANGE, TOKEN)
    first.commit(CHANGE, TOKEN, 60)
    first.close()
    second = login()
    assert second.pending(TOKEN)
    second.rollback(TOKEN)
    assert "description x" not in leaf.text


def test_what_is_only_staged_is_forgotten(driver, leaf):
    driver.stage(CHANGE, TOKEN)
    leaf.hand_edit("vlan 9")
    driver.rollback(TOKEN)
    assert leaf.files == {}
    assert "vlan 9" in leaf.text


def test_nothing_is_staged_while_another_change_waits(driver, leaf):
    driver.stage(CHANGE, TOKEN)
    driver.commit(CHANGE, TOKEN, 60)
    with pytest.raises(RefusedError, match=f"in the way: {TOKEN}"):
        driver.stage(CHANGE, OTHER)
    leaf.expire_timers()
    driver.stage(CHANGE, OTHER)
    assert list(leaf.files) == [f"{OTHER}.cfg"]


def test_a_release_without_the_timer_is_refused_before_any_line(driver, leaf):
    assert driver.missing_timer() == ""
    leaf.has_commit_delay = False
    before = leaf.text
    assert "no `configuration commit delay`: % Unrecognized command" in driver.missing_timer()
    driver.stage(CHANGE, TOKEN)
    with pytest.raises(RefusedError, match="nothing would roll back an unconfirmed change"):
        driver.commit(CHANGE, TOKEN, 60)
    assert leaf.text == before
    driver.rollback(TOKEN)
    assert leaf.files == {}


def test_asking_for_the_timer_does_not_touch_one_that_runs(driver, leaf):
    before = leaf.text
    driver.stage(CHANGE, TOKEN)
    driver.commit(CHANGE, TOKEN, 60)
    assert driver.missing_timer() == ""
    assert leaf.armed
    leaf.expire_timers()
    assert leaf.text == before


def test_without_the_timer_a_change_can_be_confirmed_and_taken_back(driver, leaf):
    leaf.has_commit_delay = False
    before = leaf.text
    driver.stage(CHANGE, TOKEN)
    driver.commit(CHANGE, TOKEN, 0)
    assert not leaf.armed
    driver.rollback(TOKEN)
    assert leaf.text == before
    driver.stage(CHANGE, TOKEN)
    driver.commit(CHANGE, TOKEN, 0)
    driver.confirm(TOKEN)
    assert leaf.text != before
    assert "rocefab-" not in leaf.text


@pytest.mark.parametrize("line", [" sysnames x", " port access vlan 999", " qos wfq cs6 group sp"])
def test_a_refused_line_undoes_the_others(driver, leaf, line):
    before = leaf.text
    lines = f"interface HundredGigE1/0/1\n description x\n{line}\nvlan 8\n"
    driver.stage(CHANGE, TOKEN)
    with pytest.raises(RefusedError, match=line.strip()):
        driver.commit(LinePatch(lines), TOKEN, 60)
    assert leaf.text == before
    assert not leaf.armed


def test_a_question_that_nobody_foresaw_is_answered_with_no(driver, leaf):
    leaf.files["old.cfg"] = "kept"
    with pytest.raises(RefusedError, match="asks an unexpected question"):
        driver._terminal.checked("delete /unreserved old.cfg")
    assert leaf.files["old.cfg"] == "kept"


def test_the_prompt_may_change_its_name(driver, leaf):
    driver.stage(CHANGE, TOKEN)
    driver.commit(LinePatch("sysname another\nvlan 8\n"), TOKEN, 60)
    assert driver.identify().hostname == "another"
    driver.rollback(TOKEN)
    assert driver.identify().hostname == labs.LEAF


@pytest.mark.parametrize("text", ["<another>", "[another-vlan7]", "Continue? [Y/N]:", "% no", "#x"])
def test_descriptions_that_look_like_something_else(driver, leaf, text):
    leaf.hand_edit(f"interface HundredGigE1/0/1\ndescription {text}")
    assert f"description {text}" in read_running(driver, []).canonical


@pytest.mark.fault(26)
def test_a_way_back_that_is_not_whole_is_told(driver, leaf, monkeypatch):
    driver.stage(CHANGE, TOKEN)
    driver.commit(CHANGE, TOKEN, 60)
    become = leaf.become
    monkeypatch.setattr(leaf, "become", lambda text: become(text.replace("ssh server enable", "")))
    with pytest.raises(DeviceError, match="not all came back"):
        driver.rollback(TOKEN)
    assert f"{TOKEN}.cfg" in leaf.files


def test_secrets_of_a_refused_line_are_hidden(driver, leaf):
    line = "local-user x class manage\n password hash $h$6$HUNTER2 extra\n"
    driver.stage(CHANGE, TOKEN)
    with pytest.raises(RefusedError) as caught:
        driver.commit(LinePatch(line), TOKEN, 60)
    assert "HUNTER2" not in str(caught.value)


@pytest.mark.parametrize("kind", ["cut_at_command", "reboot"])
@pytest.mark.fault(1, 2)
def test_a_lost_session(login, leaf, kind):
    driver = login()
    leaf.faults.add(Fault(kind, pattern="display interface", seconds=0.2))
    with pytest.raises(ConnectionLostError):
        driver.read_state(["interfaces"])


@pytest.mark.parametrize("changes", [{"password": "wrong"}, {"trust": "ssh-ed25519 AAAAC3Nz"}])
@pytest.mark.fault(14, 15)
def test_login_is_refused(login, changes):
    with pytest.raises(ConnectionLostError) as caught:
        login(**changes)
    assert PASSWORD not in str(caught.value)


@pytest.mark.parametrize(
    ("text", "is_one"),
    [
        (" ^\n % Unrecognized command found at '^' position.\n", True),
        ("Error: The VLAN does not exist.\n", True),
        ("Failed to set the mode.\n", True),
        ("", False),
        ("Edge port should only be connected to terminal. Please use it carefully.\n", False),
        ("%Nov 20 10:00:00:000 2026 leaf1 IFNET/3/PHY_UPDOWN: up\n", False),
    ],
)
@pytest.mark.fault(18)
def test_refusals(text, is_one):
    assert bool(refusal(text)) is is_one
