"""The text forms of a SONiC device folder: tables of words, and JSON."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any

from fabric.core.findings import Position
from fabric.core.json_text import parse_json, said
from fabric.exchange.hardware.model import wrong

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fabric.core.findings import Finding
    from fabric.exchange.hardware.model import Source

#: Columns of a ``port_config.ini`` without a heading (portconfig.py).
_COLUMNS = ("name", "lanes", "alias", "index", "speed")
_LANES = re.compile(r"\d{1,5}(,\d{1,5}){0,15}")
_MOST_LINES = 4096


def as_table(text: str) -> Iterator[tuple[int, dict[str, str]]]:
    """Yield line number and values by column of a ``port_config.ini``."""
    columns: tuple[str, ...] = _COLUMNS
    for number, line in enumerate(text.splitlines()[:_MOST_LINES], start=1):
        words = line.split()
        if line.lstrip().startswith("#"):
            heading = tuple(line.lstrip(" #").split())
            columns = heading if {"name", "lanes"} <= {*heading} else columns
        elif words:
            yield number, dict(zip(columns, words, strict=False))


def as_json(source: Source, findings: list[Finding]) -> dict[str, Any]:
    """Return the object in a file; an empty one, and a finding, where there is none."""
    try:
        data = parse_json(source.text)
    except json.JSONDecodeError as error:
        place = Position(source.shown, error.lineno, error.colno)
        findings.append(wrong(said(error), "copy the file from the switch again", place))
        return {}
    if isinstance(data, dict):
        return data
    findings.append(wrong("not a JSON object", "give the right file", Position(source.shown)))
    return {}


def lane_numbers(text: object) -> tuple[int, ...]:
    """Return the lanes of ``1,2,3,4``; none where it is no such list."""
    words = str(text).replace(" ", "")
    if not _LANES.fullmatch(words):
        return ()
    return tuple(int(word) for word in words.split(","))
