"""explain: the lines that a field of the inventory decides."""

from __future__ import annotations

import difflib
import re
from collections import defaultdict
from typing import TYPE_CHECKING

from fabric.render.explain import entries, known, placed_lines

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from fabric.core.artefact import Artefact
    from fabric.render.explain import Explanation, PlacedLine

_KEY = re.compile(r'\s*"([^"]+)":')
#: First words of an inventory field that a document has and an explanation has not.
_DOCUMENT = "fabric."
#: Most fields that a hint names, and letters below which words are alike by chance; our choice.
_MOST_FIELDS, _SHORTEST_WORD = 3, 4


def lines_of_field(
    platform: str,
    artefacts: Sequence[Artefact],
    name: str,
    first: Callable[[Sequence[Explanation]], Sequence[Explanation]],
) -> Iterator[tuple[PlacedLine, Explanation]]:
    """Yield the lines that a field decides, with what is known of them.

    Parameters
    ----------
    platform : str
        Folder of the templates that printed the lines.
    name : str
        Path of a field, or a part of it: ``ecn.kmin_bytes``, ``kmin_bytes``, ``ecn``.
    first : callable
        Selects the nearest explanation of a line.
    """
    explained = [entry for entry in entries(platform) if names_field(entry, name)]
    for line in placed_lines(artefacts) if explained else ():
        match = _KEY.match(line.text)
        key = match[1] if match else ""
        is_title = bool(key) and line.context == key  # of a table; its rows follow
        sets = line.text.strip() and not line.text.lstrip().startswith("#") and not is_title
        for entry in first(known(platform, line, key)) if sets else ():
            if entry in explained:
                yield line, entry


def fields_like(platform: str, name: str) -> list[str]:
    """Return up to three fields, or sections, that decide lines and are spelled much alike.

    A word of a name counts too, such as ``kmin``, where few of them have it.
    """
    known_as: dict[str, set[str]] = defaultdict(set)
    for path in sorted({field for entry in entries(platform) for field in entry.fields}):
        parts = path.split(".")
        for end, part in enumerate(parts, 1):
            section = ".".join(parts[:end])
            for word in (section, part, *part.split("_")):
                known_as[word].add(section)
    words = [
        word
        for word, paths in known_as.items()
        if len(paths) <= _MOST_FIELDS and len(word) >= _SHORTEST_WORD
    ]
    close = difflib.get_close_matches(name.removeprefix(_DOCUMENT), sorted(words), n=_MOST_FIELDS)
    fields = (path for word in close for path in sorted(known_as[word]))
    return list(dict.fromkeys(fields))[:_MOST_FIELDS]


def names_field(entry: Explanation, name: str) -> bool:
    """Tell whether what is known of a line names a field, by its path or a part of it."""
    return any(is_part_of(name, field) for field in entry.fields)


def is_part_of(name: str, field: str) -> bool:
    """Tell whether a name is the path of a field or a part of it."""
    return f".{name.removeprefix(_DOCUMENT)}." in f".{field}."
