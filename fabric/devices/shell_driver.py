"""What SONiC and hosts share: files under a change folder, and a safety net made of systemd.

A change lives in ``/var/lib/rocefab/TOKEN`` on the device: the new and the old files, and
``undo.sh``, which restores what was. Before anything is changed, a service that runs it and a
timer are put into `/etc/systemd/system` and enabled: the timer runs it when its time is over, the
service at the next boot, both without us or a connection. Going back earlier starts the same
service, so that they never run side by side. ``undo.sh`` writes what failed into ``failed``; only
when nothing did, it removes the net. Confirming removes it too. What is left of a net is an
unconfirmed change.

What only runs is lost at a boot, so that a boot leaves less to undo: a mark below `/run`
tells ``undo.sh`` whether the device has started since.

Files travel by a folder that ``mktemp`` makes for us alone: nobody else on the device can put a
file or a link in their way.
"""

from __future__ import annotations

import re
import shlex
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from types import MappingProxyType
from typing import TYPE_CHECKING, ClassVar, Generic, TypeVar

from fabric.core.errors import ConnectionLostError, DeviceError, RefusedError
from fabric.devices.base import TerminalDriver
from fabric.devices.candidate import Candidate, files_of
from fabric.devices.device_lock import ShellLock
from fabric.devices.driver import OWN_TOKEN, Connection, checked_token
from fabric.devices.redaction import shortened
from fabric.devices.ssh import Rehearsal, ShellSession, checked_path
from fabric.devices.sudo import privileged

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

_KEPT = "/var/lib/rocefab"
_INBOX = re.compile(r"/tmp/rocefab-[A-Za-z0-9]{10}")  # noqa: S108 - made by mktemp, mode 0700
#: Changes that their timers took back, whole, while nobody was there.
_CLEAR_UNDONE = (
    f"for old in $(sudo -n ls {_KEPT}); do "
    f"if sudo -n test -e {_KEPT}/$old/undone && ! sudo -n test -s {_KEPT}/$old/failed; "
    f"then sudo -n rm -rf {_KEPT}/$old; fi; done"
)
#: Age from which what was uploaded counts as left by a connection that was lost.
_STALE_MIN = 24 * 60
UNITS = "/etc/systemd/system"
#: Uploads of lost connections: folders without a net, and inboxes. They may hold keys.
_CLEAR_STALE = (
    f"for old in $(sudo -n ls {_KEPT}); do if ! sudo -n test -e {UNITS}/$old.timer && "
    f'[ -n "$(sudo -n find {_KEPT}/$old -maxdepth 0 -mmin +{_STALE_MIN})" ]; '
    f"then sudo -n rm -rf {_KEPT}/$old; fi; done; "
    f"rm -rf $(find /tmp -mindepth 1 -maxdepth 1 -name 'rocefab-??????????' "
    f'-user "$(id -u)" -mmin +{_STALE_MIN})'
)
_NO_UNIT = 5  # exit status of systemctl for a unit that is not there, systemctl(1)
#: systemd.service(5), systemd.timer(5); a timer is by default up to a minute late. Each reload of
#: systemd, whoever asks for it, lets ``OnActiveSec`` begin again (seen with systemd 252); a time of
#: the calendar stays. The first of the two counts, so that a clock that is set back defers nothing.
_SERVICE = """\
[Unit]
Description=Takes an unconfirmed change of rocefab back ({token})
After=network.target

[Service]
Type=oneshot
ExecStart=/bin/sh {folder}/undo.sh

[Install]
WantedBy=multi-user.target
"""
_TIMER = """\
[Unit]
Description=Time to confirm a change of rocefab ({token})

[Timer]
OnActiveSec={timer_s}
OnCalendar={until}
AccuracySec=1s

[Install]
WantedBy=timers.target
"""
_UNDO_S = 600
#: What a driver of a shell runs as root for a change.
CHANGING = (
    *("cat", "cp", "find", "flock", "head", "install", "ls", "mkdir", "rm"),
    *("sh", "systemctl", "test"),
)
#: Exit status of ours for a file that does not exist; none of cat(1), test(1) and sudo(8).
_ABSENT = 44

C = TypeVar("C", bound=Candidate)


