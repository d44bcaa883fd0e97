"""The command line of VRP8: ``Error:`` on any line is a refusal, and views are told by the prompt.

What is known of netmiko (4.8.0, ``huawei_vrpv8``): ``commit`` sends a comment that this release
does not know and finds one text of failure only, ``save_config`` answers whatever is asked, and
``commit trial`` has no method: none of them is used.
"""

from __future__ import annotations

import re
from itertools import repeat

from fabric.devices.command_line import CommandLine

_ERROR = re.compile(r"^\s*(?:Error: |Failed to )(.*)", re.MULTILINE)


class Vrp8CommandLine(CommandLine):
    """A session with one switch."""

    device_type = "huawei_vrpv8"
    prompt_pattern = re.compile(
        r"(?:\A|\n)(?P<prompt><[^\s<>]{1,246}>|\[[~*]?[^\s\[\]]{1,300}\]) *\Z"
    )
    question_pattern = re.compile(r"\[Y(?:\(yes\))?/N[^\]\n]*\] ?:? *\Z", re.IGNORECASE)
    preparation = ("screen-length 0 temporary",)

    @property
    def view(self) -> str:
        """The prompt without the mark that tells whether something is not committed."""
        return self.prompt.replace("[*", "[").replace("[~", "[")

    @property
    def in_user_view(self) -> bool:
        """Whether no view of the configuration is open."""
        return self.prompt.startswith("<")

    def run(self, command: str, *, answer: str = "", quiet_s: float | None = None) -> str:
        """Send one line and return what the switch says before its next prompt.

        Raises
        ------
        RefusedError
            When it says that it refuses, or asks an unforeseen question; the answer to that is no.
        """
        said, unforeseen = self.exchange(command, repeat(answer) if answer else (), quiet_s)
        refusal = _ERROR.search(said)
        if refusal or unforeseen:
            raise self._refusal(command, refusal[0] if refusal else said)
        return said

    def _is_ours(self, prompt: str) -> bool:
        return prompt.strip("<>[]~*").startswith(tuple(self._names))
