"""One SSH channel of a stand-in: its faults, its output, and the keys of a terminal.

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

if TYPE_CHECKING:
    from fabric.lab.faults import Fault
    from fabric.lab.ssh.system import SshSystem

Process = asyncssh.SSHServerProcess[str]
_CHUNK = 4096


class CutError(Exception):
    """A fault cuts the session."""


class Channel:
    """Serve one request.

    Parameters
    ----------
    stand_in : SshSystem
        Whose system it is.
    process : asyncssh.SSHServerProcess
        The request and its channel.
    """

    def __init__(self, stand_in: SshSystem, process: Process) -> None:
        self._stand_in = stand_in
        self._process = process
        self._terminal = process.term_type is not None
        self._left: int | None = None  # bytes until a fault cuts the session
        self._output = PausingOutput(process.stdout.write)
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
        except (asyncssh.Error, OSError):
            pass
        else:
            await self._process.stdout.drain()
            self._process.exit(code)
        finally:
            self._end()

    async def _drop(self) -> None:
        """Let the client have what was written before the cut, then close the connection."""
        await asyncio.sleep(0)
        self._stand_in.drop(self._process.get_extra_info("connection"))

    async def _execute(self, command: str) -> int:
        """Run an exec request; a system whose shell is its command line refuses it."""
        del command
        return 1

    async def _interact(self) -> int:
        raise NotImplementedError

    def _strike(self, text: str) -> Fault | None:
        """Return the fault that decides how the session goes on."""
        return self._stand_in.strike_session(text)

    def _end(self) -> None:
        """Forget the session."""

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

    async def _struck(self, text: str) -> Fault | None:
        """Let faults strike at a text; return the one that refuses it, if there is one.

        Raises
        ------
        CutError
            When one of them ends the session.
        """
        stand_in = self._stand_in
        stand_in.clock.run_due()
        fault = self._strike(text)
        stand_in.strike_identity(text)
        slow = stand_in.faults.strike(text, "slow")
        if stand_in.armed and stand_in.faults.strike(text, "expire_timer"):
            stand_in.expire_timers()
        if slow is not None:
            await asyncio.sleep(slow.seconds)
        process = self._process
        await pour(stand_in.faults, text, process.stdout.write, process.stdout.drain)
        pause = stand_in.faults.strike(text, "pause")
        if pause is not None:
            self._output.pause(pause)
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

    # -- terminal --------------------------------------------------------------------------------

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
