"""Text outputs as lines, and ``name: value`` pairs in them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fabric.observe.hostfacts.values import shown
from fabric.observe.parsers import UnreadableError

if TYPE_CHECKING:
    from collections.abc import Iterable


def whole_lines(text: str) -> list[str]:
    """Return the lines; every tool ends its last one.

    Raises
    ------
    UnreadableError
        When the last line is cut.
    """
    if text and not text.endswith("\n"):
        raise UnreadableError("the last line of the output is cut")
    return text.split("\n")[:-1]


def headed(text: str, header: str) -> tuple[str, list[str]]:
    """Return what follows ``header`` in the first line, and the lines below that are not blank.

    Raises
    ------
    UnreadableError
        When the first line is another one.
    """
    lines = [line for line in whole_lines(text) if line.strip()]
    if not lines or not lines[0].startswith(header):
        raise UnreadableError(f"the output does not begin with {header!r}")
    return lines[0].removeprefix(header).strip(), lines[1:]


def pairs(lines: Iterable[str]) -> dict[str, str]:
    """Return the pairs of lines ``name: value``; lines without a colon go on from the one above.

    Raises
    ------
    UnreadableError
        When a name stands twice.
    """
    found: dict[str, str] = {}
    for line in lines:
        name, colon, value = line.partition(":")
        if not colon:
            continue
        if name.strip() in found:
            raise UnreadableError(f"{shown(name.strip())} stands twice")
        found[name.strip()] = value.strip()
    return found


def wanted(found: dict[str, str], name: str) -> str:
    """Return the value of a name.

    Raises
    ------
    UnreadableError
        When it is not there.
    """
    if name not in found:
        raise UnreadableError(f"the output has no {name!r}")
    return found[name]
