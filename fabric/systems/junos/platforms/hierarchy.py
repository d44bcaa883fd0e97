"""The hierarchical form of a configuration, as the system takes and shows it."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from fabric.systems.junos.platforms.text import ConfigurationTextError, spread, unquoted

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from fabric.systems.junos.platforms.text import Line

_TREE_TOKEN = re.compile(
    r'/\*.*?\*/|#[^\n]*|"(?:[^"\\]|\\.)*"|[{};\[\]]|[^\s{};"\[\]#]+', re.DOTALL
)


def read_tree(text: str) -> list[Line]:
    """Return the statements of a text in hierarchical form as lines.

    Raises
    ------
    ConfigurationTextError
        When braces, brackets or quotes do not close, or a statement does not end.
    """
    return [line for _, line in numbered_tree(text)]


def numbered_tree(text: str) -> list[tuple[int, Line]]:
    """Return the statements of `read_tree`, each after the number of the line that it ends on.

    Raises
    ------
    ConfigurationTextError
        As `read_tree` does.
    """
    rows: list[tuple[int, Line]] = []
    above: list[tuple[str, ...]] = []
    items: list[str] = []
    filled = [False]
    for number, piece in _tree_tokens(text):
        if piece == "{" and items:
            above.append(tuple(items))
            filled[-1] = True
            filled.append(False)
        elif piece == ";" and items:
            rows += [(number, line) for line in _statements(above, items)]
            filled[-1] = True
        elif piece == "}" and above and not items:
            words = above.pop()
            if not filled.pop():
                rows += [(number, line) for line in _statements(above, list(words))]
        elif piece in {"{", ";", "}"}:
            raise ConfigurationTextError(f"{piece!r} where no such thing can stand")
        else:
            items.append(piece)
            continue
        items = []
    if above or items:
        raise ConfigurationTextError("the end of the configuration is missing")
    return rows


def _tree_tokens(text: str) -> Iterator[tuple[int, str]]:
    """Yield the number of the line of each token, and the token."""
    if _TREE_TOKEN.sub("", text).strip():
        raise ConfigurationTextError("quotes do not close")
    number, place = 1, 0
    for match in _TREE_TOKEN.finditer(text):
        number += text.count("\n", place, match.start())
        place = match.start()
        if not match[0].startswith(("/*", "#")):
            yield number, match[0]


def _statements(above: Iterable[tuple[str, ...]], here: list[str]) -> list[Line]:
    """Return the lines of one statement; a marked part is deactivated as well."""
    tokens: list[str] = []
    lines: list[Line] = []
    for part in (*above, tuple(here)):
        inactive = part[0] == "inactive:"
        tokens += part[1:] if inactive else part
        if inactive:
            lines.append(("deactivate", tuple(unquoted(token) for token in tokens)))
    return [("set", words) for words in spread(tokens, " ".join(here))] + lines
