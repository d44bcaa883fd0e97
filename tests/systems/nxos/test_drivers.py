"""The NX-OS driver on the lab: each quirk that its first lines name."""

from __future__ import annotations

import pytest

from fabric.core.errors import ConnectionLostError, DeviceError, RefusedError
from fabric.devices.candidate import LinePatch
from fabric.lab.faults import Fault
from fabric.lab.lab import Lab
from fabric.lab.spec import Neighbour, StandInSpec
from fabric.observe import read_running, read_snapshot
from fabric.observe.state import LldpNeighbour
from fabric.systems.nxos.drivers import batches
from fabric.systems.nxos.lab.config import text_lines
from fabric.systems.nxos.lab.state import NxosState

PASSWORD = "hunter2-of-the-lab"
TOKEN = "rocefab-run-1-1-aa"
RUNNING = """\
hostname leaf1
feature nxapi
feature scheduler
username admin password 5 $5$HUNTER2 role network-admin
interface Ethernet1/1
  description old
"""
CHANGE = LinePatch("interface Ethernet1/1\n  description new\n")


@pytest.fixture
def lab():
    spec = StandInSpec(
        name="leaf1",
        platform="nxos",
        username="admin",
        password=PASSWORD,
        mac="02:00:00:00:00:01",
        serial="FDO1",
        model="N9K-C9332D-GX2B",
        running=RUNNING,
        neighbours=(Neighbour("Ethernet1/1", "spine-with-a-very-long-name", "Ethernet1/7"),),
        options={"ports": "Ethernet1/1,Ethernet1/2"},
    )
    with Lab([spec]) as running:
        yield running


@pytest.fixture
def leaf(lab):
    return lab["leaf1"]


def committed(driver, candidate=CHANGE, token=TOKEN):
    driver.stage(candidate, token)
    driver.commit(candidate, token, 60)


def config(driver):
    return read_running(driver, []).config


def test_identity(driver):
    identity = driver.identify()
    assert (identity.hostname, identity.serial) == ("leaf1", "FDO1")
    assert identity.mac == "02:00:00:00:00:01"


def test_readings_of_features_that_are_off_are_empty_and_not_unknown(driver, leaf):
    seen = read_snapshot(driver)
    assert (seen.bgp, seen.lldp, seen.bfd) == ({}, {}, {})
    assert seen.raw["bgp"] == "feature bgp is off\n"
    assert seen.facts is not None
    assert seen.facts.hostname == "leaf1"
    leaf.hand_edit("feature lldp")
    neighbour = LldpNeighbour("spine-with-a-very-long-name", "Ethernet1/7")
    assert read_snapshot(driver).lldp == {"Ethernet1/1": (neighbour,)}
    leaf.faults.add(Fault("refuse_line", pattern="show lldp"))
    assert "lldp" in read_snapshot(driver).unknown


def test_every_reading_of_the_lab_parses(driver, leaf):
    leaf.hand_edit("feature bgp\nfeature lldp\nfeature bfd\nrouter bgp 65001\nneighbor 10.0.0.1\n"
                   "remote-as 65002\nbfd")  # fmt: skip
    leaf.count("Ethernet1/1").pause_received[3] = 17
    leaf.count("Ethernet1/1").drops[0] = 4
    seen = read_snapshot(driver)
    assert set(seen.unknown) <= {"watchdog"}  # no queue is lossless here
    assert seen.pfc_counters["Ethernet1/1"].received[3] == 17
    assert seen.queues[("Ethernet1/1", 0)].dropped_packets == 4
    assert seen.bfd == {"10.0.0.1": False}
    assert seen.interfaces["Ethernet1/1"].description == "old"


def test_change_is_saved_only_after_its_confirmation(driver, leaf):
    committed(driver)
    assert "description new" in leaf.running_text
    assert "description new" not in leaf.startup_text
    driver.confirm(TOKEN)
    assert not driver.pending(TOKEN)
    driver.save()
    assert leaf.startup_text == leaf.running_text
    assert "rocefab-" not in leaf.running_text
    assert leaf.state.checkpoints == {}


def test_checkpoint_holds_the_schedule_that_goes_back_to_it(driver, leaf):
    committed(driver)
    kept = "\n".join(text_lines(leaf.state.checkpoints[TOKEN]))
    assert f"scheduler schedule name {TOKEN}" in kept
    assert f"rollback running-config checkpoint {TOKEN}" in kept
    assert "description new" not in kept


def test_another_process_finds_and_confirms_it(driver, login):
    committed(driver)
    driver.close()
    other = login()
    assert other.pending(TOKEN)
    assert list(other.foreign_sessions()) == [TOKEN]
    other.confirm(TOKEN)
    assert list(other.foreign_sessions()) == []


def test_rollback_takes_it_back_and_cleans_up(driver, leaf):
    before = leaf.running_text
    committed(driver)
    driver.rollback(TOKEN)
    assert leaf.running_text == before
    assert leaf.state.checkpoints == {}
    with pytest.raises(RefusedError, match="no change"):
        driver.rollback(TOKEN)


@pytest.mark.fault(4)
def test_timer_takes_it_back(driver, lab, leaf):
    before = config(driver)
    lab.clock.stop()
    committed(driver)
    lab.clock.advance(119)
    assert driver.pending(TOKEN)
    lab.clock.advance(2)
    assert not driver.pending(TOKEN)
    assert config(driver) == before
    with pytest.raises(RefusedError, match="already run out"):
        driver.confirm(TOKEN)
    assert list(driver.foreign_sessions()) == []
    driver.stage(CHANGE, "rocefab-run-2-1-bb")  # what the timer left goes away
    assert TOKEN not in leaf.running_text
    assert leaf.state.checkpoints == {}


