"""Sessions with the hosts that gates ask: each wave asks the same hosts again."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from threading import Lock
from typing import TYPE_CHECKING, Any, Self, TypeVar

from fabric.change.planner import open_driver
from fabric.core.errors import DeviceError
from fabric.devices.kept_session import KeptSession

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from fabric.devices.driver import Connection, Driver

T = TypeVar("T")
#: Sessions that stay open between waves, our choice: as many hosts see a wave of one rail.
MOST_OPEN = 64


class LoginError(DeviceError):
    """A host did not let us log in."""


@dataclass
class HostSessions:
    """Sessions that stay open from one wave to the next, up to `MOST_OPEN`; a context ends them.

    Parameters
    ----------
    connections : mapping
        Connection by device.
    """

    connections: Mapping[str, Connection]
    _open: dict[str, KeptSession] = field(default_factory=dict)
    _lock: Lock = field(default_factory=Lock)

    def use(self, host: str, work: Callable[[Driver], T]) -> T:
        """Return the result of work on a session with a host; one thread at a time uses it.

        Raises
        ------
        LoginError
            When nobody can log in to it.
        DeviceError
            When the work fails.
        """
        session = self._session(host)
        try:
            return session.use(work, math.inf)
        finally:
            if self._open.get(host) is not session:
                session.end()

    def _session(self, host: str) -> KeptSession:
        with self._lock:
            session = self._open.get(host) or KeptSession(host, lambda _: self._logged_in(host))
            if len(self._open) < MOST_OPEN:
                self._open[host] = session
            return session

    def _logged_in(self, host: str) -> Driver:
        try:
            return open_driver(self.connections[host])
        except DeviceError as error:
            raise LoginError(host, error.reason) from error

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        for session in self._open.values():
            session.end()


def ask_each(driver: Driver, commands: Mapping[str, str]) -> Mapping[str, str]:
    """Return what a host answers to commands, by their names."""
    host: Any = driver
    answers: Mapping[str, str] = host.read_each(commands)
    return answers
