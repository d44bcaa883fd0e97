"""Two readings of every device as arrays over the ends of the cables; what is not known is NaN."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from fabric.core.units import us_to_s
from fabric.health.columns import COLUMNS, WIDTH
from fabric.health.flags import all_of_end, any_of_end
from fabric.health.tables import tables_of
from fabric.observe.rates import PARTS, TOPS
from fabric.qos.pause_share import pause_share

if TYPE_CHECKING:
    from collections.abc import Mapping

    from fabric.health.columns import Column
    from fabric.health.ends import Ends, Floats
    from fabric.health.plan import Plan
    from fabric.health.reading import Reading
    from fabric.health.settings import Settings
    from fabric.health.tables import Table
    from fabric.topology.model import Bools, Ints


def _whole(table: Floats, column: Column) -> Floats:
    """Return a sum as one figure; NaN where none of its parts is known."""
    if column.width == WIDTH and not column.is_sum:
        return table
    if table.shape[1] == 1:
        return table[:, 0]
    figures: Floats = np.where(np.isnan(table).all(axis=1), np.nan, np.nansum(table, axis=1))
    return figures


@dataclass(frozen=True, eq=False)
class Window:
    """What two readings say, and what the design says of the same ports.

    Parameters
    ----------
    readings : mapping
        By device; one that was not asked is absent.
    plan : Plan
        What the design gives each end.
    """

    ends: Ends
    plan: Plan
    readings: Mapping[str, Reading]
    settings: Settings

    @cached_property
    def elapsed_s(self) -> Floats:
        """Time between the two readings of each device; NaN where there are not two."""
        whole = (self.readings.get(name) for name in self.ends.names)
        return np.array([one.elapsed_s if one and one.is_whole else np.nan for one in whole])

    @cached_property
    def is_read(self) -> Bools:
        """Whether each device has a last reading."""
        whole = (self.readings.get(name) for name in self.ends.names)
        return np.array([one is not None and one.after is not None for one in whole])

    def named(self, number: int) -> str:
        """Return the name of a device, and why its counters have no rates."""
        name = self.ends.names[number]
        if self.restarted[number]:
            return f"{name} (restarted)"
        return name if np.isfinite(self.elapsed_s[number]) else f"{name} (one reading)"

    @cached_property
    def restarted(self) -> Bools:
        """Whether each device says that it restarted between the two readings."""
        whole = (self.readings.get(name) for name in self.ends.names)
        return np.array([one is not None and one.restarted for one in whole])

    @cached_property
    def _rises(self) -> dict[str, Floats]:
        """How much each counter rose; NaN where it was reset, or where nobody can know.

        A counter that fell was reset, and others of its port may have been too: one that did not
        rise is unknown, and one that rose did so by as much at least. The same holds for the whole
        device, unless a counter of another port that was above 0 did not fall.
        """
        counters = {name: column for name, column in COLUMNS.items() if column.is_counter}
        rises: dict[str, Floats] = {}
        reset: dict[str, Bools] = {}
        for name, column in counters.items():
            rises[name], fell = self._rise(column)
            source = column.source
            reset[source] = reset[source] | fell if source in reset else fell
        is_nic, device = self.ends.is_nic, self.ends.device
        of_nics: Bools = np.stack([*reset.values()]).any(axis=0) & is_nic
        doubtful = {name: self._doubtful(name, fell & ~is_nic) for name, fell in reset.items()}
        has_reset, restarted = any(fell.any() for fell in reset.values()), self.restarted[device]
        for name, rise in rises.items() if has_reset or restarted.any() else ():
            still = (doubtful[counters[name].source] & ~is_nic) | of_nics
            rise[still[:, None] & (rise == 0)] = np.nan
            rise[rise < 0] = np.nan
            rise[restarted] = np.nan
        for name, rise in rises.items():
            if counters[name].is_sum:
                self._parts[name] = np.count_nonzero(np.isfinite(rise), axis=1)
        return {name: _whole(rise, counters[name]) for name, rise in rises.items()}

    def _doubtful(self, source: str, fell: Bools) -> Bools:
        """Return the ends whose counters of a source may have been reset, by those that fell."""
        if not fell.any():
            return fell
        stands = np.zeros(len(self.ends), dtype=np.bool_)
        before, after = self._both(source)
        kept = (before.figures > 0) & (after.figures >= before.figures) & before.known & after.known
        stands[before.rows] = any_of_end(kept)
        whole: Bools = fell | (self._of_device(fell) & ~self._of_device(stands & ~fell))
        return whole

    def _rise(self, column: Column) -> tuple[Floats, Bools]:
        """Return the rises of a column, over 32 bits where it wrapped, and the ends of a reset."""
        rise = self._rise_of_parts(column)
        fell = rise < 0
        if fell.any():
            was, now = self._table(column, "before"), self._table(column, "after")
            largest = np.fmax(was, now)
            most = np.zeros(len(self.ends.names))
            np.fmax.at(most, self.ends.device, np.nan_to_num(largest).max(axis=1))
            top, part = TOPS[0], TOPS[0] // PARTS
            narrow = (most < top)[self.ends.device][:, None]
            over = fell & narrow & (was >= top - part) & (now < part)
            rise, fell = np.where(over, rise + float(top), rise), fell & ~over
        return rise, any_of_end(fell)

    def _rise_of_parts(self, column: Column) -> Floats:
        rise = np.full((len(self.ends), column.width), np.nan)
        for name, words in column.parts:
            before, after = self._both(name)
            after.put(rise, words, since=before)
        lone = ~np.isfinite(self.elapsed_s)[self.ends.device]
        if lone.any():
            rise[lone] = np.nan
        return rise

    def _of_device(self, ends: Bools) -> Bools:
        """Return all ends of the devices of some ends."""
        of_device = np.zeros(len(self.ends.names), dtype=np.bool_)
        of_device[self.ends.device[ends]] = True
        whole: Bools = of_device[self.ends.device]
        return whole

    def _table(self, column: Column, when: str) -> Floats:
        """Return the figures of a column at one time, shape (ends, width)."""
        table = np.full((len(self.ends), column.width), np.nan)
        for name, words in column.parts:
            before, after = self._both(name)
            (before if when == "before" else after).put(table, words)
        return table

    def _both(self, name: str) -> tuple[Table, Table]:
        """Return a table of all readings, of both times."""
        if name not in self._tables:
            readings = [self.readings.get(device) for device in self.ends.names]
            self._tables[name] = tables_of(self.ends, name, readings)
        return self._tables[name]

    @cached_property
    def _tables(self) -> dict[str, tuple[Table, Table]]:
        return {}

    def rise(self, name: str) -> Floats:
        """Return how much a counter rose between the readings, shape (ends,) or (ends, 8)."""
        return self._rises[name]

    def per_s(self, name: str) -> Floats:
        """Return how much a counter rose in each second."""
        if name not in self._per_s:
            elapsed = self.elapsed_s[self.ends.device]
            rise = self._rises[name]
            self._per_s[name] = rise / (elapsed if rise.ndim == 1 else elapsed[:, None])
        return self._per_s[name]

    @cached_property
    def _per_s(self) -> dict[str, Floats]:
        return {}

    def known(self, name: str) -> Bools:
        """Return the ends of which a column has any figure."""
        if name.startswith("all_pauses_"):
            return self.tells_pauses(name)
        if name not in self._known:
            self._known[name] = self._whole_known(name)
        return self._known[name]

    def _whole_known(self, name: str) -> Bools:
        """Return the ends of which all that counts of a column is known.

        Of eight priorities those count that the design gives the end; of a sum, all parts that
        devices of the same system report.
        """
        column = COLUMNS[name]
        table = self.rise(name) if column.is_counter else self.last(name)
        finite = np.isfinite(table.reshape(len(table), -1))
        if not column.planned or column.is_sum:
            known = any_of_end(finite)
            return known & ~self._lacks_parts(name) if column.is_counter else known
        planned = getattr(self.plan, column.planned)
        whole: Bools = np.where(
            any_of_end(planned), all_of_end(finite | ~planned), any_of_end(finite)
        )
        return whole

    def _lacks_parts(self, name: str) -> Bools:
        """Return the ends of which fewer parts of a sum are known than of others of the system."""
        parts = self._parts.get(name)
        if parts is None:
            return np.zeros(len(self.ends), dtype=np.bool_)
        most = np.zeros(len(self._systems) + 1, dtype=parts.dtype)
        np.maximum.at(most, self._system[self.ends.device], parts)
        lacks: Bools = parts < most[self._system[self.ends.device]]
        return lacks

    @cached_property
    def _parts(self) -> dict[str, Ints]:
        """How many parts of each sum are known of each end."""
        return {}

    @cached_property
    def _systems(self) -> dict[str, int]:
        """Number of each system."""
        systems = (reading.platform for reading in self.readings.values())
        return {system: number for number, system in enumerate(dict.fromkeys(systems))}

    @cached_property
    def _system(self) -> Ints:
        """Number of the system of each device; that behind the last one where it was not asked."""
        known = (self.readings.get(name) for name in self.ends.names)
        behind = len(self._systems)
        return np.array([self._systems[one.platform] if one else behind for one in known])

    def system_of(self, number: int) -> str:
        """Return the system of a device."""
        return self.readings[self.ends.names[number]].platform

    def reported(self, name: str) -> Bools:
        """Return the devices of which some of the same system have a figure, in either reading."""
        if name not in self._reported:
            self._reported[name] = self._reported_of(name)
        return self._reported[name]

    @cached_property
    def _reported(self) -> dict[str, Bools]:
        return {}

    def _reported_of(self, name: str) -> Bools:
        has = np.zeros(len(self.ends.names), dtype=np.bool_)
        for table, words in COLUMNS[name].parts:
            for when in self._both(table):
                known = any_of_end(when.known[:, when.columns(words)])
                has[self.ends.device[when.rows][known]] = True
        able = np.zeros(len(self._systems) + 1, dtype=np.bool_)
        able[self._system[has]] = True
        reported: Bools = able[self._system]
        return reported

    @cached_property
    def _known(self) -> dict[str, Bools]:
        return {}

    def last(self, name: str) -> Floats:
        """Return the last value of a column that is not a counter."""
        if name not in self._last:
            self._last[name] = _whole(self._table(COLUMNS[name], "after"), COLUMNS[name])
        return self._last[name]

    @cached_property
    def _last(self) -> dict[str, Floats]:
        return {}

    def first(self, name: str) -> Floats:
        """Return the value of such a column in the first reading."""
        if name not in self._first:
            self._first[name] = _whole(self._table(COLUMNS[name], "before"), COLUMNS[name])
        return self._first[name]

    @cached_property
    def _first(self) -> dict[str, Floats]:
        return {}

    @property
    def pausing(self) -> Floats:
        """Share of the time that each end pauses the other, by priority; NaN where unknown."""
        return self._pausing[0]

    @property
    def is_bound(self) -> Bools:
        """Whether the share of an end is a bound, as no duration is known."""
        return self._pausing[1]

    @cached_property
    def _pausing(self) -> tuple[Floats, Bools]:
        """Return shares and bounds by what either end counts; the time of a NIC, where it does."""
        frames = np.fmax(self._frames("sent"), self._frames("received")[self.ends.far])
        both = self.per_s("pausing_us"), self.per_s("paused_us")[self.ends.far]
        timed = us_to_s(1) * np.fmax(*both)
        # An end that counted no time, beside one that counted frames, did not hear them.
        timed[(timed == 0) & (frames > 0)] = np.nan
        return pause_share(timed, frames, self.ends.speed_gbps[:, None])

    def tells_pauses(self, name: str) -> Bools:
        """Return the ends of which one count of all priorities tells anything.

        It tells nothing of a priority where several are lossless.
        """
        known: Bools = np.isfinite(self.rise(name)) & (self._classes <= 1)
        return known

    @cached_property
    def _classes(self) -> Ints:
        """Number of priorities that each end pauses by the design."""
        classes: Ints = np.count_nonzero(self.plan.paused, axis=1)
        return classes

    def _frames(self, way: str) -> Floats:
        """Return pause frames in each second by priority.

        A system that counts all priorities together counts that of a port with one lossless class.
        """
        by_priority, total = self.per_s(f"pauses_{way}"), self.per_s(f"all_pauses_{way}")
        only = self.plan.paused & (self._classes == 1)[:, None]
        none = ~any_of_end(np.isfinite(by_priority))
        return np.where(none[:, None] & only, total[:, None], by_priority)

    @property
    def is_paused(self) -> Bools:
        """Whether each end pauses the other for more than the limit, by priority."""
        paused: Bools = self.pausing >= self.settings.pause_percent / 100
        return paused
