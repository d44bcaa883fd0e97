"""From ``set`` lines to the hierarchical form."""

from __future__ import annotations

from itertools import chain
from typing import TYPE_CHECKING, Any

from fabric.systems.junos.platforms.grammar import statements
from fabric.systems.junos.platforms.text import quoted

if TYPE_CHECKING:
    from collections.abc import Iterable

    from fabric.systems.junos.platforms.grammar import Step
    from fabric.systems.junos.platforms.text import Words

_INDENT = "    "
#: What stands on a level: the step of each by its text, and what stands below it.
Branch = dict[str, tuple["Step", Any]]


def tree_text(lines: Iterable[Words]) -> str:
    """Return lines in hierarchical form, in the order in which they come.

    Raises
    ------
    StatementError
        When the grammar does not have one: how it nests is not known.
    """
    top: Branch = {}
    for statement in chain.from_iterable(map(statements, lines)):
        branch = top
        for step in statement:
            _, branch = branch.setdefault(_text(step.words), (step, {}))
    rows: list[str] = []
    _add(rows, top, "")
    return "\n".join([*rows, ""])


def _add(rows: list[str], branch: Branch, indent: str) -> None:
    lists: set[Words] = set()
    for text, (step, below) in branch.items():
        level = step.level
        if level.several:
            head = step.words[:-1]
            if head not in lists:
                lists.add(head)
                rows.append(f"{indent}{_text(head)} {_several(_values(branch, head))};")
        elif not below:
            rows.append(f"{indent}{text};")
        elif level.inline:
            inner: list[str] = []
            _add(inner, below, "")
            rows.append(f"{indent}{text} {' '.join(row.rstrip(';') for row in inner)};")
        else:
            rows.append(f"{indent}{text} {{")
            _add(rows, below, indent + _INDENT)
            rows.append(f"{indent}}}")


def _values(branch: Branch, head: Words) -> list[str]:
    """Return the values of a list; they may stand apart."""
    steps = [step for step, _ in branch.values() if step.level.several]
    return [step.words[-1] for step in steps if step.words[:-1] == head]


def _several(values: list[str]) -> str:
    inner = _text(values)
    return inner if len(values) == 1 else f"[ {inner} ]"


def _text(words: Iterable[str]) -> str:
    return " ".join(map(quoted, words))
