"""What differs in names and numbers alone: it is shown once, with a count, in every report."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, TypeVar

from fabric.core import hostlist
from fabric.core.counts import counted

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Iterable

Item = TypeVar("Item")

#: What differs between like things: numbers, addresses, and names that end with them.
_NUMBERS = re.compile(r"[0-9A-Fa-f]*\d[0-9A-Fa-f:.]*")


def shape(text: str) -> str:
    """Return a text with a sign for each number, which is the same for all that are alike.

    Examples
    --------
    >>> shape("su1-rail0: session with 10.254.0.1 does not come up")
    'su#-rail# session with # does not come up'
    """
    return _NUMBERS.sub("#", text)


def like_groups(items: Iterable[Item], key: Callable[[Item], Hashable]) -> list[list[Item]]:
    """Return the items in groups of one key, in the order of the first of each.

    Parameters
    ----------
    key : callable
        What like items have in common; ``shape`` of a text where names and numbers do not count.

    Examples
    --------
    >>> like_groups(["leaf1", "spine1", "leaf2"], shape)
    [['leaf1', 'leaf2'], ['spine1']]
    """
    groups: dict[Hashable, list[Item]] = {}
    for item in items:
        groups.setdefault(key(item), []).append(item)
    return list(groups.values())


def others(number: int, devices: Iterable[str] = ()) -> str:
    """Return how many more there are than the one of a group that is shown, and on which devices.

    Examples
    --------
    >>> others(7, ["leaf1", "leaf2"])
    '7 more that differ in names and numbers alone; all are on leaf[1-2]'
    >>> others(1, ["leaf1", "leaf2"])
    '1 more like it; both are on leaf[1-2]'
    """
    names = hostlist.in_short(devices)
    where = f"; {'both' if number == 1 else 'all'} are on {names}" if names else ""
    alike = "like it" if number == 1 else "that differ in names and numbers alone"
    return f"{number:,} more {alike}{where}"


def shown_once(shown: int, every: int, option: str = "`--full`") -> str:
    """Return that like findings are shown once, and what lists all; empty where none is hidden."""
    if shown == every:
        return ""
    groups = counted(shown, "group")
    return f"{counted(every, 'finding')} in {groups} of similar ones; {option} lists each"
