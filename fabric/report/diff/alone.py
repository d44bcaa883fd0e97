"""What each edit changes by being made alone: the surest word on where a setting comes from."""

from __future__ import annotations

import copy
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from fabric.core.errors import InputError, RenderError
from fabric.report.diff.settings import settings
from fabric.report.diff.traced import ABSENT

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from fabric.report.diff.model import Setting
    from fabric.report.diff.side import Side
    from fabric.report.diff.traced import Swap, Traced

#: Edits that are tried alone, and devices of a fabric for which that is done: each edit takes the
#: time of one more inventory.
MOST_EDITS = 8
MOST_DEVICES = 3000


@dataclass(frozen=True)
class Alone:
    """What one edit changes alone.

    Parameters
    ----------
    devices : set of str
        Devices that appear or vanish.
    """

    settings: frozenset[tuple[str, str, str]]
    devices: frozenset[str]
    files: frozenset[tuple[str, str]] = field(init=False)

    def __post_init__(self) -> None:
        """Note which files it changes."""
        files = frozenset((device, file) for device, file, _ in self.settings)
        object.__setattr__(self, "files", files)


@dataclass(frozen=True)
class Trials:
    """Makes edits alone.

    Parameters
    ----------
    before, after : Side
        The two inventories.
    known : mapping
        Settings that differ between them, by device.
    make : callable
        Returns the first inventory with one edit made; None where that is not valid.
    """

    before: Side
    after: Side
    known: Mapping[str, Sequence[Setting]]
    make: Callable[[Swap], Side | None]

    def of(self, edits: Sequence[Traced]) -> list[Alone | None]:
        """Return what each edit changes alone; None where it is not tried, or not valid alone."""
        devices = len(self.before.designs.devices) + len(self.before.designs.hosts)
        tried = sum(one.effective for one in edits)
        if not 1 < tried <= MOST_EDITS or devices > MOST_DEVICES:
            return [None] * len(edits)
        return [self._alone(one.swap) if one.swap and one.effective else None for one in edits]

    def _alone(self, swap: Swap) -> Alone | None:
        side = self.make(swap)
        if side is None:
            return None
        old, new, last = (
            {**one.designs.devices, **one.designs.hosts} for one in (self.before, side, self.after)
        )
        apart = [name for name in old if name in new and old[name] != new[name]]
        # Where no other edit concerns a device, its files are those of the second inventory.
        done = {name: self.known.get(name, ()) for name in apart if new[name] == last.get(name)}
        others = [name for name in apart if name not in done]
        try:
            files = self.before.files(others), side.files(others)
        except (
            InputError,
            RenderError,
        ):  # a system rejects what stands between the two inventories
            return None
        done |= {name: settings(files[0][name], files[1][name]) for name in others}
        found = frozenset((name, one.file, one.path) for name in done for one in done[name])
        return Alone(found, frozenset(old.keys() ^ new.keys()))


def applied(data: dict[str | int, Any], swap: Swap) -> dict[str | int, Any] | None:
    """Return the content of a file with one edit made; None where that cannot be done."""
    whole = copy.deepcopy(data)
    *above, last = swap.before_path
    value: Any = whole
    for part in above:
        value = value[part]
    if isinstance(value, list):
        return whole if _in_list(value, last, swap) else None
    if swap.after is ABSENT:
        del value[last]
    else:
        value[last] = swap.after
    return whole


def _in_list(rows: list[Any], index: str | int, swap: Swap) -> bool:
    if not isinstance(index, int):
        return False
    if swap.before is ABSENT:
        place = swap.after_path[-1]
        rows.insert(place if isinstance(place, int) else len(rows), swap.after)
    elif swap.after is ABSENT:
        del rows[index]
    else:
        rows[index] = swap.after
    return True
