"""A session of ``sonic-cli``: commands that show, and lines of the configuration.

Known: the login opens a shell, which starts ``sonic-cli``; the prompt is ``HOST# ``, with the mode
in brackets (sonic-net/sonic-mgmt @ b4ba9de3 spytest/datastore/prompts/sonic_prompts.yaml); the
words of refusals (ansible-collections/dellemc.enterprise_sonic @ 9851e680
plugins/terminal/sonic.py); the command line ends itself after 605 seconds without a word
(sonic-net/sonic-buildimage @ 086b03bd dockers/docker-sonic-mgmt-framework). A section is left by
``exit`` and never by a line of another one; whether a line has opened one is told by the prompt.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from fabric.core.errors import RefusedError
from fabric.devices.answers import SETTLED_S, read_answer
from fabric.devices.command_line import CommandLine

if TYPE_CHECKING:
    from collections.abc import Sequence

_SHELL = re.compile(r"[$#>] ?\Z")
_REFUSAL = re.compile(
    r"(?im)^\s*(?:% ?Error|Error:|Syntax error|.*invalid input|.*(?:incomplete|ambiguous) command)"
)


class CliSession(CommandLine):
    """The command line of the management framework."""

    device_type = "dell_sonic"
    prompt_pattern = re.compile(r"(?:\A|\n)(?P<prompt>[\w.-]+(?:\([^()\n]*\))?# ?)\Z")
    question_pattern = re.compile(r"\[[yY](?:es)?/[nN](?:o)?\][^\r\n]*\Z")
    preparation = ("sonic-cli", "terminal length 0")
    quiet_s = 120.0

    def _prepare(self) -> None:
        """Wait for the shell; ``sonic-cli`` prints the first prompt that is awaited."""
        read_answer(
            self._session,
            lambda tail, silent_s: bool(_SHELL.search(tail)) and silent_s > SETTLED_S,
            self.quiet_s,
        )
        for line in self.preparation:
            self.exchange(line)

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
                    raise RefusedError(
                        self._connection.device,
                        f"the switch opened no section for {line.strip()!r}",
                    )
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
        said, asked = self.exchange(line)
        if asked:
            raise self._refusal(line, "the switch asks before it does this")
        if _REFUSAL.search(said):
            raise self._refusal(line, said.replace("^", " "))
        return said, self.prompt

    def _is_ours(self, prompt: str) -> bool:
        return self._name_in(prompt) in self._names

    def _name_in(self, prompt: str) -> str:
        return re.split(r"[#(]", prompt)[0]


class SilentCli(CliSession):
    """A command line that sends nothing."""

    def show(self, command: str) -> str:  # noqa: ARG002
        """Return nothing."""
        return ""
