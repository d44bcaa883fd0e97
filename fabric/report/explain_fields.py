"""explain: the lines that a field of the inventory decides."""

from __future__ import annotations

import difflib
import re
from typing import TYPE_CHECKING

from fabric.render.explain import entries, known, placed_lines

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from fabric.core.artefact import Artefact
    from fabric.render.explain import Explanation, PlacedLine

_KEY = re.compile(r'\s*"([^"]+)":')
#: First words of an inventory field that a document has and an explanation has not.
_DOCUMENT = "fabric."


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
    """Return up to three fields that decide lines of a platform and are spelled much alike."""
    paths = {field for entry in entries(platform) for field in entry.fields}
    last = {path.rpartition(".")[2]: path for path in sorted(paths)}
    known_as = {**last, **{path: path for path in paths}}
    close = difflib.get_close_matches(name.removeprefix(_DOCUMENT), sorted(known_as), n=3)
    return list(dict.fromkeys(known_as[word] for word in close))


def names_field(entry: Explanation, name: str) -> bool:
    """Tell whether what is known of a line names a field, by its path or a part of it."""
    asked = f".{name.removeprefix(_DOCUMENT)}."
    return any(asked in f".{field}." for field in entry.fields)
