"""Free texts in a configuration of NX-OS: banners, and jobs of the scheduler.

A banner runs from one delimiter to the next (Cisco NX-OS fundamentals configuration guide, MOTD
banner). A job is a text up to ``end-job`` that is not indented (ciscoconfparse test of NX-OS blank
lines, captured on a device).
"""

from __future__ import annotations

import re

_BANNER = re.compile(r"banner \S+ (\S)(.*)")
JOB = "scheduler job name "


def text_ends(line: str) -> tuple[str, ...]:
    """Return the patterns of the lines that end the texts behind a line."""
    words = line.strip()
    banner = _BANNER.fullmatch(words)
    if banner:
        return () if banner[1] in banner[2] else (re.escape(banner[1]),)
    return (r"^\s*end-job\s*$",) if words.startswith(JOB) else ()
