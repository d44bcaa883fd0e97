"""The EOS stand-in as NAPALM's own driver sees it."""

from __future__ import annotations

import ssl
import urllib.request
from typing import TYPE_CHECKING, Any

import pytest
from napalm.base.exceptions import (
    CommandErrorException,
    CommitError,
    ConnectionException,
    MergeConfigException,
    ReplaceConfigException,
    SessionLockedException,
)
from pyeapi.eapilib import ConnectionError as EapiConnectionError

from tests.lab.eos_running import FULL, LEAF, MANAGEMENT, Served, serving, spec_of

if TYPE_CHECKING:
    from collections.abc import Iterator


@pytest.fixture
def served() -> Iterator[Served]:
    with serving() as one:
        yield one


@pytest.fixture
def driver(served: Served) -> Iterator[Any]:
    with served.opened() as one:
        yield one


def changed(driver: Any, line: str = "hostname other") -> None:
    """Load one line into a session."""
    driver.load_merge_candidate(config=line)


def test_facts_and_life(served: Served, driver: Any) -> None:
    facts = driver.get_facts()
    assert driver.is_alive() == {"is_alive": True}
    assert facts["hostname"] == facts["fqdn"] == "leaf1"
    assert facts["model"] == "DCS-7060X6-64PE"
    assert facts["serial_number"] == "JPE00000001"
    assert facts["os_version"].startswith("4.32.2F")
    assert facts["interface_list"] == ["Ethernet1/1", "Ethernet49/1", "Ethernet50/1", "Management1"]
    served.clock.advance(3600)
    assert 3600 <= driver.get_facts()["uptime"] < 3700


def test_full_replacement_has_no_difference_afterwards(served: Served, driver: Any) -> None:
    driver.load_replace_candidate(config=FULL)
    diff = driver.compare_config().splitlines()
    assert diff[0] == "+service routing protocols model multi-agent"
    assert diff[diff.index("+   mtu 9214") - 2] == "interface Ethernet1/1"
    assert not [line for line in diff if line.startswith("-")]
    driver.commit_config()
    assert driver.config_session is None
    driver.load_replace_candidate(config=FULL)
    assert driver.compare_config() == ""
    driver.discard_config()
    assert served.device.running_text == served.device.startup_text
    assert "   vlan 101" not in served.device.running_text
    assert "mac address-table aging-time 1800\n" in served.device.running_text


def test_replacement_removes_what_is_not_in_it(served: Served, driver: Any) -> None:
    driver.load_replace_candidate(config=MANAGEMENT.replace("logging host 192.0.2.20\n", ""))
    assert driver.compare_config() == "-logging host 192.0.2.20"
    driver.commit_config()
    assert "logging" not in served.device.running_text


def test_configurations_can_be_read_and_loaded_again(driver: Any) -> None:
    changed(driver)
    texts = driver.get_config()
    assert texts["startup"].splitlines()[5:] == texts["running"].splitlines()[5:]
    assert texts["running"].startswith("! Command: show running-config\n! device: leaf1 (DCS-7060")
    assert texts["running"].endswith("\n!\nend\n")
    assert "\nhostname other\n" in texts["candidate"]
    assert "\nhostname leaf1\n" in texts["running"]
    driver.discard_config()
    driver.load_replace_candidate(config=texts["running"])
    assert driver.compare_config() == ""
    assert "$6$" not in driver.get_config(retrieve="running", sanitized=True)["running"]


def test_rollback_goes_to_the_old_startup(served: Served, driver: Any) -> None:
    changed(driver)
    driver.commit_config()
    assert "hostname other\n" in served.device.startup_text
    driver.rollback()
    assert "hostname leaf1\n" in served.device.running_text
    assert "hostname leaf1\n" in served.device.startup_text


def test_timed_commit_expires(served: Served, driver: Any) -> None:
    served.clock.stop()
    changed(driver)
    driver.commit_config(revert_in=60)
    assert driver.has_pending_commit() is True
    assert "hostname other\n" in served.device.running_text
    assert "hostname leaf1\n" in served.device.startup_text
    pending = driver._get_pending_commits()
    assert pending == {driver.config_session: 60}
    served.clock.advance(61)
    assert "hostname leaf1\n" in served.device.running_text
    assert driver.has_pending_commit() is False
    with pytest.raises(CommitError):
        driver.confirm_commit()
    driver.config_session = None


def test_timed_commit_is_confirmed(served: Served, driver: Any) -> None:
    changed(driver)
    driver.commit_config(revert_in=60)
    served.clock.advance(30)
    driver.confirm_commit()
    served.clock.advance(3600)
    assert "hostname other\n" in served.device.running_text
    assert served.device.running_text == served.device.startup_text
    assert driver.has_pending_commit() is False


