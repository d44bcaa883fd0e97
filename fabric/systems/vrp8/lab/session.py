"""One SSH session of the VRP8 stand-in: the command line.

Known (CloudEngine V300R023C00 command reference, WheaterW/INTA-project @ 9308062d): ``<NAME>`` is
the prompt of the user view, ``[~NAME]`` of the system view and ``[*NAME]`` where something is not
committed, with the view behind the name; ``display`` works everywhere, lines of the configuration
in their view alone; ``save``, ``abort trial`` and leaving with an uncommitted candidate ask; errors
begin with ``Error:`` below a caret. Assumed: names of the views, that of the base text, and the
answer to a wrong answer; what is uncommitted when a session breaks is lost.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from fabric.book.grammar import LineRefusedError
from fabric.lab.ssh.channel import Channel, CutError
from fabric.systems.vrp8.lab.config import UNKNOWN
from fabric.systems.vrp8.lab.show import show
from fabric.systems.vrp8.lab.state import Candidate

if TYPE_CHECKING:
    from fabric.lab.ssh.channel import Process
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


class Vrp8Session(Channel):
    """Serve one login.

    Parameters
    ----------
    process : asyncssh.SSHServerProcess
        The request and its channel.
    """

    def __init__(self, stand_in: Vrp8StandIn, process: Process) -> None:
        super().__init__(stand_in, process)
        self._switch = stand_in
        self._user = stand_in.spec.username
        self._configuring = False
        self._candidate = Candidate()

    def _end(self) -> None:
        with self._switch.lock:
            self._switch.state.end_session(self)

    def _prompt(self) -> str:
        name = self._switch.hostname()
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

    async def _interact(self) -> int:
        self._switch.clock.run_due()
        self._write(_GREETING)
        self._write(self._prompt())
        while (typed := await self._read_line(empty_ends=True)) is not None:
            line = typed.strip()
            if line and not await self._run(line):
                return 0
            self._write(self._prompt())
        return 0

    # -- commands --------------------------------------------------------------------------------

    async def _run(self, line: str) -> bool:
        """Run one line; tell whether the session goes on."""
        fault = await self._struck(line)
        if fault is not None:
            self._refuse(fault.text or UNKNOWN)
            return True
        try:
            goes_on = await self._command(line)
        except LineRefusedError as error:
            self._refuse(str(error).rstrip("\n"))
            return True
        if self._switch.rebooting:
            raise CutError
        return goes_on

    def _refuse(self, text: str) -> None:
        self._write(f"{' ' * 12}^\n{text}\n")

    async def _command(self, line: str) -> bool:
        stand_in = self._switch
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
                with self._switch.lock:
                    self._switch.state.commit(self._candidate, "commit", self, None, self._user)
            elif not answer.startswith("n"):
                return True
        self._candidate.clear()
        self._configuring = False
        return True

    async def _ask(self, question: str) -> str:
        self._write(question)
        answer = await self._read_line(empty_ends=False)
        if answer is None:
            raise CutError
        return answer.strip().lower()

    async def _user_view(self, line: str) -> None:
        state = self._switch.state
        if line == "system-view":
            self._configuring = True
            self._write("Enter system view, return user view with return command.\n")
        elif line == "save":
            if (await self._ask(_SAVING)).startswith("y"):
                if not self._switch.faults.strike(line, "forget_save"):
                    with self._switch.lock:
                        state.save()
                self._write(_SAVED)
        elif not line.startswith("screen-length 0 temporary"):
            raise LineRefusedError(UNKNOWN)

    async def _configure(self, line: str) -> None:
        stand_in, aborted = self._switch, _ABORT.fullmatch(line)
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
                said = stand_in.state.commit(self._candidate, line, self, most, self._user)
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
