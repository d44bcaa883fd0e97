"""Every fault of the script, as NAPALM's driver meets it on the EOS stand-in."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any

import pytest
from napalm.base.exceptions import CommitError, MergeConfigException
from pyeapi.eapilib import ConnectionError as EapiConnectionError

from fabric.lab.faults import Fault
from tests.lab.eos_running import Served, serving
from tests.waiting import LONGEST_S, until

if TYPE_CHECKING:
    from collections.abc import Iterator

LOST = (EapiConnectionError, OSError)


@pytest.fixture
def served() -> Iterator[Served]:
    with serving() as one:
        yield one


@pytest.fixture
def driver(served: Served) -> Iterator[Any]:
    one = served.driver(timeout=5)
    one.open()
    yield one
    served.device.faults.clear()
    one.config_session = None
    one.close()


def test_cut_at_byte_runs_the_command_and_loses_the_answer(served: Served, driver: Any) -> None:
    driver.load_merge_candidate(config="hostname other")
    served.device.faults.add(Fault("cut_at_byte", pattern="commit$", count=30))
    with pytest.raises(Exception, match=r"eAPI|Incomplete|Remote|line") as caught:
        driver.commit_config()
    assert not isinstance(caught.value, CommitError)
    assert "hostname other\n" in served.device.running_text
    assert driver.get_facts()["hostname"] == "other"


def test_cut_at_byte_inside_the_body(served: Served, driver: Any) -> None:
    served.device.faults.add(Fault("cut_at_byte", pattern="show running-config", count=200))
    with pytest.raises(Exception, match=r"IncompleteRead|eAPI"):
        driver.get_config(retrieve="running")


def test_cut_at_command_does_not_run_it(served: Served, driver: Any) -> None:
    driver.load_merge_candidate(config="hostname other")
    served.device.faults.add(Fault("cut_at_command", pattern="^write memory"))
    with pytest.raises(LOST):
        driver.commit_config()
    assert "hostname other\n" in served.device.running_text
    assert "hostname leaf1\n" in served.device.startup_text


def test_cut_at_the_nth_command(served: Served, driver: Any) -> None:
    served.device.faults.add(Fault("cut_at_command", nth=3))
    assert driver.device.run_commands(["show version", "show hostname"])
    with pytest.raises(LOST):
        driver.device.run_commands(["show version"])
    assert driver.device.run_commands(["show version"])


def test_slow(served: Served, driver: Any) -> None:
    served.device.faults.add(Fault("slow", pattern="show hostname", seconds=0.3))
    start_s = time.monotonic()
    assert driver.get_facts()["hostname"] == "leaf1"
    assert time.monotonic() - start_s >= 0.3


def test_hang(served: Served) -> None:
    driver = served.driver(timeout=1)
    driver.open()
    served.device.faults.add(Fault("hang", pattern="show hostname"))
    with pytest.raises(EapiConnectionError, match="timed out"):
        driver.get_facts()
    assert driver.get_facts()["hostname"] == "leaf1"


def test_stopping_does_not_wait_for_a_hung_client(served: Served) -> None:
    import threading

    driver = served.driver(timeout=10)
    driver.open()
    served.device.faults.add(Fault("hang"))
    errors: list[Exception] = []

    def ask() -> None:
        try:
            driver.get_facts()
        except Exception as error:  # noqa: BLE001
            errors.append(error)

    thread = threading.Thread(target=ask)
    thread.start()
    time.sleep(0.2)
    served.wait(served.device.stop())
    thread.join(timeout=LONGEST_S)
    assert errors


def test_reboot_loads_startup_and_forgets_sessions(served: Served, driver: Any) -> None:
    served.device.hand_edit("hostname unsaved")
    driver.load_merge_candidate(config="hostname other")
    served.device.faults.add(Fault("reboot", pattern="commit timer", seconds=30))
    with pytest.raises(LOST):
        driver.commit_config(revert_in=60)
    with pytest.raises(LOST) as caught:
        driver.get_facts()
    assert "refused" in str(caught.value)
    served.clock.advance(31)
    deadline_s = time.monotonic() + LONGEST_S
    while True:
        try:
            facts = driver.get_facts()
        except LOST:
            assert time.monotonic() < deadline_s
            continue
        break
    assert facts["hostname"] == "leaf1"
    assert facts["uptime"] < 30
    assert driver.has_pending_commit() is False
    with pytest.raises(Exception, match="does not exist"):
        driver.commit_config()


def test_reboot_ends_a_timed_commit_with_startup(served: Served, driver: Any) -> None:
    driver.load_merge_candidate(config="hostname other")
    driver.commit_config(revert_in=60)
    served.device.faults.add(Fault("reboot", pattern="commit$"))
    with pytest.raises(LOST):
        driver.confirm_commit()
    until(lambda: "hostname leaf1\n" in served.device.running_text, "the switch has booted")
    assert driver.has_pending_commit() is False


def test_stopping_while_rebooting(served: Served, driver: Any) -> None:
    served.device.faults.add(Fault("reboot", pattern="show hostname", seconds=1000))
    with pytest.raises(LOST):
        driver.get_facts()
    served.wait(served.device.stop())


def test_refuse_line_with_own_and_given_text(served: Served, driver: Any) -> None:
    served.device.faults.add(Fault("refuse_line", pattern="^mtu"))
    with pytest.raises(MergeConfigException, match=r"Invalid input \(at token 0: 'mtu'\)"):
        driver.load_merge_candidate(config="interface Ethernet1/1\n mtu 9214")
    served.device.faults.add(Fault("refuse_line", pattern="^mtu", text="MTU is out of stock"))
    with pytest.raises(MergeConfigException, match="out of stock"):
        driver.load_merge_candidate(config="interface Ethernet1/1\n mtu 9214")
    driver.load_merge_candidate(config="interface Ethernet1/1\n mtu 9214")
    assert driver.compare_config() == "interface Ethernet1/1\n+   mtu 9214"


def test_accept_part_drops_lines_silently(served: Served, driver: Any) -> None:
    served.device.faults.add(Fault("accept_part", count=2))
    driver.load_merge_candidate(
        config="interface Ethernet1/1\n description a\n mtu 9214\nhostname other"
    )
    assert driver.compare_config() == "interface Ethernet1/1\n+   description a"


def test_identity(served: Served, driver: Any) -> None:
    served.device.faults.add(Fault("identity", text="leaf7", times=0))
    assert driver.get_facts()["hostname"] == "leaf7"
    assert "\nhostname leaf7\n" in driver.get_config()["running"]
    served.device.faults.clear()
    assert driver.get_facts()["hostname"] == "leaf1"
    assert "hostname leaf1\n" in served.device.running_text


def test_expire_timer_before_the_confirmation(served: Served, driver: Any) -> None:
    served.device.faults.add(Fault("expire_timer", pattern="commit$"))
    driver.load_merge_candidate(config="hostname other")
    driver.commit_config(revert_in=600)
    with pytest.raises(Exception, match="does not exist"):
        driver.confirm_commit()
    assert "hostname leaf1\n" in served.device.running_text
    assert "hostname leaf1\n" in served.device.startup_text