def test_timed_commit_is_taken_back(served: Served, driver: Any) -> None:
    changed(driver)
    driver.commit_config(revert_in=60)
    driver.rollback()
    assert "hostname leaf1\n" in served.device.running_text
    assert driver.has_pending_commit() is False


def test_a_second_timed_commit_has_to_wait(served: Served, driver: Any) -> None:
    changed(driver)
    driver.commit_config(revert_in=60)
    first = driver.config_session
    driver.config_session = None
    driver.lock_disable = True
    changed(driver, "hostname third")
    with pytest.raises(CommitError):
        driver.commit_config(revert_in=60)
    with pytest.raises(Exception, match="a commit timer is running"):
        driver.commit_config()
    driver.discard_config()
    driver.config_session = first
    driver.confirm_commit()
    assert "hostname other\n" in served.device.running_text


def test_a_foreign_session_locks(served: Served, driver: Any, monkeypatch: Any) -> None:
    served.device.open_foreign_session("theirs", "hostname theirs")
    monkeypatch.setattr("napalm.eos.eos.time.sleep", lambda _s: served.clock.advance(1))
    monkeypatch.setattr(type(driver), "_obtain_lock", lambda self, **_kw: self._lock())
    with pytest.raises(SessionLockedException):
        changed(driver)
    driver.config_session = None
    served.device.close_foreign_session("theirs")
    changed(driver)
    assert driver.compare_config() == "-hostname leaf1\n+hostname other"


def test_sessions_are_limited(served: Served, driver: Any) -> None:
    for number in range(5):
        served.device.open_foreign_session(f"s{number}")
    with pytest.raises(Exception, match="Maximum number of pending sessions"):
        driver.device.run_commands(["configure session s5"])
    driver.device.run_commands(["configure session s4"])


@pytest.mark.parametrize("replace", [True, False])
def test_a_refused_line_leaves_running_alone(served: Served, driver: Any, *, replace: bool) -> None:
    before = served.device.running_text
    load = driver.load_replace_candidate if replace else driver.load_merge_candidate
    wanted = ReplaceConfigException if replace else MergeConfigException
    with pytest.raises(wanted) as caught:
        load(config="hostname other\ninterface Ethernet1/1\n   priority-flow-control mode on\n")
    count, at = (7, 6) if replace else (6, 5)
    where = f"Error [1002]: CLI command {at} of {count} 'priority-flow-control mode on' failed"
    assert f"{where}: invalid command" in str(caught.value)
    assert "Invalid input (at token 1: 'mode')" in str(caught.value)
    assert served.device.running_text == before
    assert driver.config_session is None
    assert driver.device.run_commands(["show configuration sessions"])[0]["sessions"] == {}


def test_banner_and_comment_go_through_eapi(served: Served, driver: Any) -> None:
    driver.load_merge_candidate(
        config="banner motd\nwelcome\nstranger\nEOF\n"
        "router bgp 65101\n   !! who did it\n   router-id 10.0.0.1\n"
    )
    driver.commit_config()
    text = served.device.running_text
    assert "banner motd\nwelcome\nstranger\nEOF\n" in text
    assert "router bgp 65101\n   !! who did it\n   router-id 10.0.0.1\n" in text


def test_edits_by_hand_are_seen_and_overwritten(served: Served, driver: Any) -> None:
    served.device.hand_edit("interface Ethernet1/1\n shutdown\n description rogue\nend\nhostname x")
    driver.load_replace_candidate(config=MANAGEMENT)
    assert driver.compare_config().splitlines() == [
        "-hostname x", "+hostname leaf1", "interface Ethernet1/1", "-   description rogue",
        "-   shutdown",
    ]  # fmt: skip
    driver.commit_config()
    assert "rogue" not in served.device.running_text


def test_default_dscp_maps_are_no_drift(driver: Any) -> None:
    driver.load_replace_candidate(config=FULL)
    driver.commit_config()
    running = driver.get_config(retrieve="running")["running"]
    assert "qos map dscp 26 to traffic-class 3" in LEAF
    assert "qos map dscp" not in running
    driver.load_merge_candidate(config="qos map dscp 26 to traffic-class 3")
    assert driver.compare_config() == ""


