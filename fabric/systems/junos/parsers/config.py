"""Junos: the configuration as ``set`` lines."""

from __future__ import annotations

import re

from fabric.observe.parsers import UnreadableError
from fabric.observe.parsers.tables import plain
from fabric.systems.junos.platforms import ORDERED_PARTS
from fabric.systems.junos.platforms.text import ConfigurationTextError, line_text, read_set

_ORDERED = re.compile(rf"set ((?:{'|'.join(ORDERED_PARTS)})) ")
_PROFILE = re.compile(
    r"set class-of-service congestion-notification-profile (\S+)"
    r" output ieee-802\.1 code-point ([01]{3}) flow-control-queue \d"
)
_BOUND = re.compile(r"set class-of-service interfaces (\S+) congestion-notification-profile (\S+)")
_BASE = 2


def configuration(text: str) -> str:
    """Return ``display set`` lines in one spelling, sorted where the order does not count.

    Raises
    ------
    UnreadableError
        When it is empty, ends in the middle of a line, or holds something else.
    """
    if not text.endswith("\n"):
        raise UnreadableError("the end of the configuration is missing")
    try:
        lines = [line_text(line) for line in read_set(plain(text))]
    except ConfigurationTextError as error:
        raise UnreadableError(str(error)) from error
    if not lines:
        raise UnreadableError("the configuration is empty")
    return "\n".join([*sorted(dict.fromkeys(lines), key=_place), ""])


def _place(line: str) -> str:
    """Return what a line is sorted by: all lines of an ordered part have the same."""
    part = _ORDERED.match(line)
    return f"set {part[1]} " if part else line


def pfc_priorities(text: str) -> dict[str, tuple[int, ...]]:
    """Return the priorities that each port pauses, from the profiles of the configuration.

    Raises
    ------
    UnreadableError
        When it is no configuration, or a port has a profile that is not there.
    """
    profiles: dict[str, set[int]] = {}
    bound: dict[str, str] = {}
    for line in configuration(text).splitlines():
        profile, port = _PROFILE.fullmatch(line), _BOUND.fullmatch(line)
        if profile:
            profiles.setdefault(profile[1], set()).add(int(profile[2], _BASE))
        elif port:
            bound[port[1]] = port[2]
    missing = sorted(set(bound.values()) - set(profiles))
    if missing:
        raise UnreadableError(f"no congestion-notification-profile {missing[0]} with an output")
    return {port: tuple(sorted(profiles[name])) for port, name in bound.items()}
