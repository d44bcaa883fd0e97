"""Cables from a file beside a source that has none: CSV, or DOT by its ending."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from fabric.exchange.importers import cable_map, dot

if TYPE_CHECKING:
    from pathlib import Path

    from fabric.exchange.draft import Draft
    from fabric.exchange.forms import Settings

_DOT_ENDINGS = (".dot", ".gv")


def take_cables(path: Path, draft: Draft, settings: Settings) -> None:
    """Take the cables of a file in; what is wrong with them is told with that file.

    Raises
    ------
    InputError
        When the file is not of its form.
    """
    named = draft.file
    draft.file = str(path)
    if path.suffix.lower() in _DOT_ENDINGS:
        dot.cables_of(path, draft)
    else:
        cable_map.cables_of(path, draft, replace(settings, cabling=None))
    draft.file = named
