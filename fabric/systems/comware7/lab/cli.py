"""One session on the command line of the Comware 7 stand-in: views, prompts and questions.

Known: prompts ``<name>`` of the user view and ``[name-view]`` of the others; `system-view`, `quit`
and `return`; questions of `save FILE`, `delete` and `configuration replace file` with ``[Y/N]:``
(grayfalcon666/netmiko-h3c-skill @ 4f5e9dfd references/CMD-help); `configuration commit delay` and
`configuration commit` (H3C configuration guide "Configuration file management"); a terminal shows
24 lines at once unless `screen-length disable` was said.
Assumed: `configuration commit` without a timer says nothing; names of views in prompts are cut
after the kind of the view; ``---- More ----`` waits for a key.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from fabric.book.grammar import LineRefusedError
from fabric.lab.ssh.channel import Channel, CutError
from fabric.systems.comware7.lab.config import refused
from fabric.systems.comware7.lab.show import DISPLAYS

if TYPE_CHECKING:
    from fabric.lab.ssh.channel import Process
    from fabric.systems.comware7.lab import Comware7StandIn
    from fabric.systems.comware7.lab.config import Editor

SCREEN_LINES = 24
_FILE = re.compile(r"[\w.-]+\.cfg")
_PIPE = re.compile(r"(display .*?) \| (include|exclude) (.+)")
_NO_FILE = "Error: The file does not exist.\n"


class CliSession(Channel):
    """A login on the command line.

    Parameters
    ----------
    stand_in : Comware7StandIn
        Whose switch it is.
    """

    def __init__(self, stand_in: Comware7StandIn, process: Process) -> None:
        super().__init__(stand_in, process)
        self._switch = stand_in
        self._editor: Editor | None = None
        self._pages = True
        self._keep: int | None = None  # lines that a fault lets through

    def _prompt(self) -> str:
        name = self._switch.view.hostname
        if self._editor is None:
            return f"<{name}>"
        line = self._editor.context.line
        view = f"-{line.rsplit(maxsplit=1)[-1]}" if line else ""
        return f"[{name}{view}]"

    async def _interact(self) -> int:
        self._write("\n* Copyright (c) 2004-2019 New H3C Technologies Co., Ltd. *\n\n")
        while True:
            self._write(self._prompt())
            line = await self._read_line(empty_ends=True)
            if line is None or (line.strip() == "quit" and self._editor is None):
                return 0
            if line.strip():
                await self._line(" ".join(line.split()))

    async def _line(self, line: str) -> None:
        """Run one line, with the faults that strike at it."""
        fault = await self._struck(line)
        if fault is not None:
            self._write(fault.text or str(refused(line.split(), 0)))
            return
        try:
            await self._run_line(line)
        except LineRefusedError as error:
            await self._page(str(error))
        if self._switch.rebooting:
            raise CutError

    async def _run_line(self, line: str) -> None:
        switch = self._switch
        if line.startswith("display "):
            with switch.lock:
                text = self._display(line)
            await self._page(text)
        elif line.startswith("save "):
            await self._save(line.removeprefix("save "))
        elif line == "return":
            self._editor = None
        elif self._editor is None:
            await self._user_view(line)
        elif line.startswith("configuration "):
            await self._configuration(line.removeprefix("configuration "))
        elif line == "quit" and len(self._editor.stack) == 1:
            self._editor = None
        else:
            self._configure(line)

    def _configure(self, line: str) -> None:
        assert self._editor is not None
        if self._keep is None:
            fault = self._switch.faults.strike(line, "accept_part")
            self._keep = fault.count if fault else None
        if self._keep is not None:
            if self._keep <= 0:
                return
            self._keep -= 1
        with self._switch.lock:
            if self._editor.root is not self._switch.running:  # it went back meanwhile
                self._editor = self._switch.editor()
            self._editor.feed(line)

    async def _user_view(self, line: str) -> None:
        words = line.split()
        if line == "system-view":
            self._write("System View: return to User View with Ctrl+Z.\n")
            self._editor = self._switch.editor()
        elif line == "screen-length disable":
            self._pages = False
        elif words[0] == "dir" and len(words) == 1:
            await self._page(self._switch.directory())
        elif words[0] == "more" and len(words) == 2:  # noqa: PLR2004
            await self._page(self._switch.files.get(words[1], _NO_FILE))
        elif words[:2] == ["delete", "/unreserved"] and len(words) == 3:  # noqa: PLR2004
            await self._delete(words[2])
        else:
            raise refused(words, 0)

    def _display(self, line: str) -> str:
        switch, piped = self._switch, _PIPE.fullmatch(line)
        if piped:
            kept = piped[2] == "include"
            lines = self._display(piped[1]).splitlines(keepends=True)
            return "".join(one for one in lines if bool(re.search(piped[3], one)) is kept)
        if line == "display saved-configuration":
            return switch.startup
        if line not in DISPLAYS:
            raise refused(line.split(), 1)
        return DISPLAYS[line](switch.view)

    async def _save(self, what: str) -> None:
        switch = self._switch
        if what in ("force", "safely force"):
            switch.save()
            self._write("Validating file. Please wait...\n")
            self._write("Configuration is saved to device successfully.\n")
        elif _FILE.fullmatch(what):
            question = f"The current configuration will be saved to flash:/{what}. Continue?"
            if not await self._yes(question):
                return
            if what in switch.files and not await self._yes(f"flash:/{what} exists, overwrite?"):
                return
            switch.save(what)
            self._write("Now saving current configuration to the device.\n")
            self._write("Configuration is saved to flash successfully.\n")
        else:
            raise refused(["save", *what.split()], 1)

    async def _delete(self, name: str) -> None:
        if name not in self._switch.files:
            self._write(_NO_FILE)
        elif await self._yes(f"The file cannot be restored. Delete flash:/{name}?"):
            del self._switch.files[name]
            self._write(f"Deleting file flash:/{name}...Done.\n")

    async def _configuration(self, what: str) -> None:
        switch, words = self._switch, what.split()
        if words == ["commit", "delay"] and switch.has_commit_delay:
            raise refused(["configuration", *words], len(words), incomplete=True)
        if words[:2] == ["commit", "delay"] and len(words) == 3 and words[2].isdecimal():  # noqa: PLR2004
            if not switch.has_commit_delay:
                raise refused(["configuration", *words], 1)
            switch.arm(int(words[2]))
        elif words == ["commit"] and switch.has_commit_delay:
            switch.disarm()
        elif words[:2] == ["replace", "file"] and len(words) == 3:  # noqa: PLR2004
            await self._replace(words[2])
        else:
            raise refused(["configuration", *words], 1)

    async def _replace(self, name: str) -> None:
        switch = self._switch
        if await self._yes("Current configuration will be lost, save current configuration?"):
            switch.save()
        self._write("Now replacing the current configuration. Please wait...\n")
        if name not in switch.files:
            self._write(_NO_FILE)
            return
        with switch.lock:
            switch.become(switch.files[name])
            self._editor = switch.editor()
        done = f"Succeeded in replacing current configuration with the file {name}.\n"
        self._write(done)

    async def _yes(self, question: str) -> bool:
        self._write(f"{question} [Y/N]:")
        answer = await self._read_line(empty_ends=False)
        if answer is None:
            raise CutError
        return answer.strip().lower() == "y"

    async def _page(self, text: str) -> None:
        """Write a text, screen by screen unless that was switched off."""
        lines = text.splitlines(keepends=True)
        while self._pages and len(lines) > SCREEN_LINES:
            self._write("".join(lines[:SCREEN_LINES]) + "---- More ----")
            if not await self._key():
                raise CutError
            self._write("\x1b[16D                \x1b[16D")
            lines = lines[SCREEN_LINES:]
        self._write("".join(lines))
