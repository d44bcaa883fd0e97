"""When devices are read: spread, bounded, and none waits for another."""

from __future__ import annotations

import threading
import time
from collections import Counter, defaultdict

import pytest

from fabric.workflow import schedule
from fabric.workflow.schedule import MOST_BACK_OFF_S, Pace, Schedule


class Devices:
    """Notes when each is read, and how many at the same time."""

    def __init__(self, slow: frozenset[str] = frozenset()) -> None:
        self.slow = slow
        self.times: dict[str, list[float]] = defaultdict(list)
        self.at_once = self.most = 0
        self.end = threading.Event()
        self._lock = threading.Lock()

    def read(self, name: str) -> str:
        with self._lock:
            self.times[name].append(time.monotonic())
            self.at_once += 1
            self.most = max(self.most, self.at_once)
        if name in self.slow:
            self.end.wait(20)
        time.sleep(0.002)
        with self._lock:
            self.at_once -= 1
        return name


def names_of(number: int) -> list[str]:
    return [f"leaf{place}" for place in range(number)]


def test_no_more_than_so_many_at_once_and_each_as_often_as_asked() -> None:
    devices = Devices()
    pace = Pace(interval_s=0.05, number=3, parallel=4)
    arrived = Counter(Schedule(names_of(40), devices.read, bool, pace).readings())
    assert arrived == dict.fromkeys(names_of(40), 3)
    assert 2 <= devices.most <= 4


def test_later_readings_are_spread_over_the_interval() -> None:
    devices, begin_s = Devices(), time.monotonic()
    pace = Pace(interval_s=1.0, number=2, parallel=16)
    list(Schedule(names_of(10), devices.read, lambda _: False, pace).readings())
    second = sorted(times[1] for times in devices.times.values())
    late_s = [at - begin_s - 1.0 - place / 10 for place, at in enumerate(second)]
    assert min(late_s) >= 0, "100 ms each; a busy machine is late, never early"


@pytest.mark.parametrize("parallel", [1, 3])
def test_devices_that_hang_do_not_take_the_places_of_others(monkeypatch, parallel: int) -> None:
    monkeypatch.setattr(schedule, "SLOW_S", 0.2)
    slow = frozenset(names_of(4))
    devices = Devices(slow)
    pace = Pace(interval_s=0.1, number=3, parallel=parallel)
    arrived = []
    for name in Schedule(names_of(12), devices.read, lambda _: False, pace).readings():
        arrived.append(name)
        if len(arrived) == 8 * 3:
            devices.end.set()
    assert slow.isdisjoint(arrived[: 8 * 3])
    assert Counter(arrived) == dict.fromkeys(names_of(12), 3)


def test_a_device_that_fails_is_tried_less_often() -> None:
    turns = schedule._Turns("leaf1", slot_s=10.0, left=0)
    waits = []
    now_s = 10.0
    for _ in range(8):
        next_s = turns.next_s(now_s, 10.0, failed=True)
        waits.append(next_s - now_s)
        now_s = next_s
    assert waits[:4] == [0.0, 10.0, 30.0, 70.0]
    assert max(waits) == MOST_BACK_OFF_S - 10.0
    assert turns.next_s(now_s + 1, 10.0, failed=False) - now_s == pytest.approx(10, abs=10)
    assert turns.failures == 0


def test_a_slot_that_has_passed_is_missed() -> None:
    turns = schedule._Turns("leaf1", slot_s=10.0, left=0)
    assert turns.next_s(34.0, 10.0, failed=False) == 40.0
    assert turns.next_s(40.5, 10.0, failed=False) == 50.0


def test_an_error_of_ours_ends_the_readings() -> None:
    def read(name: str) -> str:
        raise ZeroDivisionError(name)

    with pytest.raises(ZeroDivisionError):
        list(Schedule(["leaf1"], read, lambda _: False, Pace()).readings())


def test_no_device() -> None:
    assert list(Schedule([], str, lambda _: False, Pace()).readings()) == []


@pytest.mark.parametrize(
    ("pace", "devices", "bound"),
    [
        (Pace(), 2000, 16),
        (Pace(interval_s=30), 90, 16),
        (Pace(interval_s=30), 2000, 334),
        (Pace(interval_s=1), 2000, 512),
        (Pace(interval_s=30, parallel=3), 2000, 3),
    ],
)
def test_as_many_at_once_as_the_interval_takes(pace: Pace, devices: int, bound: int) -> None:
    assert pace.bound(devices) == bound
