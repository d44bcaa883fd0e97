"""Leaves of trees as gNMI tells them: ``[[path, value], ...]`` as JSON."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING, Any

from fabric.core.json_text import parse_json
from fabric.observe.parsers import UnreadableError

if TYPE_CHECKING:
    import re
    from collections.abc import Mapping

_MOST_CHARACTERS = 512


def grouped(text: str, form: re.Pattern[str]) -> dict[tuple[str, ...], dict[str, Any]]:
    """Return leaves by the keys of their entry: the groups of ``form``, whose last is the leaf.

    Raises
    ------
    UnreadableError
        When there is none, or the text is no list of leaves.
    """
    groups: dict[tuple[str, ...], dict[str, Any]] = defaultdict(dict)
    for path, value in _leaves(text):
        if match := form.fullmatch(path):
            *keys, leaf = match.groups()
            groups[tuple(keys)][leaf] = value
    if not groups:
        raise UnreadableError("the target reports nothing of it, or does not have the model")
    return groups


def _leaves(text: str) -> list[tuple[str, Any]]:
    try:
        leaves = [(path, value) for path, value in parse_json(text)]
    except (ValueError, TypeError) as error:
        raise UnreadableError(f"not a list of leaves: {error}") from error
    if not all(isinstance(path, str) for path, _ in leaves):
        raise UnreadableError("a path is not a text")
    return leaves


def text_of(leaves: Mapping[str, Any], leaf: str) -> str:
    """Return a text, empty where the leaf is absent; UnreadableError for what is no short text."""
    value = leaves.get(leaf, "")
    if not isinstance(value, str) or len(value) > _MOST_CHARACTERS or not value.isprintable():
        raise UnreadableError(f"{leaf} is not a short text")
    return value


def number_of(leaves: Mapping[str, Any], leaf: str) -> int | None:
    """Return a number, None where the leaf is absent.

    RFC 7951 section 6.1 writes those of 64 bits as text.

    Raises
    ------
    UnreadableError
        When it is no number of 64 bits.
    """
    value = leaves.get(leaf)
    if value is None:
        return None
    if isinstance(value, str) and value.isdecimal() and value.isascii():
        value = int(value) if len(value) <= len(str(2**64)) else -1
    if isinstance(value, bool) or not isinstance(value, int) or not 0 <= value < 2**64:
        raise UnreadableError(f"{leaf} is not a number of 64 bits")
    return value
