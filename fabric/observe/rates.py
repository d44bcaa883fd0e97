"""Rates between two snapshots of a device; the rate of a counter that fell is unknown."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from fabric.observe.samples import samples

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

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
    first, second = _counters(samples(before)), _counters(samples(after))
    common = first.keys() & second.keys()
    unknown: dict[str, str] = {}
    if _restarted(before, after, elapsed_s):
        unknown = {second[key].source: "the device restarted" for key in common}
    fell = [key for key in common if second[key].value < first[key].value]
    for key in sorted(fell, key=lambda key: (key[0].name, key[1])):
        was, now = first[key].value, second[key].value
        message = f"{key[0].name} fell from {was:g} to {now:g}: it was reset, or wrapped"
        unknown.setdefault(second[key].source, message)
    per_s = {
        key: (second[key].value - first[key].value) / elapsed_s
        for key in second
        if key in common and second[key].source not in unknown
    }
    return Rates(elapsed_s, per_s, unknown)


def _counters(seen: Iterable[Sample]) -> dict[Key, Sample]:
    return {(one.family, one.labels): one for one in seen if one.family.is_counter}


def _restarted(before: Snapshot, after: Snapshot, elapsed_s: float) -> bool:
    was = before.facts.uptime_s if before.facts else None
    now = after.facts.uptime_s if after.facts else None
    if was is None or now is None:
        return False
    return now < was or now + _UPTIME_STEP_S < elapsed_s
