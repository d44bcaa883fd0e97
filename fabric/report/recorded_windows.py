"""The last two readings of each device in a file, between which the time is known.

A record says how much time passed since the one before, by a clock that never jumps. Its time of
day tells which record that is: a file may hold two runs, lines in another order, or a line twice.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from fabric.report.oddities import Oddities, Oddity
from fabric.report.recorded import last_records, read_record

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from fabric.report.observed import Seen

    #: Number of a line, and its text.
    Record = tuple[int, bytes]

#: Among how many of its last records the two of a device are looked for. Ours.
_MOST = 6
#: By how much of it a time of day may differ from what passed: clocks are slewed, and turns are not
#: of equal length. Half of it would be another record. Ours.
_SLEWED = 0.25
_DIGITS = re.compile(r"\d+")
#: No member of ``state`` has this name.
_PLATFORM = re.compile(rb'"platform": ?"([^"]*)"')


@dataclass(frozen=True)
class Planned:
    """What the inventory says of a device: its system, the ports that it has and may have."""

    platform: str
    ports: frozenset[str]

    def strange(self, seen: Seen) -> list[str]:
        """Return the ports of a reading that the device does not have, named as its own are.

        They are all ports of the reading where it has none of those that the device has.
        """
        if seen.snapshot is None:
            return []
        shapes = {_DIGITS.sub("0", port) for port in self.ports}
        tables = seen.snapshot.interfaces, seen.snapshot.pfc_counters, seen.snapshot.nics
        names = {name for table in tables for name in table or ()}
        others = sorted(names - self.ports)
        if names.isdisjoint(self.ports):
            return others
        return [name for name in others if _DIGITS.sub("0", name) in shapes]


def recorded_windows(path: Path, planned: Mapping[str, Planned], odd: Oddities) -> list[Seen]:
    """Return the last two readings of each device that a fabric has, the older one first.

    A device has one where the time between the two is not known.

    Parameters
    ----------
    odd : Oddities
        Takes what is odd about the file.

    Raises
    ------
    InputError
        When the file cannot be read, is of another form, or has none of the devices; with each
        member of a record that is wrong.
    """
    windows = []
    for name, records in last_records(path, planned, _MOST, odd).items():
        mine = _of_system(list(records), name, planned[name].platform, odd)
        readings = _Records(path, mine, odd).window()
        windows += [seen for _, seen in readings]
        for port in planned[name].strange(windows[-1]):
            odd.add(Oddity.PORT, readings[-1][0], f"{name} {port}")
    return windows


def _of_system(records: list[Record], name: str, platform: str, odd: Oddities) -> list[Record]:
    """Return the records of a system; all of them where none is."""
    others = [
        (line, text)
        for line, text in records
        if (said := _PLATFORM.search(text)) and said[1] != platform.encode()
    ]
    if others:
        odd.add(Oddity.SYSTEM, others[0][0], name)
    return [record for record in records if record not in others] or records


class _Records:
    """The last records of a device; each is read when it is looked at."""

    def __init__(self, path: Path, records: Sequence[Record], odd: Oddities) -> None:
        self._path, self._odd = path, odd
        self._lines = records

    def window(self) -> list[tuple[int, Seen]]:
        """Return the two of the last window with their lines."""
        *_, last = readings = self._read(self._lines[-2:])
        if len(readings) == 1 or last[1].error or _follows(last[1], readings[0][1]):
            return readings
        return self._looked_for(self._read(self._lines))

    def _read(self, records: Sequence[Record]) -> list[tuple[int, Seen]]:
        return [(line, read_record(self._path, line, text)) for line, text in records]

    def _looked_for(self, readings: list[tuple[int, Seen]]) -> list[tuple[int, Seen]]:
        """Return the last window where the last two lines are none by their times."""
        readings = self._at_different_times(readings)
        *others, last = readings
        newer = [pair for pair in others if _follows(pair[1], last[1])]
        older = [pair for pair in others if _follows(last[1], pair[1])]
        if newer:
            self._odd.add(Oddity.ORDER, *_place(last))
            return [last, newer[-1]]
        if older:
            return [older[-1], last]
        return self._by_lines(readings[-2:])

    def _at_different_times(self, readings: list[tuple[int, Seen]]) -> list[tuple[int, Seen]]:
        """Return the readings without those that have the time of a later line."""
        distinct = []
        for number, pair in enumerate(readings):
            time = pair[1].time
            if time is not None and any(other.time == time for _, other in readings[number + 1 :]):
                self._odd.add(Oddity.SAME_TIME, *_place(pair))
            else:
                distinct.append(pair)
        return distinct

    def _by_lines(self, readings: list[tuple[int, Seen]]) -> list[tuple[int, Seen]]:
        """Return the last two lines; the last one where nothing tells the time between them."""
        *before, last = readings
        if not before or before[0][1].snapshot is None:
            return readings
        passed_s = _passed_s(last[1], before[0][1])
        if last[1].elapsed_s is not None:
            self._odd.add(Oddity.CLOCK, *_place(last))
        elif passed_s is not None and passed_s > 0:
            self._odd.add(Oddity.NO_ELAPSED, *_place(last))
        else:
            self._odd.add(Oddity.NO_TIME, *_place(last))
            return [last]
        return readings


def _place(pair: tuple[int, Seen]) -> tuple[int, str]:
    return pair[0], pair[1].device


def _passed_s(later: Seen, earlier: Seen) -> float | None:
    """Return the time between two readings by their clocks."""
    if later.time is None or earlier.time is None:
        return None
    return (later.time - earlier.time).total_seconds()


def _follows(later: Seen, earlier: Seen) -> bool:
    """Tell whether a reading says that it came so long after another as their times tell."""
    passed_s, elapsed_s = _passed_s(later, earlier), later.elapsed_s
    if passed_s is None or elapsed_s is None or earlier.snapshot is None:
        return False
    return abs(passed_s - elapsed_s) <= _SLEWED * elapsed_s
