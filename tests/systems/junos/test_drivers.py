"""The Junos driver on the lab: each quirk that its first lines name, by NAPALM as it is."""

from __future__ import annotations

import pytest
from napalm import get_network_driver
from napalm.base.exceptions import CommitConfirmException, LockError
from ncclient.operations.rpc import RPCReply
from ncclient.transport import session
from ncclient.xml_ import NCElement

from fabric.core.errors import ConnectionLostError, DeviceError, RefusedError
from fabric.devices.candidate import LinePatch
from fabric.devices.driver import Connection
from fabric.lab.faults import Fault
from fabric.lab.lab import Lab
from fabric.lab.spec import Neighbour, StandInSpec
from fabric.observe import read_running, read_snapshot
from fabric.systems.junos.drivers import JunosDriver
from fabric.systems.junos.lab import JunosStandIn

PASSWORD = "hunter2-of-the-lab"
TOKEN, OTHER = "rocefab-run-1-1-aa", "rocefab-run-1-2-bb"
ADDED = "set system arp aging-timer 7\n"


class Design:
    """What a stand-in fresh from the box asks of a design."""

    name = "leaf1"


def wanted(lines=ADDED):
    return LinePatch(lines)


@pytest.fixture(scope="module")
def whole_lab():
    spec = StandInSpec(
        "leaf1", "junos", "admin", PASSWORD, "02:00:00:00:00:01", "SER1", "QFX5240-64OD",
        JunosStandIn.factory(Design, ""), (Neighbour("et-0/0/0", "spine1", "et-0/0/3"),),
        options={"ports": "et-0/0/0,et-0/0/1"},
    )  # fmt: skip
    with pytest.MonkeyPatch.context() as patch, Lab([spec]) as lab:
        patch.setattr(session, "TICK", 0.002)
        yield lab


@pytest.fixture
def switch(whole_lab):
    found = whole_lab["leaf1"]
    before = found.store.committed
    yield found
    found.faults.clear()
    found.store.owner = None
    found.store.expire()
    found.store.candidate = dict.fromkeys(before)
    found.store.commit()


@pytest.fixture
def driver(switch):
    """Return a function that opens a driver; keywords replace fields of the connection."""
    opened = []

    def made(**changes):
        fields = {
            "device": "leaf1",
            "platform": "junos",
            "address": switch.address,
            "port": switch.port,
            "username": "admin",
            "password": PASSWORD,
            "trust": switch.trust,
        }
        found = JunosDriver(Connection(**{**fields, **changes}))
        opened.append(found)
        found.open()
        return found

    yield made
    for found in opened:
        found.close()


def committed(leaf, token=TOKEN, timer_s=60, lines=ADDED):
    leaf.stage(wanted(lines), token)
    leaf.commit(wanted(lines), token, timer_s)


def test_who_answers(driver):
    found = driver().identify()
    assert (found.hostname, found.serial, found.mac) == ("leaf1", "SER1", "")


def test_state_is_read_and_understood(driver, switch):
    switch.hand_edit("set protocols lldp interface all\nset interfaces et-0/0/1 disable")
    switch.count("et-0/0/0").pfc_received[3] = 5
    switch.count("et-0/0/0").queue_drops[3] = 2
    found = read_snapshot(driver())
    assert found.unknown == ()
    assert found.facts.model == "qfx5240-64od"
    assert found.lldp["et-0/0/0"][0].system_name == "spine1"
    assert found.interfaces["et-0/0/1"].enabled is False
    assert found.interfaces["et-0/0/0"].up is True
    assert found.pfc_counters["et-0/0/0"].received[3] == 5
    assert found.queues["et-0/0/0", 3].dropped_packets == 2
    assert (found.bgp, found.neighbours, found.macs, found.pfc_priorities) == ({}, {}, (), {})


def test_one_question_for_all_that_the_ports_tell(driver, switch):
    leaf = driver()
    switch.faults.add(Fault("refuse_line", pattern="show interfaces extensive", nth=2))
    assert len(leaf.read_state(["interfaces", "pfc_counters", "queues"])) == 3


def test_timer_is_rounded_up_to_minutes(driver, switch):
    committed(driver(), timer_s=61)
    assert switch.store.history[0].comment == "commit confirmed, rollback in 2mins"


def test_a_commit_without_a_timer_does_not_wait(driver, switch):
    first = driver()
    committed(first, timer_s=0)
    for one in (first, driver()):
        assert not one.pending(TOKEN)
        assert list(one.foreign_sessions()) == []
    assert ADDED in switch.running_text


def test_another_process_finds_and_confirms_the_commit(driver, switch):
    committed(driver())
    other = driver()
    assert other.pending(TOKEN)
    assert not other.pending(OTHER)
    assert list(other.foreign_sessions()) == [TOKEN]
    other.confirm(TOKEN)
    assert not other.pending(TOKEN)
    assert switch.store.timer is None
    assert ADDED in switch.running_text


