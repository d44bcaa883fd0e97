"""Reading the files of others: text of bounded size, JSON, and errors with their place."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from fabric.core.errors import InputError
from fabric.core.findings import Finding, Position, Severity
from fabric.intent.yaml.file import read_text

if TYPE_CHECKING:
    from pathlib import Path

#: 131,072 NICs and as many links above them make some 20 MB in any of the forms.
MAX_BYTES = 64 * 1024 * 1024


def text_of(path: Path) -> str:
    """Return a text file.

    Raises
    ------
    InputError
        When it cannot be read, is larger than 64 MiB, or is no UTF-8 text without control
        characters.
    """
    return read_text(path, str(path), root=path.parent, most_bytes=MAX_BYTES)


def malformed(path: Path, message: str, fix: str, line: int = 1, column: int = 1) -> InputError:
    """Return the error of a file that is not of its form."""
    place = Position(str(path), line, column)
    finding = Finding("EXC006", Severity.ERROR, message, fix, position=place)
    return InputError(f"1 error in {path}", [finding])


def json_of(path: Path) -> Any:
    """Return what a JSON file holds.

    Raises
    ------
    InputError
        As for `text_of`, and when it is no JSON.
    """
    try:
        return json.loads(text_of(path))
    except json.JSONDecodeError as error:
        message = f"not JSON: {error.msg}"
        raise malformed(
            path, message, "provide the complete file", error.lineno, error.colno
        ) from error
    except RecursionError as error:
        raise malformed(path, "JSON is nested too deeply", "reduce the nesting") from error
