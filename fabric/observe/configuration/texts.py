"""Free texts in configurations: the messages that a switch shows at login."""

from __future__ import annotations

import re

_HEADER = re.compile(r"(banner|header) \S+ (information )?(?P<mark>\S)(?P<rest>.*)")


def header_ends(line: str) -> tuple[str, ...]:
    """Return the patterns of the lines that end the text behind a ``banner`` or a ``header``.

    Its first character stands again at its end (Huawei VRP8 and H3C Comware V7 command references,
    ``header``; Cisco NX-OS fundamentals configuration guide, MOTD banner).
    """
    match = _HEADER.fullmatch(line.strip())
    if match is None or match["mark"] in match["rest"]:
        return ()
    if match["mark"].isalnum() and match["rest"]:  # a text without marks
        return ()
    return (re.escape(match["mark"]),)
