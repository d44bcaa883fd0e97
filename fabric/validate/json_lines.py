"""Where the keys of a JSON text stand: `json` of the library tells values and no places."""

from __future__ import annotations

import json
import re
from bisect import bisect_left
from functools import lru_cache
from typing import TYPE_CHECKING

from fabric.core.findings import Position

if TYPE_CHECKING:
    from collections.abc import Mapping

Path = tuple[str, ...]
_TOKEN = re.compile(r'"(?:[^"\\]|\\.)*"|[{}\[\]:,]')


@lru_cache(maxsize=1)  # several readers ask for the same text in turn
def key_positions(text: str, file: str, depth: int = 3) -> Mapping[Path, Position]:
    """Return the position of each key of nested objects, down to a depth.

    Parameters
    ----------
    text : str
        A valid JSON text whose outermost value is an object.
    depth : int
        Keys below this many objects are left out.
    """
    by_name: dict[Path, Position] = {}
    breaks = [match.start() for match in re.finditer("\n", text)]
    path: list[str] = []
    name = re.match("", text)
    for match in _TOKEN.finditer(text):
        mark = match[0]
        if mark[0] == '"':
            name = match
        elif mark in ("{", "["):
            path.append("")
        elif mark in ("}", "]"):
            path.pop()
        elif mark == ":" and name and len(path) <= depth:
            word = name[0]
            path[-1] = json.loads(word) if "\\" in word else word[1:-1]
            line = bisect_left(breaks, name.start())
            column = name.start() - (breaks[line - 1] if line else -1)
            by_name.setdefault(tuple(path), Position(file, line + 1, column))
    return by_name


def nearest(positions: Mapping[Path, Position], path: Path) -> Position | None:
    """Return the position of a path, or of the nearest part of it that there is."""
    for length in range(len(path), 0, -1):
        if path[:length] in positions:
            return positions[path[:length]]
    return None
