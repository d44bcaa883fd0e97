"""Single routes of FRR, whichever system it runs on.

FRRouting/frr zebra/zebra_vty.c, ``show_route_detail``: the longest match, and only if it is as long
as the prefix that was asked for; a VRF that is not there, or not active, has texts of its own
(lib/vrf.h, ``VRF_GET_ID``). ``json`` has ``{}`` for all of these.
"""

from __future__ import annotations

import re

from fabric.devices.redaction import shortened
from fabric.observe.parsers import UnreadableError

_ENTRY = re.compile(r"^Routing entry for (\S+)\r?$", re.MULTILINE)
_ABSENT = "% Network not in table"


def has_route(text: str, vrf: str, prefix: str) -> bool:  # noqa: ARG001
    """Tell whether FRR has a route to a prefix, whatever it comes from.

    Raises
    ------
    UnreadableError
        When it says neither that there is one nor that there is none.
    """
    entries = _ENTRY.findall(text)
    if prefix in entries:
        return True
    if entries or text.strip() != _ABSENT:
        raise UnreadableError(
            f"it says neither that there is a route nor that there is none: {shortened(text, 80)!r}"
        )
    return False
