"""The command line of a switch over SSH by netmiko: one line, one answer.

netmiko opens the channel and no more. Its own login looks for the prompt with empty lines and
pauses; on a busy machine their prompts come late and end later answers. Its ``send_command`` waits
out its whole timeout when the switch goes away, and looks for errors only where a pattern is given.
So every line is sent and read here: it ends at the prompt that follows its echo.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from fabric.core.errors import RefusedError
from fabric.devices.answers import PromptReader
from fabric.devices.redaction import redacted, shortened
from fabric.devices.ssh import TerminalSession

if TYPE_CHECKING:
    import re
    from collections.abc import Iterable

    from fabric.devices.driver import Connection


class CommandLine(TerminalSession):
    """A session with one switch.

    Attributes
    ----------
    prompt_pattern, question_pattern : re.Pattern
        Match at the very end of a text; the prompt is group ``prompt`` of its pattern.
    preparation : tuple of str
        Lines that are sent after the login; they switch the pager off.
    quiet_s : float
        How long the switch may stay silent.
    """

    prompt_pattern: ClassVar[re.Pattern[str]]
    question_pattern: ClassVar[re.Pattern[str]]
    preparation: ClassVar[tuple[str, ...]]
    quiet_s: ClassVar[float] = 60.0

    def __init__(self, connection: Connection) -> None:
        super().__init__(connection)
        self.prompt = ""
        self._names: set[str] = set()

    def open(self) -> None:
        """Log in; refuses a host key that is neither given nor known."""
        super().open()
        with self._translated("log in"):
            self._check_open()
            self._prepare()

    def _prepare(self) -> None:
        said, prompt = self._reader().first(self.quiet_s)
        self._answered(said, prompt, (), self.quiet_s)
        for line in self.preparation:
            self.exchange(line)

    def exchange(
        self, line: str, answers: Iterable[str] = (), quiet_s: float | None = None
    ) -> tuple[str, str]:
        """Send a line and answer its questions.

        Parameters
        ----------
        line : str
            One line; built by a driver from fixed words, checked names and rendered text.
        answers : iterable of str
            Answers to its questions, in order; every other one is answered with no.
        quiet_s : float or None
            How long the switch may stay silent.

        Returns
        -------
        tuple of str
            What the switch says before its next prompt, and up to its first unforeseen question.

        Raises
        ------
        ConnectionLostError
            When the session breaks or the switch falls silent.
        """
        self._check_open()
        quiet_s = self.quiet_s if quiet_s is None else quiet_s
        with self._translated(redacted(line)):
            said, prompt = self._reader().ask(line, quiet_s)
            return self._answered(said, prompt, answers, quiet_s)

    def _answered(
        self, said: str, prompt: str, answers: Iterable[str], quiet_s: float
    ) -> tuple[str, str]:
        foreseen, unforeseen = iter(answers), ""
        while not prompt:
            answer = next(foreseen, "")
            unforeseen = unforeseen or ("" if answer else said)
            more, prompt = self._reader().reply(answer or "n", quiet_s)
            said = f"{said}\n{more}"
        self.prompt = prompt
        self._names |= {name for name in (self._name_in(prompt),) if name}
        return said, unforeseen

    def _reader(self) -> PromptReader:
        return PromptReader(
            self._session, self.prompt_pattern, self.question_pattern, self._is_ours
        )

    def _is_ours(self, prompt: str) -> bool:
        """Tell whether a prompt bears a name that the switch has had."""
        raise NotImplementedError

    def _name_in(self, prompt: str) -> str:
        """Return the name of the switch in a prompt of the user view; empty in another view."""
        return prompt.strip("<>") if prompt.startswith("<") else ""

    def _refusal(self, line: str, said: str) -> RefusedError:
        return RefusedError(self._connection.device, f"{redacted(line)!r}: {shortened(said)}")
