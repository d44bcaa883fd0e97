"""A busy machine is no slow device: clocks that wait for it, and turns to log in."""

from __future__ import annotations

import math
import threading
import time
from concurrent.futures import ThreadPoolExecutor

import pytest

from fabric.devices import limits
from fabric.devices.driver import Connection
from fabric.devices.kept_session import KeptSession
from fabric.devices.limits import timed
from fabric.devices.pace import KeptUpClock, Places, clock
from tests.cases import each
from tests.waiting import until

pytestmark = pytest.mark.fault(30)
TICK_S = 0.05


class Machine:
    """A clock whose sleeps last longer than asked for: other threads have their turn first."""

    def __init__(self, late_s: float) -> None:
        self.now_s, self._late_s = 100.0, late_s

    def now(self) -> float:
        return self.now_s

    def sleep(self, seconds: float) -> None:
        self.now_s += seconds + self._late_s


@each(("late_s", "passed_s"), [(0.0, 10.0), (0.05, 5.0), (0.45, 1.0), (9.95, 0.05)])
def test_the_clock_stands_still_while_threads_wait_for_their_turn(late_s, passed_s):
    """Ten seconds of the wall, in which each sleep ends so late."""
    machine = Machine(late_s)
    kept_up = KeptUpClock(machine.now, machine.sleep)
    while machine.now_s < 110 - TICK_S / 2:
        kept_up.tick()
    assert kept_up._passed_s == pytest.approx(passed_s)


def test_on_a_machine_with_time_it_is_a_clock():
    """It never runs ahead of the real one."""
    begin_s, real_s = clock.now(), time.monotonic()
    time.sleep(0.3)
    passed_s, most_s = clock.now() - begin_s, time.monotonic() - real_s
    assert 0 < passed_s <= most_s + 0.01


def test_without_its_thread_it_begins_again():
    """A process that is forked off has no thread but one."""
    kept_up = KeptUpClock()
    kept_up.now()
    kept_up.begin_again()
    assert kept_up.wait(threading.Event(), 0.2) is False


def test_a_busy_machine_gives_fewer_turns():
    machine = Machine(0.0)
    kept_up = KeptUpClock(machine.now, machine.sleep)
    turns, inside = Places(3, 1, kept_up), []

    def take() -> None:
        with turns.taken():
            inside.append(1)
            release.wait()

    for late_s, most in ((0.06, 1), (0.04, 3)):
        release = threading.Event()
        machine._late_s = late_s
        kept_up.tick()
        with ThreadPoolExecutor(3) as pool:
            for _ in range(3):
                pool.submit(take)
            until(lambda most=most: len(inside) == most, "the turns are taken")
            time.sleep(0.1)
            assert len(inside) == most
            release.set()
        inside.clear()


class Queue:
    """Devices whose login is the work of this machine: one at a time, whoever waits beside."""

    def __init__(self) -> None:
        self.at_once = self.most = 0
        self._lock = threading.Lock()

    def login(self, seconds: float) -> None:
        with self._lock:
            self.at_once += 1
            self.most = max(self.most, self.at_once)
        time.sleep(seconds)
        with self._lock:
            self.at_once -= 1


class Device:
    """A device that logs in as long as it takes, and answers at once."""

    def __init__(self, name: str, queue: Queue, login_s: float) -> None:
        self.connection = Connection(name, "sonic", "", 0, "")
        self._queue, self._login_s = queue, login_s
        self._cut = threading.Event()

    def open(self) -> None:
        if math.isinf(self._login_s):
            self._cut.wait()
        else:
            self._queue.login(self._login_s)

    def read_running(self, _files):
        return {"config": ""}

    def close(self) -> None:
        """Nothing to close."""

    def cut(self) -> None:
        self._cut.set()


@pytest.fixture
def few(monkeypatch):
    monkeypatch.setattr(limits, "logins", Places(2, 2, clock))


@pytest.mark.usefixtures("few")
def test_the_time_of_a_device_begins_with_its_turn(monkeypatch):
    """Twelve logins of 0.1 s, two at a time, take 0.6 s: longer than each may."""
    monkeypatch.setitem(limits.LIMITS_S, "open", 0.4)
    queue = Queue()

    def read(number: int) -> dict[str, str]:
        driver = timed(Device(f"leaf{number}", queue, 0.1), within_s=0.4)
        driver.open()
        return driver.read_running(())

    with ThreadPoolExecutor(12) as pool:
        assert len(list(pool.map(read, range(12)))) == 12
    assert queue.most == 2


@pytest.mark.usefixtures("few")
def test_devices_that_hang_give_their_turns_to_others(monkeypatch):
    monkeypatch.setattr(limits, "LOGIN_TURN_S", 0.1)
    queue = Queue()
    hanging = [timed(Device(f"hung{number}", queue, math.inf)) for number in range(4)]
    sound = [timed(Device(f"leaf{number}", queue, 0.0)) for number in range(2)]
    with ThreadPoolExecutor(6) as pool:
        waiting = [pool.submit(driver.open) for driver in (*hanging, *sound)]
        until(lambda: all(future.done() for future in waiting[4:]), "sound devices are open")
        assert not any(future.done() for future in waiting[:4])
        for driver in hanging:
            driver.cut()


@pytest.mark.usefixtures("few")
def test_a_session_that_is_kept_begins_with_its_turn_too():
    queue = Queue()

    def read(number: int) -> dict[str, str]:
        device = Device(f"leaf{number}", queue, 0.1)

        def opened(within_s):
            driver = timed(device, within_s)
            driver.open()
            return driver

        return KeptSession(f"leaf{number}", opened).use(lambda driver: driver.read_running(()), 0.4)

    with ThreadPoolExecutor(12) as pool:
        assert len(list(pool.map(read, range(12)))) == 12
