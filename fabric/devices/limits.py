"""Total times: no call of a driver lasts longer than its phase may, whatever the device does.

A device that drips, or a server that swallows bytes, is never silent for long, or never heard of by
a library that waits for ever. So each call runs in a thread of its own, and who called waits for it
no longer than the phase may last, on a clock that stands still while this machine is too busy to
listen (`pace`). Then the session is cut: what the thread still tries to send does not leave this
machine, and every later call fails at once. A login waits for its turn first, and the time of all
calls begins with it.
"""

from __future__ import annotations

import math
import threading
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, cast

from fabric.core.errors import ConnectionLostError
from fabric.devices import answers
from fabric.devices.pace import LOGIN_TURN_S, clock, logins

if TYPE_CHECKING:
    from collections.abc import Callable

    from fabric.devices.driver import Driver

#: The longest that a phase may take, in seconds. Ours: what a device may be silent for is 60 s for
#: most commands and 600 s for those that restart services, each phase has several of them, and
#: staging uploads files.
LIMITS_S = {
    "open": 120.0,
    "close": 20.0,
    "identify": 120.0,
    "foreign_sessions": 180.0,
    "missing_timer": 120.0,
    "pending": 180.0,
    "read_running": 300.0,
    "read_state": 600.0,
    "read_each": 600.0,
    "preview": 900.0,
    "stage": 900.0,
    "commit": 1800.0,
    "rollback": 1800.0,
    "confirm": 900.0,
    "conclude": 900.0,
    "disarm": 900.0,
    "save": 900.0,
    "claim": 180.0,
    "claimed": 180.0,
    "unclaim": 20.0,
    "has_undo": 180.0,
    "folders": 180.0,
    "forget": 180.0,
    "drained": 180.0,
    "drain": 180.0,
    "undrain": 180.0,
}
#: How long TCP may take to connect, in seconds: a device that drops every packet is named after it,
#: whatever its protocol. Netmiko's own ``conn_timeout``.
CONNECT_S = 10.0
#: How long the device may be silent while TLS or SSH begins and the account is checked, in seconds.
#: Ours: a busy device, or a slow server of accounts, takes longer than 10 s.
LOGIN_S = 60.0
#: Calls whose answers are bounded together: they ask for no configuration.
_READINGS = frozenset({"open", "identify", "read_state", "read_each"})
_PHASES = {
    "open": "the login",
    "stage": "the upload",
    "commit": "the commit",
    "confirm": "the confirmation",
    "rollback": "rollback",
}


@dataclass
class _Call:
    """One call in its thread.

    Its error holds what was read until then, and the call itself: who takes the error takes it
    away, so that both go at once, and not when the garbage collector finds them.
    """

    work: Callable[[], Any]
    result: Any = None
    error: BaseException | None = None
    ended: threading.Event = field(default_factory=threading.Event)
    began_s: float = field(default_factory=clock.now)
    is_cut: bool = False

    def run(self) -> None:
        try:
            self.result = self.work()
        except BaseException as error:  # noqa: BLE001 - raised again where it was called
            self.error = error
        self.ended.set()
        if self.is_cut:
            self.error = None

    def cut(self) -> None:
        """Wait for it no longer."""
        self.is_cut = True
        self.error = None


class TimedDriver:
    """A driver whose calls end in time.

    Parameters
    ----------
    driver : Driver
        Does the work; its ``cut`` ends a session from outside.
    within_s : float
        How long all calls together may last, from the turn to log in on.
    """

    def __init__(self, driver: Driver, within_s: float = math.inf) -> None:
        self._driver = driver
        self._cut_in = ""
        self.renew(within_s)

    def renew(self, within_s: float) -> None:
        """Begin the time of all calls together anew."""
        self._within_s = within_s
        self._end_s = clock.now() + within_s

    def __getattr__(self, name: str) -> Any:
        value = getattr(self._driver, name)
        limit_s = LIMITS_S.get(name)
        if limit_s is None:
            return value
        if name == "close":
            return lambda: self._close(limit_s)
        if name == "open":
            return lambda: self._open(limit_s, value)
        return lambda *words, **named: self._call(name, limit_s, lambda: value(*words, **named))

    def _open(self, limit_s: float, work: Callable[[], Any]) -> Any:
        """Log in when it is the turn of this device, which ends early where the device is slow."""
        with logins.taken() as give:
            self._check_going()
            self.renew(self._within_s)
            call = _started(_bounded("open", work))
            if clock.wait(call.ended, min(LOGIN_TURN_S, limit_s, self._within_s)):
                return self._result(call)
            give()
            return self._ended("open", limit_s, call)

    def _call(self, name: str, limit_s: float, work: Callable[[], Any]) -> Any:
        self._check_going()
        return self._ended(name, limit_s, _started(_bounded(name, work)))

    def _check_going(self) -> None:
        if self._cut_in:
            raise self._lost(f"its session was cut: {self._cut_in}")

    def _ended(self, name: str, limit_s: float, call: _Call) -> Any:
        """Wait for a call as long as its phase, and all calls together, may last."""
        phase = _PHASES.get(name, "a reading")
        left_s = max(0.0, self._end_s - clock.now())
        if not clock.wait(call.ended, min(limit_s - (clock.now() - call.began_s), left_s)):
            what, most_s = phase, limit_s
            if left_s < limit_s:
                what, most_s = "its session", self._within_s
            self._cut_in = f"{what} took longer than {most_s:g} s"
            call.cut()
            self._driver.cut()
            raise self._lost(self._cut_in)
        return self._result(call)

    @staticmethod
    def _result(call: _Call) -> Any:
        try:
            if call.error is not None:
                raise call.error
            return call.result
        finally:
            call.error = None

    def _close(self, limit_s: float) -> None:
        if self._cut_in:
            return
        if not clock.wait(_started(self._driver.close).ended, limit_s):
            self._cut_in = "the logout took too long"
            self._driver.cut()

    def _lost(self, message: str) -> ConnectionLostError:
        return ConnectionLostError(self._driver.connection.device, message)


def _bounded(name: str, work: Callable[[], Any]) -> Callable[[], Any]:
    """Return work whose answers are bounded together where its call asks for no configuration."""

    def run() -> Any:
        with answers.allowed(answers.LONGEST_READING_CHARACTERS):
            return work()

    return run if name in _READINGS else work


def _started(work: Callable[[], Any]) -> _Call:
    call = _Call(work)
    threading.Thread(target=call.run, name="device", daemon=True).start()
    return call


def timed(driver: Driver, within_s: float = math.inf) -> Driver:
    """Return the driver with total times; ``within_s`` is that of all calls together."""
    return cast("Driver", TimedDriver(driver, within_s))


def renewed(driver: Driver, within_s: float) -> Driver:
    """Return a driver of `timed` whose time begins anew."""
    cast("TimedDriver", driver).renew(within_s)
    return driver
