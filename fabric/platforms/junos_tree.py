"""From ``set`` lines to the hierarchical form."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from fabric.platforms.junos_grammar import statements
from fabric.platforms.junos_text import quoted

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from fabric.platforms.junos_grammar import Step
    from fabric.platforms.junos_text import Words

_INDENT = "    "
Branch = dict["Step", Any]


def tree_text(lines: Iterable[Words]) -> str:
    """Return statements in hierarchical form, in the order in which they come.

    Raises
    ------
    StatementError
        When the grammar does not have one: how it nests is not known.
    """
    top: Branch = {}
    for words in lines:
        for statement in statements(words):
            branch = top
            for step in statement:
                branch = branch.setdefault(step, {})
    return "".join(f"{row}\n" for row in _rows(top, ""))


def _rows(branch: Branch, indent: str) -> Iterator[str]:
    lists: dict[Words, list[str]] = {}
    for step in branch:
        if step.several:
            lists.setdefault(step.words[:-1], []).append(step.words[-1])
    for step, below in branch.items():
        if step.several:
            values = lists.pop(step.words[:-1], None)
            if values:
                yield f"{indent}{_words(step.words[:-1])} {_several(values)};"
        elif not below:
            yield f"{indent}{_words(step.words)};"
        elif step.inline:
            inner = " ".join(row.rstrip(";") for row in _rows(below, ""))
            yield f"{indent}{_words(step.words)} {inner};"
        else:
            yield f"{indent}{_words(step.words)} {{"
            yield from _rows(below, indent + _INDENT)
            yield f"{indent}}}"


def _several(values: list[str]) -> str:
    inner = " ".join(quoted(value) for value in values)
    return inner if len(values) == 1 else f"[ {inner} ]"


def _words(words: Words) -> str:
    return " ".join(quoted(word) for word in words)
