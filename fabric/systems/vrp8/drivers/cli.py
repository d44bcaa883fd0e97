"""The command line of VRP8 over SSH by netmiko (``huawei_vrpv8``): one command, one answer.

What is known of netmiko (4.8.0): ``commit`` sends a comment that this release does not know and
finds one text of failure only, and ``save_config`` answers whatever is asked; ``commit trial`` has
no method; ``send_command`` waits out its whole timeout when the switch goes away. So every command
is sent and read here: a prompt at the end of what was received ends it, ``Error:`` on any line is a
refusal, a question is answered only where it is expected.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from fabric.core.errors import RefusedError
from fabric.devices.answers import PromptReader
from fabric.devices.redaction import redacted
from fabric.devices.ssh import TerminalSession

if TYPE_CHECKING:
    from fabric.devices.driver import Connection

_QUIET_S = 60
_TAIL = 300
_PROMPT = re.compile(r"(?:\A|\n)(?P<prompt><[^\s<>]{1,246}>|\[[~*]?[^\s\[\]]{1,300}\]) *\Z")
_QUESTION = re.compile(r"\[Y(?:\(yes\))?/N[^\]\n]*\] ?:? *\Z", re.IGNORECASE)
_ERROR = re.compile(r"^\s*(?:Error: |Failed to )(.*)", re.MULTILINE)


class CommandLine(TerminalSession):
    """A session with one switch."""

    device_type = "huawei_vrpv8"
    delay_factor = 0.1

    def __init__(self, connection: Connection) -> None:
        super().__init__(connection)
        self._prompt = ""
        self._name = ""

    def open(self) -> None:
        """Log in; refuses a host key that is neither given nor known."""
        super().open()
        self._prompt, self._name = "", str(self._session.base_prompt)

    @property
    def prompt(self) -> str:
        """The prompt that stands now."""
        if not self._prompt:
            self.run("")
        return self._prompt

    @property
    def view(self) -> str:
        """The prompt without the mark that tells whether something is not committed."""
        return self.prompt.replace("[*", "[").replace("[~", "[")

    def run(self, command: str, *, answer: str = "", quiet_s: float = _QUIET_S) -> str:
        """Send one line and return what the switch says before its next prompt.

        Raises
        ------
        RefusedError
            When it says that it refuses, or asks what nobody expects; that is answered with no.
        """
        self._check_open()
        shown = redacted(command)
        with self._translated(shown):
            said, asked = self._exchange(command, answer, quiet_s)
        unexpected = asked and not answer
        refusal = _ERROR.search(said)
        if refusal or unexpected:
            words = refusal[0] if refusal else said
            reason = " ".join(redacted(words).split())[:_TAIL]
            raise RefusedError(self._connection.device, f"{shown!r}: {reason}")
        return said

    def _exchange(self, line: str, answer: str, quiet_s: float) -> tuple[str, bool]:
        """Send a line and answer its questions; return what is said, and whether it asked."""
        reader = PromptReader(self._session, _PROMPT, _QUESTION, self._is_ours)
        said, prompt = reader.ask(line, quiet_s)
        asked = not prompt
        while not prompt:
            more, prompt = reader.reply(answer or "n", quiet_s)
            said += more
        self._prompt = prompt
        if prompt.startswith("<"):
            self._name = prompt.strip("<>")
        return said, asked

    def _is_ours(self, prompt: str) -> bool:
        return bool(self._name) and prompt.strip("<>[]~*").startswith(self._name)
