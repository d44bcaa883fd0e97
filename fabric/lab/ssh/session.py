"""One SSH session of a stand-in: an exec request or an interactive shell on a terminal.

Known: RFC 4254 for the requests; a terminal echoes what is typed and turns newline into CR LF.
Assumed: no line editing but backspace, no history, no job control; Ctrl-C forgets the line that
is typed, Ctrl-D on an empty line ends the session.
"""

from __future__ import annotations

import asyncio
from collections import deque
from typing import TYPE_CHECKING

import asyncssh

from fabric.lab.outpour import PausingOutput, pour
from fabric.lab.shell.state import ShellExit, Streams
from fabric.lab.shell.syntax import IncompleteError, ShellSyntaxError, parse

if TYPE_CHECKING:
    from fabric.lab.faults import Fault
    from fabric.lab.ssh.server import SshStandIn

Process = asyncssh.SSHServerProcess[str]
_CHUNK = 4096


class CutError(Exception):
    """A fault cuts the session."""


class Session:
    """Serve one request.

    Parameters
    ----------
    stand_in : SshStandIn
        Whose shell runs.
    process : asyncssh.SSHServerProcess
        The request and its channel.
    """

    def __init__(self, stand_in: SshStandIn, process: Process) -> None:
        self._stand_in = stand_in
        self._process = process
        self._terminal = process.term_type is not None
        self._left: int | None = None  # bytes until a fault cuts the session
        self._output = PausingOutput(process.stdout.write)
        self._shell = stand_in.new_shell()
        self._typed: deque[str] = deque()  # keys that have come and are not looked at yet

    async def serve(self) -> None:
        """Run until the client or a fault ends it."""
        code = 0
        try:
            if self._process.command is not None:
                code = await self._execute(self._process.command)
            else:
                code = await self._interact()
        except CutError:
            await self._drop()
            return
        except (asyncssh.Error, OSError):
            return
        await self._process.stdout.drain()
        self._process.exit(code)

    async def _drop(self) -> None:
        """Let the client have what was written before the cut, then close the connection."""
        await asyncio.sleep(0)
        self._stand_in.drop(self._process.get_extra_info("connection"))

    # -- output ----------------------------------------------------------------------------------

    def _write(self, text: str, *, error: bool = False) -> None:
        data = text.replace("\n", "\r\n") if self._terminal else text
        cut = False
        if self._left is not None:
            encoded = data.encode("utf-8", "surrogateescape")
            cut = len(encoded) > self._left
            data = encoded[: self._left].decode("utf-8", "ignore")
            self._left -= min(self._left, len(encoded))
        send = self._process.stderr.write if error and not self._terminal else self._output.write
        try:
            send(data)
        except (asyncssh.Error, OSError, BrokenPipeError) as problem:
            raise CutError from problem
        if cut:
            raise CutError

    def _streams(self) -> Streams:
        """Return streams of the client; a terminal gives no input to commands."""
        source = None if self._terminal else self._process.stdin.read
        stdin = None if source else ""
        return Streams(self._write, lambda text: self._write(text, error=True), stdin, source)

    # -- one command -----------------------------------------------------------------------------

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

    async def _struck(self, text: str) -> Fault | None:
        """Let faults strike at a text; return the one that refuses it, if there is one.

        Raises
        ------
        CutError
            When one of them ends the session.
        """
        stand_in = self._stand_in
        stand_in.clock.run_due()
        fault = stand_in.strike_session(text)
        stand_in.strike_identity(text)
        slow = stand_in.faults.strike(text, "slow")
        if stand_in.faults.strike(text, "expire_timer"):
            stand_in.expire_timers()
        if slow is not None:
            await asyncio.sleep(slow.seconds)
        await self._strike_output(text)
        match fault.kind if fault else "":
            case "" | "refuse_line":
                return fault
            case "cut_at_byte":
                self._left = fault.count if fault else None
                return None
            case "hang":
                await asyncio.Event().wait()
            case "reboot":
                stand_in.reboot(fault.seconds if fault else 0.0)
        raise CutError

    async def _strike_output(self, text: str) -> None:
        """Let the faults strike that change how output comes."""
        faults, process = self._stand_in.faults, self._process
        await pour(faults, text, process.stdout.write, process.stdout.drain)
        pause = faults.strike(text, "pause")
        if pause is not None:
            self._output.pause(pause)

    async def _execute(self, command: str) -> int:
        try:
            return await self._run(command)
        except ShellExit as jump:
            return jump.code

    # -- terminal --------------------------------------------------------------------------------

    def _prompt(self) -> str:
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

    async def _read_line(self, *, empty_ends: bool) -> str | None:
        """Read a line; what has come in one piece is echoed in one piece."""
        line, echo = "", ""
        while True:
            if not self._typed:
                self._echo(echo)
                echo = ""
            char = await self._key()
            if char == "" or (char == "\x04" and not line and empty_ends):
                return None
            if char in "\r\n":
                self._echo(f"{echo}\n")
                return line
            if char == "\x03":
                self._echo(f"{echo}^C\n")
                return ""
            if char in "\x7f\b":
                echo += "\b \b" if line else ""
                line = line[:-1]
            elif char == "\t" or char.isprintable():
                line += char
                echo += char

    async def _key(self) -> str:
        """Return the next key, ``""`` at the end of the input."""
        while not self._typed:
            try:
                text = await self._process.stdin.read(_CHUNK)
            except asyncssh.BreakReceived:
                text = "\x03"
            except (asyncssh.SignalReceived, asyncssh.TerminalSizeChanged):
                continue
            if not text:
                return ""
            self._typed.extend(text)
        return self._typed.popleft()

    def _echo(self, text: str) -> None:
        if self._terminal and text:
            self._write(text)


def _incomplete(text: str) -> bool:
    try:
        parse(text)
    except IncompleteError:
        return True
    except ShellSyntaxError:
        return False
    return text.endswith("\\")
