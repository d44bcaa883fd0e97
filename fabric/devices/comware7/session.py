"""The command line of Comware over SSH by netmiko (``hp_comware``): one line, one answer.

netmiko logs in, switches paging off and keeps the channel. Lines are sent here, because what
netmiko offers falls short of them: the prompt changes with every view and with ``sysname``, some
lines ask a question, and errors are only looked for where a pattern is given.
"""

from __future__ import annotations

import re
import time
from typing import TYPE_CHECKING

from fabric.core.errors import RefusedError
from fabric.devices.redaction import redacted
from fabric.devices.ssh import ShellSession

if TYPE_CHECKING:
    from collections.abc import Iterable

    from fabric.devices.driver import Connection

_SHORTEST_POLL_S = 0.001
_LONGEST_POLL_S = 0.02
_SLOWING = 1.5
_QUIET_S = 60.0
#: How long a line that looks like a prompt of another name must be the last one to be one.
_SETTLED_S = 0.3
#: The same of a question, which a text might hold too.
_ASKED_S = 0.05
_TAIL = 300
_PROMPT = re.compile(r"(?:^|[\r\n])([<\[][^<>\[\]\r\n]+[>\]])$")
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


class ComwareSession(ShellSession):
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
            said = self._exchange(line, quiet_s)
            waiting = list(answers)
            asked = ""
            while _QUESTION.search(said):
                asked = asked or ("" if waiting else said)
                answer = waiting.pop(0) if waiting else "n"
                said = f"{said}\n{self._exchange(answer, quiet_s)}"
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

    def _exchange(self, line: str, quiet_s: float) -> str:
        """Send a line and read up to a prompt or a question; return what stands between."""
        if self._session is None:
            raise ConnectionError("there is no session with it")
        self._session.write_channel(f"{line}\n")
        text = self._read_answer(quiet_s).replace("\r", "")
        found = _PROMPT.search(text)
        if found and not _QUESTION.search(text):
            self.prompt = found[1]
            text = text[: found.start(1)]
        echo, _, rest = text.partition("\n")
        return rest if echo.strip().endswith(line.strip()) else text

    def _read_answer(self, quiet_s: float) -> str:
        """Read until a prompt or a question ends what was read.

        A prompt with the name of the switch counts at once; one with another name, as after a
        rollback, when nothing follows it.

        Raises
        ------
        ConnectionError, TimeoutError
            When the switch closes the session or falls silent.
        """
        pieces, tail, last_s, pause_s = [], "", time.monotonic(), _SHORTEST_POLL_S
        while True:
            data = self._session.read_channel()
            if data:
                pieces.append(data)
                tail, last_s, pause_s = (tail + data)[-_TAIL:], time.monotonic(), _SHORTEST_POLL_S
                continue
            silent_s = time.monotonic() - last_s
            if self._ends(tail, silent_s):
                return "".join(pieces)
            if self._session.remote_conn.closed:
                raise ConnectionError("the device closed the session")
            if silent_s > quiet_s:
                raise TimeoutError(f"no answer for {quiet_s:g} s")
            time.sleep(pause_s)
            pause_s = min(pause_s * _SLOWING, _LONGEST_POLL_S)

    def _ends(self, tail: str, silent_s: float) -> bool:
        """Tell whether an answer is at its end."""
        if _QUESTION.search(tail):
            return silent_s > _ASKED_S
        found = _PROMPT.search(tail)
        return found is not None and (self._ours(found[1]) or silent_s > _SETTLED_S)

    def _ours(self, prompt: str) -> bool:
        return any(
            prompt in {f"<{name}>", f"[{name}]"} or prompt.startswith(f"[{name}-")
            for name in self._names
        )
