"""Settings as the forms for people show them: short, and like lines of ports once. JSON has all."""

from __future__ import annotations

import json
import re
from collections import Counter
from typing import TYPE_CHECKING, TypeAlias

from fabric.core.likeness import like_groups
from fabric.report.diff.model import ABSENT_TEXT

if TYPE_CHECKING:
    from collections.abc import Sequence

    from fabric.report.diff.model import Setting

    #: Path and both values.
    Row: TypeAlias = tuple[str, ...]

_ELLIPSIS = "..."
#: The name of a port, or of the device behind it: letters, and numbers that are part of it.
_PORT = re.compile(r"[A-Za-z][A-Za-z-]*\d+([/:_.]\d+)*")
#: Four numbers in a row, or more: a list, of which the differing ones are values.
_NUMBERS = re.compile(r"(?<!\S)(\d+|\.{3})(?: (?:\d+|\.{3})){2,} (\d+|\.{3})(?!\S)")
#: What a script of a host has around a command.
_CONDITION = re.compile(r"if \[ .*; then")
_SCRIPT_WORDS = frozenset(("\\", "\\:", ">/dev/null"))


def cells(setting: Setting) -> Row:
    """Return path and both values of a setting, short."""
    path = _command(setting.path) if setting.file.endswith(".sh") else setting.path
    before, after = setting.before, setting.after
    if before is not None and after is not None:
        before, after = _apart(before, after)
    values = (ABSENT_TEXT if text is None else text for text in (before, after))
    return (_NUMBERS.sub(_ends, path), *values)


def rows(settings: Sequence[Setting]) -> list[Row]:
    """Return the settings of a device; those that ports have alike are one, with a count."""
    groups = like_groups(map(cells, settings), lambda row: (_PORT.sub("#", row[0]), *row[1:]))
    return [
        (f"{path} (and {len(group) - 1:,} like it)" if len(group) > 1 else path, *values)
        for group in groups
        for path, *values in group[:1]
    ]


def _command(path: str) -> str:
    """Return a line of a script without what is around its command."""
    lines = [line for line in path.split(": ") if not _CONDITION.fullmatch(line)]
    return " ".join(word for word in ": ".join(lines).split(" ") if word not in _SCRIPT_WORDS)


def _ends(match: re.Match[str]) -> str:
    """Return the first and the last of a list of numbers."""
    ends = dict.fromkeys((match[1], _ELLIPSIS, match[2]))
    return " ".join(ends)


def _apart(before: str, after: str) -> tuple[str, str]:
    """Return the parts of two values that differ: items of a list, members of an object."""
    sides = before.split(", "), after.split(", ")
    if before.startswith("{") and after.startswith("{"):
        return _members(before, after)
    if min(map(len, sides)) < 2:  # noqa: PLR2004 - a list
        return before, after
    old, new = (Counter(side) for side in sides)
    left = ", ".join((old - new).elements()), ", ".join((new - old).elements())
    return left if all(left) else (before, after)


def _members(before: str, after: str) -> tuple[str, str]:
    try:
        old, new = json.loads(before), json.loads(after)
    except ValueError:  # the end of a long value is cut off
        return before, after
    names = [name for name in {**old, **new} if old.get(name) != new.get(name)]
    texts = (
        json.dumps({name: side[name] for name in names if name in side}) for side in (old, new)
    )
    was, now = texts
    return was, now