def test_timer_that_runs_out_during_the_confirmation_is_seen(driver, leaf):
    committed(driver)
    leaf.faults.add(Fault("expire_timer", pattern="^no scheduler schedule"))
    with pytest.raises(RefusedError, match="during the confirmation"):
        driver.confirm(TOKEN)
    assert "description old" in leaf.running_text


def test_staged_change_is_forgotten(driver, leaf):
    before = leaf.running_text
    driver.stage(CHANGE, TOKEN)
    assert list(driver.foreign_sessions()) == [TOKEN]
    assert not driver.pending(TOKEN)
    driver.rollback(TOKEN)
    assert leaf.running_text == before


def test_without_a_scheduler_nothing_is_changed(driver, leaf):
    leaf.hand_edit("no feature scheduler")
    before = leaf.running_text
    with pytest.raises(RefusedError, match="feature scheduler is off"):
        driver.stage(CHANGE, TOKEN)
    assert leaf.running_text == before
    assert list(driver.foreign_sessions()) == []


def test_schedule_that_is_not_armed_stops_the_change(driver, leaf):
    driver.stage(CHANGE, TOKEN)
    leaf.faults.add(Fault("accept_part", pattern="time start", count=1))
    with pytest.raises(RefusedError, match="did not arm"):
        driver.commit(CHANGE, TOKEN, 60)
    assert "description old" in leaf.running_text
    assert "rocefab-" not in leaf.running_text


@pytest.mark.fault(18, 22)
def test_refused_line_takes_everything_back_and_hides_the_secret(driver, leaf):
    before = leaf.running_text
    patch = "interface Ethernet1/1\n  description new\nusername eve password 9 HUNTER2 role x\n"
    candidate = LinePatch(patch)
    driver.stage(candidate, TOKEN)
    with pytest.raises(RefusedError) as caught:
        driver.commit(candidate, TOKEN, 60)
    assert "HUNTER2" not in repr(caught.value)
    assert caught.value.__cause__ is None
    assert leaf.running_text == before


@pytest.mark.parametrize("text", ["% Invalid\n", "ERROR: policy in use\n", "Rollback failed.\n"])
@pytest.mark.fault(18)
def test_refusals_that_come_as_results_are_seen(driver, leaf, text, monkeypatch):
    real = NxosState.checkpoint
    monkeypatch.setattr(NxosState, "checkpoint", lambda state, name: real(state, name) + text)
    driver.stage(CHANGE, TOKEN)
    with pytest.raises(RefusedError):
        driver.commit(CHANGE, TOKEN, 60)
    assert "description old" in leaf.running_text


def test_rollback_must_say_that_it_completed(driver, monkeypatch):
    committed(driver)
    monkeypatch.setattr(NxosState, "rollback", lambda *_: "Executing Rollback Patch\n")
    with pytest.raises(RefusedError, match="cannot roll back"):
        driver.rollback(TOKEN)
    assert driver.pending(TOKEN)  # the timer goes on


def test_no_room_for_a_checkpoint(driver, leaf):
    for number in range(10):
        leaf.state.checkpoint(f"theirs-{number}")
    before = leaf.running_text
    driver.stage(CHANGE, TOKEN)
    with pytest.raises(RefusedError, match="maximum number of checkpoints"):
        driver.commit(CHANGE, TOKEN, 60)
    assert leaf.running_text == before
    assert len(leaf.state.checkpoints) == 10


def test_timer_of_a_day(driver, monkeypatch):
    driver.stage(CHANGE, TOKEN)
    seen = []
    feed = NxosState.feed
    monkeypatch.setattr(
        NxosState,
        "feed",
        lambda state, editor, line: feed(state, editor, seen.append(line) or line),
    )
    driver.commit(CHANGE, TOKEN, 86_399)
    assert "time start +01:00:01" in seen
    driver.rollback(TOKEN)


@pytest.mark.fault(15, 22)
def test_certificate_is_pinned_and_errors_tell_no_secret(login, caplog, capfd):
    other = login().connection.trust.replace("A", "B", 1)
    for changes in ({"password": "hunter2-wrong"}, {"trust": ""}, {"port": 1}, {"trust": other}):
        with caplog.at_level(0), pytest.raises(ConnectionLostError) as caught:
            login(**changes)
        assert "hunter2" not in f"{caught.value!r}{caught.value.__cause__}"
    with pytest.raises(ConnectionLostError, match="takes a password"):
        login(password="")
    printed = capfd.readouterr()
    assert "hunter2" not in caplog.text + printed.out + printed.err


@pytest.mark.fault(1)
def test_a_cut_answer_is_a_lost_connection(driver, leaf):
    leaf.faults.add(Fault("cut_at_byte", pattern="show version", count=150))
    with pytest.raises(ConnectionLostError):
        driver.identify()
    assert driver.identify().hostname == "leaf1"


def test_foreign_name_is_no_token(driver):
    with pytest.raises(ValueError, match="not a change token"):
        driver.stage(CHANGE, "x; reload")


def test_closed_driver_closes_again(driver):
    driver.close()
    driver.close()
    with pytest.raises(DeviceError):
        driver.identify()


def test_batches_open_their_sections_again():
    lines = ["router bgp 1", *(f"  neighbor 10.0.0.{n}" for n in range(150))]
    found = list(batches(lines))
    assert [len(batch) for batch in found] == [100, 52]
    assert found[1][0] == "router bgp 1"
    assert sum(len(batch) for batch in found) == 152
    twofold = ["interface Ethernet1/1", "  shutdown", "priority-flow-control watch-dog-interval on"]
    assert [batch[0] for batch in batches(twofold)] == [twofold[0], twofold[2]]
