"""A file of readings that takes the place of the devices, and how old it may be."""

from __future__ import annotations

import math
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cached_property
from typing import TYPE_CHECKING

from fabric.core import hostlist
from fabric.core.errors import InputError
from fabric.core.units import S_PER_H, S_PER_MIN
from fabric.report.oddities import Oddities

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from pathlib import Path

#: How far the clocks of two machines may be apart. Ours: NTP keeps them much closer.
_APART_S = 60.0
#: Units of an age; one counts from two of it on.
_UNITS = ((24 * S_PER_H, "days"), (S_PER_H, "h"), (S_PER_MIN, "min"), (1, "s"))


@dataclass(frozen=True)
class Recording:
    """A file of readings.

    Parameters
    ----------
    say : callable
        Takes what is said of the age, a line each.
    most_s : float
        Age of a reading from which the file is refused.
    """

    file: Path
    say: Callable[[str], None]
    most_s: float = math.inf

    @cached_property
    def odd(self) -> Oddities:
        """What is odd about it; filled as it is read."""
        return Oddities(self.file)

    def check(self, times: Mapping[str, datetime | None]) -> None:
        """Say how old the readings are.

        Parameters
        ----------
        times : mapping
            When each device was read; None where the record does not say it.

        Raises
        ------
        InputError
            When a reading is older than it may be.
        """
        now = datetime.now(UTC)
        ages_s = {name: (now - time).total_seconds() for name, time in times.items() if time}
        self._refuse_old(ages_s)
        if past_s := [max(age_s, 0.0) for age_s in ages_s.values() if age_s >= -_APART_S]:
            ages = dict.fromkeys((_words(min(past_s)), _words(max(past_s))))
            self.say(f"{self.file}: the readings are {' to '.join(ages)} old")
        if ahead_s := {name: -age_s for name, age_s in ages_s.items() if age_s < -_APART_S}:
            names, most = hostlist.fold(ahead_s), _words(max(ahead_s.values()))
            self.say(f"{self.file}: {names}: read in the future, by {most}; compare the clocks")
        if undated := [name for name, time in times.items() if time is None]:
            names = hostlist.fold(undated)
            self.say(f"{self.file}: {names}: no time in the reading: its age is not known")

    def _refuse_old(self, ages_s: Mapping[str, float]) -> None:
        oldest = max(ages_s, key=ages_s.__getitem__, default="")
        if oldest and ages_s[oldest] > self.most_s:
            raise InputError(
                f"{self.file}: the reading of {oldest} is {_words(ages_s[oldest])} old, and none "
                f"may be older than {_words(self.most_s)}; read the devices again, or raise "
                "--snapshot-max-age"
            )


def _words(age_s: float) -> str:
    size_s, unit = next(one for one in _UNITS if age_s >= 2 * one[0] or one[1] == "s")
    return f"{age_s // size_s:,.0f} {unit}"
