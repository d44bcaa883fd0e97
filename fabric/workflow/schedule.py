"""When each of many devices is read: each by a clock of itself, so that none waits for another."""

from __future__ import annotations

import heapq
import math
import queue
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Generic, TypeVar

from fabric.devices.pace import clock

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

T = TypeVar("T")

#: A reading that takes longer than this waits for its device, so that the next one may begin beside
#: it; while this machine is busy, the clock stands still. Ours: a login takes about a second.
SLOW_S = 5.0
#: The longest time between two tries to read a device that fails again and again. Ours.
MOST_BACK_OFF_S = 300.0
#: Bounds of what is read at the same time where nobody says it. Ours: a jump host has its limits.
FEWEST_PARALLEL, MOST_PARALLEL = 16, 512
#: So that a wait never is a busy loop.
_SHORTEST_S = 0.001


@dataclass(frozen=True)
class Pace:
    """How often devices are read.

    Parameters
    ----------
    interval_s : float
        From the start of one reading of a device to that of its next, >= 0.
    number : int
        How many of each device; 0 for no end.
    within_s : float
        How long a device may take each time; its session is cut then.
    parallel : int
        How many devices are read at the same time, without those that are slow; 0 for 16, or as
        many as the interval takes.
    """

    interval_s: float = 0.0
    number: int = 1
    within_s: float = math.inf
    parallel: int = 0

    def bound(self, devices: int) -> int:
        """Return how many of so many devices are read at the same time.

        A reading counts for ``SLOW_S`` at most: with so many at a time, each slot can be kept.
        """
        if self.parallel:
            return self.parallel
        needed = math.ceil(devices * SLOW_S / self.interval_s) if self.interval_s else 0
        return min(MOST_PARALLEL, max(FEWEST_PARALLEL, needed))


@dataclass(slots=True)
class _Turns:
    """What is to come of one device."""

    name: str
    slot_s: float
    left: int
    failures: int = 0

    def next_s(self, now_s: float, interval_s: float, *, failed: bool) -> float:
        """Return when it is read next: at a slot of its own, later the more often it failed."""
        self.failures = self.failures + 1 if failed else 0
        steps = 1 << min(max(0, self.failures - 1), 30)
        wait_s = max(interval_s, min(steps * interval_s, MOST_BACK_OFF_S))
        passed = math.ceil((now_s - self.slot_s) / interval_s) if interval_s else 0
        self.slot_s += max(0, passed) * interval_s
        return self.slot_s + (wait_s - interval_s)


@dataclass
class Schedule(Generic[T]):
    """Reads devices again and again.

    The first readings begin as soon as they may. The later ones are spread over the interval, so
    that devices are not all read at once. A device whose reading takes longer than the interval
    misses slots, and one that fails is tried less and less often; the others keep their slots.

    Parameters
    ----------
    read : callable
        Reads one; called in a thread.
    is_failure : callable
        Tells of what was read whether the device could not be read.
    """

    names: Sequence[str]
    read: Callable[[str], T]
    is_failure: Callable[[T], bool]
    pace: Pace
    _running: dict[str, float] = field(default_factory=dict, init=False)
    _arrived: queue.SimpleQueue[tuple[_Turns, T | BaseException]] = field(
        default_factory=queue.SimpleQueue, init=False
    )

    def __post_init__(self) -> None:
        self._bound = self.pace.bound(len(self.names))

    def readings(self) -> Iterator[T]:
        """Yield each reading when it is there; who takes them slowly slows the readings down."""
        begin_s, pace = time.monotonic(), self.pace
        due: list[tuple[float, int]] = [(begin_s, place) for place in range(len(self.names))]
        turns = [
            _Turns(name, begin_s + pace.interval_s * (1 + place / len(self.names)), pace.number)
            for place, name in enumerate(self.names)
        ]
        places = {name: place for place, name in enumerate(self.names)}
        # A device has one thread at most, and one that is idle is used again before one is made.
        pool = ThreadPoolExecutor(max(1, len(self.names)), "observe")
        try:
            while due or self._running:
                while due and due[0][0] <= time.monotonic() and self._may_begin():
                    _, place = heapq.heappop(due)
                    self._running[turns[place].name] = clock.now()
                    pool.submit(self._work, turns[place])
                try:
                    turn, read = self._arrived.get(timeout=self._pause_s(due))
                except queue.Empty:
                    continue
                del self._running[turn.name]
                if isinstance(read, BaseException):
                    raise read
                turn.left -= 1
                if turn.left:
                    failed = self.is_failure(read)
                    next_s = turn.next_s(time.monotonic(), pace.interval_s, failed=failed)
                    heapq.heappush(due, (next_s, places[turn.name]))
                yield read
        finally:
            pool.shutdown(wait=False)  # who ends early cuts what is under way, and then it ends

    def _work(self, turn: _Turns) -> None:
        try:
            self._arrived.put((turn, self.read(turn.name)))
        except BaseException as error:  # noqa: BLE001 - raised again where readings are taken
            self._arrived.put((turn, error))

    def _may_begin(self) -> bool:
        return len(self._quick()) < self._bound

    def _quick(self) -> list[float]:
        """Return when the readings began that are not slow yet."""
        slow_s = clock.now() - SLOW_S
        return [begin_s for begin_s in self._running.values() if begin_s > slow_s]

    def _pause_s(self, due: list[tuple[float, int]]) -> float | None:
        """Return how long nothing can begin; None until a reading is there."""
        if not due:
            return None
        waits_s = [due[0][0] - time.monotonic()]
        if len(quick := self._quick()) >= self._bound:
            waits_s.append(min(quick) + SLOW_S - clock.now())
        return max(_SHORTEST_S, *waits_s)
