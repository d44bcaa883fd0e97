"""The driver of Enterprise SONiC on the lab: each quirk that its first lines name."""

from __future__ import annotations

import pytest

from fabric.core.errors import ConnectionLostError, DeviceError, RefusedError
from fabric.devices.candidate import LinePatch
from fabric.lab.faults import Fault
from fabric.lab.lab import Lab
from fabric.lab.spec import Neighbour, StandInSpec
from fabric.observe import read_running, read_snapshot
from fabric.observe.state import LldpNeighbour
from fabric.systems.esonic import drivers as esonic

PASSWORD = "hunter2-of-the-lab"
TOKEN = "rocefab-run-1-1-aa"
RUNNING = """\
hostname leaf1
username admin password $6$HUNTER2 role admin
buffer init lossless
qos wred-policy ROCE
 ecn all
 green minimum-threshold 150 maximum-threshold 1500 drop-probability 100
interface Vlan101
 ip address 10.64.0.1/24
interface Loopback0
 ip address 10.255.0.1/32
interface Ethernet0
 description "two words"
 switchport access Vlan 101
 queue 3 wred-policy ROCE
 priority-flow-control priority 3
 priority-flow-control watchdog on detect-time 400
 no shutdown
interface Ethernet8
 ip address 10.254.0.1/31
 no shutdown
router bgp 65101
 router-id 10.255.0.1
 neighbor 10.254.0.0
  remote-as 65100
  description spine1
"""
CHANGE = LinePatch(
    "interface Ethernet 0\n description new\nqos scheduler-policy ROCE\n queue 6\n"
    "  type strict\n queue 0\n  type dwrr\n  weight 50\ninterface Ethernet 8\n mtu 9216\n",
    rollback='interface Ethernet 0\n description "two words"\ninterface Ethernet 8\n mtu 9100\n'
    "no qos scheduler-policy ROCE\n",
)


@pytest.fixture
def lab():
    spec = StandInSpec(
        name="leaf1",
        platform="esonic",
        username="admin",
        password=PASSWORD,
        mac="02:00:00:00:00:01",
        serial="TH0001",
        model="Z9332F-ON",
        running=RUNNING,
        neighbours=(Neighbour("Ethernet8", "spine1", "Eth1/1"),),
        options={"ports": "Ethernet0,Ethernet8"},
    )
    with Lab([spec]) as running:
        yield running


@pytest.fixture
def leaf(lab):
    return lab["leaf1"]


def committed(driver, candidate=CHANGE):
    driver.stage(candidate, TOKEN)
    driver.commit(candidate, TOKEN, 60)


def test_identity(driver):
    identity = driver.identify()
    found = (identity.hostname, identity.serial, identity.mac)
    assert found == ("leaf1", "TH0001", "02:00:00:00:00:01")


@pytest.mark.fault(14)
def test_wrong_password_leaves_no_session(login):
    with pytest.raises(ConnectionLostError, match="cannot log in"):
        login(password="wrong")


def test_running_configuration_and_what_is_saved(driver, leaf):
    running = read_running(driver, [])
    assert "username admin password $6$HUNTER2" in running.config
    assert ' description "two words"\n' in running.config
    assert running.saved is True
    leaf.hand_edit("ntp server 192.0.2.1")
    assert read_running(driver, []).saved is False


def test_every_reading_of_the_lab_parses(driver, leaf):
    leaf.counters.add("Ethernet0", "SAI_PORT_STAT_PFC_3_RX_PKTS", 17)
    leaf.counters.storm("Ethernet0", 3)
    seen = read_snapshot(driver)
    assert seen.unknown == ()
    assert seen.lldp == {"Ethernet8": (LldpNeighbour("spine1", "Eth1/1", "Eth1/1"),)}
    assert seen.bgp["10.254.0.0"].established
    assert seen.pfc_priorities["Ethernet0"] == (3,)
    assert seen.pfc_counters["Ethernet0"].received[3] == 17
    assert seen.watchdog["Ethernet0", 3].storms_detected == 1
    assert seen.ecn_profiles["ROCE"].kmax_bytes == 1_500_000
    assert seen.interfaces["Ethernet8"].mtu_bytes == 9100


