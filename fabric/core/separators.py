"""Tables of text whose cells something else than a comma separates, as spreadsheets save them."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

#: What separates cells besides a comma, with its word in messages.
_SEPARATORS = {";": "semicolons", "\t": "tabs", "|": "bars"}
FIX = "save the file with commas between the cells"


def no_commas(head: str, is_column: Callable[[str], bool]) -> str:
    """Return how the columns of a first line are separated where not by commas; else nothing.

    Parameters
    ----------
    is_column : callable
        Tells whether a cell is the name of a column that is known.
    """
    for separator, word in _SEPARATORS.items():
        cells = [cell.strip().strip('"') for cell in head.split(separator)]
        if sum(map(is_column, cells)) > 1:
            return f"the cells are separated by {word}, not by commas"
    return ""
