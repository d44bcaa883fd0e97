"""Rates of counters over the last readings of each device, in bounded memory."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from fabric.observe import families as of
from fabric.serve.live import ERRORS

if TYPE_CHECKING:
    from collections.abc import Iterable

    from numpy.typing import NDArray

    from fabric.serve.live import Rising

#: Readings that are kept of a device: an hour at 30 s.
POINTS = 120
#: Counters that are kept of one device, and of all; our choice: 29 MB.
MOST_OF_DEVICE, MOST = 512, 60_000
#: What is drawn: bytes, pauses, marks, errors and drops, and what NICs count.
_DRAWN = frozenset({
    *(of.BYTES, of.PFC_FRAMES, of.PORT_PFC_FRAMES, of.PFC_SECONDS, of.STORMS),
    *(of.MARKS, of.PORT_MARKS, of.FLAPS, of.LINK_DOWNS, of.FEC_CORRECTED),
    *(family for family, way in of.NIC_COUNTERS.values() if not way),
    *ERRORS,
})


@dataclass(eq=False)
class _Device:
    """Times of readings, and a row of rates for each counter; the newest is the last.

    Parameters
    ----------
    rated : set of str
        Ports of counters whose rate was known once.
    """

    times_s: NDArray[np.float64]
    rows: dict[tuple[str, tuple[str, ...]], int]
    labels: dict[tuple[str, tuple[str, ...]], tuple[str, ...]]
    per_s: NDArray[np.float32]
    rated: set[str] = field(default_factory=set)


class Timelines:
    """The last rates of every counter that has moved.

    Parameters
    ----------
    points : int
        Readings that are kept of a device.
    most_of_device, most : int
        Counters that are kept of one device, and of all.
    """

    def __init__(
        self, points: int = POINTS, most_of_device: int = MOST_OF_DEVICE, most: int = MOST
    ) -> None:
        self._points, self._most_of_device, self._most = points, most_of_device, most
        self._devices: dict[str, _Device] = {}
        self._count = 0
        #: Counters that are not kept, as there are too many.
        self.omitted = 0

    def add(self, device: str, time_s: float, rates: Iterable[Rising]) -> None:
        """Add a reading; a counter is kept from its first rise on."""
        one = self._devices.get(device)
        if one is None:
            empty = np.full(self._points, np.nan)
            one = _Device(empty, {}, {}, np.zeros((0, self._points), dtype=np.float32))
            self._devices[device] = one
        one.times_s[:-1], one.per_s[:, :-1] = one.times_s[1:].copy(), one.per_s[:, 1:].copy()
        one.times_s[-1], one.per_s[:, -1] = time_s, np.nan
        drawn = [rate for rate in rates if rate.family in _DRAWN]
        one.rated |= {port for rate in drawn for port in rate.labels[:1] if rate.per_s >= 0}
        self._start(one, drawn)
        for rate in drawn:
            row = one.rows.get((rate.family.name, rate.labels))
            if row is not None:
                one.per_s[row, -1] = rate.per_s

    def _start(self, one: _Device, drawn: list[Rising]) -> None:
        for rate in drawn:
            key = (rate.family.name, rate.labels)
            if key in one.rows or not rate.per_s > 0:
                continue
            if len(one.rows) >= self._most_of_device or self._count >= self._most:
                self.omitted += 1
                continue
            one.rows[key], one.labels[key] = len(one.rows), rate.family.labels
            self._count += 1
        new = np.full((len(one.rows) - len(one.per_s), self._points), np.nan, dtype=np.float32)
        one.per_s = np.concatenate([one.per_s, new])

    def of(self, device: str) -> list[dict[str, Any]]:
        """Return each counter of a device with its rates; None where a rate is unknown."""
        one = self._devices.get(device)
        if one is None:
            return []
        read = ~np.isnan(one.times_s)
        times = [round(time, 3) for time in one.times_s[read].tolist()]
        return [
            {
                "name": name,
                "labels": dict(zip(one.labels[name, labels], labels, strict=True)),
                "times_s": times,
                "per_s": [
                    None if np.isnan(rate) else float(f"{rate:.6g}")
                    for rate in one.per_s[row][read].tolist()
                ],
            }
            for (name, labels), row in one.rows.items()
        ]

    def rated(self, device: str) -> list[str]:
        """Return the ports of a device of which a counter had a known rate, also one of 0."""
        return sorted(self._devices[device].rated) if device in self._devices else []

    def forget(self, kept: Iterable[str]) -> None:
        """Keep these devices only."""
        names = set(kept)
        self._devices = {name: one for name, one in self._devices.items() if name in names}
        self._count = sum(len(one.rows) for one in self._devices.values())
