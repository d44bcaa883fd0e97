"""JSON as the tools print it, read field by field with its type."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, TypeVar

from fabric.core.json_text import parse_json
from fabric.observe.hostfacts.values import U64_MAX, shown
from fabric.observe.parsers import UnreadableError

T = TypeVar("T")
Row = Mapping[str, Any]


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    members = dict(pairs)
    if len(members) != len(pairs):
        raise UnreadableError("the JSON names a member twice")
    return members


def read_json(text: str) -> Any:
    """Return what JSON says; a member that stands twice is refused.

    Raises
    ------
    UnreadableError
        When it is no JSON, or nested too deeply.
    """
    try:
        return parse_json(text, _unique)
    except UnreadableError:
        raise
    except ValueError:
        raise UnreadableError("the output is not JSON, or not all of it") from None


def rows(text: str, tool: str) -> list[Row]:
    """Return a list of objects; ``ip`` prints empty ones for what it left out.

    Raises
    ------
    UnreadableError
        When the output is something else.
    """
    parsed = read_json(text)
    if not isinstance(parsed, list) or not all(isinstance(row, dict) for row in parsed):
        raise UnreadableError(f"{tool} printed no list of objects")
    return [row for row in parsed if row]


def whole(row: Row, name: str, low: int = 0, high: int = U64_MAX) -> int:
    """Return a whole number within its bounds, or raise UnreadableError."""
    value = row.get(name)
    if type(value) is not int or not low <= value <= high:
        raise UnreadableError(f"{name} is {shown(value)}")
    return value


def flag(row: Row, name: str) -> bool:
    """Return true or false, or raise UnreadableError."""
    value = row.get(name)
    if type(value) is not bool:
        raise UnreadableError(f"{name} is {shown(value)}")
    return value


def items(row: Row, name: str) -> list[Any]:
    """Return a list, or raise UnreadableError."""
    value = row.get(name)
    if not isinstance(value, list):
        raise UnreadableError(f"{name} is {shown(value)}")
    return value


def optional(row: Row, name: str, read: Callable[[Any], T]) -> T | None:
    """Return what ``read`` makes of a member, None where there is no such member."""
    return read(row[name]) if name in row else None
