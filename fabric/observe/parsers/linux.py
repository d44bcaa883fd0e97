"""What systems with a Linux shell have in common."""

from __future__ import annotations

import re

from fabric.observe.parsers import UnreadableError
from fabric.observe.parsers.tables import plain
from fabric.observe.state import SystemFacts

#: Prints what `uptime` parses; no root is needed.
UPTIME_COMMAND = "hostname; cat /proc/uptime"
#: proc(5), /proc/uptime: seconds since the start, and idle seconds of all processors together.
_UPTIME = re.compile(r"(?P<name>[!-~]{1,253})\n(?P<uptime_s>\d{1,12}\.\d\d) \d{1,15}\.\d\d\n")


def uptime(text: str) -> SystemFacts:
    """Parse the output of ``UPTIME_COMMAND``.

    Raises
    ------
    UnreadableError
        When it is not a name and the two numbers.
    """
    said = _UPTIME.fullmatch(plain(text))
    if said is None:
        raise UnreadableError(f"{text[:80]!r} is not a host name and an uptime")
    return SystemFacts(said["name"], uptime_s=float(said["uptime_s"]))
