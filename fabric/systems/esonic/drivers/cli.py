"""A session of ``sonic-cli``: commands that show, and lines of the configuration.

Known: netmiko's ``dell_sonic`` logs in to the shell, starts ``sonic-cli`` and switches its pager
off; the prompt is ``HOST# ``, with the mode in brackets (sonic-net/sonic-mgmt @ b4ba9de3
spytest/datastore/prompts/sonic_prompts.yaml); the words of refusals
(ansible-collections/dellemc.enterprise_sonic @ 9851e680 plugins/terminal/sonic.py); the command
line ends itself after 605 seconds without a word (sonic-net/sonic-buildimage @ 086b03bd
dockers/docker-sonic-mgmt-framework). A section is left by ``exit`` and never by a line of another
one; whether a line has opened one is told by the prompt.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from fabric.core.errors import RefusedError
from fabric.devices.answers import PromptReader
from fabric.devices.redaction import redacted
from fabric.devices.ssh import TerminalSession

if TYPE_CHECKING:
    from collections.abc import Sequence

_PROMPT = re.compile(r"(?:\A|\n)(?P<prompt>[\w.-]+(?:\([^()\n]*\))?# ?)\Z")
_QUESTION = re.compile(r"\[[yY](?:es)?/[nN](?:o)?\][^\r\n]*\Z")
_REFUSAL = re.compile(
    r"(?im)^\s*(?:% ?Error|Error:|Syntax error|.*invalid input|.*(?:incomplete|ambiguous) command)"
)
_QUIET_S = 120


class CliSession(TerminalSession):
    """The command line of the management framework."""

    device_type = "dell_sonic"
    delay_factor = 0.1

    def show(self, command: str) -> str:
        """Return what a command of exec mode prints.

        Raises
        ------
        RefusedError
            When the switch refuses it.
        """
        said, _ = self._say(command)
        return said

    def configure(self, lines: Sequence[str]) -> None:
        """Send lines of the configuration, indented by one blank for each section.

        Raises
        ------
        RefusedError
            When the switch refuses a line, or asks something; the lines before it are in force.
        """
        _, prompt = self._say("configure terminal")
        modes = [prompt]
        try:
            for line in lines:
                depth = len(line) - len(line.lstrip(" "))
                while len(modes) - 1 > depth:
                    self._say("exit")
                    modes.pop()
                if len(modes) - 1 < depth:
                    message = f"the switch opened no section for {line.strip()!r}"
                    raise RefusedError(self._connection.device, message)
                _, prompt = self._say(line.strip())
                if prompt != modes[-1]:
                    modes.append(prompt)
        finally:
            self._leave()

    def _leave(self) -> None:
        if not self._session.remote_conn.closed:
            self._say("end")

    def _say(self, line: str) -> tuple[str, str]:
        """Send one line; return what the switch prints, and its prompt."""
        self._check_open()
        with self._translated(redacted(line)):
            reader = PromptReader(self._session, _PROMPT, _QUESTION, self._is_ours)
            said, prompt = reader.ask(line, _QUIET_S)
            asked = not prompt
            if asked:
                reader.reply("n", _QUIET_S)
        if asked:
            raise self._refusal(line, "the switch asks before it does this")
        if _REFUSAL.search(said):
            raise self._refusal(line, said)
        return said, prompt

    def _is_ours(self, prompt: str) -> bool:
        name = str(self._session.base_prompt)
        return bool(name) and prompt.startswith((f"{name}#", f"{name}("))

    def _refusal(self, line: str, said: str) -> RefusedError:
        reason = " ".join(redacted(said).replace("^", " ").split())[:300]
        return RefusedError(self._connection.device, f"{redacted(line)!r}: {reason}")
