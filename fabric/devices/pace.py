"""Time as a busy machine has it, and turns to log in: a device is not slow where we are.

Hundreds of sessions share one interpreter and the processors with other programs. What a thread
waits for then is its turn here, and no device could have answered sooner.
"""

from __future__ import annotations

import os
import threading
import time
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

#: How often the clock looks whether threads of this process still get their turn. Ours.
_TICK_S = 0.05
#: Logins at a time, and while this machine is busy. Ours: a key exchange is its work, 10 to 50 ms,
#: beside the reading of those that are logged in; devices wait 30 to 120 s for its end.
LOGINS, BUSY_LOGINS = 32, 8
#: How long a login keeps its turn, in seconds: one that takes longer waits for its device. Ours.
LOGIN_TURN_S = 2.0


class KeptUpClock:
    """Seconds in which this machine kept up: it stands still while threads wait for their turn.

    A thread sleeps for a tick and sees when it runs again. What is above the tick does not count:
    other threads had to wait as long.

    Parameters
    ----------
    now, sleep : callable
        The monotonic clock and its sleep.

    Attributes
    ----------
    is_busy : bool
        Whether threads wait for their turn at least as long as they sleep.
    """

    def __init__(
        self,
        now: Callable[[], float] = time.monotonic,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        self._now, self._sleep = now, sleep
        self.is_busy = False
        self._passed_s = 0.0
        self._seen_s = now()
        self._start = threading.Lock()
        self._runs = False

    def tick(self) -> None:
        """Sleep once, and count it."""
        self._sleep(_TICK_S)
        seen_s = self._now()
        took_s = seen_s - self._seen_s
        self._passed_s += min(_TICK_S, took_s)
        self._seen_s = seen_s
        self.is_busy = took_s > 2 * _TICK_S

    def now(self) -> float:
        """Return the seconds since some moment; the part of a tick that runs counts too."""
        if not self._runs:
            self._begin()
        return self._passed_s + min(_TICK_S, self._now() - self._seen_s)

    def _begin(self) -> None:
        with self._start:
            if not self._runs:
                self._runs, self._seen_s = True, self._now()
                threading.Thread(target=self._run, name="kept-up", daemon=True).start()

    def begin_again(self) -> None:
        """Forget the thread that ticks: a process that was forked off does not have it."""
        self._start, self._runs = threading.Lock(), False

    def _run(self) -> None:
        while True:
            self.tick()

    def wait(self, event: threading.Event, most_s: float) -> bool:
        """Wait for an event; tell whether it came within so many seconds of this clock."""
        end_s = self.now() + most_s
        while (left_s := end_s - self.now()) > 0:
            if event.wait(min(left_s, threading.TIMEOUT_MAX)):
                return True
        return event.is_set()


#: The clock of this process.
clock = KeptUpClock()
os.register_at_fork(after_in_child=clock.begin_again)


class Places:
    """Places for so many at a time.

    Parameters
    ----------
    most, busy : int
        How many have one, and while the machine is busy.
    watch : KeptUpClock
        Tells whether it is.
    """

    def __init__(self, most: int, busy: int, watch: KeptUpClock) -> None:
        self._most, self._busy, self._watch = most, busy, watch
        self._taken = 0
        self._changed = threading.Condition()
        self._next = threading.Lock()

    @contextmanager
    def taken(self) -> Iterator[Callable[[], None]]:
        """Wait for a place; yield what gives it back before the end."""
        with self._next, self._changed:  # one looks for a free place, the others wait for it
            while self._taken >= (self._busy if self._watch.is_busy else self._most):
                self._changed.wait(_TICK_S)
            self._taken += 1
        is_given = threading.Lock()

        def give() -> None:
            if is_given.acquire(blocking=False):
                with self._changed:
                    self._taken -= 1
                    self._changed.notify()

        try:
            yield give
        finally:
            give()


#: Places for those who log in, of this process.
logins = Places(LOGINS, BUSY_LOGINS, clock)
