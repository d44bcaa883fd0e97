"""From ``set`` lines to the hierarchical form."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from fabric.platforms.junos.grammar import statements
from fabric.platforms.junos.text import quoted

if TYPE_CHECKING:
    from collections.abc import Iterable

    from fabric.platforms.junos.grammar import Statement, Step
    from fabric.platforms.junos.text import Words

_INDENT = "    "
Branch = dict["Step", Any]


def tree_text(lines: Iterable[Words]) -> str:
    """Return lines in hierarchical form, in the order in which they come.

    Raises
    ------
    StatementError
        When the grammar does not have one: how it nests is not known.
    """
    return nested(statement for words in lines for statement in statements(words))


def nested(found: Iterable[Statement]) -> str:
    """Return statements in hierarchical form, in the order in which they come."""
    top: Branch = {}
    for statement in found:
        branch = top
        for step in statement:
            branch = branch.setdefault(step, {})
    rows: list[str] = []
    _add(rows, top, "")
    return "\n".join([*rows, ""])


def _add(rows: list[str], branch: Branch, indent: str) -> None:
    lists: dict[Words, list[str]] = {}
    for words, _, _, several in branch:
        if several:
            lists.setdefault(words[:-1], []).append(words[-1])
    for (words, inline, _, several), below in branch.items():
        if several:
            values = lists.pop(words[:-1], None)
            if values:
                rows.append(f"{indent}{_words(words[:-1])} {_several(values)};")
        elif not below:
            rows.append(f"{indent}{_words(words)};")
        elif inline:
            inner: list[str] = []
            _add(inner, below, "")
            rows.append(f"{indent}{_words(words)} {' '.join(row.rstrip(';') for row in inner)};")
        else:
            rows.append(f"{indent}{_words(words)} {{")
            _add(rows, below, indent + _INDENT)
            rows.append(f"{indent}}}")


def _several(values: list[str]) -> str:
    inner = _words(values)
    return inner if len(values) == 1 else f"[ {inner} ]"


def _words(words: Iterable[str]) -> str:
    return " ".join(map(quoted, words))
