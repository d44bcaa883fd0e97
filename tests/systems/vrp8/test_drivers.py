"""The driver of VRP8 on the lab: each quirk of the system and of netmiko."""

from __future__ import annotations

import time

import pytest

from fabric.core.errors import ConnectionLostError, RefusedError
from fabric.devices.candidate import LinePatch
from fabric.devices.driver import Connection
from fabric.lab.faults import Fault
from fabric.lab.lab import Lab
from fabric.lab.wiring import specs, wire
from fabric.observe import read_running, read_snapshot
from fabric.observe.state import EcnState, MacEntry
from fabric.render import render_device
from fabric.systems.vrp8.drivers.cli import Vrp8CommandLine
from fabric.workflow.project import Project
from tests.change import labs

PASSWORD = "hunter2-of-the-lab"
TOKEN, OTHER = "rocefab-run-1-1-aa", "rocefab-run-1-2-bb"
MTU = LinePatch("interface 100GE1/0/2\n description new\narp timeout 600\n")


@pytest.fixture
def project(tmp_path):
    return Project(labs.write_inventory(tmp_path / "inventory", labs.VRP8))


@pytest.fixture
def lab(project):
    with Lab(specs(project.devices, project.hosts, PASSWORD)) as running:
        wire(running, project.devices)
        yield running


@pytest.fixture
def leaf(lab):
    return lab[labs.LEAF]


def test_identity(driver, leaf):
    found = driver.identify()
    assert (found.hostname, found.serial, found.mac) == (labs.LEAF, leaf.spec.serial, leaf.spec.mac)


@pytest.mark.fault(14, 15)
def test_a_wrong_password_or_host_key_is_refused(login, lab):
    with pytest.raises(ConnectionLostError, match="cannot log in"):
        login(password="wrong")
    with pytest.raises(ConnectionLostError, match="cannot log in"):
        login(trust=lab[labs.SPINE].trust)


def test_running_and_saved(driver, leaf):
    assert read_running(driver, []).saved is True
    leaf.hand_edit("arp timeout 500")
    found = read_running(driver, [])
    assert found.saved is False
    assert "arp timeout 500\n" in found.canonical


def test_before_anything_is_switched_on_there_is_nothing_to_read(driver):
    found = read_snapshot(driver)
    assert found.unknown == ()
    assert (found.bgp, found.lldp, found.bfd) == ({}, {}, {})
    assert set(found.pfc_priorities.values()) == {()}


def test_every_reading_is_understood(driver, leaf, lab, project):
    for name in (labs.LEAF, labs.SPINE):
        lab[name].hand_edit(render_device(project.devices[name])[0].text)
    leaf.hand_edit("bfd\nbgp 65101\n peer 10.254.0.0 bfd enable single-hop-prefer")
    counted = leaf.count("100GE1/0/17")
    counted.pause_sent[3], counted.marked, counted.drops[0] = 7, 9, 2
    found = read_snapshot(driver)
    assert found.unknown == ()
    assert found.facts.model == "CE8855-32CQ4BQ"
    assert found.interfaces["100GE1/0/17"].up is True
    assert found.interfaces["100GE1/0/17"].mtu_bytes == 9100
    assert found.interfaces["100GE1/0/17"].counters["out_ecn_marked_packets"] == 9
    assert found.interfaces["100GE1/0/2"].enabled is False
    assert found.bgp["10.254.0.0"].established is True
    assert found.bfd == {"10.254.0.0": True}
    assert found.lldp["100GE1/0/17"][0].system_name == labs.SPINE
    assert found.pfc_priorities["100GE1/0/17"] == (3,)
    assert found.pfc_counters["100GE1/0/17"].sent[3] == 7
    assert found.watchdog["100GE1/0/17", 3].storms_detected == 0
    assert found.ecn["100GE1/0/17", 3] == EcnState(150_000, 1_500_000, 100.0)
    assert found.queues["100GE1/0/17", 0].dropped_packets == 2
    assert found.neighbours["10.254.0.0"].interface == "100GE1/0/17"
    assert found.macs == (MacEntry(101, "02:00:00:00:00:01", "100GE1/0/1", 30.0),)


