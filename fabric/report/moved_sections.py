"""Settings of a plan: lines that only follow their section do not count, as in a difference."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING

from fabric.core.likeness import shape
from fabric.report.diff.settings import lines_replaced

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from fabric.change.model import Change

#: Between a section and what it holds, in the path of a change.
_HOLDS = ": "


def settings_of(changes: Sequence[Change]) -> list[Change]:
    """Return a change for each setting, counted as `diff` counts them.

    A line that goes and the one that comes in its place are one setting; lines that only move with
    their section, which gets another name, are none.
    """
    gone, come = _sections(changes, removed=True), _sections(changes, removed=False)
    names = dict(_renamed(gone, come))
    below: dict[str, tuple[dict[str, str], dict[str, str]]] = defaultdict(lambda: ({}, {}))
    follow = {*moved_lines(changes)}
    for change in changes:
        if "|" in change.path or change.path in follow or (change.before and change.after):
            continue
        parents, holds, line = change.path.rpartition(_HOLDS)
        head, _, rest = parents.partition(_HOLDS)
        key = f"{names.get(head, head)}{holds}{rest}"
        below[key][0 if change.before else 1][line] = change.path
    for old, new in below.values():
        follow |= {old[was] for was, _, _ in lines_replaced(old, new)}
    return [change for change in changes if change.path not in follow]


def moved_lines(changes: Iterable[Change]) -> dict[str, str]:
    """Return the first line of the section that is why a line goes or comes, for those that move.

    ``router bgp 65101`` becomes ``router bgp 65001``: that its neighbours are written again says
    nothing about the neighbours.

    Returns
    -------
    dict
        Path of the line -> path of the first line of its section.
    """
    gone, come = _sections(changes, removed=True), _sections(changes, removed=False)
    moved: dict[str, str] = {}
    for old, new in _renamed(gone, come):
        for line in gone[old] & come[new]:
            moved |= {f"{head}{_HOLDS}{line}": head for head in (old, new)}
    return moved


def _sections(changes: Iterable[Change], *, removed: bool) -> dict[str, set[str]]:
    """Return the sections that go, or those that come, each with the lines that it holds."""
    paths = [one.path for one in changes if (one.after if removed else one.before) == ""]
    sections: dict[str, set[str]] = {path: set() for path in paths if _HOLDS not in path}
    for path in paths:
        head, _, line = path.partition(_HOLDS)
        if line and head in sections:
            sections[head].add(line)
    return sections


def _renamed(gone: Iterable[str], come: Iterable[str]) -> Iterator[tuple[str, str]]:
    """Yield the old and the new name of each section of which one goes and one comes."""
    alike: dict[str, tuple[list[str], list[str]]] = defaultdict(lambda: ([], []))
    for number, sections in enumerate((gone, come)):
        for head in sections:
            alike[shape(head)][number].append(head)
    for old, new in alike.values():
        if len(old) == len(new) == 1:
            yield old[0], new[0]
