"""A difference as text for a terminal."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fabric.report.diff.shown_settings import cells, rows
from fabric.report.diff.view import alike, heading, hosts, parts, reach, summary, title

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from fabric.report.diff.model import Cause, Diff
    from fabric.report.diff.view import Alike, Part

#: Rows of a table, and groups of devices, that are printed; JSON has all.
_MOST_ROWS = 20
#: Settings of a group of like devices that are printed.
_MOST_SETTINGS = 12


def text(diff: Diff) -> str:
    """Return summary, tables, causes and devices."""
    lines = [title(diff), "", *summary(diff)]
    for part in parts(diff):
        lines += ["", f"{part.title} ({len(part.rows):,})", *_table(part)]
    if diff.causes:
        lines += ["", f"Causes ({len(diff.causes):,})"]
        lines += _most(
            [block for cause in diff.causes for block in [list(_cause(cause))]], "causes"
        )
    if diff.devices:
        groups = alike(diff)
        lines += ["", f"Devices ({len(diff.devices):,}); like ones are shown once"]
        lines += _most([list(_group(group)) for group in groups], "groups of devices")
    if touched := hosts(diff):
        lines += ["", "Hosts", *(f"  {line}" for line in touched)]
    return "\n".join([*lines, ""])


def _table(part: Part) -> list[str]:
    rows = [part.headers, *part.rows[:_MOST_ROWS]]
    widths = [max(len(row[column]) for row in rows) for column in range(len(part.headers))]
    lines = ["  " + "  ".join(map(str.ljust, row, widths)).rstrip() for row in rows]
    return [*lines, *_more(len(part.rows), "rows")]


def _cause(cause: Cause) -> Iterator[str]:
    for line in heading(cause):
        yield f"  {line}"
    yield f"    {reach(cause)}"
    for setting in cause.example:
        path, before, after = cells(setting)
        yield f"      {cause.example_device}  {path}: {before} -> {after}"


def _group(group: Alike) -> Iterator[str]:
    one = group.first
    yield f"  {group.title}"
    yield from (f"    {note}" for note in group.notes)
    settings = rows(one.settings)
    for path, before, after in settings[:_MOST_SETTINGS]:
        yield f"      {path}: {before} -> {after}"
    yield from _more(len(settings), "settings", _MOST_SETTINGS, "      ")


def _most(blocks: Sequence[list[str]], word: str) -> list[str]:
    shown = [line for block in blocks[:_MOST_ROWS] for line in block]
    return [*shown, *_more(len(blocks), word)]


def _more(number: int, word: str, most: int = _MOST_ROWS, indent: str = "  ") -> list[str]:
    more = number - most
    return [f"{indent}... {more:,} more {word}; --format json lists all"] if more > 0 else []