class ShellDriver(TerminalDriver[ShellSession], Generic[C]):
    """Base of the drivers that work through a Linux shell.

    ``undone_by_script``: the net is the one of this module, not one of the system.
    ``has_lock``: the lock of the device is the one of `ShellLock`.
    ``before_restore``: what ``undo.sh`` does when the old files are there again, and before it
    restores what runs.
    ``changing``: the programs that a change runs as root, with any words.
    ``places``: folders of programs that run as root, where Debian has them elsewhere.
    """

    undone_by_script: ClassVar[bool] = True
    has_lock: ClassVar[bool] = True
    before_restore: ClassVar[Sequence[str]] = ()
    changing: ClassVar[tuple[str, ...]] = CHANGING
    places: ClassVar[Mapping[str, tuple[str, ...]]] = MappingProxyType({})

    def __init__(self, connection: Connection) -> None:
        super().__init__(connection, ShellSession(connection))
        self._work_on(self._terminal)

    def _work_on(self, shell: ShellSession) -> None:
        """Run all further commands in a shell."""
        self._shell = shell
        lock = ShellLock(shell, self.connection.device)
        self.claim, self.claimed, self.unclaim = lock.claim, lock.claimed, lock.unclaim

    def rehearse(self) -> Rehearsal:
        """Return what notes the lines from now on; the device is not reached any more."""
        shell = Rehearsal(self.connection)
        self._work_on(shell)
        return shell

    def read_files(self, files: Sequence[str]) -> Mapping[str, str]:
        """Return the content of each file that exists, as ``file:PATH``.

        Raises
        ------
        RefusedError
            When a file exists and cannot be read, or sudo does not allow the question.
        """
        return self._read({}, files)

    def _read(self, commands: Mapping[str, str], files: Sequence[str]) -> Mapping[str, str]:
        """Return the outputs of commands that must succeed, and files as `read_files` does.

        Raises
        ------
        RefusedError
            When a command fails, or a file cannot be read.
        """
        lines = {
            f"file:{path}": f"if sudo -n test -e {path}; then sudo -n cat {path}; "
            f"else sudo -n test ! -e {path} && (exit {_ABSENT}); fi"
            for path in map(checked_path, files)
        }
        lines |= {name: f"{line} 2>&1" for name, line in commands.items()}
        texts = {}
        for name, (status, text) in self._shell.run_each(lines).items():
            if name in commands:
                texts[name] = self._shell.checked(commands[name], status, text)
            elif status == 0:
                texts[name] = text
            elif status != _ABSENT:
                said = f"'cat {name.removeprefix('file:')}' ended with status {status}"
                raise RefusedError(self.connection.device, said)
        return texts

    def _check_allowed(self, lines: Iterable[str]) -> None:
        """Check that sudo allows what lines run; what it refused would count as absent.

        Raises
        ------
        RefusedError
            Naming the first command that the account may not run.
        """
        commands = dict.fromkeys(command for line in lines for command in privileged(line))
        asked = {one: f"sudo -n -l {shlex.join(one.split())} 2>&1" for one in commands}
        for command, (status, said) in self._shell.run_each(asked).items():
            if status and "command not found" not in said:
                reason = f"sudo does not allow {command!r}; see `rocefab export rights`"
                raise RefusedError(self.connection.device, reason)

    def _exists(self, path: str) -> bool:
        return self._shell.run(f"sudo -n test -e {checked_path(path)}")[0] == 0

    def foreign_sessions(self) -> Sequence[str]:
        """Return changes that wait for their confirmation, or are being rolled back right now."""
        said = self._shell.run_each({
            "armed": f'for f in {UNITS}/rocefab-*.timer; do [ ! -e "$f" ] || echo "$f"; done',
            "services": "systemctl list-units --plain --no-legend --state=activating "
            "'rocefab-*.service'",
        })
        names = re.findall(r"(rocefab-[a-z0-9-]+)\.timer", said["armed"][1])
        names += re.findall(r"(rocefab-[a-z0-9-]+)\.service", said["services"][1])
        return list(dict.fromkeys(names))

    def stage(self, candidate: C, token: str) -> None:
        """Copy the new files, and keep the old ones, in the folder of the change."""
        folder = self._folder(token)
        self._shell.check_in_turn(
            f"sudo -n install -d -m 700 {_KEPT}",
            _CLEAR_UNDONE,
            _CLEAR_STALE,
            f"sudo -n mkdir -m 700 {folder}",  # refused when it is there: it is never used again
        )
        try:
            self._fill(folder, candidate, token)
        except RefusedError:
            self._forget(token)
            raise

    def _fill(self, folder: str, candidate: C, token: str) -> None:
        files = files_of(candidate)
        contents = {f"new{number}": file.content for number, file in enumerate(files.files)}
        undo = _undo_script(folder, token, self._undo_steps(candidate, token))
        contents |= {**self._more_files(candidate), "undo.sh": undo.encode()}
        for number, path in enumerate(files.paths):
            if self._exists(path):
                self._shell.check(f"sudo -n cp -p {path} {folder}/old{number}")
        self._put(folder, contents, self._staging(token))

    def commit(self, candidate: C, token: str, timer_s: int) -> None:
        """Arm the net, put the files in place, put everything into force.

        Without a timer there is no safety net: a rollback must not be undone.
        """
        folder = self._folder(token)
        if timer_s:
            self._arm(token, int(timer_s))
        files = files_of(candidate)
        for number, file in enumerate(files.files):
            path = checked_path(file.path)
            self._shell.check(f"sudo -n install -D -m {file.mode:o} {folder}/new{number} {path}")
        for path in files.remove:
            self._shell.check(f"sudo -n rm -f {checked_path(path)}")
        for command in files.activate:
            self._shell.check(f"sudo -n sh -c {shlex.quote(command)}")
        self._apply(candidate, token)

    def conclude(self, token: str) -> None:
        """Remove what a change without a timer kept on the device."""
        self._forget(token)

    def pending(self, token: str) -> bool:
        """Tell whether the timer of the change is armed."""
        return self._shell.run(f"systemctl is-active {checked_token(token)}.timer")[0] == 0

    def confirm(self, token: str) -> None:
        """Stop the timer and remove the safety net.

        Raises
        ------
        DeviceError
            When the timer has already run out.
        """
        if self.pending(token):
            command = f"sudo -n systemctl stop {token}.timer"
            said = self._shell.run_each({
                "stop": f"{command} 2>&1",
                "undone": f"sudo -n test -e {self._folder(token)}/undone",
            })
            if said["undone"][0] != 0:
                self._shell.checked(command, *said["stop"])
                self.disarm(token)
                return
        raise DeviceError(self.connection.device, "the commit timer has already run out")

    def rollback(self, token: str) -> None:
        """Restore what was, now; the safety net stays where that does not succeed.

        Raises
        ------
        RefusedError
            When a step of the rollback failed.
        """
        folder = self._folder(token)
        status, output = self._shell.run(
            f"sudo -n systemctl start {token}.service", quiet_s=_UNDO_S
        )
        if status == _NO_UNIT:  # there is no net: nothing was changed, or it has gone back
            status, output = self._shell.run(f"sudo -n sh {folder}/undo.sh", quiet_s=_UNDO_S)
        if status == 0:
            self._forget(token)
            return
        failed = self._shell.run(f"sudo -n head -n 3 {folder}/failed")[1]
        reason = shortened(failed, between=" | ") or shortened(output, 200)
        armed = "its timer is armed" if self.pending(token) else "its timer is not armed"
        raise RefusedError(self.connection.device, f"rollback failed: {reason}; {armed}")

    def undo_command(self, token: str) -> str:
        """Return what a person types on the device to roll back a change."""
        return f"sudo sh {self._folder(token)}/undo.sh"

    def has_undo(self, token: str) -> bool:
        """Tell whether the script that it runs is there: the last upload of a change brings it."""
        return self._exists(f"{self._folder(token)}/undo.sh")

    def disarm(self, token: str) -> None:
        """Remove the safety net of a change that was undone by other means, and read back."""
        disarmed = f"sudo -n sh -c '{_disarm(checked_token(token))}'"
        self._shell.check_in_turn(disarmed, "; ".join((*self._forgetting(token), "true")))

    def folders(self) -> Sequence[str]:
        """Return the changes of which a folder lies on the device."""
        listed = self._shell.check(f"[ ! -d {_KEPT} ] || sudo -n ls {_KEPT}")
        return re.findall(rf"^{OWN_TOKEN}[a-z0-9-]+$", listed, re.MULTILINE)

    def forget(self, token: str) -> None:
        """Remove the folder of a change, unless its net is there."""
        folder = self._folder(token)
        self._shell.check(
            f"sudo -n sh -c 'if [ ! -e {UNITS}/{token}.timer ]; then rm -rf {folder}; fi'"
        )

    def _forget(self, token: str) -> None:
        """Remove what a change kept on the device: old files may hold keys."""
        self._shell.run("; ".join(self._forgetting(token)))

    def _forgetting(self, token: str) -> Sequence[str]:
        """Return the lines that remove it."""
        return (f"sudo -n rm -rf {self._folder(token)}",)

    def _arm(self, token: str, timer_s: int) -> None:
        """Put the net on the disk, enable it for the next boot, and start its timer."""
        folder = self._folder(token)
        words = {"token": token, "folder": folder, "timer_s": timer_s}
        words["until"] = f"{self._now() + timedelta(seconds=timer_s):%Y-%m-%d %H:%M:%S} UTC"
        texts = {f"{token}.service": _SERVICE, f"{token}.timer": _TIMER}
        written = [
            f"printf '%s\\n' {shlex.join(text.format(**words).splitlines())} > {folder}/{name}"
            for name, text in texts.items()
        ]
        units, files = " ".join(texts), " ".join(f"{folder}/{name}" for name in texts)
        self._shell.check_in_turn(
            f"sudo -n sh -c {shlex.quote(' && '.join(written))}",
            f"sudo -n install -m 644 {files} {UNITS}/",
            f"sudo -n sh -c ': > /run/{token} && systemctl daemon-reload && "
            f"systemctl enable --quiet {units} && systemctl start {token}.timer'",
        )

    def _now(self) -> datetime:
        """Return the time of the device's clock."""
        said = self._shell.check("date +%s").strip()
        if not said.isdecimal():
            raise RefusedError(self.connection.device, f"its clock says {shortened(said, 40)!r}")
        return datetime.fromtimestamp(int(said), UTC)

    def _folder(self, token: str) -> str:
        return f"{_KEPT}/{checked_token(token)}"

    def _put(self, folder: str, contents: Mapping[str, bytes], then: Sequence[str]) -> None:
        inbox = self._inbox()
        try:
            self._shell.upload({f"{inbox}/{name}": text for name, text in contents.items()})
            self._shell.check_in_turn(
                f"sudo -n install -m 600 {inbox}/* {folder}/", f"rm -rf {inbox}", *then
            )
        except BaseException:
            with suppress(ConnectionLostError):
                self._shell.run(f"rm -rf {inbox}")
            raise

    def _inbox(self) -> str:
        """Return a new folder that is ours alone."""
        inbox = self._shell.check("mktemp -d /tmp/rocefab-XXXXXXXXXX").strip()
        if not _INBOX.fullmatch(inbox):
            raise DeviceError(self.connection.device, "mktemp answered with another folder")
        return inbox

    def _undo_steps(self, candidate: C, token: str) -> list[str]:
        steps = []
        for number, path in enumerate(files_of(candidate).paths):
            old = f"{self._folder(token)}/old{number}"
            folder, _, name = checked_path(path).rpartition("/")
            part = f"{folder}/.{name}.part"
            # A shell that runs the file now goes on with it: it is replaced, not written over.
            back = f"mkdir -p {folder} && cp -p {old} {part} && mv -f {part} {path}"
            steps.append(f"if [ -e {old} ]; then {back}; else rm -f {path}; fi")
        return [*steps, *self.before_restore, *files_of(candidate).restore]

    def _more_files(self, candidate: C) -> Mapping[str, bytes]:  # noqa: ARG002
        """Return what the platform puts into the folder of the change beside files."""
        return {}

    def _staging(self, token: str) -> Sequence[str]:  # noqa: ARG002
        """Return the lines that stage what the platform needs beside files."""
        return ()

    def _apply(self, candidate: C, token: str) -> None:
        """Apply what the platform has beside files."""


def _undo_script(folder: str, token: str, steps: Sequence[str]) -> str:
    """Return a script that goes on after a step that fails, and then ends with 1."""
    lines = ["#!/bin/sh", f": > {folder}/undone", f": > {folder}/failed"]
    for step in steps:
        lines += ["{", step, f"}} || printf '%s\\n' {shlex.quote(step)} >> {folder}/failed"]
    return "\n".join([*lines, f"[ ! -s {folder}/failed ] || exit 1", _disarm(token), ""])


def _disarm(token: str) -> str:
    units = f"{token}.service {token}.timer"
    files = " ".join(f"{UNITS}/{unit}" for unit in units.split())
    return (
        f"systemctl disable --quiet {units}; systemctl stop {token}.timer; "
        f"rm -f {files} /run/{token} && systemctl daemon-reload"
    )