def test_staging_changes_nothing_and_committing_goes_back_by_itself(driver, leaf, lab):
    before = leaf.running_text
    driver.stage(MTU, TOKEN)
    assert leaf.running_text == before
    assert driver.pending(TOKEN) is False
    driver.commit(MTU, TOKEN, 100)
    assert "arp timeout 600" in leaf.running_text
    assert driver.pending(TOKEN) is True
    assert driver.pending(OTHER) is False
    assert driver.foreign_sessions() == [TOKEN]
    lab.clock.advance(101)
    assert leaf.running_text == before
    assert driver.pending(TOKEN) is False
    with pytest.raises(RefusedError, match="timer has already run out"):
        driver.confirm(TOKEN)


@pytest.mark.parametrize(("asked_s", "given_s"), [(5, 60), (60, 60), (99_999, 65_535)])
def test_times_are_those_that_the_switch_takes(driver, leaf, lab, asked_s, given_s):
    lab.clock.stop()
    driver.stage(MTU, TOKEN)
    driver.commit(MTU, TOKEN, asked_s)
    lab.clock.advance(given_s - 5)
    assert driver.pending(TOKEN) is True
    lab.clock.advance(6)
    assert driver.pending(TOKEN) is False
    assert leaf.state.trial is None


def test_another_process_confirms(login, leaf, lab):
    first = login()
    first.stage(MTU, TOKEN)
    first.commit(MTU, TOKEN, 60)
    first.close()
    second = login()
    assert second.pending(TOKEN) is True
    second.confirm(TOKEN)
    second.save()
    lab.clock.advance(100)
    assert "arp timeout 600" in leaf.startup_text


def test_another_process_takes_it_back(login, leaf):
    before = leaf.running_text
    first = login()
    first.stage(MTU, TOKEN)
    first.commit(MTU, TOKEN, 60)
    first.close()
    second = login()
    second.rollback(TOKEN)
    assert leaf.running_text == before
    second.rollback(TOKEN)  # there is nothing left to do


def test_a_candidate_is_forgotten(driver, leaf):
    before = leaf.running_text
    driver.stage(MTU, TOKEN)
    driver.rollback(TOKEN)
    other = LinePatch("mac-address aging-time 600\n")
    driver.stage(other, OTHER)
    driver.commit(other, OTHER, 60)
    assert "mac-address aging-time 600" in leaf.running_text
    assert "arp timeout 600" not in leaf.running_text
    driver.rollback(OTHER)
    assert leaf.running_text == before


def test_a_refused_line_leaves_no_candidate(driver, leaf):
    before = leaf.running_text
    wrong = LinePatch("arp timeout 600\nqos ecn enable\n")
    with pytest.raises(RefusedError, match="'qos ecn enable': Error: Unrecognized command"):
        driver.stage(wrong, TOKEN)
    driver.stage(MTU, TOKEN)
    assert "600" in driver._terminal.run("display configuration candidate changes")
    driver.commit(MTU, TOKEN, 60)
    driver.rollback(TOKEN)
    assert leaf.running_text == before


def test_each_line_is_given_in_its_own_view(driver, leaf):
    """`arp timeout` exists in a routed port too; `bfd` opens a view without a line in it."""
    leaf.hand_edit("interface 100GE1/0/3\n undo portswitch")
    lines = (
        "interface 100GE1/0/3\n mtu 2000\nbfd\narp timeout 600\nbgp 65101\n router-id 10.0.0.1\n"
    )
    lines += " ipv4-family unicast\n  network 10.0.0.1 255.255.255.255\n router-id 10.0.0.2\n"
    candidate = LinePatch(f"{lines}mac-address aging-time 600\n")
    driver.stage(candidate, TOKEN)
    driver.commit(candidate, TOKEN, 60)
    text = leaf.running_text
    assert "interface 100GE1/0/3\n undo portswitch\n mtu 2000\n#" in text
    assert "#\narp timeout 600\n#\nmac-address aging-time 600\n#\n" in text
    assert " router-id 10.0.0.2\n #\n ipv4-family unicast\n  network 10.0.0.1" in text


def test_a_question_mark_is_never_sent(driver, leaf):
    with pytest.raises(RefusedError, match="question mark"):
        driver.stage(LinePatch("interface 100GE1/0/3\n description x?\n"), TOKEN)
    driver.stage(MTU, TOKEN)


def test_lines_that_ask_are_answered_before_they_are_in_force(driver, leaf):
    candidate = LinePatch("dcb pfc global disable\n")
    driver.stage(candidate, TOKEN)
    assert "global disable" not in leaf.running_text
    driver.commit(candidate, TOKEN, 60)
    assert "dcb pfc global disable" in leaf.running_text


