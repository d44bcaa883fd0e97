"""From ``set`` lines to the hierarchical form."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Any

from fabric.systems.junos.platforms.text import quoted

if TYPE_CHECKING:
    from collections.abc import Iterable

    from fabric.systems.junos.platforms.grammar import Statement, Step
    from fabric.systems.junos.platforms.text import Words

_INDENT = "    "
#: What stands on a level: the step of each by its words, and what stands below it.
Branch = dict["Words", tuple["Step", Any]]


def nested(found: Iterable[Statement]) -> str:
    """Return statements in hierarchical form, in the order in which they come."""
    top: Branch = {}
    for statement in found:
        branch = top
        for step in statement:
            current = branch.get(step.words)
            if current is None:
                current = branch[step.words] = (step, {})
            branch = current[1]
    rows: list[str] = []
    _add(rows, top, "")
    return "\n".join([*rows, ""])


def _add(rows: list[str], branch: Branch, indent: str) -> None:
    lists: dict[Words, list[str]] = {}
    for words, (step, _) in branch.items():
        if step.level.several:
            lists.setdefault(words[:-1], []).append(words[-1])
    for words, (step, below) in branch.items():
        if step.level.several:
            values = lists.pop(words[:-1], None)
            if values:
                rows.append(f"{indent}{_text(words[:-1])} {_several(values)};")
        elif not below:
            rows.append(f"{indent}{_text(words)};")
        elif step.level.inline:
            inner: list[str] = []
            _add(inner, below, "")
            rows.append(f"{indent}{_text(words)} {' '.join(row.rstrip(';') for row in inner)};")
        else:
            rows.append(f"{indent}{_text(words)} {{")
            _add(rows, below, indent + _INDENT)
            rows.append(f"{indent}}}")


def _several(values: list[str]) -> str:
    inner = _text(tuple(values))
    return inner if len(values) == 1 else f"[ {inner} ]"


@lru_cache(maxsize=1 << 14)
def _text(words: Words) -> str:
    return " ".join(map(quoted, words))