def test_sections_are_opened_and_left(driver, leaf):
    """As deep as the lines say; the database below has the change too."""
    committed(driver)
    text = leaf.running_text
    assert " queue 0\n  type dwrr\n  weight 50\n !\n queue 6\n  type strict\n" in text
    assert leaf.table("PORT")["Ethernet8"]["mtu"] == "9216"
    assert leaf.table("PORT")["Ethernet0"]["description"] == "new"


def test_change_is_saved_only_after_its_confirmation(driver, leaf):
    committed(driver)
    assert "description new" not in leaf.startup_text
    assert driver.pending(TOKEN)
    driver.confirm(TOKEN)
    assert not driver.pending(TOKEN)
    driver.save()
    assert leaf.startup_text == leaf.running_text


def test_another_process_finds_and_confirms_it(driver, login):
    committed(driver)
    driver.close()
    other = login()
    assert other.pending(TOKEN)
    assert list(other.foreign_sessions()) == [TOKEN]
    other.confirm(TOKEN)
    assert list(other.foreign_sessions()) == []


def test_timer_gets_time_for_the_lines_and_takes_them_back(driver, lab, leaf):
    before, restarts = leaf.running_text, leaf.restarts
    lab.clock.stop()
    committed(driver)
    lab.clock.advance(64)
    assert driver.pending(TOKEN)
    lab.clock.advance(2)
    assert not driver.pending(TOKEN)
    assert leaf.running_text == before
    assert leaf.restarts == restarts + 1
    with pytest.raises(DeviceError, match="already run out"):
        driver.confirm(TOKEN)


def test_going_back_by_lines_restarts_nothing(driver, leaf):
    before, restarts = leaf.running_text, leaf.restarts
    committed(driver)
    driver.rollback(TOKEN)
    assert (leaf.running_text, leaf.restarts) == (before, restarts)
    assert not driver.pending(TOKEN)
    with pytest.raises(DeviceError, match="already run out"):
        driver.confirm(TOKEN)


@pytest.mark.parametrize("how", ["a line is refused", "somebody else changed something"])
def test_where_lines_do_not_lead_back_the_database_is_loaded(driver, leaf, how):
    before, restarts = leaf.running_text, leaf.restarts
    committed(driver)
    if how == "a line is refused":
        leaf.faults.add(Fault("refuse_line", pattern="^mtu 9100"))
    else:
        leaf.hand_edit("ntp server 192.0.2.99")
    driver.rollback(TOKEN)
    assert (leaf.running_text, leaf.restarts) == (before, restarts + 1)
    assert not driver.pending(TOKEN)


def test_staged_change_is_forgotten_without_a_restart(driver, leaf):
    before, restarts = leaf.running_text, leaf.restarts
    driver.stage(CHANGE, TOKEN)
    assert leaf.running_text == before
    driver.rollback(TOKEN)
    assert (leaf.running_text, leaf.restarts) == (before, restarts)


@pytest.mark.fault(18, 22)
def test_refused_line_ends_the_change_and_hides_the_secret(driver, leaf):
    before = leaf.running_text
    patch = "ntp server 192.0.2.9\nusername eve password HUNTER2 secret\nntp server 192.0.2.8\n"
    candidate = LinePatch(patch, rollback="no ntp server 192.0.2.9\n")
    driver.stage(candidate, TOKEN)
    with pytest.raises(RefusedError) as caught:
        driver.commit(candidate, TOKEN, 60)
    assert "HUNTER2" not in f"{caught.value!r} {caught.value.__cause__!r}"
    assert "192.0.2.9" in leaf.running_text
    assert "192.0.2.8" not in leaf.running_text
    driver.rollback(TOKEN)
    assert leaf.running_text == before


