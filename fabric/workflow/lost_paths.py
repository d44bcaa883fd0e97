"""What is wrong in states between waves: of how many NICs or cables, and after which waves."""

from __future__ import annotations

from itertools import chain
from typing import TYPE_CHECKING, NamedTuple

from fabric.core import hostlist
from fabric.core.counts import counted
from fabric.core.likeness import shape

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence


class LostPaths(NamedTuple):
    """What is wrong in one state.

    Parameters
    ----------
    when : str
        ``during`` or ``after``.
    number : int
        Of the wave.
    texts : sequence of str
        What is broken, at least one text.
    lost, pairs : int
        Pairs of NICs that lose packets, and all that are promised; 0 where no more are lost than
        before or after the change.
    ends : sequence of str
        Devices at whose cables the texts are; none for what a proof finds.
    """

    when: str
    number: int
    texts: Sequence[str]
    lost: int
    pairs: int
    ends: Sequence[str] = ()

    @property
    def words(self) -> str:
        """What is broken, and how much of the fabric that is."""
        example, more = self.texts[0], len(self.texts) - 1
        if self.ends and more:
            several = f"cables of {hostlist.in_short(self.ends)}"
            cables = several if self.ends[1:] else "of its cables"
            return f"{example} (and {more} more {cables})"
        if not self.lost:
            return f"{example} (and {more} more)" if more else example
        of = "all" if self.lost == self.pairs else f"{self.lost:,} of"
        return f"{of} {counted(self.pairs, 'pair')} of NICs lose packets, for example {example}"


def _size(state: LostPaths) -> tuple[int, int]:
    return state.lost, len(state.texts)


def folded(states: Iterable[LostPaths]) -> list[str]:
    """Return a line for the states of waves one after the other in which the same is wrong."""
    return [_line(group) for group in sorted(_groups(states), key=lambda group: group[0].number)]


def _groups(states: Iterable[LostPaths]) -> Iterator[list[LostPaths]]:
    """Yield the states that are told together, in their order."""
    last: dict[tuple[str, str], list[LostPaths]] = {}
    for state in states:
        key = state.when, shape(state.texts[0])
        group = last.get(key)
        if group and state.number == group[-1].number + 1:
            group.append(state)
        else:
            if group:
                yield group
            last[key] = [state]
    yield from last.values()


def _line(group: Sequence[LostPaths]) -> str:
    """Return what is wrong in a group: of the wave with the greatest loss, or at all its cables."""
    first, worst = group[0], max(group, key=_size)
    if first.ends:
        texts = [*chain.from_iterable(state.texts for state in group)]
        worst = first._replace(texts=texts, ends=[*chain.from_iterable(one.ends for one in group)])
    waves = f"waves {first.number} to {group[-1].number}" if group[1:] else f"wave {first.number}"
    most = "up to " if len({state.lost for state in group}) > 1 else ""
    return f"{first.when} {waves}: {most}{worst.words}"
