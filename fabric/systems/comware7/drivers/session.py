"""The command line of Comware by netmiko (``hp_comware``).

The prompt changes with every view and with ``sysname``, and some lines ask a question.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from fabric.core.errors import RefusedError
from fabric.devices.command_line import CommandLine
from fabric.devices.redaction import redacted, shortened

if TYPE_CHECKING:
    from collections.abc import Iterable

#: Refusals begin with ``%``; the others are words of messages, which no document lists.
_REFUSAL = re.compile(
    r"(?im)^ *%(?! *\w+ *\d+ \d\d:).*|^.*\b(?:errors?|failed|cannot|does not exist|do not exist"
    r"|not supported|not allowed|conflicts?|exceeds?|denied|invalid)\b.*$"
)


def refusal(text: str) -> str:
    """Return the line of an answer that says that a line was refused; empty when none does."""
    refused = _REFUSAL.search(text)
    return shortened(refused[0], 200) if refused else ""


class ComwareCommandLine(CommandLine):
    """A session with one switch."""

    device_type = "hp_comware"
    prompt_pattern = re.compile(r"(?:\A|\n)(?P<prompt>[<\[][^<>\[\]\n]+[>\]])\Z")
    question_pattern = re.compile(r"\[Y/N[^\]]*\]\s*:?\s*$", re.IGNORECASE)
    preparation = ("screen-length disable", "return")

    @property
    def in_system_view(self) -> bool:
        """Whether the view of the whole system is open."""
        return self.prompt in {f"[{name}]" for name in self._names}

    def send(self, line: str, *, answers: Iterable[str] = (), quiet_s: float | None = None) -> str:
        """Send a line and return what the switch says before its next prompt.

        Raises
        ------
        RefusedError
            When it asks something that nobody foresaw; the answer is no.
        """
        if line.startswith("sysname "):
            self._names.add(line.rsplit(maxsplit=1)[-1])
        said, unforeseen = self.exchange(line, answers, quiet_s)
        if unforeseen:
            asked = " ".join(unforeseen.split())[-200:]
            raise RefusedError(
                self._connection.device, f"{redacted(line)!r} asks an unexpected question: {asked}"
            )
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
            raise RefusedError(
                self._connection.device, f"{redacted(line)!r} was rejected: {reason}"
            )
        return said

    def _is_ours(self, prompt: str) -> bool:
        return any(
            prompt in {f"<{name}>", f"[{name}]"} or prompt.startswith(f"[{name}-")
            for name in self._names
        )
