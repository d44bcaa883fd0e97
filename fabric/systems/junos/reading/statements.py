"""The statements of a Junos configuration that count, in ``set`` form or as a hierarchy."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from fabric.observe.configuration.blocks import Block
from fabric.observe.parsers import UnreadableError
from fabric.systems.junos.platforms.hierarchy import numbered_tree
from fabric.systems.junos.platforms.text import VERBS, ConfigurationTextError, quoted, read_set

if TYPE_CHECKING:
    from collections.abc import Iterable

    from fabric.systems.junos.platforms.text import Line, Words

_VERB = re.compile(rf"\s*({'|'.join(VERBS)})\s")


def statements(text: str) -> list[Block]:
    """Return the active statements of a configuration without their verb.

    Raises
    ------
    UnreadableError
        When the text is neither form.
    """
    try:
        lines = _numbered(text)
    except ConfigurationTextError as error:
        raise UnreadableError(str(error)) from error
    return [Block(number, " ".join(map(quoted, words))) for number, words in _active(lines)]


def _numbered(text: str) -> list[tuple[int, Line]]:
    first = next((row for row in text.splitlines() if row.strip() and row.strip()[0] != "#"), "")
    if not _VERB.match(first):
        return numbered_tree(text)
    return [
        (number, line) for number, row in enumerate(text.splitlines(), 1) for line in read_set(row)
    ]


def _active(lines: Iterable[tuple[int, Line]]) -> list[tuple[int, Words]]:
    """Return what is set and neither deleted nor deactivated."""
    standing: dict[Words, int] = {}
    inactive: set[Words] = set()
    for number, (verb, words) in lines:
        if verb == "set":
            standing.setdefault(words, number)
        elif verb == "delete":
            standing = {key: row for key, row in standing.items() if key[: len(words)] != words}
        elif verb == "deactivate":
            inactive.add(words)
        else:
            inactive.discard(words)
    return [
        (number, words)
        for words, number in standing.items()
        if not any(words[: len(part)] == part for part in inactive)
    ]
