"""What SONiC and hosts share: files under a change folder, and a commit timer made of systemd.

A change lives in ``/var/lib/rocefab/TOKEN`` on the device: the new and the old files, and
``undo.sh``, which brings back what was. A transient systemd timer runs ``undo.sh`` unless the
change is confirmed in time; it does not need us, nor a connection. A reboot forgets the timer.
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
        """Return the content of each file that exists, as ``file:PATH``."""
        texts = {}
        for path in files:
            status, content = self._shell.run(f"sudo cat {checked_path(path)} 2>/dev/null")
            if status == 0:
                texts[f"file:{path}"] = content
        return texts

    def foreign_sessions(self) -> Sequence[str]:
        """Return armed timers: an earlier change still waits for its confirmation."""
        text = self._shell.run("systemctl list-timers --no-legend 'rocefab-*'")[1]
        return re.findall(r"(rocefab-[a-z0-9-]+)\.timer", text)

    def preview(self, candidate: Candidate) -> str:  # noqa: ARG002 - a shell has no diff of its own
        """Return nothing: the caller compares."""
        return ""

    def stage(self, candidate: Candidate, token: str) -> None:
        """Copy the new files, and keep the old ones, in the folder of the change."""
        folder = self._folder(token)
        self._shell.check(f"sudo mkdir -p {folder}")
        for number, file in enumerate(candidate.files):
            self._put(token, f"new{number}", file.content)
        for number, path in enumerate(_paths(candidate)):
            self._shell.run(f"sudo cp {checked_path(path)} {folder}/old{number} 2>/dev/null")
        self._stage_more(candidate, token)
        steps = ("#!/bin/sh", *self._undo_steps(candidate, token), "")
        self._put(token, "undo.sh", "\n".join(steps).encode())

    def commit(self, candidate: Candidate, token: str, timer_s: int) -> None:
        """Arm the timer, put the files in place, put everything into force."""
        folder = self._folder(token)
        self._shell.check(
            f"sudo systemd-run --quiet --collect --unit={token} --on-active={int(timer_s)} "
            f"/bin/sh {folder}/undo.sh"
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
        if not self.pending(token):
            raise DeviceError(self.connection.device, "the commit timer has already run out")
        self._shell.check(f"sudo systemctl stop {token}.timer")

    def rollback(self, token: str) -> None:
        """Bring back what was, now, and stop the timer."""
        self._shell.check(f"sudo sh {self._folder(token)}/undo.sh", quiet_s=_UNDO_S)
        self._shell.run(f"sudo systemctl stop {token}.timer")

    def _folder(self, token: str) -> str:
        return f"{_KEPT}/{checked_token(token)}"

    def _put(self, token: str, name: str, content: bytes) -> None:
        temporary = f"/tmp/{checked_token(token)}.{name}"  # noqa: S108 - on the device, mode 0600
        self._shell.upload(temporary, content)
        self._shell.check(f"sudo mv {temporary} {self._folder(token)}/{name}")

    def _undo_steps(self, candidate: Candidate, token: str) -> list[str]:
        modes = {file.path: file.mode for file in candidate.files}
        steps = []
        for number, path in enumerate(_paths(candidate)):
            old, mode = f"{self._folder(token)}/old{number}", modes.get(path, 0o644)
            steps.append(
                f"if [ -f {old} ]; then install -D -m {mode:o} {old} {checked_path(path)}; "
                f"else rm -f {path}; fi"
            )
        return [*steps, *candidate.restore]

    def _stage_more(self, candidate: Candidate, token: str) -> None:
        """Stage what the platform needs beside files."""

    def _apply(self, candidate: Candidate, token: str) -> None:
        """Apply what the platform has beside files."""


def _paths(candidate: Candidate) -> tuple[str, ...]:
    return (*(file.path for file in candidate.files), *candidate.remove)