def test_wrong_password_and_wrong_path(served: Served) -> None:
    driver = served.driver(password="wrong")
    with pytest.raises((ConnectionException, EapiConnectionError), match="Unable to authenticate"):
        driver.open()
    context = ssl.create_default_context(cadata=served.device.trust)
    request = urllib.request.Request(f"https://127.0.0.1:{served.device.port}/nothing")
    with pytest.raises(urllib.error.HTTPError) as caught:
        urllib.request.urlopen(request, context=context)
    assert caught.value.code == 401
    caught.value.close()


def test_fingerprint_is_that_of_the_certificate(served: Served) -> None:
    import hashlib

    der = ssl.PEM_cert_to_DER_cert(ssl.get_server_certificate(("127.0.0.1", served.device.port)))
    assert served.device.fingerprint == "SHA256:" + hashlib.sha256(der).hexdigest()


def test_a_replacement_without_management_cuts_the_switch_off(served: Served) -> None:
    driver = served.driver(timeout=5)
    driver.open()
    driver.load_replace_candidate(config=LEAF + "hostname leaf1\n")
    driver.commit_config(revert_in=60)
    with pytest.raises((EapiConnectionError, OSError)):
        driver.get_facts()
    served.clock.advance(61)
    assert driver.get_facts()["hostname"] == "leaf1"


def test_a_replacement_without_the_user_locks_out(served: Served) -> None:
    driver = served.driver()
    driver.open()
    lines = [line for line in MANAGEMENT.splitlines() if not line.startswith("username")]
    driver.load_replace_candidate(config="\n".join(lines))
    driver.commit_config(revert_in=60)
    with pytest.raises(EapiConnectionError, match="Unable to authenticate"):
        driver.get_facts()
    served.clock.advance(61)
    assert driver.get_facts()["hostname"] == "leaf1"


def test_what_is_no_json_rpc(served: Served, driver: Any) -> None:
    driver.device.connection.request = lambda *_a, **_k: "[1]"
    with pytest.raises(Exception, match="-32700"):
        driver.device.run_commands(["show version"])
    driver.device.connection.request = lambda *_a, **_k: '{"method": "other", "id": 1}'
    with pytest.raises(Exception, match="Method not found"):
        driver.device.run_commands(["show version"])
    del driver.device.connection.request
    assert served.device.port


def test_errors_of_the_command_line(driver: Any) -> None:
    with pytest.raises(CommandErrorException):
        driver.cli(["show bogus"])
    node = driver.device
    changed(driver)
    with pytest.raises(Exception, match=r"1003.*unconverted command"):
        node.run_commands([f"show session-config named {driver.config_session} diffs"])
    with pytest.raises(Exception, match=r"privileged mode required"):
        node.run_commands(["show running-config"], send_enable=False)
    with pytest.raises(Exception, match=r"command 3 of 4 'show bogus' failed") as caught:
        node.run_commands(["show hostname", "show bogus", "show version"])
    assert caught.value.output[1] == {"fqdn": "leaf1", "hostname": "leaf1"}
    assert caught.value.output[2] == {"errors": ["Invalid input (at token 1: 'bogus')"]}
    with pytest.raises(Exception, match="No such file"):
        node.run_commands(["configure replace flash:nothing"])


def test_shortened_commands_need_auto_complete(driver: Any) -> None:
    found = driver.device.run_commands(["sh host"], autoComplete=True)
    assert found[0]["hostname"] == "leaf1"
    with pytest.raises(Exception, match="Invalid input"):
        driver.device.run_commands(["sh host"])


def test_sessions_by_hand(served: Served, driver: Any) -> None:
    run = driver.device.run_commands
    run(["configure session mine", "hostname mine", "commit timer 00:01:00"])
    assert "hostname mine\n" in served.device.running_text
    run(["configure session mine abort"])
    assert "hostname leaf1\n" in served.device.running_text
    run(["configure session mine", "hostname mine", "abort"])
    run(["configure session mine", "hostname mine", "commit"])
    assert "hostname mine\n" in served.device.running_text
    with pytest.raises(Exception, match="already completed"):
        run(["configure session mine"])
    run(["configure", "hostname fast", "end", "copy running-config flash:mine"])
    run(["configure", "hostname slow", "end", "configure replace flash:mine", "delete flash:mine"])
    assert "hostname fast\n" in served.device.running_text
    assert "hostname leaf1\n" in served.device.startup_text


def test_running_config_as_json() -> None:
    with serving(spec_of(FULL)) as served, served.opened() as driver:
        found = driver.device.run_commands(["show running-config"])[0]["cmds"]
        assert found["hostname leaf1"] is None
        queue = found["qos profile ROCE"]["cmds"]["uc-tx-queue 1"]["cmds"]
        assert queue == {"no priority": None, "bandwidth percent 5": None}
