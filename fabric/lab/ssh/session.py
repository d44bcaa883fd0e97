"""One SSH session of a Linux system: an exec request, or an interactive shell on a terminal."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fabric.lab.shell.state import ShellExit, Streams
from fabric.lab.shell.syntax import IncompleteError, ShellSyntaxError, parse
from fabric.lab.ssh.channel import Channel, CutError

if TYPE_CHECKING:
    from fabric.lab.ssh.channel import Process
    from fabric.lab.ssh.system import SshSystem


class Session(Channel):
    """Serve one request with a shell.

    Parameters
    ----------
    stand_in : SshSystem
        Whose shell runs.
    process : asyncssh.SSHServerProcess
        The request and its channel.
    """

    def __init__(self, stand_in: SshSystem, process: Process) -> None:
        super().__init__(stand_in, process)
        self._shell = stand_in.new_shell()

    def _streams(self) -> Streams:
        """Return streams of the client; a terminal gives no input to commands."""
        source = None if self._terminal else self._process.stdin.read
        stdin = None if source else ""
        return Streams(self._write, lambda text: self._write(text, error=True), stdin, source)

    async def _run(self, text: str) -> int:
        """Run one text as the user sent it, with the faults that strike at it."""
        self._shell.refused = await self._struck(text)
        self._shell.line = text
        try:
            code = await self._shell.run(text, self._streams())
        finally:
            self._shell.refused = None
        if self._stand_in.rebooting:
            raise CutError
        return code

    async def _execute(self, command: str) -> int:
        try:
            return await self._run(command)
        except ShellExit as jump:
            return jump.code

    def _echo(self, text: str) -> None:
        if self._shell.is_echoing:
            super()._echo(text)

    def _prompt(self) -> str:
        if "PS1" in self._shell.variables:
            return self._shell.variables["PS1"]
        shell, stand_in = self._shell, self._stand_in
        user = "root" if shell.root else shell.user
        place = "~" if shell.cwd == shell.fs.home else shell.cwd
        return f"{user}@{stand_in.hostname()}:{place}{'#' if shell.root else '$'} "

    async def _interact(self) -> int:
        self._stand_in.clock.run_due()
        text = ""
        roots: list[bool] = []
        self._write(self._prompt())
        while True:
            line = await self._read_line(empty_ends=not text)
            if line is None:
                return self._shell.status
            text = text + line if text.strip() else line
            if not text.strip():
                text = ""
                self._write(self._prompt())
                continue
            if _incomplete(text):
                text += "\n"
                self._write("> ")
                continue
            if text.strip() in ("sudo -s", "sudo -i", "sudo su", "sudo su -"):
                roots.append(self._shell.root)
                self._shell.root = True
            else:
                try:
                    await self._run(text)
                except ShellExit as jump:
                    if not roots:
                        return jump.code
                    self._shell.root = roots.pop()
            text = ""
            self._write(self._prompt())


def _incomplete(text: str) -> bool:
    try:
        parse(text)
    except IncompleteError:
        return True
    except ShellSyntaxError:
        return False
    return text.endswith("\\")
