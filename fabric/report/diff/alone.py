"""What each edit changes by being made alone: the surest word on where a setting comes from."""

from __future__ import annotations

import copy
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from fabric.report.diff.edits import ABSENT
from fabric.report.diff.settings import settings

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from fabric.report.diff.edits import Swap, Traced
    from fabric.report.diff.side import Side

#: Edits that are tried alone, and devices of a fabric for which that is done: each edit takes the
#: time of one more inventory.
MOST_EDITS = 8
MOST_DEVICES = 3000


@dataclass(frozen=True)
class Alone:
    """What one edit changes alone.

    Parameters
    ----------
    settings : set of (device, file, path)
        Settings that differ.
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


def trials(
    before: Side, edits: Sequence[Traced], make: Callable[[Swap], Side | None]
) -> list[Alone | None]:
    """Return what each edit changes alone; None where it is not tried, or not valid alone.

    Parameters
    ----------
    make : callable
        Returns the first inventory with one edit made; None where that is not valid.
    """
    designs = before.designs
    devices = len(designs.devices) + len(designs.hosts)
    if not 1 < sum(one.effective for one in edits) <= MOST_EDITS or devices > MOST_DEVICES:
        return [None] * len(edits)
    return [_alone(before, make(one.swap)) if one.swap and one.effective else None for one in edits]


def _alone(before: Side, side: Side | None) -> Alone | None:
    if side is None:
        return None
    old, new = ({**one.designs.devices, **one.designs.hosts} for one in (before, side))
    apart = [name for name in old if name in new and old[name] != new[name]]
    files = before.files(apart), side.files(apart)
    found = frozenset(
        (name, one.file, one.path)
        for name in apart
        for one in settings(files[0][name], files[1][name])
    )
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
