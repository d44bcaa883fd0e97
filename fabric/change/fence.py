"""Keeps others from a device while a run works on it: its lock is checked before each write."""

from __future__ import annotations

import time
from contextlib import suppress
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from fabric.core.errors import FabricError, ForeignSessionError
from fabric.devices.device_lock import Claim, device_lock, plain

if TYPE_CHECKING:
    from collections.abc import Collection

    from fabric.change.actor import Actor
    from fabric.devices.driver import Driver

#: Calls of a driver that write to a device.
WRITES = (
    *("stage", "commit", "confirm", "rollback", "save"),
    *("disarm", "forget", "drain", "undrain"),
)


@dataclass(frozen=True)
class Fence:
    """The lock of a run, on whichever device.

    Parameters
    ----------
    token : str
        Of the run; the journal has it.
    actor : Actor
        Who makes it.
    ttl_s : int
        How long a lock lasts without being extended, in seconds.
    ours : collection of str
        Tokens of all runs of the journal: one run at a time holds the state folder, so that a
        lock with one of them was left by a run that has ended.
    """

    token: str
    run: int
    actor: Actor
    ttl_s: int
    ours: Collection[str] = field(default=(), repr=False)

    def hold(self, driver: Driver, device: str) -> None:
        """Take the lock of a device, or extend it.

        Raises
        ------
        ForeignSessionError
            When another run holds it.
        """
        lock = device_lock(driver)
        if lock is None:
            return
        owner = f"{plain(self.actor.user)}@{plain(self.actor.host)}"[:80]
        since = time.strftime("%Y-%m-%dT%H:%M:%S%z")
        claim = Claim(self.token, owner, self.run, since)
        holder = lock.claim(claim, self.ttl_s, "")
        if holder.token != self.token and holder.token in self.ours:
            holder = lock.claim(claim, self.ttl_s, holder.token)
        self._check(holder, device)

    def look(self, driver: Driver, device: str) -> None:
        """Raise an error where another run holds the lock of a device; take nothing."""
        lock = device_lock(driver)
        holder = lock.claimed() if lock else None
        if holder and not holder.expired and holder.token not in self.ours:
            self._check(holder, device)

    def _check(self, holder: Claim, device: str) -> None:
        if holder.token != self.token:
            raise ForeignSessionError(
                device,
                f"{holder} has locked it; wait until that run ends, or until the lock expires "
                f"after at most {holder.left_s} s",
            )

    def drop(self, driver: Driver) -> None:
        """Remove the lock, where it is that of this run; never raises."""
        with suppress(FabricError):
            lock = device_lock(driver)
            if lock:
                lock.unclaim(self.token)


class FencedDriver:
    """A driver that holds the lock of its device before each write."""

    def __init__(self, driver: Driver, fence: Fence) -> None:
        self._driver = driver
        self._fence = fence
        self.holds = False

    def __getattr__(self, name: str) -> Any:
        value = getattr(self._driver, name)
        if name not in WRITES:
            return value

        def write(*words: Any, **named: Any) -> Any:
            self.hold()
            return value(*words, **named)

        return write

    def hold(self) -> None:
        """Take or extend the lock."""
        self._fence.hold(self._driver, self._driver.connection.device)
        self.holds = True
