"""Where the keys of a JSON text stand: `json` of the library tells values and no places."""

from __future__ import annotations

import json
import re
from bisect import bisect_left
from functools import lru_cache
from typing import TYPE_CHECKING

from fabric.core.findings import Position
from fabric.core.json_text import STRING

if TYPE_CHECKING:
    from collections.abc import Mapping

Path = tuple[str, ...]
#: A bracket, or a string; one that a colon follows is a key.
_TOKEN = re.compile(rf"({STRING})(\s*+:)?+|[{{}}\[\]]")
#: An object that has no other object inside.
_FLAT = re.compile(rf'\{{[^{{}}"]*+(?:{STRING}[^{{}}"]*+)*+\}}')


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
    end = 0
    while token := _TOKEN.search(text, end):
        end = token.end()
        if token[2]:
            if len(path) <= depth:
                path[-1] = _name(token[1])
                line = bisect_left(breaks, token.start())
                column = token.start() - (breaks[line - 1] if line else -1)
                by_name.setdefault(tuple(path), Position(file, line + 1, column))
        elif token[1]:
            continue
        elif token[0] in "{[":
            flat = len(path) >= depth and _FLAT.match(text, token.start())
            if flat:  # all keys in it are too deep
                end = flat.end()
            else:
                path.append("")
        else:
            path.pop()
    return by_name


def _name(quoted: str) -> str:
    return json.loads(quoted) if "\\" in quoted else quoted[1:-1]


def nearest(positions: Mapping[Path, Position], path: Path) -> Position | None:
    """Return the position of a path, or of the nearest part of it that there is."""
    for length in range(len(path), 0, -1):
        if path[:length] in positions:
            return positions[path[:length]]
    return None
