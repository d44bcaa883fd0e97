"""The text of a configuration: what belongs to it, and the texts that stand inside.

Known: headers of ``show running-config`` (napalm 5.2.0 ``get_config`` strips two of them); jobs of
the scheduler are texts up to ``end-job``, not indented (ciscoconfparse test of NX-OS blank lines,
captured on a device); a banner runs from one delimiter to the next (Cisco NX-OS fundamentals
configuration guide, MOTD banner). The configuration has no line that ends it.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from fabric.observe.parsers import UnreadableError
from fabric.observe.parsers.tables import plain

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

#: Names of the timers that rocefab leaves on a switch while a change waits for its confirmation.
OWN_TIMER = "rocefab-"
_FEATURE_OFF = re.compile(r"feature \S+ is off\n")
_VERSION = re.compile(r"version \S+.*")
_BANNER = re.compile(r"(banner \S+ )(\S)(.*)")
_JOB = "scheduler job name "
_SCHEDULE = "scheduler schedule name "
_OF_SCHEDULE = re.compile(r" *(?:job name|time) ")


def is_off(text: str) -> bool:
    """Tell whether a reading says that the feature is off: then there is nothing to read."""
    return bool(_FEATURE_OFF.fullmatch(text))


def blocks(text: str) -> list[list[str]]:
    """Return the top-level blocks of a configuration, each with the lines below it.

    Banners and jobs are one block each, whatever they look like.
    """
    rows: list[list[str]] = []
    lines = iter(text.splitlines())
    for line in lines:
        words = line.strip()
        if not words or words[0] == "!":
            continue
        banner = _BANNER.fullmatch(line) if words.startswith("banner ") else None
        if banner:
            rows.append([line, *_until(lines, banner[2], banner[3])])
        elif line.startswith(_JOB):
            rows.append([line, *_job(lines)])
        elif line[0] == " " and rows:
            rows[-1].append(line.rstrip())
        elif rows and rows[-1][0].startswith(_SCHEDULE) and _OF_SCHEDULE.match(line):
            rows[-1].append(f"  {words}")
        else:
            rows.append([line.rstrip()])
    return rows


def _until(lines: Iterator[str], delimiter: str, rest: str) -> Iterator[str]:
    if delimiter in rest:
        return
    for line in lines:
        yield line
        if delimiter in line:
            return
    raise UnreadableError("the end of a banner is missing")


def _job(lines: Iterator[str]) -> Iterator[str]:
    for line in lines:
        if line.strip():
            yield line.strip()
        if line.strip() == "end-job":
            return
    raise UnreadableError("the end of a scheduler job is missing")


def configuration(rows: Sequence[Sequence[str]]) -> str:
    """Return the text of blocks without headers, comments and the timers of rocefab."""
    kept = [
        "\n".join(block)
        for block in rows
        if not _VERSION.fullmatch(block[0])
        and not block[0].startswith((_JOB + OWN_TIMER, _SCHEDULE + OWN_TIMER))
    ]
    return "\n".join([*kept, ""])


def whole_configuration(text: str) -> str:
    """Return configuration text, which must be all that the command prints.

    Raises
    ------
    UnreadableError
        When it is empty, has no version line at its head, its last line is cut, or a pager or a
        terminal left marks. That whole lines are missing at its end cannot be seen.
    """
    text = plain(text)
    if not text.endswith("\n"):
        raise UnreadableError("the end of the configuration is missing")
    rows = blocks(text)
    if not rows or not _VERSION.fullmatch(rows[0][0]):
        raise UnreadableError("no version line at the head of the configuration")
    return configuration(rows)
