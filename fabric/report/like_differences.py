"""What changes on devices: like ones once, long differences cut."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from fabric.core import hostlist
from fabric.core.counts import counted
from fabric.core.likeness import like_groups, shape

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from fabric.change.model import DevicePlan

#: Lines of a difference that are shown without --full.
_MOST_LINES = 60


@dataclass(frozen=True)
class Difference:
    """What changes on devices that are alike.

    Parameters
    ----------
    title : str
        The devices; where they are several, also which of them is shown.
    lines : tuple of str
        The difference of that device.
    """

    title: str
    lines: tuple[str, ...]


def differences(devices: Iterable[DevicePlan], *, full: bool = False) -> Iterator[Difference]:
    """Yield the difference of each device, or of the first of those that differ alike.

    Parameters
    ----------
    full : bool
        Whether each device is shown, with all lines.
    """
    if full:
        for device in devices:
            yield Difference(device.device, tuple(device.diff.splitlines()))
        return
    for same in like_groups(devices, lambda device: (device.platform, shape(device.diff))):
        first, names = same[0], hostlist.in_short(device.device for device in same)
        alike = f"{len(same)} devices that differ in names and numbers; {first.device}:"
        title = names if len(same) == 1 else f"{names}: {alike}"
        yield Difference(title, tuple(_cut(first.diff.splitlines())))


def _cut(lines: list[str]) -> Iterator[str]:
    yield from lines[:_MOST_LINES]
    more = len(lines) - _MOST_LINES
    if more > 0:
        yield f"... {counted(more, 'more line', 'more lines')}; `--full` prints all"
