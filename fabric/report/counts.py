"""Figures of a record that no device can have counted."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from fabric.core.json_text import parse_json
from fabric.observe.state import MOST_COUNT

if TYPE_CHECKING:
    from collections.abc import Iterator

#: How a figure is written that may be out of range: most records have none of these.
_SUSPECT = re.compile(rb"\d{20}|\d[eE]\+?\d\d|[ :,\[]-\d")
#: Fields whose figures may be below 0.
_SIGNED = {"optics", "temperatures"}
_SHOWN = 40


def impossible_counts(line: bytes) -> Iterator[str]:
    """Yield a message for each figure of a valid record that is below 0, or of more than 64 bits.

    Examples
    --------
    >>> print(*impossible_counts(b'{"state": {"route_count": 5, "macs": [{"vlan": -1}]}}'))
    state.macs.0.vlan: -1 is not a count of at most 64 bits
    """
    if not _SUSPECT.search(line):
        return
    for field, table in parse_json(line)["state"].items():
        for place, value in _figures(f"state.{field}", table):
            if value > MOST_COUNT or (value < 0 and field not in _SIGNED):
                yield f"{place}: {str(value)[:_SHOWN]} is not a count of at most 64 bits"


def _figures(place: str, value: Any) -> Iterator[tuple[str, float]]:
    if isinstance(value, dict | list):
        items = value.items() if isinstance(value, dict) else enumerate(value)
        for key, part in items:
            yield from _figures(f"{place}.{key}", part)
    elif isinstance(value, int | float) and not isinstance(value, bool):
        yield place, value