@pytest.mark.parametrize(
    "text",
    [
        "% Error: Transaction failure\n",
        "%Error: no\n",
        "Syntax error: Illegal command line\n",
        "              ^\n% Error: Illegal parameter.\n",
        "Error: Invalid VLAN:\n",
        "Incomplete command\n",
    ],
)
@pytest.mark.fault(18)
def test_words_of_refusal_are_known(driver, leaf, text):
    leaf.faults.add(Fault("refuse_line", pattern="^description", text=text))
    driver.stage(CHANGE, TOKEN)
    with pytest.raises(RefusedError, match="'description new': "):
        driver.commit(CHANGE, TOKEN, 60)


def test_a_question_is_answered_with_no(driver, leaf):
    """What needs a confirmation is nothing that we may do."""
    fault = Fault("refuse_line", pattern="^description", text="Do you want this? [y/N]: ")
    leaf.faults.add(fault)
    driver.stage(CHANGE, TOKEN)
    leaf.faults.add(Fault("refuse_line", pattern="^n$", text="Aborted\n"))
    with pytest.raises(RefusedError, match="asks before it does this"):
        driver.commit(CHANGE, TOKEN, 60)


def test_a_section_that_does_not_open_is_noticed(driver, leaf):
    leaf.faults.add(Fault("refuse_line", pattern="^interface Ethernet 0", text="\n"))
    driver.stage(CHANGE, TOKEN)
    with pytest.raises(RefusedError, match="no section for 'description new'"):
        driver.commit(CHANGE, TOKEN, 60)


def test_a_lost_session_is_a_lost_connection(driver, leaf, login):
    before = leaf.running_text
    driver.stage(CHANGE, TOKEN)
    leaf.faults.add(Fault("cut_at_command", pattern="^type strict"))
    with pytest.raises(ConnectionLostError):
        driver.commit(CHANGE, TOKEN, 60)
    other = login()
    assert other.pending(TOKEN)
    other.rollback(TOKEN)
    assert leaf.running_text == before


def test_without_a_timer_nothing_is_sent(driver, leaf):
    before = leaf.running_text
    driver.stage(CHANGE, TOKEN)
    leaf.faults.add(Fault("refuse_line", pattern="systemctl enable"))
    with pytest.raises(RefusedError):
        driver.commit(CHANGE, TOKEN, 60)
    assert leaf.running_text == before


BROKEN_OUT = LinePatch(
    "interface breakout port 1/2 mode 2x200G\ninterface Ethernet 12\n mtu 9216\n",
    rollback="no interface breakout port 1/2\ninterface Ethernet 8\n ip address 10.254.0.1/31\n"
    " no shutdown\n",
)
UNDER_WAY = "1/2   2x200G         InProgress     \n"


def test_ports_that_a_breakout_makes_are_waited_for(driver, leaf, monkeypatch):
    """Lines for them come when the table says that they are there."""
    monkeypatch.setattr(esonic, "_POLL_S", 0.01)
    leaf.faults.add(Fault("refuse_line", "show interface breakout", times=2, text=UNDER_WAY))
    committed(driver, BROKEN_OUT)
    assert "interface Ethernet12\n mtu 9216\n speed 200000\n" in leaf.running_text
    assert "ip address 10.254.0.1/31" not in leaf.running_text
    driver.rollback(TOKEN)
    assert "interface Ethernet8\n mtu 9100\n" in leaf.running_text
    assert "interface Ethernet12\n" not in leaf.running_text


def test_ports_that_never_come_end_the_change(driver, leaf, monkeypatch):
    """The reason is told."""
    monkeypatch.setattr(esonic, "_POLL_S", 0.01)
    monkeypatch.setattr(esonic, "_PORTS_S", 0.05)
    leaf.faults.add(Fault("refuse_line", "show interface breakout", times=0, text=UNDER_WAY))
    with pytest.raises(RefusedError, match=r"not there in time: 1/2 2x200G InProgress"):
        committed(driver, BROKEN_OUT)
