"""The clock of the lab: real time, plus jumps that a fault script or a test orders."""

from __future__ import annotations

import threading
import time
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable


@dataclass(slots=True, eq=False)
class Timer:
    """A call that is due at a time of the lab clock, unless it is cancelled."""

    due_s: float
    action: Callable[[], None]
    cancelled: bool = False

    def cancel(self) -> None:
        """Forget the call."""
        self.cancelled = True


@dataclass(slots=True)
class LabClock:
    """Monotonic seconds that can be advanced; due timers run on every look at the clock.

    Stand-ins call :meth:`run_due` before they serve a command, and the lab calls it several times
    a second, so that a commit timer fires whether or not somebody is looking.

    Notes
    -----
    Timers run one after the other, but not while the list of timers is locked: an action may wait
    for a lock of its stand-in, whose holder may be adding a timer.
    """

    _offset_s: float = 0.0
    _stopped_s: float | None = None
    _calendar_s: float | None = None
    _timers: list[Timer] = field(default_factory=list)
    _lock: threading.Lock = field(default_factory=threading.Lock)
    _running: threading.RLock = field(default_factory=threading.RLock)

    def now_s(self) -> float:
        """Return seconds since an arbitrary start."""
        real_s = time.monotonic() if self._stopped_s is None else self._stopped_s
        return real_s + self._offset_s

    def calendar_s(self) -> float:
        """Return seconds since 1970, which stop with the clock and do not jump."""
        return time.time() if self._calendar_s is None else self._calendar_s

    def stop(self) -> None:
        """Stop real time: from now on the clock moves by :meth:`advance` alone."""
        with self._lock:
            self._stopped_s, self._calendar_s = time.monotonic(), time.time()

    def advance(self, seconds: float) -> None:
        """Jump forward and run what became due."""
        with self._lock:
            self._offset_s += seconds
        self.run_due()

    def call_later(self, seconds: float, action: Callable[[], None]) -> Timer:
        """Run ``action`` once, ``seconds`` from now."""
        timer = Timer(self.now_s() + seconds, action)
        with self._lock:
            self._timers.append(timer)
        return timer

    def run_due(self) -> None:
        """Run every timer that is due, oldest first; return when all of them have run."""
        with self._running:
            with self._lock:
                now_s = self.now_s()
                due = [timer for timer in self._timers if timer.due_s <= now_s]
                if due:
                    self._timers = [timer for timer in self._timers if timer.due_s > now_s]
            for timer in sorted(due, key=lambda item: item.due_s):
                if not timer.cancelled:
                    timer.action()
