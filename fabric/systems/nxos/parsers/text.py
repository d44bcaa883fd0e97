"""The text of a configuration: what belongs to it, and the texts that stand inside.

Known: headers of ``show running-config`` (napalm 5.2.0 ``get_config`` strips two of them). The
configuration has no line that ends it.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from fabric.observe.parsers import UnreadableError
from fabric.observe.parsers.tables import plain
from fabric.systems.nxos.texts import JOB, text_ends

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

#: Names of the timers that rocefab leaves on a switch while a change waits for its confirmation.
OWN_TIMER = "rocefab-"
_FEATURE_OFF = re.compile(r"feature \S+ is off\n")
_VERSION = re.compile(r"version \S+.*")
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
        is_job = words.startswith(JOB)
        if is_job or words.startswith("banner "):
            inside = [row for end in text_ends(words) for row in _until(lines, end)]
            rows.append([line, *(filter(None, map(str.strip, inside)) if is_job else inside)])
        elif line[0] == " " and rows:
            rows[-1].append(line.rstrip())
        elif rows and rows[-1][0].startswith(_SCHEDULE) and _OF_SCHEDULE.match(line):
            rows[-1].append(f"  {words}")
        else:
            rows.append([line.rstrip()])
    return rows


def _until(lines: Iterator[str], end: str) -> Iterator[str]:
    for line in lines:
        yield line
        if re.search(end, line):
            return
    raise UnreadableError("the end of a banner or of a scheduler job is missing")


def configuration(rows: Sequence[Sequence[str]]) -> str:
    """Return the text of blocks without headers, comments and the timers of rocefab."""
    kept = [
        "\n".join(block)
        for block in rows
        if not _VERSION.fullmatch(block[0])
        and not block[0].startswith((JOB + OWN_TIMER, _SCHEDULE + OWN_TIMER))
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
