"""One SSH session of the VRP8 stand-in: the command line.

Known (CloudEngine V300R023C00 command reference, WheaterW/INTA-project @ 9308062d): ``<NAME>`` is
the prompt of the user view, ``[~NAME]`` of the system view and ``[*NAME]`` where something is not
committed, with the view behind the name; ``display`` works everywhere, lines of the configuration
in their view alone; ``save``, ``abort trial`` and leaving with an uncommitted candidate ask; errors
begin with ``Error:`` below a caret. Assumed: names of the views, that of the base text, and the
answer to a wrong answer; what is uncommitted when a session breaks is lost.
"""

from __future__ import annotations

import asyncio
import re
from typing import TYPE_CHECKING

import asyncssh

from fabric.lab.lines.grammar import LineRefusedError
from fabric.lab.outpour import PausingOutput, pour
from fabric.systems.vrp8.lab.config import UNKNOWN
from fabric.systems.vrp8.lab.show import show
from fabric.systems.vrp8.lab.state import Candidate

if TYPE_CHECKING:
    from fabric.lab.ssh.session import Process
    from fabric.systems.vrp8.lab import Vrp8StandIn

_GREETING = "\nInfo: The number of current VTY users online is 1.\n"
_SAVING = (
    "Warning: The current configuration will be written to the device.\n"
    "Are you sure to continue? [Y/N]:"
)
_SAVED = "Now saving all configuration to the slot 1\nInfo: Save the configuration successfully.\n"
_ABORTING = "Warning: The trial configuration will be rolled back. Continue? [Y/N]:"
_LEAVING = (
    "Warning: Uncommitted configurations found. Are you sure to commit them before exiting? "
    "[Y(yes)/N(no)/C(cancel)]:"
)
_SPLITTING = (
    "Warning: This operation will delete current port(s) and create new port(s). Continue? [Y/N]:"
)
#: Lines that ask, by the example of their pages (dcb pfc global disable, bfd) and of the guide
#: (Configuring Optical Interface Split); by their first words.
_ASKING = {
    "port split ": _SPLITTING,
    "undo port split ": _SPLITTING,
    "dcb pfc global disable": (
        "Warning: This command will disable PFC on all ports. Continue? [Y/N]:"
    ),
    "undo bfd": "Warning: The BFD process will be deleted. Continue? [Y/N]:",
}
_ABORT = re.compile(r"abort trial persist (\S+)")
_VIEWS = {
    "bgp": "bgp",
    "bgp-af": "bgp-af-ipv4",
    "bfd": "bfd",
    "aaa": "aaa",
    "ecmp": "ecmp",
    "pfc": "dcb-pfc-{0}",
    "domain": "dsdomain-{0}",
    "drop": "drop-{0}",
    "vpn": "vpn-instance-{0}",
}


class CutError(Exception):
    """A fault cuts the session."""


