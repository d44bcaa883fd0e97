"""A session that stays open between readings: a login costs more than what is read by it."""

from __future__ import annotations

from threading import Event, Lock
from typing import TYPE_CHECKING, TypeVar

from fabric.core.errors import ConnectionLostError
from fabric.devices.limits import renewed
from fabric.devices.pace import clock

if TYPE_CHECKING:
    from collections.abc import Callable

    from fabric.devices.driver import Driver

T = TypeVar("T")


class KeptSession:
    """A session with one device, opened by its first use and again after a failure.

    Parameters
    ----------
    device : str
        Name in the inventory.
    open_session : callable
        Opens one that is cut after so many seconds.
    """

    def __init__(self, device: str, open_session: Callable[[float], Driver]) -> None:
        self._device = device
        self._open_session = open_session
        self._driver: Driver | None = None
        self._lock = Lock()
        self._is_busy = False
        self._ended = Event()

    def use(self, work: Callable[[Driver], T], within_s: float) -> T:
        """Return the result of work on the session, which is left open when it succeeds.

        A device may close a session that was idle: it is opened once more then.

        Raises
        ------
        DeviceError
            When the device cannot be reached, or the work fails.
        """
        begin_s = clock.now()
        with self._lock:
            self._is_busy = True
            idle = self._driver
        try:
            if idle is not None:
                try:
                    return work(renewed(idle, within_s))
                except ConnectionLostError:
                    self._drop()
                    within_s -= clock.now() - begin_s
                    if within_s <= 0:
                        raise
            return work(self._opened(within_s))
        except BaseException:
            self._drop()
            raise
        finally:
            with self._lock:
                self._is_busy = False

    def _opened(self, within_s: float) -> Driver:
        if self._ended.is_set():
            raise ConnectionLostError(self._device, "readings have ended")
        driver = self._open_session(within_s)
        with self._lock:
            self._driver = driver
        if self._ended.is_set():
            driver.cut()
        return driver

    def _drop(self) -> None:
        with self._lock:
            driver, self._driver = self._driver, None
        if driver is not None:
            driver.close()

    def end(self) -> None:
        """Log out, or cut the session off where work is under way; it is not opened again."""
        self._ended.set()
        with self._lock:
            driver, is_busy = self._driver, self._is_busy
        if is_busy and driver is not None:
            driver.cut()
        elif not is_busy:
            self._drop()
