"""Rates between two snapshots of a device; the rate of a counter that fell is unknown."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from fabric.observe.samples import samples

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from fabric.observe.families import Family
    from fabric.observe.samples import Sample
    from fabric.observe.snapshot import Snapshot

    #: A family, and values of its labels.
    Key = tuple[Family, tuple[str, ...]]

#: Uptimes are rounded: VRP8 shows minutes (`display version`).
_UPTIME_STEP_S = 60.0


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
    One counter that falls makes all of its reading unknown: what was cleared with it may have risen
    past its old value since. A wrap is not told from a reset, as no system says how wide its
    counters are.
    """
    if elapsed_s <= 0:
        raise ValueError(f"{elapsed_s} s between two readings")
    first = {(family, labels): value for _, family, labels, value in _counters(before)}
    rise: dict[Key, tuple[str, float]] = {}
    fell: list[tuple[str, tuple[str, ...], str, float, float]] = []
    for source, family, labels, value in _counters(after):
        was = first.get((family, labels))
        if was is None:
            continue
        rise[family, labels] = source, value - was
        if value < was:
            fell.append((family.name, labels, source, was, value))
    unknown: dict[str, str] = {}
    if _restarted(before, after, elapsed_s):
        unknown = {source: "the device restarted" for source, _ in rise.values()}
    for name, _, source, was, now in sorted(fell):
        message = f"{name} fell from {was:g} to {now:g}: it was reset, or wrapped"
        unknown.setdefault(source, message)
    per_s = {key: more / elapsed_s for key, (source, more) in rise.items() if source not in unknown}
    return Rates(elapsed_s, per_s, unknown)


def _counters(snapshot: Snapshot) -> Iterator[Sample]:
    return (one for one in samples(snapshot) if one.family.is_counter)


def _restarted(before: Snapshot, after: Snapshot, elapsed_s: float) -> bool:
    was = before.facts.uptime_s if before.facts else None
    now = after.facts.uptime_s if after.facts else None
    if was is None or now is None:
        return False
    return now < was or now + _UPTIME_STEP_S < elapsed_s
