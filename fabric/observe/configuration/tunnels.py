"""What lines say of the header of a tunnel, on systems whose reader of VRFs does not."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import NamedTuple

from fabric.core.registry import Registry


class TunnelLine(NamedTuple):
    """A line that a tunnel for RoCE has, or must not have.

    Parameters
    ----------
    effect : str
        ``dscp``, ``ecn`` (into the outer header) or ``mark`` (back out of it).
    pattern : str
        Pattern of the line.
    wanted : bool
        Whether the effect needs the line; otherwise the line takes it away.
    message : str
        What holds without it, or with it.
    """

    effect: str
    pattern: str
    wanted: bool
    message: str


@dataclass(frozen=True, slots=True)
class TunnelLines:
    """What a system says of its tunnels: ``tunnel`` is a line that makes one."""

    tunnel: str
    lines: tuple[TunnelLine, ...]

    def faults(self, text: str) -> list[tuple[TunnelLine, int]]:
        """Return the lines that are missing or too many, with the line that is to blame."""
        first = _line(text, self.tunnel)
        if not first:
            return []
        found = ((line, _line(text, line.pattern)) for line in self.lines)
        return [
            (line, first if line.wanted else number)
            for line, number in found
            if bool(number) is not line.wanted
        ]


def _line(text: str, pattern: str) -> int:
    """Return the number of the first line that a pattern matches; 0 without one."""
    match = re.search(pattern, text, re.MULTILINE)
    return text.count("\n", 0, match.start()) + 1 if match else 0


#: By system: lines about the header of tunnels.
tunnel_lines: Registry[TunnelLines] = Registry("tunnel lines", plugins="reading_lossless")
