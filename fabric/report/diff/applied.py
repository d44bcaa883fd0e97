"""The content of a file with some of the edits made."""

from __future__ import annotations

import copy
from typing import TYPE_CHECKING, Any

from fabric.report.diff.traced import ABSENT

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from fabric.report.diff.traced import Swap


def applied(data: dict[str | int, Any], swaps: Iterable[Swap]) -> dict[str | int, Any]:
    """Return the content of a file with some edits made."""
    whole = copy.deepcopy(data)
    # Rows of lists keep their places until all have been looked up, the last goes first.
    changes = [(_holders(whole, swap), swap) for swap in swaps]
    for holders, swap in sorted(changes, key=lambda change: _turn(change[0][-1], change[1])):
        last = swap.before_path[-1]
        if isinstance(holders[-1], list) and isinstance(last, int):
            _in_list(holders[-1], last, swap)
        else:
            _in_mapping(holders, swap)
    return whole


def _holders(whole: Any, swap: Swap) -> list[Any]:
    """Return what holds the value, the whole file first; new mappings are made."""
    holders = [whole]
    for part in swap.before_path[:-1]:
        above = holders[-1]
        holders.append(above.setdefault(part, {}) if isinstance(above, dict) else above[part])
    return holders


def _turn(holder: Any, swap: Swap) -> tuple[int, int]:
    """Return when an edit is made: rows that go, from the end; then rows that come."""
    before, after = swap.before_path[-1], swap.after_path[-1]
    if not isinstance(holder, list) or not isinstance(before, int):
        return 0, 0
    if swap.after is ABSENT:
        return 1, -before
    return (2, after if isinstance(after, int) else 0) if swap.before is ABSENT else (0, 0)


def _in_mapping(holders: Sequence[Any], swap: Swap) -> None:
    *_, last = swap.before_path
    if swap.after is not ABSENT:
        holders[-1][last] = swap.after
        return
    del holders[-1][last]
    for depth in range(1, swap.section + 1):  # a section goes with the last of its values
        if not holders[-depth]:
            del holders[-depth - 1][swap.before_path[-depth - 1]]


def _in_list(rows: list[Any], index: int, swap: Swap) -> None:
    if swap.before is ABSENT:
        place = swap.after_path[-1]
        rows.insert(place if isinstance(place, int) else len(rows), swap.after)
    elif swap.after is ABSENT:
        del rows[index]
    else:
        rows[index] = swap.after