class Vrp8Session:
    """Serve one login.

    Parameters
    ----------
    stand_in : Vrp8StandIn
        The switch.
    process : asyncssh.SSHServerProcess
        The request and its channel.
    """

    def __init__(self, stand_in: Vrp8StandIn, process: Process) -> None:
        self._stand_in = stand_in
        self._process = process
        self._output = PausingOutput(process.stdout.write)
        self._left: int | None = None  # bytes until a fault cuts the session
        self._configuring = False
        self._candidate = Candidate()

    async def serve(self) -> None:
        """Run until the client or a fault ends it."""
        try:
            await self._interact()
        except CutError:
            await asyncio.sleep(0)
            self._stand_in.drop(self._process.get_extra_info("connection"))
        except (asyncssh.Error, OSError):
            pass
        else:
            self._process.exit(0)
        finally:
            with self._stand_in.lock:
                self._stand_in.state.end_session(self)

    # -- terminal --------------------------------------------------------------------------------

    def _write(self, text: str) -> None:
        data = text.replace("\n", "\r\n")
        cut = False
        if self._left is not None:
            cut = len(data) > self._left
            data = data[: self._left]
            self._left -= len(data)
        try:
            self._output.write(data)
        except (asyncssh.Error, OSError, BrokenPipeError) as problem:
            raise CutError from problem
        if cut:
            raise CutError

    async def _line(self) -> str | None:
        while True:
            try:
                line = await self._process.stdin.readline()
            except asyncssh.TerminalSizeChanged:
                continue
            except (asyncssh.BreakReceived, asyncssh.SignalReceived):
                return ""
            if not line:
                return None
            typed = line.rstrip("\r\n")
            self._write(f"{typed}\n")
            return typed.strip()

    def _prompt(self) -> str:
        name = self._stand_in.hostname()
        if not self._configuring:
            return f"<{name}>"
        editor = self._candidate.editor
        view = editor.context if editor else None
        mark = "*" if self._candidate.lines else "~"
        if view is None or view.mode == "config":
            return f"[{mark}{name}]"
        word = view.line.rsplit(maxsplit=1)[-1]
        if view.line == "dcb pfc":
            word = "default"
        suffix = _VIEWS.get(view.mode, "{0}").format(word)
        return f"[{mark}{name}-{suffix}]"

    async def _interact(self) -> None:
        self._stand_in.clock.run_due()
        self._write(_GREETING)
        self._write(self._prompt())
        while (line := await self._line()) is not None:
            if line and not await self._run(line):
                return
            self._write(self._prompt())

    # -- commands --------------------------------------------------------------------------------

    async def _run(self, line: str) -> bool:
        """Run one line; tell whether the session goes on."""
        stand_in = self._stand_in
        await self._strike(line)
        refused = stand_in.faults.strike(line, "refuse_line")
        if refused is not None:
            self._refuse(refused.text or UNKNOWN)
            return True
        try:
            goes_on = await self._command(line)
        except LineRefusedError as error:
            self._refuse(str(error).rstrip("\n"))
            return True
        if stand_in.rebooting:
            raise CutError
        return goes_on

    def _refuse(self, text: str) -> None:
        self._write(f"{' ' * 12}^\n{text}\n")

    async def _strike(self, line: str) -> None:
        stand_in = self._stand_in
        stand_in.clock.run_due()
        stand_in.strike_identity(line)
        slow = stand_in.faults.strike(line, "slow")
        if slow is not None:
            await asyncio.sleep(slow.seconds)
        await pour(stand_in.faults, line, self._process.stdout.write, self._process.stdout.drain)
        pause = stand_in.faults.strike(line, "pause")
        if pause is not None:
            self._output.pause(pause)
        if stand_in.state.trial is not None and stand_in.faults.strike(line, "expire_timer"):
            stand_in.expire_timers()
        fault = stand_in.faults.strike(line, "cut_at_byte", "cut_at_command", "hang", "reboot")
        if fault is None:
            return
        match fault.kind:
            case "cut_at_byte":
                self._left = fault.count
            case "hang":
                await asyncio.Event().wait()
            case "reboot":
                stand_in.reboot(fault.seconds)
                raise CutError
            case _:
                raise CutError

    async def _command(self, line: str) -> bool:
        stand_in = self._stand_in
        if line.startswith("display "):
            with stand_in.lock:
                self._write(show(stand_in, line, self._candidate))
        elif line == "return":
            return await self._leave(0)
        elif line == "quit":
            depth = len(self._candidate.editor.stack) if self._candidate.editor else 1
            return await self._leave(depth - 1)
        elif self._configuring:
            await self._configure(line)
        else:
            await self._user_view(line)
        return True

    async def _leave(self, depth: int) -> bool:
        """Leave to a number of open views; below the system view nothing may be uncommitted."""
        editor = self._candidate.editor
        if not self._configuring:
            return False
        if depth and editor:
            editor.stack = editor.stack[:depth]
            return True
        if self._candidate.lines:
            answer = await self._ask(_LEAVING)
            if answer.startswith("y"):
                with self._stand_in.lock:
                    self._stand_in.state.commit(self._candidate, "commit", self, None)
            elif not answer.startswith("n"):
                return True
        self._candidate.clear()
        self._configuring = False
        return True

    async def _ask(self, question: str) -> str:
        self._write(question)
        answer = await self._line()
        if answer is None:
            raise CutError
        return answer.lower()

    async def _user_view(self, line: str) -> None:
        state = self._stand_in.state
        if line == "system-view":
            self._configuring = True
            self._write("Enter system view, return user view with return command.\n")
        elif line == "save":
            if (await self._ask(_SAVING)).startswith("y"):
                with self._stand_in.lock:
                    state.save()
                self._write(_SAVED)
        elif not line.startswith("screen-length 0 temporary"):
            raise LineRefusedError(UNKNOWN)

    async def _configure(self, line: str) -> None:
        stand_in, aborted = self._stand_in, _ABORT.fullmatch(line)
        if aborted:
            if (await self._ask(_ABORTING)).startswith("y"):
                with stand_in.lock:
                    self._write(stand_in.state.abort(aborted[1]))
        elif line == "clear configuration candidate":
            self._candidate.clear()
        elif line.split(maxsplit=1)[0] == "commit":
            part = stand_in.faults.strike(line, "accept_part")
            with stand_in.lock:
                most = part.count if part else None
                said = stand_in.state.commit(self._candidate, line, self, most)
            self._write(said)
        elif await self._is_sure(line):
            with stand_in.lock:
                stand_in.state.feed(self._candidate, line)

    async def _is_sure(self, line: str) -> bool:
        """Ask where a line asks; tell whether it shall be done."""
        for words, question in _ASKING.items():
            if line.startswith(words):
                return (await self._ask(question)).startswith("y")
        return True
