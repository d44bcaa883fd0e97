"""The lock of a device: who works on it, said on the device itself.

A driver that offers `DeviceLock` keeps it where it changes no configuration and goes with a reboot.
Where a system has no such place, what is left is the look for foreign sessions and timers.
"""

from __future__ import annotations

import re
import shlex
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol, cast

from fabric.core.errors import RefusedError
from fabric.devices.redaction import shortened

if TYPE_CHECKING:
    from fabric.devices.driver import Driver
    from fabric.devices.ssh import ShellSession

_WORD = re.compile(r"[A-Za-z0-9@._:+-]{1,80}")
#: /run is empty after a boot and only root writes there: file-hierarchy(7) of systemd.
_PLACE = "/run/rocefab"
#: A folder of mode 0700: whoever can open a file can lock it for ever, flock(2). It is not in
#: ``_PLACE``, where ``apply.sh`` of a host names files as NICs.
_GUARDED = "/run/rocefab.lock"
_GUARD = f"{_GUARDED}/guard"
#: What older releases lock. Every user of the device could open it, so that one may still hold it.
_OLD_GUARD = "/run/rocefab.guard"
#: Longer than a release holds it, which is for one comparison, and shorter than `_LEAVE_S`.
_OLD_WAIT_S = 5
#: Runs ``$0`` with the old guard locked too, closed to other users from now on; follows no link.
_UNDER_BOTH = (
    f'[ "$(find {_PLACE} {_GUARDED} -maxdepth 0 -type d -user "$(id -u)" -perm 700 | wc -l)" = 2 ] '
    f"|| {{ echo {_PLACE} and {_GUARDED} must be folders of mode 700 that root owns; exit 1; }}; "
    f"[ -e {_OLD_GUARD} ] || install -m 600 /dev/null {_OLD_GUARD}; chmod 600 {_OLD_GUARD}; "
    f'flock -w {_OLD_WAIT_S} {_OLD_GUARD} sh -c "$0" || sh -c "$0"'
)
_FILES = " ".join(f"{_PLACE}/{name}" for name in ("token", "owner", "until"))
#: How long to wait for another process that is just reading or writing the lock.
_WAIT_S = 20
#: A lock that cannot be removed in this time is left to expire.
_LEAVE_S = 10


@dataclass(frozen=True)
class Claim:
    """Who works on a device.

    Parameters
    ----------
    token : str
        Of the run: another one means another run.
    owner : str
        User and machine, as ``alice@bastion``.
    run : int
        Number of the run in the journal of the owner.
    since : str
        When the owner's clock took it.
    until : int
        When it expires: Unix time of the device's clock; 0 before it is taken.
    left_s : int
        Seconds until then; 0 or less when it did.
    """

    token: str
    owner: str
    run: int
    since: str
    until: int = 0
    left_s: int = 0

    @property
    def expired(self) -> bool:
        """Whether anybody may take it."""
        return self.left_s <= 0

    def __str__(self) -> str:
        state = ", expired" if self.expired else ""
        return f"run {self.run} of {self.owner} since {self.since}{state}"


class DeviceLock(Protocol):
    """What a driver has beside `Driver` whose system has a place for a lock."""

    def claim(self, claim: Claim, ttl_s: int, breaks: str) -> Claim:
        """Take the lock, or extend it, in one step; return who holds it then.

        A lock that expired, or whose token is ``breaks``, is replaced.
        """

    def claimed(self) -> Claim | None:
        """Return who holds the lock."""

    def unclaim(self, token: str) -> None:
        """Remove the lock where it has this token."""


def device_lock(driver: Driver) -> DeviceLock | None:
    """Return the driver as one with a lock; None where the system has no place for it."""
    return cast("DeviceLock", driver) if getattr(driver, "has_lock", False) else None


def plain(text: str) -> str:
    """Return a text as one word that a shell takes as it is."""
    return re.sub(r"[^A-Za-z0-9@._:+-]", "_", text)[:80] or "unknown"


class ShellLock:
    """A lock in ``/run/rocefab`` of a system with a shell.

    ``flock`` lets one process at a time compare and write; the files say who holds the lock between
    such moments. The device's clock decides when it expires. ``until`` is written last: a lock
    without it was never taken. Older releases write the same files under another guard, which is
    locked too for as long as no other process keeps it.

    Parameters
    ----------
    shell : ShellSession
        Where commands run.
    device : str
        Name for errors.
    """

    def __init__(self, shell: ShellSession, device: str) -> None:
        self._shell = shell
        self._device = device

    def claim(self, claim: Claim, ttl_s: int, breaks: str) -> Claim:
        """Take or extend the lock; return who holds it then."""
        token = _checked(claim.token)
        says = f"{_checked(claim.owner)} {int(claim.run)} {_checked(claim.since)}"
        may = ["[ ! -s until ]", '[ "$(cat until)" -le "$(date +%s)" ]']
        may += [f'[ "$(cat token)" = {_checked(word)} ]' for word in (token, breaks) if word]
        said = self._run(
            f"if {' || '.join(may)}; then rm -f until; "
            f"echo {token} > token; echo {says} > owner; "
            f'date -d "+{int(ttl_s)} seconds" +%s > until; fi; cat token owner until; date +%s'
        )
        holder = _claim(said)
        if holder is None:
            raise RefusedError(self._device, f"the lock cannot be taken: {shortened(said, 200)}")
        return holder

    def claimed(self) -> Claim | None:
        """Return who holds the lock; each part that needs root is one command of fixed words.

        Raises
        ------
        RefusedError
            When the lock is neither there nor absent: it may not be read.
        """
        said = self._shell.check(
            f"if sudo -n flock -w {_WAIT_S} {_GUARD} cat {_FILES} 2>/dev/null; then date +%s; "
            f"elif sudo -n test ! -s {_PLACE}/until; then true; "
            # An older release has locked it, and no run of this one.
            f"else sudo -n test ! -e {_GUARD} && sudo -n cat {_FILES} && date +%s; fi",
            quiet_s=3 * _WAIT_S,
        )
        return _claim(said)

    def unclaim(self, token: str) -> None:
        """Remove the lock where it has this token."""
        self._run(
            f'if [ -s until ] && [ "$(cat token)" = {_checked(token)} ]; '
            "then rm -f until token owner; fi",
            _LEAVE_S,
        )

    def _run(self, script: str, quiet_s: int = 3 * _WAIT_S) -> str:
        places = f"{_PLACE} {_GUARDED}"
        return self._shell.check(
            f"sudo -n install -d -m 700 {places} && sudo -n flock -w {_WAIT_S} {_GUARD} "
            f"sh -c {shlex.quote(_UNDER_BOTH)} {shlex.quote(f'cd {_PLACE} && {{ {script}; }}')}",
            quiet_s=quiet_s,
        )


def _claim(said: str) -> Claim | None:
    lines = said.split("\n")
    words = lines[1].split() if len(lines) > 3 else []  # noqa: PLR2004 - token, owner, until, now
    if len(words) != 3 or not all(text.strip().isdigit() for text in (words[1], *lines[2:4])):  # noqa: PLR2004 - owner, run, since
        return None
    until, now = int(lines[2]), int(lines[3])
    return Claim(lines[0].strip(), words[0], int(words[1]), words[2], until, until - now)


def _checked(word: str) -> str:
    if not _WORD.fullmatch(word):
        raise ValueError(f"{word!r} is not a plain word")
    return word