def test_an_unexpected_question_is_answered_with_no(driver, leaf):
    before = leaf.startup_text
    leaf.hand_edit("arp timeout 700")
    with pytest.raises(RefusedError, match="'save': Warning: "):
        driver._terminal.run("save")
    assert leaf.startup_text == before


def test_preview_is_the_switch_s_own_and_leaves_nothing(driver, leaf):
    assert "+arp timeout 600" in driver.preview(MTU)
    driver.stage(LinePatch("lldp enable\n"), TOKEN)
    driver.commit(MTU, TOKEN, 60)
    assert "arp timeout" not in leaf.running_text


@pytest.mark.fault(12)
def test_a_trial_of_somebody_else_is_in_the_way(login, driver, leaf):
    other = login()
    other.stage(MTU, OTHER)
    other.commit(MTU, OTHER, 60)
    assert driver.foreign_sessions() == [OTHER]
    with pytest.raises(RefusedError, match=f"in the way: {OTHER}"):
        driver.stage(MTU, TOKEN)


def test_a_commit_that_is_refused_changes_nothing(driver, leaf):
    before = leaf.running_text
    driver.stage(MTU, TOKEN)
    leaf.faults.add(Fault("refuse_line", pattern="^commit", text="Error: Locked by another user."))
    with pytest.raises(RefusedError, match="Locked by another user"):
        driver.commit(MTU, TOKEN, 60)
    assert leaf.running_text == before
    assert driver.pending(TOKEN) is False


def test_a_change_of_the_name_changes_the_prompt(driver, leaf):
    candidate = LinePatch("sysname other-name\n")
    driver.stage(candidate, TOKEN)
    driver.commit(candidate, TOKEN, 60)
    assert driver.identify().hostname == "other-name"
    driver.rollback(TOKEN)
    assert driver.identify().hostname == labs.LEAF


def test_a_save_that_is_refused_is_told(driver, leaf):
    leaf.faults.add(Fault("refuse_line", pattern="^save", text="Error: The flash is full."))
    with pytest.raises(RefusedError, match="flash is full"):
        driver.save()


@pytest.mark.fault(22)
def test_secrets_are_not_in_errors(driver):
    lines = "bgp 65101\n peer 10.0.0.1 password cipher HUNTER2\n"
    with pytest.raises(RefusedError) as caught:
        driver.stage(LinePatch(lines), TOKEN)
    assert "password ***" in str(caught.value)
    assert "HUNTER2" not in repr(caught.value)


class Channel:
    """A session whose answers come in the given pieces."""

    def __init__(self, *pieces):
        self.pieces = list(pieces)
        self.remote_conn = self

    def write_channel(self, _text):
        """Take a command."""

    def gettimeout(self):
        return 20.0

    def settimeout(self, _timeout_s):
        """Nothing waits here."""

    def recv(self, _most):
        if not (piece := self.pieces.pop(0) if self.pieces else ""):
            raise TimeoutError
        return piece.encode()


def test_a_line_that_looks_like_a_prompt_is_none():
    cli = Vrp8CommandLine(Connection("leaf1", "vrp8", "", 0, ""))
    cli._names.add("leaf1")
    cli._session = Channel("display x\r\nfirst\r\n[other]", "\r\nlast\r\n<leaf1>", "")
    assert cli.run("display x") == "first\n[other]\nlast\n"
    cli._session = Channel("save\r\nSure? [Y/N]:", "y\r\ndone successfully\r\n<leaf1>")
    assert "done successfully" in cli.run("save", answer="y")


def test_a_lost_session_is_noticed_at_once(driver, leaf):
    leaf.faults.add(Fault("cut_at_command", pattern="saved-configuration"))
    begin_s = time.monotonic()
    with pytest.raises(ConnectionLostError, match="lost during 'display saved-configuration'"):
        driver.read_running([])
    assert time.monotonic() - begin_s < 5
    driver.close()
    with pytest.raises(ConnectionLostError, match="no session"):
        driver.identify()


@pytest.mark.fault(1, 17)
def test_a_cut_output_is_lost_and_not_half_read(driver, leaf):
    leaf.faults.add(Fault("cut_at_byte", pattern="current-configuration$", count=300))
    with pytest.raises(ConnectionLostError):
        driver.read_running([])


def test_tokens_are_checked(driver):
    with pytest.raises(ValueError, match="not a change token"):
        driver.stage(MTU, "x; return")
