"""OS10 over SSH: lines act at once, ``rollback-timer TOKEN SECONDS`` brings back what ran before.

The name of the timer is that of the change.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from fabric.core.errors import RefusedError
from fabric.devices.base import TerminalDriver, read_subjects
from fabric.devices.candidate import LinePatch
from fabric.devices.command_line import CommandLine
from fabric.devices.driver import Connection, Identity, checked_token, drivers
from rocefab_os10.parsers import facts, rows

STATE_COMMANDS = {
    "facts": "show system",
    "lldp": "show lldp neighbors",
    "bgp": "show ip bgp summary",
    "pfc": "show priority-flow-control",
}


class Os10CommandLine(CommandLine):
    """A session with one switch."""

    device_type = "dell_os10"
    prompt_pattern = re.compile(r"(?:\A|\n)(?P<prompt>[\w.-]+(?:\([^()\n]*\))?# ?)\Z")
    question_pattern = re.compile(r"\[yes/no\]: *\Z")
    preparation = ("terminal length 0",)

    def say(self, line: str) -> str:
        """Send a line and return the answer.

        Raises
        ------
        RefusedError
            When the switch refuses the line.
        """
        said, _ = self.exchange(line)
        if said.startswith("% Error"):
            raise self._refusal(line, said)
        return said

    def configure(self, lines: Sequence[str]) -> None:
        """Send indented lines; a section is left by ``exit``, and opened where the prompt says."""
        self.say("configure terminal")
        modes = [self.prompt]
        try:
            for line in lines:
                depth = len(line) - len(line.lstrip(" "))
                while len(modes) - 1 > depth:
                    self.say("exit")
                    modes.pop()
                self.say(line.strip())
                if self.prompt != modes[-1]:
                    modes.append(self.prompt)
        finally:
            self.say("end")

    def _is_ours(self, prompt: str) -> bool:
        return self._name_in(prompt) in self._names

    def _name_in(self, prompt: str) -> str:
        return re.split(r"[#(]", prompt)[0]


@drivers.add("os10")
class Os10Driver(TerminalDriver[Os10CommandLine]):
    """One OS10 switch."""

    def __init__(self, connection: Connection) -> None:
        super().__init__(connection, Os10CommandLine(connection))

    def identify(self) -> Identity:
        """Return who answers."""
        said = facts(self._terminal.say("show system"))
        return Identity(said.hostname, said.serial, said.mac)

    def read_running(self, files: Sequence[str]) -> Mapping[str, str]:
        """Return the running and the saved configuration."""
        return {
            "config": self._terminal.say("show running-configuration"),
            "startup": self._terminal.say("show startup-configuration"),
        }

    def read_state(self, subjects: Sequence[str]) -> Mapping[str, str]:
        """Return raw texts by subject."""
        return read_subjects(subjects, STATE_COMMANDS, self._terminal.say)

    def foreign_sessions(self) -> Sequence[str]:
        """Return the changes that wait for their confirmation."""
        return [token for (token,) in rows(self._terminal.say("show rollback-timer"), 1)]

    def stage(self, candidate: LinePatch, token: str) -> None:
        """Refuse a switch on which another change waits; there is no place for a candidate."""
        checked_token(token)
        self._refuse_others()

    def commit(self, candidate: LinePatch, token: str, timer_s: int) -> None:
        """Arm the timer, then send the lines; a refusal undoes them all."""
        self._terminal.say(f"rollback-timer {checked_token(token)} {timer_s}")
        try:
            self._terminal.configure(candidate.lines.splitlines())
        except RefusedError:
            self.rollback(token)
            raise

    def pending(self, token: str) -> bool:
        """Tell whether the change waits for its confirmation."""
        return token in self.foreign_sessions()

    def confirm(self, token: str) -> None:
        """Stop the timer; refused when it has run out."""
        self._terminal.say(f"rollback-timer {checked_token(token)} confirm")

    def rollback(self, token: str) -> None:
        """Let the timer run out now."""
        self._terminal.say(f"rollback-timer {checked_token(token)} now")

    def save(self) -> None:
        """Make the running configuration the one that survives a reboot."""
        self._terminal.say("write memory")
