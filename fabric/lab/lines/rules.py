"""The lines of a stand-in as ``grammar.txt`` has them, the form before books."""

from __future__ import annotations

from pathlib import Path
from warnings import warn

from fabric.book.file import read_texts

FILE = "grammar.txt"
_OLD = "{}: such files are deprecated; write a lines.book (docs/reference/lines.md) in its place"


def rules(module: str) -> tuple[dict[str, str], dict[str, frozenset[str]]]:
    """Return the rules and the hidden lines of each mode.

    Parameters
    ----------
    module : str
        ``__file__`` of the module that has the file beside it.

    Raises
    ------
    BookError
        When a line stands below no header.
    """
    file = Path(module).with_name(FILE)
    warn(_OLD.format(file), FutureWarning, stacklevel=2)
    texts = read_texts(file)
    return texts.tables(), {mode: frozenset(lines) for mode, lines in texts.hidden.items()}
