"""How a run ended, for people: the summary first, like reasons once, devices as ranges."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from fabric.core import hostlist
from fabric.core.counts import counted
from fabric.core.likeness import like_groups, others, shape

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from fabric.change.options import Result

#: The device that a reason begins with.
_DEVICE = re.compile(r"(\S+): ")


def describe_end(result: Result, *, full: bool = False) -> Iterator[str]:
    """Yield what a run did, and why it stopped where it did.

    Parameters
    ----------
    full : bool
        Whether each reason is a line, where several differ in names and numbers alone.
    """
    see = f". See `rocefab status {result.run}`"
    back = _devices(result.rolled_back, "rolled back")
    if result.ok:
        done = _devices(result.confirmed, "confirmed and saved") or back
        yield f"done; {done}" if done else "done"
    else:
        yield f"stopped; {back or 'no device rolled back'}{see}"
        if result.confirmed:
            yield _devices(result.confirmed, "of the waves before stay confirmed and saved")
    if result.skipped:
        yield f"{_devices(result.skipped, 'skipped')}{see}"
    yield from result.reasons if full else _reasons(result.reasons)


def _devices(names: Sequence[str], what: str) -> str:
    return f"{counted(len(names), 'device')} {what}: {hostlist.in_short(names)}" if names else ""


def _reasons(reasons: Iterable[str]) -> Iterator[str]:
    for same in like_groups(reasons, shape):
        yield same[0]
        if len(same) > 1:
            heads = [match[1] for reason in same if (match := _DEVICE.match(reason))]
            yield f"  {others(len(same) - 1, heads)}"
