"""From ``set`` lines to the hierarchical form."""

from __future__ import annotations

from itertools import accumulate
from typing import TYPE_CHECKING, Any, NamedTuple

from fabric.systems.junos.platforms.text import quoted

if TYPE_CHECKING:
    from collections.abc import Iterable

    from fabric.systems.junos.platforms.grammar import Statement, Step
    from fabric.systems.junos.platforms.text import Words

_INDENT = "    "
#: What stands on a level: the step of each by its text, and what stands below it.
Branch = dict[str, tuple["Step", Any]]


class Placed(NamedTuple):
    """A statement as `nested` takes it, made once for all switches that have it.

    Parameters
    ----------
    above : str
        Path of the level that it stands on.
    paths : tuple of str
        Text of each step with those before it.
    text : str
        Text of the last step.
    end : tuple
        The last step as it stands on its level, with nothing below it.
    """

    steps: Statement
    texts: tuple[str, ...]
    paths: tuple[str, ...]
    above: str
    text: str
    end: tuple[Step, None]


def placed(statement: Statement) -> Placed:
    """Return a statement with its texts."""
    texts = tuple(_text(step.words) for step in statement)
    paths = tuple(accumulate(texts, "{}\n{}".format))
    above = paths[-2] if len(paths) > 1 else ""
    return Placed(statement, texts, paths, above, texts[-1], (statement[-1], None))


def nested(found: Iterable[Placed]) -> str:
    """Return statements in hierarchical form, in the order in which they come."""
    top: Branch = {}
    branches = {"": top}
    for statement in found:
        branch = branches.get(statement.above)
        if branch is None:
            branch = _opened(statement, branches)
        branch.setdefault(statement.text, statement.end)
    rows: list[str] = []
    _add(rows, top, "")
    return "\n".join([*rows, ""])


def _opened(statement: Placed, branches: dict[str, Branch]) -> Branch:
    """Return what stands on the level of a statement; levels above it are made where needed."""
    branch = branches[""]
    for depth, path in enumerate(statement.paths[:-1]):
        below = branches.get(path)
        if below is None:
            below = branches[path] = {}
            branch[statement.texts[depth]] = (statement.steps[depth], below)
        branch = below
    return branch


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