def test_release_that_does_not_tell_the_message(driver, switch, monkeypatch):
    monkeypatch.setattr(switch, "tells_log", False)
    leaf = driver()
    committed(leaf)
    assert leaf.pending(TOKEN)
    assert list(leaf.foreign_sessions()) == [TOKEN]
    other = driver()
    assert not other.pending(TOKEN)
    assert list(other.foreign_sessions()) == ["timed commit of admin"]
    leaf.confirm(TOKEN)
    assert not leaf.pending(TOKEN)
    assert switch.store.timer is None


def test_close_does_not_end_a_timed_commit(driver):
    leaf = driver()
    committed(leaf)
    leaf.close()
    assert driver().pending(TOKEN)


def test_close_forgets_what_is_staged(driver, switch):
    leaf = driver()
    leaf.stage(wanted(), TOKEN)
    assert list(leaf.foreign_sessions()) == [TOKEN]
    with pytest.raises(DeviceError, match="locked by"):
        driver().stage(wanted(), OTHER)
    leaf.close()
    assert (switch.store.owner, switch.store.changed) == (None, False)


def test_rollback_takes_a_timed_commit_back(driver, switch):
    before = switch.running_text
    committed(driver())
    driver().rollback(TOKEN)
    assert switch.running_text == before
    assert (switch.store.timer, switch.store.owner) == (None, None)


def test_rollback_after_the_timer_ran_out_does_not_bring_the_change_again(driver, switch):
    leaf, before = driver(), switch.running_text
    committed(leaf)
    switch.expire_timers()
    with pytest.raises(RefusedError, match="already run out"):
        leaf.rollback(TOKEN)
    assert switch.running_text == before


def test_rollback_of_what_is_staged(driver, switch):
    leaf = driver()
    leaf.stage(wanted(), TOKEN)
    leaf.rollback(TOKEN)
    assert list(leaf.foreign_sessions()) == []
    assert switch.store.owner is None


def test_confirmation_that_comes_too_late(driver, switch):
    leaf = driver()
    committed(leaf)
    switch.expire_timers()
    with pytest.raises(RefusedError, match="already run out"):
        leaf.confirm(TOKEN)
    assert ADDED not in switch.running_text


def test_timer_that_runs_out_during_the_confirmation_is_seen(driver, switch):
    leaf = driver()
    committed(leaf)
    switch.faults.add(Fault("expire_timer", pattern="^commit$"))
    with pytest.raises(DeviceError, match="ran out during the confirmation"):
        leaf.confirm(TOKEN)


def test_confirmation_does_not_commit_what_others_left(driver, switch):
    leaf = driver()
    committed(leaf)
    switch.foreign_edit("set system ntp server 203.0.113.9")
    with pytest.raises(RefusedError, match="configuration database modified"):
        leaf.confirm(TOKEN)
    assert "203.0.113.9" not in switch.running_text
    assert leaf.pending(TOKEN)
    assert sorted(leaf.foreign_sessions()) == [
        "changes in the candidate configuration that are not committed",
        TOKEN,
    ]


@pytest.mark.fault(12)
def test_timed_commit_of_somebody_else_is_named_and_not_confirmed(driver, switch):
    switch.store.load_set(ADDED)
    switch.store.commit(minutes=5, user="operator")
    leaf = driver()
    (found,) = leaf.foreign_sessions()
    assert found == "timed commit of operator"
    with pytest.raises(RefusedError, match="another commit waits"):
        leaf.stage(wanted("set system ntp server 192.0.2.1"), TOKEN)
    assert switch.store.timer is not None


@pytest.mark.parametrize(
    ("lines", "message"),
    [
        ("set system hostname x", "hostname"),
        ("delete system arp", "statement not found"),
        (
            "set class-of-service shared-buffer ingress buffer-partition lossy percent 7",
            "buffer partition percentages is 7",
        ),
        ('set system login user eve hunter2 password "HUNTER2"', "syntax error"),
    ],
)
def test_refusals_leave_nothing_behind(driver, switch, lines, message):
    leaf = driver()
    with pytest.raises(RefusedError, match=message) as caught:
        leaf.stage(wanted(lines), TOKEN)
    assert "HUNTER2" not in f"{caught.value!r}{caught.value.__cause__}"
    assert (switch.store.owner, switch.store.changed) == (None, False)
    assert list(leaf.foreign_sessions()) == []
    leaf.stage(wanted(), TOKEN)


def test_refused_commit_lets_lock_and_candidate_go(driver, switch):
    leaf = driver()
    leaf.stage(wanted(), TOKEN)
    switch.faults.add(Fault("refuse_line", pattern="commit confirmed", text="no room left"))
    with pytest.raises(RefusedError, match="no room left"):
        leaf.commit(wanted(), TOKEN, 60)
    assert (switch.store.owner, switch.store.changed) == (None, False)


