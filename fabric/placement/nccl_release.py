"""Releases of NCCL 2, and from which on each variable is read.

First tags that read a variable, of those compared (v2.12.7-1 to v2.30.7-1): NVIDIA/nccl
``src/transport/net_ib.cc``, from 2.29 on ``src/transport/net_ib/``, and ``src/graph/topo.cc``.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from fabric.core.errors import InputError
from fabric.core.findings import Finding, Severity
from fabric.intent.host_model import NCCL_LINES


class Reads:
    """What a release reads: (line, release in the line) of the first one; 0 is the whole line."""

    SPLIT_DATA: Final = (18, 0)
    SPLIT_DATA_OFF: Final = (20, 0)
    MERGE_NICS: Final = (20, 0)
    GID_SEARCH: Final = (21, 0)
    MERGE_LEVEL: Final = (24, 0)
    RAIL_IDS: Final = (30, 7)


@dataclass(frozen=True, slots=True)
class NcclRelease:
    """A release such as 2.21.5; a line without the last number is its oldest release."""

    line: int
    release: int = 0

    def reads(self, what: tuple[int, int]) -> bool:
        """Say whether this release reads a variable."""
        return (self.line, self.release) >= what

    def __str__(self) -> str:
        return f"2.{self.line}" + (f".{self.release}" if self.release else "")


#: Stands for a release that nobody named: the GID is searched for, rails have no numbers.
UNKNOWN = NcclRelease(NCCL_LINES[1])


#: The newest release that was compared; newer ones are taken for this one.
NEWEST = NcclRelease(NCCL_LINES[1], 7)


def nccl_release(text: str | None) -> NcclRelease:
    """Return the release that a text such as ``2.21.5`` names, or UNKNOWN for None.

    A release newer than those that were compared counts as the newest of them.

    Raises
    ------
    InputError
        When it is no release of NCCL 2 from 2.12 on.
    """
    if text is None:
        return UNKNOWN
    named = _named(text)
    return NEWEST if named.reads(_AFTER_NEWEST) else named


def newer_release(text: str | None) -> Finding | None:
    """Return a note about a release that is newer than all that were compared; else None."""
    if text is None or not _named(text).reads(_AFTER_NEWEST):
        return None
    message = f"NCCL {text} is newer than {NEWEST}, the latest release that rocefab knows"
    fix = f"the settings of {NEWEST} are used; see the release notes for changed variables"
    return Finding("PLC018", Severity.INFO, message, fix)


_AFTER_NEWEST = (NEWEST.line, NEWEST.release + 1)


def _named(text: str) -> NcclRelease:
    first, _ = NCCL_LINES
    parts = text.split(".")
    numbers = [int(part) for part in parts if part.isascii() and part.isdigit() and len(part) <= 2]  # noqa: PLR2004
    whole = len(numbers) == len(parts) and len(parts) in {2, 3}
    if not whole or numbers[0] != 2 or numbers[1] < first:  # noqa: PLR2004
        message = f"{text[:20]!a} is not a known NCCL release"
        fix = f"use release 2.{first} or later, such as 2.21.5"
        raise InputError("unknown NCCL release", [Finding("PLC005", Severity.ERROR, message, fix)])
    return NcclRelease(*numbers[1:])
