"""What SONiC and hosts share: files under a change folder, and a commit timer made of systemd.

A change lives in ``/var/lib/rocefab/TOKEN`` on the device: the new and the old files, and
``undo.sh``, which brings back what was. A transient systemd timer runs ``undo.sh`` unless the
change is confirmed in time; it does not need us, nor a connection. Going back earlier starts the
same service, so that the two never run side by side. A reboot forgets the timer.

Files travel by a folder that ``mktemp`` makes for us alone: nobody else on the device can put a
file or a link in their way.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from fabric.core.errors import DeviceError
from fabric.devices.driver import Candidate, Connection, checked_token
from fabric.devices.ssh import ShellSession, checked_path

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

_KEPT = "/var/lib/rocefab"
_INBOX = re.compile(r"/tmp/rocefab-[A-Za-z0-9]{10}")  # noqa: S108 - made by mktemp, mode 0700
_NO_UNIT = 5  # exit status of systemctl for a unit that is not loaded, systemctl(1)
_UNDO_S = 600


class ShellDriver:
    """Base of the drivers that work through a Linux shell."""

    def __init__(self, connection: Connection) -> None:
        self.connection = connection
        self._shell = ShellSession(connection)

    def open(self) -> None:
        """Log in."""
        self._shell.open()

    def close(self) -> None:
        """Log out."""
        self._shell.close()

    def read_files(self, files: Sequence[str]) -> Mapping[str, str]:
        """Return the content of each file that exists, as ``file:PATH``.

        Raises
        ------
        RefusedError
            When a file exists and cannot be read.
        """
        return {
            f"file:{path}": self._shell.check(f"sudo cat {path}")
            for path in files
            if self._exists(path)
        }

    def _exists(self, path: str) -> bool:
        return self._shell.run(f"sudo test -e {checked_path(path)}")[0] == 0

    def foreign_sessions(self) -> Sequence[str]:
        """Return changes that wait for their confirmation, or are being taken back right now."""
        timers = self._shell.run("systemctl list-timers --no-legend 'rocefab-*'")[1]
        services = self._shell.run(
            "systemctl list-units --plain --no-legend --state=activating 'rocefab-*.service'"
        )[1]
        names = re.findall(r"(rocefab-[a-z0-9-]+)\.timer", timers)
        names += re.findall(r"(rocefab-[a-z0-9-]+)\.service", services)
        return list(dict.fromkeys(names))

    def preview(self, candidate: Candidate) -> str:  # noqa: ARG002 - a shell has no diff of its own
        """Return nothing: the caller compares."""
        return ""

    def missing_timer(self) -> str:
        """Return nothing: a timer of systemd, or of NVUE, is always there."""
        return ""

    def stage(self, candidate: Candidate, token: str) -> None:
        """Copy the new files, and keep the old ones, in the folder of the change."""
        folder = self._folder(token)
        self._shell.check(f"sudo mkdir -p {_KEPT}")
        self._shell.check(f"sudo mkdir -m 700 {folder}")  # refused when it is there: never reused
        steps = ("#!/bin/sh", f": > {folder}/undone", *self._undo_steps(candidate, token), "")
        contents = {f"new{number}": file.content for number, file in enumerate(candidate.files)}
        contents |= {**self._more_files(candidate), "undo.sh": "\n".join(steps).encode()}
        for number, path in enumerate(_paths(candidate)):
            if self._exists(path):
                self._shell.check(f"sudo cp -p {path} {folder}/old{number}")
        self._put(folder, contents)
        self._stage_more(candidate, token)

    def commit(self, candidate: Candidate, token: str, timer_s: int) -> None:
        """Arm the timer, put the files in place, put everything into force."""
        folder = self._folder(token)
        self._shell.check(
            f"sudo systemd-run --quiet --collect --property=Type=oneshot --unit={token} "
            f"--on-active={int(timer_s)} /bin/sh {folder}/undo.sh"
        )
        for number, file in enumerate(candidate.files):
            path = checked_path(file.path)
            self._shell.check(f"sudo install -D -m {file.mode:o} {folder}/new{number} {path}")
        for path in candidate.remove:
            self._shell.check(f"sudo rm -f {checked_path(path)}")
        for command in candidate.activate:
            self._shell.check(f"sudo {command}")
        self._apply(candidate, token)

    def pending(self, token: str) -> bool:
        """Tell whether the timer of the change is armed."""
        return self._shell.run(f"systemctl is-active {checked_token(token)}.timer")[0] == 0

    def confirm(self, token: str) -> None:
        """Stop the timer.

        Raises
        ------
        DeviceError
            When the timer has already run out.
        """
        if self.pending(token):
            self._shell.check(f"sudo systemctl stop {token}.timer")
            if not self._exists(f"{self._folder(token)}/undone"):
                return
        raise DeviceError(self.connection.device, "the commit timer has already run out")

    def rollback(self, token: str) -> None:
        """Bring back what was, now, and stop the timer."""
        folder = self._folder(token)
        status, _ = self._shell.run(f"sudo systemctl start {token}.service", quiet_s=_UNDO_S)
        if status == _NO_UNIT:  # a reboot forgot the timer
            self._shell.check(f"sudo sh {folder}/undo.sh", quiet_s=_UNDO_S)
        self._shell.run(f"sudo systemctl stop {token}.timer")

    def _folder(self, token: str) -> str:
        return f"{_KEPT}/{checked_token(token)}"

    def _put(self, folder: str, contents: Mapping[str, bytes]) -> None:
        inbox = self._inbox()
        for name, content in contents.items():
            self._shell.upload(f"{inbox}/{name}", content)
            self._shell.check(f"sudo install -m 600 {inbox}/{name} {folder}/{name}")
        self._shell.check(f"rm -rf {inbox}")

    def _inbox(self) -> str:
        """Return a new folder that is ours alone."""
        inbox = self._shell.check("mktemp -d /tmp/rocefab-XXXXXXXXXX").strip()
        if not _INBOX.fullmatch(inbox):
            raise DeviceError(self.connection.device, "mktemp answered with another folder")
        return inbox

    def _undo_steps(self, candidate: Candidate, token: str) -> list[str]:
        steps = []
        for number, path in enumerate(_paths(candidate)):
            old = f"{self._folder(token)}/old{number}"
            steps.append(
                f"if [ -e {old} ]; then cp -p {old} {checked_path(path)}; else rm -f {path}; fi"
            )
        return [*steps, *candidate.restore]

    def _more_files(self, candidate: Candidate) -> Mapping[str, bytes]:  # noqa: ARG002
        """Return what the platform puts into the folder of the change beside files."""
        return {}

    def _stage_more(self, candidate: Candidate, token: str) -> None:
        """Stage what the platform needs beside files."""

    def _apply(self, candidate: Candidate, token: str) -> None:
        """Apply what the platform has beside files."""


def _paths(candidate: Candidate) -> tuple[str, ...]:
    return (*(file.path for file in candidate.files), *candidate.remove)
