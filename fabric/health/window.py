"""Two readings of every device as arrays over the ends of the cables; what is not known is NaN."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from fabric.core.units import us_to_s
from fabric.health.columns import COLUMNS, WIDTH
from fabric.observe.rates import PARTS, TOPS
from fabric.qos.pause_share import pause_share

if TYPE_CHECKING:
    from collections.abc import Mapping

    from fabric.health.columns import Column
    from fabric.health.ends import Ends, Floats
    from fabric.health.plan import Plan
    from fabric.health.reading import Reading
    from fabric.health.settings import Settings
    from fabric.observe.snapshot import Snapshot
    from fabric.topology.model import Bools, Ints


@dataclass(frozen=True, slots=True, eq=False)
class _Places:
    """Where the figures of a device go: ends, numbers where there are any, and which are kept."""

    keys: list[object]
    rows: Ints
    numbers: Ints
    kept: Ints


def _places(keys: list[Any], known: Mapping[str, int], *, is_numbered: bool) -> _Places:
    """Return the places of ports, or of ports and numbers; a port without a cable has none."""
    ports, numbers = zip(*keys, strict=True) if is_numbered else (keys, (0,) * len(keys))
    rows = np.array([known.get(port, -1) for port in ports])
    of_port = np.array(numbers)
    kept = np.flatnonzero((rows >= 0) & (of_port >= 0) & (of_port < WIDTH))
    return _Places(keys, rows[kept], of_port[kept], kept)


def _whole(table: Floats, column: Column) -> Floats:
    """Return a sum as one figure; NaN where none of its parts is known."""
    if column.width == WIDTH and not column.is_sum:
        return table
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

        A counter that fell was reset. Where one of a reading was, others of the device may have
        been too: one that did not rise is unknown, and one that rose did so by as much at least.
        """
        counters = {name: column for name, column in COLUMNS.items() if column.is_counter}
        rises = {name: self._rise(column) for name, column in counters.items()}
        reset: dict[str, Bools] = {}
        for name, rise in rises.items():
            source = counters[name].source
            fell: Bools = np.count_nonzero(rise < 0, axis=1) > 0
            reset[source] = reset[source] | fell if source in reset else fell
        is_nic, device = self.ends.is_nic, self.ends.device
        of_nics: Bools = np.stack([*reset.values()]).any(axis=0) & is_nic
        doubtful = {name: self._of_device(fell & ~is_nic) for name, fell in reset.items()}
        for name, rise in rises.items():
            still = (doubtful[counters[name].source] & ~is_nic) | of_nics
            rise[still[:, None] & (rise == 0)] = np.nan
            rise[rise < 0] = np.nan
            rise[self.restarted[device]] = np.nan
        return {name: _whole(rise, counters[name]) for name, rise in rises.items()}

    def _rise(self, column: Column) -> Floats:
        """Return the rises of a column: over the top where a counter wrapped, < 0 for a reset."""
        was, now = self._table(column, "before"), self._table(column, "after")
        rise = now - was
        fell = rise < 0
        if fell.any():
            largest = np.fmax(was, now)
            most = np.zeros(len(self.ends.names))
            np.fmax.at(most, self.ends.device, np.nan_to_num(largest).max(axis=1))
            for top in TOPS:
                narrow = (most < top)[self.ends.device][:, None]
                over = fell & narrow & (was >= top - top // PARTS) & (now < top // PARTS)
                rise = np.where(over, rise + float(top), rise)
                fell &= ~over
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
        for number, name in enumerate(self.ends.names):
            reading = self.readings.get(name)
            snapshot: Snapshot | None = getattr(reading, when, None)
            if reading is None or snapshot is None or (column.is_counter and not reading.is_whole):
                continue
            keys, values = column.read(snapshot)
            if keys:
                place = self._places(number, column, keys)
                figures = np.array(values, dtype=np.float64)
                if column.is_numbered:
                    table[place.rows, place.numbers] = figures[place.kept]
                else:
                    table[place.rows] = figures.reshape(len(keys), -1)[place.kept]
        return table

    def _places(self, number: int, column: Column, keys: list[object]) -> _Places:
        """Return where the figures of a device go; the keys of a reading rarely change."""
        key = number, column.source, column.where
        known = self._known_places.get(key)
        if known is None or known.keys != keys:
            known = _places(keys, self.ends.rows[number], is_numbered=column.is_numbered)
            self._known_places[key] = known
        return known

    @cached_property
    def _known_places(self) -> dict[tuple[int, str, str], _Places]:
        return {}

    def rise(self, name: str) -> Floats:
        """Return how much a counter rose between the readings, shape (ends,) or (ends, 8)."""
        return self._rises[name]

    def per_s(self, name: str) -> Floats:
        """Return how much a counter rose in each second."""
        elapsed = self.elapsed_s[self.ends.device]
        rise = self._rises[name]
        return rise / (elapsed if rise.ndim == 1 else elapsed[:, None])

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
        return pause_share(us_to_s(1) * np.fmax(*both), frames, self.ends.speed_gbps[:, None])

    def tells_pauses(self, name: str) -> Bools:
        """Return the ends of which one count of all priorities tells anything.

        It tells nothing of a priority where several are lossless.
        """
        known: Bools = np.isfinite(self.rise(name)) & (self._classes <= 1)
        return known

    @property
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
        none = np.isfinite(by_priority).sum(axis=1, keepdims=True) == 0
        return np.where(none & only, total[:, None], by_priority)

    @property
    def is_paused(self) -> Bools:
        """Whether each end pauses the other for more than the limit, by priority."""
        paused: Bools = self.pausing >= self.settings.pause_percent / 100
        return paused
