"""Settings of a plan: lines that only follow their section do not count, as in a difference."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

from fabric.core.likeness import shape
from fabric.platforms import platforms
from fabric.report.diff.settings import lines_replaced

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from fabric.change.model import Change

    #: Lines that go, and those that come.
    _Sides: TypeAlias = tuple[dict[str, Change], dict[str, Change]]

#: Between a section and what it holds, in the path of a change.
_HOLDS = ": "
#: Values of a table's row, and of a node, that has no fields.
_NO_VALUES = ("", "{}")


@dataclass(frozen=True, slots=True)
class Replaced:
    """A line that goes, and the one that comes in its place.

    Parameters
    ----------
    path : str
        What both have in common, below their section.
    before, after : str
        What differs: `mtu 9214` and `mtu 1500` have 9214 and 1500.
    """

    going: Change
    coming: Change
    path: str
    before: str
    after: str


def settings_of(changes: Sequence[Change]) -> list[Change]:
    """Return a change for each setting, counted as `diff` counts them.

    A line that goes and the one that comes in its place are one setting; lines that only move with
    their section, which gets another name, are none.
    """
    follow = {*moved_lines(changes), *(pair.going.path for pair in replaced(changes))}
    return [change for change in changes if change.path not in follow]


def replaced(changes: Sequence[Change]) -> Iterator[Replaced]:
    """Yield lines that go with those that come in their place, paired as `diff` pairs them.

    Fields are lines of their own where their value is the same on both sides.
    """
    for old, new in _by_section(changes):
        apart = (
            [line for line in side if line not in old or line not in new] for side in (old, new)
        )
        for was, now, (path, before, after) in lines_replaced(*apart):
            section = new[now].path.removesuffix(now)
            yield Replaced(old[was], new[now], f"{section}{path}", before or "", after or "")


def _by_section(changes: Sequence[Change]) -> Iterable[_Sides]:
    """Return the lines of each section, and of each value of fields; without those that move."""
    gone, come = _sections(changes, removed=True), _sections(changes, removed=False)
    names, moved = dict(_renamed(gone, come)), moved_lines(changes)
    below: dict[tuple[str, ...], _Sides] = defaultdict(lambda: ({}, {}))
    for change in changes:
        if (change.before and change.after) or "|" in change.path or change.path in moved:
            continue
        parents, holds, line = change.path.rpartition(_HOLDS)
        head, _, rest = parents.partition(_HOLDS)
        value = "" if is_line(change) else change.before or change.after
        key = (names.get(head, head), holds, rest, value)
        below[key][0 if change.before else 1][line] = change
    return below.values()


def is_line(change: Change) -> bool:
    """Tell whether a change is a line, or a row without a value, that goes or comes.

    The path of a line ends with the line, or with what follows its verb.
    """
    value = change.before or change.after
    verbs = {"", *(platforms[name].verb for name in platforms)}
    lines = {value.removeprefix(verb) for verb in verbs}
    return not (change.before and change.after) and (
        value in _NO_VALUES
        or any(change.path == line or change.path.endswith(f"{_HOLDS}{line}") for line in lines)
    )


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
