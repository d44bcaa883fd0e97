"""The command line of Comware over SSH by netmiko (``hp_comware``): one line, one answer.

netmiko logs in, switches paging off and keeps the channel. Lines are sent here, because what
netmiko offers falls short of them: the prompt changes with every view and with ``sysname``, some
lines ask a question, and errors are only looked for where a pattern is given.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from fabric.core.errors import RefusedError
from fabric.devices.answers import PromptReader
from fabric.devices.redaction import redacted
from fabric.devices.ssh import TerminalSession

if TYPE_CHECKING:
    from collections.abc import Iterable

    from fabric.devices.driver import Connection

_QUIET_S = 60.0
_PROMPT = re.compile(r"(?:\A|\n)(?P<prompt>[<\[][^<>\[\]\n]+[>\]])\Z")
_QUESTION = re.compile(r"\[Y/N[^\]]*\]\s*:?\s*$", re.IGNORECASE)
#: Refusals begin with ``%``; the others are words of messages, which no document lists.
_REFUSAL = re.compile(
    r"(?im)^ *%(?! *\w+ *\d+ \d\d:).*|^.*\b(?:errors?|failed|cannot|does not exist|do not exist"
    r"|not supported|not allowed|conflicts?|exceeds?|denied|invalid)\b.*$"
)


def refusal(text: str) -> str:
    """Return the line of an answer that says that a line was refused; empty when none does."""
    found = _REFUSAL.search(text)
    return " ".join(redacted(found[0]).split())[:200] if found else ""


class ComwareSession(TerminalSession):
    """A login on the command line of one switch."""

    device_type = "hp_comware"

    def __init__(self, connection: Connection) -> None:
        super().__init__(connection)
        self._names: tuple[str, ...] = ()
        self.prompt = ""

    def open(self) -> None:
        """Log in; refuses a host key that is neither given nor known."""
        super().open()
        self._names = (str(self._session.base_prompt),)
        self.send("return")

    @property
    def in_system_view(self) -> bool:
        """Whether the view of the whole system is open."""
        return self.prompt in {f"[{name}]" for name in self._names}

    def send(self, line: str, *, answers: Iterable[str] = (), quiet_s: float = _QUIET_S) -> str:
        """Send a line and return what the switch says up to its next prompt.

        Parameters
        ----------
        line : str
            One line; built by a driver from fixed words, checked names and rendered text.
        answers : iterable of str
            What its questions are answered with, in order.
        quiet_s : float
            How long the switch may stay silent.

        Raises
        ------
        RefusedError
            When it asks something that nobody foresaw; the answer is no.
        ConnectionLostError
            When the session breaks or the switch falls silent.
        """
        if line.startswith("sysname "):
            self._names = (*self._names, line.rsplit(maxsplit=1)[-1])
        shown = redacted(line)
        with self._translated(shown):
            said, asked = self._exchange(line, list(answers), quiet_s)
        if asked:
            message = f"{shown!r} asks what nobody foresaw: {' '.join(asked.split())[-200:]}"
            raise RefusedError(self._connection.device, message)
        return said

    def checked(self, line: str, *, answers: Iterable[str] = ()) -> str:
        """Send a line and return the answer.

        Raises
        ------
        RefusedError
            When the switch refuses it.
        """
        said = self.send(line, answers=answers)
        reason = refusal(said)
        if reason:
            message = f"{redacted(line)!r} was refused: {reason}"
            raise RefusedError(self._connection.device, message)
        return said

    def _exchange(self, line: str, answers: list[str], quiet_s: float) -> tuple[str, str]:
        """Send a line and answer its questions; return what is said, and what nobody foresaw."""
        if self._session is None:
            raise ConnectionError("there is no session with it")
        reader = PromptReader(self._session, _PROMPT, _QUESTION, self._is_ours)
        said, prompt = reader.ask(line, quiet_s)
        unforeseen = ""
        while not prompt:
            unforeseen = unforeseen or ("" if answers else said)
            more, prompt = reader.reply(answers.pop(0) if answers else "n", quiet_s)
            said = f"{said}\n{more}"
        self.prompt = prompt
        return said, unforeseen

    def _is_ours(self, prompt: str) -> bool:
        return any(
            prompt in {f"<{name}>", f"[{name}]"} or prompt.startswith(f"[{name}-")
            for name in self._names
        )
