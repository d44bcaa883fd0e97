"""Times as systems print them, in seconds."""

from __future__ import annotations

import re

_CLOCK = re.compile(r"(\d{2}):(\d{2}):(\d{2})")
_PARTS = re.compile(r"(?:\d+[ywdhm])+")
_PART = re.compile(r"(\d+)([ywdhm])")
#: A year of FRR is 52 weeks and a day (bgpd/bgpd.c, ``peer_uptime``).
_DAY_S = 86_400
_UNIT_S = {"y": 365 * _DAY_S, "w": 7 * _DAY_S, "d": _DAY_S, "h": 3600, "m": 60}


def frr_seconds(text: str) -> float | None:
    """Return ``01:02:03``, ``1d02h03m``, ``5w6d10h`` or ``01y02w3d`` of FRR; None for others.

    FRRouting/frr bgpd/bgpd.c, ``peer_uptime``; a session that never was is ``never``.
    """
    if clock := _CLOCK.fullmatch(text):
        hours, minutes, seconds = map(int, clock.groups())
        return float((hours * 60 + minutes) * 60 + seconds)
    if _PARTS.fullmatch(text):
        return float(sum(int(number) * _UNIT_S[unit] for number, unit in _PART.findall(text)))
    return None


_JUNOS = re.compile(r"(?:(?:(\d+)w)?(?:(\d+)d)? )?(?:(?:(\d+):)?(\d+):)?(\d+)")


def junos_seconds(text: str) -> float | None:
    """Return ``42``, ``3:04``, ``5:23:37``, ``2d 5:23:37`` or ``9w2d 5:23:37``; None for others."""
    said = _JUNOS.fullmatch(text)
    if said is None:
        return None
    weeks, days, hours, minutes, seconds = (int(part or 0) for part in said.groups())
    return float((weeks * 7 + days) * _DAY_S + (hours * 60 + minutes) * 60 + seconds)
