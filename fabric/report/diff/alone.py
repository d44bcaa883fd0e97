"""What edits change without the others: the surest word on where a setting comes from."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass, field
from functools import cached_property
from itertools import combinations
from typing import TYPE_CHECKING, TypeAlias

from fabric.core.errors import InputError, RenderError
from fabric.report.diff.settings import settings

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from fabric.report.diff.model import Setting
    from fabric.report.diff.side import Side
    from fabric.report.diff.traced import Swap, Traced

    #: Edits that are made together, by their numbers.
    Group: TypeAlias = tuple[int, ...]
    #: A setting of a device.
    Own: TypeAlias = tuple[str, Setting]

#: Edits that are tried alone, and devices of a fabric for which that is done: each edit takes the
#: time of one more inventory.
MOST_EDITS = 8
MOST_DEVICES = 3000
#: Groups of edits that are tried where none alone gives a setting; each takes the same time.
MOST_GROUPS = 6
#: Ends the first word of the path of a setting.
_WORD = re.compile(r"[|: ]")


@dataclass(frozen=True)
class Alone:
    """What edits change without the others.

    Parameters
    ----------
    settings : set of (str, Setting)
        Settings that differ from the first inventory, with their device.
    devices : set of str
        Devices that appear or vanish.
    """

    settings: frozenset[Own]
    devices: frozenset[str] = frozenset()
    files: frozenset[tuple[str, str]] = field(init=False)
    tables: frozenset[tuple[str, str, str]] = field(init=False)

    def __post_init__(self) -> None:
        """Note which files it changes, and which tables of it."""
        tables = frozenset((device, *_table(own)) for device, own in self.settings)
        object.__setattr__(self, "tables", tables)
        object.__setattr__(self, "files", frozenset((device, file) for device, file, _ in tables))


@dataclass(frozen=True)
class Trials:
    """Makes some edits without the others.

    Parameters
    ----------
    before, after : Side
        The two inventories.
    edits : sequence of Traced
        All edits between them.
    known : mapping
        Settings that differ between them, by device.
    make : callable
        Returns the first inventory with some edits made; None where that is not valid.
    """

    before: Side
    after: Side
    edits: Sequence[Traced]
    known: Mapping[str, Sequence[Setting]]
    make: Callable[[Sequence[Swap]], Side | None]

    @cached_property
    def alone(self) -> list[Alone | None]:
        """What each edit changes alone; None where it is not tried, or not valid alone."""
        return [self._of((number,)) for number in range(len(self.edits))]

    @cached_property
    def together(self) -> dict[Group, Alone]:
        """What groups of edits change, where none alone gives a setting its value.

        The groups that are likeliest for most settings are tried first.
        """
        results: dict[Group, Alone | None] = {}
        open_settings = self._open()
        while open_settings and len(results) < MOST_GROUPS:
            votes: Counter[Group] = Counter()
            for near, every in open_settings.items():
                votes.update({group: len(every) for group in self._groups(near)})
            untried = [group for group in votes if group not in results]
            if not untried:
                break
            group = min(untried, key=lambda group: (self._rank(group), -votes[group], group))
            results[group] = result = self._of(group)
            reached = result.settings if result else frozenset()
            left = ((near, every - reached) for near, every in open_settings.items())
            open_settings = {near: every for near, every in left if every}
        return {group: result for group, result in results.items() if result}

    @cached_property
    def _tried(self) -> Group:
        """Return the edits that are tried."""
        effective = [number for number, edit in enumerate(self.edits) if edit.effective]
        devices = len(self.before.designs.devices) + len(self.before.designs.hosts)
        if not 1 < len(effective) <= MOST_EDITS or devices > MOST_DEVICES:
            return ()
        return tuple(number for number in effective if self.edits[number].swap)

    def _open(self) -> dict[Group, set[Own]]:
        """Return the settings that no edit alone gives, by the edits that change their table."""
        tried = [(number, alone) for number in self._tried if (alone := self.alone[number])]
        every: dict[Group, set[Own]] = {}
        for name, rows in self.known.items() if self._tried else ():
            for own in rows:
                if any((name, own) in alone.settings for _, alone in tried):
                    continue
                table = name, *_table(own)
                near = tuple(number for number, alone in tried if table in alone.tables)
                every.setdefault(near, set()).add((name, own))
        return every

    def _groups(self, near: Group) -> set[Group]:
        """Return groups of edits that may give a setting which none of them gives alone."""
        invalid = {number for number in self._tried if self.alone[number] is None}
        pairs = {
            pair
            for pair in combinations(self._tried, 2)
            if invalid.intersection(pair) or set(pair) <= set(near)
        }
        larger = (near, tuple(sorted(invalid)), tuple(sorted({*near, *invalid})))
        return pairs | {group for group in larger if len(group) > 1}

    def _rank(self, group: Group) -> tuple[bool, int]:
        """Return how late a group is tried: those of one section first, then small ones."""
        sections = {(self.edits[number].kind, *self.edits[number].path[:1]) for number in group}
        return len(sections) > 1, len(group)

    def _of(self, group: Group) -> Alone | None:
        swaps = [swap for number in group if (swap := self.edits[number].swap)]
        if not set(group) <= set(self._tried):
            return None
        if len(group) == sum(edit.effective for edit in self.edits):  # no other edit is left out
            return Alone(frozenset((name, own) for name in self.known for own in self.known[name]))
        side = self.make(swaps)
        return self._between(side) if side else None

    def _between(self, side: Side) -> Alone | None:
        """Return how an inventory differs from the first; None where a system rejects it."""
        old, new, last = (
            {**part.designs.devices, **part.designs.hosts}
            for part in (self.before, side, self.after)
        )
        apart = [name for name in old if name in new and old[name] != new[name]]
        # Where no other edit concerns a device, its files are those of the second inventory.
        rows = {name: self.known.get(name, ()) for name in apart if new[name] == last.get(name)}
        others = [name for name in apart if name not in rows]
        try:
            files = self.before.files(others), side.files(others)
        except (InputError, RenderError):
            return None
        rows |= {name: settings(files[0][name], files[1][name]) for name in others}
        every = frozenset((name, own) for name in rows for own in rows[name])
        return Alone(every, frozenset(old.keys() ^ new.keys()))


def _table(own: Setting) -> tuple[str, str]:
    """Return the file of a setting, and its table or the first word of its outermost line."""
    return own.file, _WORD.split(own.path, maxsplit=1)[0]
