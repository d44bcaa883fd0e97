"""Printing: data to stdout, progress to stderr, tables that fit the terminal."""

from __future__ import annotations

import json
import os
import sys
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Sequence

    from fabric.report.table import Table


def data(text: str) -> None:
    """Write data to stdout."""
    sys.stdout.write(text)


def alarming(text: str, words: str) -> None:
    """Write data to stdout; on a terminal, lines with these words are red (https://no-color.org)."""
    if sys.stdout.isatty() and "NO_COLOR" not in os.environ:
        red = (f"\033[31m{line}\033[0m" if words in line else line for line in text.split("\n"))
        text = "\n".join(red)
    data(text)


def as_json(value: Any) -> None:
    """Write a value as JSON to stdout."""
    sys.stdout.write(json.dumps(value, indent=2) + "\n")


def table(headers: Sequence[str], rows: Sequence[Sequence[object]]) -> None:
    """Write rows in aligned columns to stdout, with a line of dashes below the headers."""
    texts = [[str(cell) for cell in row] for row in rows]
    widths = [
        max(len(header), *(len(row[column]) for row in texts)) if texts else len(header)
        for column, header in enumerate(headers)
    ]
    lines = [list(headers), ["-" * width for width in widths], *texts]
    for line in lines:
        cells = (cell.ljust(width) for cell, width in zip(line, widths, strict=True))
        sys.stdout.write("  ".join(cells).rstrip() + "\n")


def records(shown: Table, form: str) -> None:
    """Write the rows of a report as a table, or as a JSON list of objects."""
    if form == "json":
        as_json([dict(zip(shown.headers, row, strict=True)) for row in shown.rows])
    else:
        table(shown.headers, shown.rows)


def progress(device: str, text: str) -> None:
    """Write what happens to stderr, one line each."""
    name = f"{device}: " if device else ""
    sys.stderr.write(f"{name}{text}\n")
    sys.stderr.flush()


def watch(device: str, text: str) -> None:
    """Write progress only where somebody watches: on a terminal."""
    if sys.stderr.isatty():
        progress(device, text)


def note(text: str) -> None:
    """Write a message to stderr."""
    sys.stderr.write(f"{text}\n")
