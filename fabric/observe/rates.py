"""Rates between two snapshots of a device; the rate of a counter that was reset is unknown."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from fabric.observe.samples import samples

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from fabric.observe.families import Family
    from fabric.observe.samples import Sample
    from fabric.observe.snapshot import Snapshot

    #: A family, and values of its labels.
    Key = tuple[Family, tuple[str, ...]]

#: Uptimes are rounded: VRP8 shows minutes (`display version`).
_UPTIME_STEP_S = 60.0
#: Where counters wrap: Counter32 and Counter64 of RFC 2578 section 7.1.
TOPS = (1 << 32, 1 << 64)
#: A counter that wrapped was in the last part of its range and is in the first part now, as one of
#: so many. A part of 32 bits is what 400 Gb/s of frames of 4 KiB send in 22 s. Ours.
PARTS = 16


@dataclass(frozen=True)
class Rates:
    """How fast the counters of a device rose.

    Parameters
    ----------
    elapsed_s : float
        Time between the two readings.
    per_s : mapping
        Rise in each second by family and labels, never negative. A counter that only one of the
        snapshots has, or that was reset, is absent.
    unknown : mapping
        Why the counters of a reading have no rate, by the name of the reading.
    """

    elapsed_s: float
    per_s: Mapping[Key, float]
    unknown: Mapping[str, str]


def rates(before: Snapshot, after: Snapshot, elapsed_s: float) -> Rates:
    """Return the rates of all counters that both snapshots have.

    Parameters
    ----------
    elapsed_s : float
        Time from the first to the second by a clock that never jumps, > 0.

    Raises
    ------
    ValueError
        When no time passed.

    Notes
    -----
    A counter that falls from the last sixteenth of 32 or 64 bits into the first one has wrapped and
    rose over the top; of 32 bits only where no counter of its family needs more. Any other that
    falls was reset, and makes all of its reading unknown: what was cleared with it may have risen
    past its old value since.
    """
    if elapsed_s <= 0:
        raise ValueError(f"{elapsed_s} s between two readings")
    first = {(one.family, one.labels): one.value for one in _counters(before)}
    both = [
        (one, was)
        for one in _counters(after)
        if (was := first.get((one.family, one.labels))) is not None
    ]
    if restarted(before, after, elapsed_s):
        unknown = {one.source: "the device restarted" for one, _ in both}
        return Rates(elapsed_s, {}, unknown)
    rises = _rises(both)
    unknown = _reset(both, rises)
    per_s = {
        (one.family, one.labels): rise / elapsed_s
        for (one, _), rise in zip(both, rises, strict=True)
        if rise is not None and one.source not in unknown
    }
    return Rates(elapsed_s, per_s, unknown)


def _rises(both: Sequence[tuple[Sample, float]]) -> list[float | None]:
    """Return how far each counter rose, over the top where it wrapped; None for a reset."""
    rises: list[float | None] = [one.value - was for one, was in both]
    fell = [place for place, (one, was) in enumerate(both) if one.value < was]
    if fell:
        most: dict[Family, float] = {}
        for one, was in both:
            most[one.family] = max(most.get(one.family, 0), one.value, was)
        for place in fell:
            one, was = both[place]
            rises[place] = _over_the_top(was, one.value, most[one.family])
    return rises


def _over_the_top(was: float, now: float, most: float) -> float | None:
    for top in TOPS:
        if most < top and was >= top - top // PARTS and now < top // PARTS:
            return top - was + now
    return None


def _reset(both: Sequence[tuple[Sample, float]], rises: Sequence[float | None]) -> dict[str, str]:
    """Return why readings have no rate: by the first of their counters that was reset."""
    reset = [pair for pair, rise in zip(both, rises, strict=True) if rise is None]
    reset.sort(key=lambda pair: (pair[0].family.name, pair[0].labels))
    unknown: dict[str, str] = {}
    for one, was in reset:
        message = f"{one.family.name} fell from {was:g} to {one.value:g}: it was reset"
        unknown.setdefault(one.source, message)
    return unknown


def _counters(snapshot: Snapshot) -> Iterator[Sample]:
    return (one for one in samples(snapshot) if one.family.is_counter)


def restarted(before: Snapshot, after: Snapshot, elapsed_s: float) -> bool:
    """Return whether the uptimes of a device say that it restarted between two readings."""
    was = before.facts.uptime_s if before.facts else None
    now = after.facts.uptime_s if after.facts else None
    if was is None or now is None:
        return False
    return now < was or now + _UPTIME_STEP_S < elapsed_s
