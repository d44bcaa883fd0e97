"""Where the members of a JSON file stand, and which form it must have."""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING, Any

from fabric.core.errors import InputError
from fabric.core.findings import Position
from fabric.intent.yaml.file import parse_yaml

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path as FilePath

    from fabric.core.shown import Path

#: Bytes of a file whose members are looked for: some seconds; our choice.
_MOST_BYTES = 1 << 20


def places_in(file: FilePath) -> Callable[[Path], Position]:
    """Return what tells the place of a member of a JSON file; the file where it is not known.

    JSON without tabs is YAML (YAML 1.2.2 section 1.3), whose reader knows places.
    """
    with suppress(InputError, OSError):
        content = file.read_bytes()
        if len(content) <= _MOST_BYTES:
            return parse_yaml(content, str(file), foreign=True).position
    return lambda _: Position(str(file))


def other_form(given: Any, wanted: str) -> tuple[str, str]:
    """Return what is wrong with the format of a file, and what to do; empty where nothing is.

    Parameters
    ----------
    given : Any
        Member ``format``; None where it is missing.
    wanted : str
        Name and number, such as ``rocefab-state/1``.
    """
    if given == wanted:
        return "", ""
    if given is None:
        return "format is missing", f"set format to {wanted}, or name another file"
    name, shown = wanted.partition("/")[0], repr(given)[:80]
    if isinstance(given, str) and given.partition("/")[0] == name:
        message = f"format is {shown}, a version that this release does not read"
        return message, f"write the file as {wanted}, or use the release that it is for"
    return f"format is {shown}, not {wanted!r}", f"name a file whose format is {wanted}"