def test_what_is_not_staged_is_not_committed(driver, switch):
    with pytest.raises(RefusedError, match="not staged"):
        driver().commit(wanted(), TOKEN, 60)
    assert len(switch.store.candidate) == len(switch.store.committed)


def test_preview_changes_nothing(driver, switch):
    before = switch.running_text
    assert "+  aging-timer 7;" in driver().preview(wanted()).replace("arp ", "")
    assert (switch.store.owner, switch.store.changed) == (None, False)
    assert switch.running_text == before


@pytest.mark.fault(1)
def test_lost_connection_is_no_refusal(driver, switch):
    leaf = driver()
    switch.faults.add(Fault("cut_at_command", pattern="show bgp"))
    with pytest.raises(ConnectionLostError):
        leaf.read_state(["bgp"])
    leaf.close()
    with pytest.raises(ConnectionLostError, match="no session"):
        leaf.identify()


@pytest.mark.fault(22)
def test_secrets_stay_out_of_errors_and_logs(driver, switch, caplog, capfd):
    wrong = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIP2DXM/0n+h8E3U/GPBHXoPgZbx1mW+qDKwvqTvJgH6x"
    for changes in ({"password": "hunter2-wrong"}, {"trust": wrong}, {"port": 1}):
        with caplog.at_level(0), pytest.raises(ConnectionLostError, match="log in") as caught:
            driver(**changes)
        assert "hunter2" not in f"{caught.value!r}{caught.value.__cause__}"
    with caplog.at_level(0):
        read_running(driver(), [])
    printed = capfd.readouterr()
    for secret in ("hunter2", "$6$lab$"):
        assert secret not in caplog.text + printed.out + printed.err


@pytest.mark.fault(15)
def test_host_key_is_checked_before_the_password_is_sent(driver, switch):
    tried = []
    original = switch.spec
    wrong = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIP2DXM/0n+h8E3U/GPBHXoPgZbx1mW+qDKwvqTvJgH6x"

    class Watched:
        def __getattr__(self, name):
            tried.append(name)
            return getattr(original, name)

    switch.spec = Watched()
    with pytest.raises(ConnectionLostError, match="Unknown host"):
        driver(trust=wrong)
    switch.spec = original
    assert "password" not in tried


def test_a_reply_is_as_ncclient_makes_it(driver):
    """By a stylesheet that is compiled once for a session, not for each reply."""
    device = driver()._napalm.device
    stylesheet = type(device._conn._device_handler).transform_reply(None)
    assert device.transform() is device.transform()
    body = "<a junos:b='1'>\n <c> d \u00e9 </c>\n <!-- e --><f/></a>"
    spaces = 'xmlns="urn:ietf:params:xml:ns:netconf:base:1.0" xmlns:junos="urn:j"'
    reply = RPCReply(f"<rpc-reply {spaces}>{body}</rpc-reply>")
    reply.parse()
    ours, theirs = (NCElement(reply, one) for one in (device.transform(), stylesheet))
    assert ours.data_xml == theirs.data_xml
    assert "<c> d" in ours.data_xml


# -- NAPALM as it is


@pytest.fixture
def napalm(switch):
    found = get_network_driver("junos")(
        switch.address, "admin", PASSWORD, optional_args={"port": switch.port}
    )
    found.device._look_for_keys = False
    found.open()
    yield found
    found.close()


def test_napalm_works_unchanged(napalm, switch):
    before = switch.running_text
    napalm.load_merge_candidate(config=ADDED)
    assert "+  " in napalm.compare_config()
    napalm.commit_config(revert_in=120)
    assert napalm.has_pending_commit()
    assert 100 < next(iter(napalm._get_pending_commits().values())) <= 120
    napalm.confirm_commit()
    assert not napalm.has_pending_commit()
    napalm.load_merge_candidate(config="delete system arp")
    napalm.commit_config()
    assert switch.running_text == before
    napalm.rollback()
    assert ADDED in switch.running_text
    assert napalm.get_config(retrieve="running")["running"].startswith("\nsystem {\n")


def test_napalm_replaces_by_a_hierarchy_and_not_by_lines(napalm, switch):
    whole = napalm.get_config(retrieve="running")["running"].replace("leaf1", "leaf2")
    napalm.load_replace_candidate(config=whole)
    napalm.commit_config()
    assert "set system host-name leaf2\n" in switch.running_text
    with pytest.raises(ValueError, match="overwrite"):
        napalm.load_replace_candidate(config=ADDED)
    napalm.discard_config()


def test_napalm_refuses_seconds_and_locks(napalm, switch):
    napalm.load_merge_candidate(config=ADDED)
    with pytest.raises(CommitConfirmException):
        napalm.commit_config(revert_in=61)
    switch.store.lock(7)
    with pytest.raises(LockError, match="locked by"):
        napalm.load_merge_candidate(config=ADDED)
