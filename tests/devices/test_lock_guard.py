"""The lock of a device, by a real shell: no other user holds it, and older releases still count."""

from __future__ import annotations

import fcntl
import os
import subprocess
import threading
import time
from contextlib import contextmanager

import pytest

from fabric.core.errors import RefusedError
from fabric.devices.device_lock import Claim, ShellLock

MINE = Claim("rocefab-lock-1-fedcba9876543210", "alice@bastion", 1, "2026-11-26T10:00:00+0000")
OLD = Claim("rocefab-lock-7-0123456789abcdef", "bob@laptop", 7, "2026-11-22T10:00:00+0000")
#: What the release before wrote under its guard, as it wrote it.
OLD_CLAIM = (
    f"echo {OLD.token} > token; echo {OLD.owner} {OLD.run} {OLD.since} > owner; "
    'date -d "+600 seconds" +%s > until'
)


class RealShell:
    """A session whose lines a real shell runs, with /run and sudo of the test."""

    def __init__(self, folder):
        self.old_wait_s = "0.2"
        self.run = folder / "run"
        self.run.mkdir()
        programs = folder / "bin"
        programs.mkdir()
        sudo = programs / "sudo"
        sudo.write_text('#!/bin/sh\nshift\nexec "$@"\n')
        sudo.chmod(0o755)
        self.path = f"{programs}:{os.environ['PATH']}"

    def check(self, line, *, quiet_s):
        line = line.replace("/run/", f"{self.run}/").replace(
            "flock -w 5", f"flock -w {self.old_wait_s}"
        )
        done = subprocess.run(
            ["sh", "-c", line],
            capture_output=True,
            text=True,
            check=False,
            timeout=quiet_s,
            env={"PATH": self.path},
        )
        if done.returncode:
            raise RefusedError("leaf1", done.stdout + done.stderr)
        return done.stdout


@pytest.fixture
def shell(tmp_path):
    return RealShell(tmp_path)


@pytest.fixture
def lock(shell):
    return ShellLock(shell, "leaf1")


def mode(path):
    return path.stat().st_mode & 0o777


@contextmanager
def held_by_somebody(path):
    """Hold a lock on a file for reading alone, as any user can who may open it."""
    with path.open("rb") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield


def old_lock(shell):
    """Lock the device as the release before did."""
    place = shell.run / "rocefab"
    script = f"mkdir -p {place} && chmod 700 {place} && cd {place} && {{ {OLD_CLAIM}; }}"
    subprocess.run(["flock", f"{place}.guard", "sh", "-c", script], check=True)


def test_nobody_else_can_open_what_is_locked(shell, lock):
    (shell.run / "rocefab").mkdir(mode=0o755)  # as apply.sh of a host makes it
    assert lock.claim(MINE, 600, "").token == MINE.token
    assert mode(shell.run / "rocefab.lock") == mode(shell.run / "rocefab") == 0o700
    assert mode(shell.run / "rocefab.guard") == 0o600
    assert lock.claimed().token == MINE.token
    lock.unclaim(MINE.token)
    assert lock.claimed() is None


def test_a_reading_makes_no_file_that_others_can_open(shell, lock):
    (shell.run / "rocefab").mkdir(mode=0o755)
    assert lock.claimed() is None
    assert [path.name for path in shell.run.rglob("*")] == ["rocefab"]


def test_a_user_who_opened_the_old_guard_stops_nobody(shell, lock):
    guard = shell.run / "rocefab.guard"
    guard.touch(mode=0o644)
    with held_by_somebody(guard):
        assert lock.claim(MINE, 600, "").token == MINE.token
        assert lock.claimed().token == MINE.token
        lock.unclaim(MINE.token)
    assert mode(guard) == 0o600


@pytest.mark.parametrize("guarded", [False, True], ids=["first run", "after runs of this release"])
def test_a_device_that_an_older_release_locks_is_respected(shell, lock, guarded):
    if guarded:
        lock.claim(MINE, 600, "")
        lock.unclaim(MINE.token)
    old_lock(shell)
    held = lock.claimed()
    assert (held.token, held.owner, held.run, held.since) == (OLD.token, OLD.owner, 7, OLD.since)
    assert lock.claim(MINE, 600, "").token == OLD.token
    lock.unclaim(MINE.token)
    assert lock.claimed().token == OLD.token


def test_an_older_release_is_waited_for(shell, lock):
    """It holds its guard while it compares and writes; this release compares after it."""
    guard = shell.run / "rocefab.guard"
    guard.touch()
    entered = threading.Event()

    def take():
        with held_by_somebody(guard):
            entered.set()
            time.sleep(0.05)
            place = shell.run / "rocefab"
            place.mkdir(exist_ok=True)
            subprocess.run(["sh", "-c", OLD_CLAIM], check=True, cwd=place)

    thread = threading.Thread(target=take)
    shell.old_wait_s = "60"
    thread.start()
    entered.wait()
    holder = lock.claim(MINE, 600, "")
    thread.join()
    assert holder.token == OLD.token


@pytest.mark.parametrize("name", ["rocefab", "rocefab.lock"])
def test_a_link_in_its_place_is_refused(shell, lock, tmp_path, name):
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir(mode=0o700)
    (shell.run / name).symlink_to(elsewhere)
    with pytest.raises(RefusedError, match="must be folders of mode 700 that root owns"):
        lock.claim(MINE, 600, "")
    assert not (elsewhere / "until").exists()
