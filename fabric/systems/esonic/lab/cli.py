"""The interactive ``sonic-cli`` of the stand-in of Enterprise SONiC.

Known: ``sonic-cli`` is started from the shell and not by root; its prompt is ``HOST# `` with the
name that the system had when it began (sonic-net/sonic-buildimage @ 086b03bd
dockers/docker-sonic-mgmt-framework, sonic-net/sonic-mgmt-framework CLI/klish/clish_start).
Assumed: it echoes and edits as the terminal of the shell does; it pages nothing after ``terminal
length 0`` and nothing here before; ports are there as soon as a cage is broken out; a fault
``accept_part`` counts from the line that it strikes at: so many lines take effect, the others are
answered as if they had.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from fabric.book.grammar import LineRefusedError
from fabric.lab.ssh.session import Session
from fabric.systems.esonic.lab.config import Editor, text_lines

if TYPE_CHECKING:
    from fabric.lab.faults import Fault
    from fabric.lab.ssh.channel import Process
    from fabric.systems.esonic.lab import EsonicStandIn

_UNKNOWN = "                    ^\n% Error: Unrecognized command\n"
_ROOT = "FATAL: root cannot launch CLI\n"


def breakouts(editor: Editor) -> str:
    """Return ``show interface breakout``: the cages that are broken out."""
    rule = f"{'-' * 47}\n"
    text = f"{rule}Port  Breakout Mode  Status        Interfaces\n{rule}"
    for node in editor.root.below("interface breakout "):
        port, mode = node.line.split()[3], node.line.split()[5]
        first, *others = editor.parts(port)
        text += f"{port:<6}{mode:<15}Completed     {first}\n"
        text += "".join(f"{' ' * 35}{name}\n" for name in others)
    return text


class Cli:
    """One run of ``sonic-cli``.

    Parameters
    ----------
    stand_in : EsonicStandIn
        Whose configuration it shows and changes.
    """

    def __init__(self, stand_in: EsonicStandIn) -> None:
        self._stand_in = stand_in
        self._name = stand_in.hostname()
        self._editor: Editor | None = None
        self._left: int | None = None  # lines that still take effect, when a fault counts them
        self.done = False

    @property
    def prompt(self) -> str:
        """What it asks with."""
        return f"{self._name}{self._editor.prompt if self._editor else ''}# "

    def answer(self, line: str, refused: Fault | None) -> str:
        """Run one line and return what it prints."""
        if refused is not None:
            return refused.text or _UNKNOWN
        with self._stand_in.lock:
            return self._configure(line) if self._editor else self._exec(line)

    def _exec(self, line: str) -> str:
        command = line.removesuffix(" | no-more").strip()
        if command == "exit":
            self.done = True
        elif command == "configure terminal":
            self._editor, self._left = self._stand_in.editor(), None
        elif command == "show running-configuration":
            return "".join(f"{text}\n" for text in text_lines(self._stand_in.tree))
        elif command == "show interface breakout":
            return breakouts(self._stand_in.editor())
        elif command == "write memory":
            self._stand_in.save()
            return "Write memory completed\n"
        elif command and not command.startswith("terminal length "):
            return _UNKNOWN
        return ""

    def _configure(self, line: str) -> str:
        editor = self._editor
        if editor is None or line == "end" or (line == "exit" and len(editor.stack) == 1):
            self._editor = None
            return ""
        part = self._stand_in.faults.strike(line, "accept_part")
        self._left = part.count if part else self._left
        if self._left is not None and line != "exit":
            self._left -= 1
            if self._left < 0:
                return ""
        try:
            editor.feed(line)
        except LineRefusedError as error:
            return str(error)
        self._stand_in.take_lines()
        return ""


class EsonicSession(Session):
    """A session whose shell can start ``sonic-cli``."""

    def __init__(self, stand_in: EsonicStandIn, process: Process) -> None:
        super().__init__(stand_in, process)
        self._switch = stand_in

    async def _run(self, text: str) -> int:
        if text.strip() != "sonic-cli" or not self._terminal:
            return await super()._run(text)
        refused = await self._struck(text)
        if refused is not None or self._shell.root:
            self._write((refused.text if refused else "") or _ROOT)
            return 1
        cli = Cli(self._switch)
        while not cli.done:
            self._write(cli.prompt)
            line = await self._read_line(empty_ends=True)
            if line is None:
                break
            if line.strip():
                self._write(cli.answer(line.strip(), await self._struck(line.strip())))
        return 0
