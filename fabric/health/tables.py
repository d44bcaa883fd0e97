"""Tables of readings as arrays: all devices of a window at one time, exact and with a mask.

Each table is walked once, and each figure is taken by a call of C: a fabric has tens of millions.
"""

from __future__ import annotations

from array import array
from collections import defaultdict
from dataclasses import dataclass
from itertools import chain
from operator import attrgetter
from typing import TYPE_CHECKING, Any

import numpy as np

from fabric.health.columns import COLUMNS, WIDTH
from fabric.observe.rates import PARTS, TOPS

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from numpy.typing import NDArray

    from fabric.health.ends import Ends, Floats
    from fabric.health.reading import Reading
    from fabric.topology.model import Bools, Ints

    Counts = NDArray[np.uint64]

    #: Number of a device, and what its reading has by port, or by port and number.
    Rows = Iterator[tuple[int, Mapping[Any, Any]]]
    Taker = Callable[[Iterable[Any]], list[Any]]


@dataclass(frozen=True, eq=False)
class Table:
    """Figures of some ends.

    Parameters
    ----------
    rows : slice or array of int
        The ends, ascending.
    figures : array of int, shape (ends, names)
        Whole numbers of 64 bits, exact; 0 where nothing is known.
    known : array of bool, shape (ends, names)
    number : mapping
        Column of each name.
    """

    rows: slice | Ints
    figures: Counts
    known: Bools
    number: Mapping[str, int]

    def put(self, whole: Floats, names: Sequence[str], since: Table | None = None) -> None:
        """Write the figures of some names into the columns of an array of all ends.

        Parameters
        ----------
        since : Table, optional
            The same table at an earlier time: how much the figures rose is written.
        """
        taken = self.columns(names)
        figures, known = self.figures[:, taken], self.known[:, taken]
        values: NDArray[Any] = figures
        if since is not None:
            known = known & since.known[:, taken]
            values = risen(since.figures[:, taken], figures)
        into = whole[self.rows, : len(names)]
        np.copyto(into, values, where=known)
        whole[self.rows, : len(names)] = into

    def columns(self, names: Sequence[str]) -> slice | list[int]:
        """Return the columns of some names as an index."""
        return _columns([self.number[name] for name in names])


def _columns(numbers: list[int]) -> slice | list[int]:
    """Return some columns as an index: a slice where they follow each other, which copies none."""
    first, last = numbers[0], numbers[-1]
    return slice(first, last + 1) if numbers == [*range(first, last + 1)] else numbers


def risen(was: Counts, now: Counts) -> Ints:
    """Return how much counters of 64 bits rose; below 0 for those that fell, and were reset.

    The difference is exact, and that of a counter that went over the top is its rise. A counter
    that fell from elsewhere than near the top was reset, whatever its difference.
    """
    rise: Ints = (now - was).view(np.int64)
    fell = now < was
    if fell.any():
        top, part = TOPS[-1], TOPS[-1] // PARTS
        over = (was >= np.uint64(top - part)) & (now < np.uint64(part))
        rise[fell & (rise >= 0) & ~over] = -1
    return rise


def tables_of(ends: Ends, name: str, readings: Sequence[Reading | None]) -> tuple[Table, Table]:
    """Return a table of the first readings, and that of the last, with the same rows.

    Parameters
    ----------
    name : str
        A field of `Snapshot`.
    readings : sequence of Reading or None
        Of each device of the ends.
    """
    get = attrgetter(name)
    snapshots = [[getattr(one, when, None) for one in readings] for when in ("before", "after")]
    both = [
        {device: table for device, one in enumerate(row) if one and (table := get(one))}
        for row in snapshots
    ]
    has = np.zeros(len(ends.names), dtype=np.bool_)
    has[[*both[0], *both[1]]] = True
    rows = np.flatnonzero(has[ends.device])
    place = np.full(len(ends), -1)
    place[rows] = np.arange(len(rows))
    is_run = len(rows) > 0 and rows[-1] - rows[0] == len(rows) - 1
    where = slice(rows[0], rows[-1] + 1) if is_run else rows
    number = {word: column for column, word in enumerate(_names(name))}
    walk = _by_number if name in _NUMBERED else _by_port
    tables = []
    for of_device in both:
        figures = np.zeros((len(rows), len(number)), dtype=np.uint64)
        known = np.zeros(figures.shape, dtype=np.bool_)
        walk(ends, name, iter(of_device.items()), _Target(figures, known, place, number))
        tables.append(Table(where, figures, known, number))
    return tables[0], tables[1]


_NUMBERED = {"queues", "priority_groups", "ecn", "watchdog"}
#: Fields of the entries of tables. Each has code of its own, which Python then makes faster.
_FIELDS: Mapping[str, Taker] = {
    "packets": lambda entries: [one.packets for one in entries],
    "dropped_packets": lambda entries: [one.dropped_packets for one in entries],
    "watermark_bytes": lambda entries: [one.watermark_bytes for one in entries],
    "marked_packets": lambda entries: [one.marked_packets for one in entries],
    "storms_detected": lambda entries: [one.storms_detected for one in entries],
    "operational": lambda entries: [one.operational for one in entries],
}
_WAYS: Mapping[str, Taker] = {
    "received": lambda entries: [one.received for one in entries],
    "sent": lambda entries: [one.sent for one in entries],
}


def _names(table: str) -> tuple[str, ...]:
    """Return the names that columns take from a table."""
    parts = chain.from_iterable(column.parts for column in COLUMNS.values())
    return tuple(dict.fromkeys(name for of, names in parts if of == table for name in names))


@dataclass(frozen=True, eq=False)
class _Target:
    """Where figures go: the row of each end, -1 for none, and the column of each name."""

    figures: Counts
    known: Bools
    place: Ints
    number: Mapping[str, int]

    def write(self, rows: Sequence[int], words: Sequence[str], values: Sequence[Any]) -> None:
        """Write the values of some words at some ends, one end after the other."""
        figures, known = (one.reshape(len(rows), len(words)) for one in _counts(values))
        taken = [place for place, word in enumerate(words) if word in self.number]
        if not taken:
            return
        columns, parts = _columns([self.number[words[place]] for place in taken]), _columns(taken)
        into = self.place[np.array(rows)]
        # row by row, as both arrays lie in memory
        at = (into, columns) if isinstance(columns, slice) else (into[:, None], columns)
        self.figures[at] = figures[:, parts]
        self.known[at] = known[:, parts]


def _counts(values: Sequence[Any]) -> tuple[Counts, Bools]:
    """Return whole numbers as an array, and which are known; None is not."""
    known = np.ones(len(values), dtype=np.bool_)
    try:
        return np.frombuffer(array("Q", values), np.uint64), known
    except (TypeError, OverflowError, ValueError):
        known = np.fromiter((_is_count(value) for value in values), np.bool_, len(values))
    counts = (int(value) if is_known else 0 for value, is_known in zip(values, known, strict=True))
    return np.fromiter(counts, np.uint64, len(values)), known


def _is_count(value: Any) -> bool:
    """Tell whether a value is a number that a counter of 64 bits can have."""
    return value is not None and 0 <= value < TOPS[-1]


def _by_port(ends: Ends, name: str, tables: Rows, target: _Target) -> None:
    """Write tables with an entry for each port."""
    rows: list[int] = []
    entries: list[Any] = []
    for device, table in tables:
        known = ends.rows[device]
        mine = [known.get(port, -1) for port in table]
        if -1 in mine:
            entries += [entry for row, entry in zip(mine, table.values(), strict=True) if row >= 0]
            rows += [row for row in mine if row >= 0]
        else:
            rows += mine
            entries += table.values()
    if not rows:
        return
    if name == "pfc_counters":
        for way, get in _WAYS.items():
            words = [f"{way}{priority}" for priority in range(WIDTH)]
            counts = get(entries)
            if {*map(len, counts)} != {WIDTH}:
                counts = [(*one, *(None,) * WIDTH)[:WIDTH] for one in counts]
            target.write(rows, words, [*chain.from_iterable(counts)])
        return
    target.write(rows, ["up"], [one.up for one in entries])
    _write_counters(rows, [one.counters for one in entries], target)
    if name == "nics":
        _write_counters(rows, [one.hw_counters for one in entries], target)


def _write_counters(
    rows: Sequence[int], counters: Iterable[Mapping[str, int] | None], target: _Target
) -> None:
    """Write counters by name: those of all ports with the same names together."""
    alike: dict[tuple[str, ...], tuple[list[int], list[Mapping[str, int]]]]
    alike = defaultdict(lambda: ([], []))
    last: tuple[str, ...] = ()
    group: tuple[list[int], list[Mapping[str, int]]] = [], []
    for row, counts in zip(rows, counters, strict=True):
        if counts:
            words = tuple(counts)
            if words != last:
                last, group = words, alike[words]
            group[0].append(row)
            group[1].append(counts)
    for words, (places, tables) in alike.items():
        values = chain.from_iterable(one.values() for one in tables)
        target.write(places, words, [*values])


@dataclass(frozen=True, eq=False)
class _Keys:
    """Keys of port and number: the ports, and for each key which port and which number it has."""

    keys: list[Any]
    ports: list[str]
    port: Ints
    numbers: Ints

    @classmethod
    def of(cls, keys: list[Any]) -> _Keys:
        ports, numbers = zip(*keys, strict=True)
        order = {port: place for place, port in enumerate(dict.fromkeys(ports))}
        return cls(keys, [*order], np.array([order[port] for port in ports]), np.array(numbers))


def _by_number(ends: Ends, name: str, tables: Rows, target: _Target) -> None:
    """Write tables with an entry for each port and number; the keys of devices are often equal."""
    seen: dict[tuple[Any, ...], _Keys] = {}
    fields = {word[:-1]: _FIELDS[word[:-1]] for word in _names(name)}
    for device, table in tables:
        keys = [*table]
        outline = len(keys), keys[0], keys[-1]
        known = seen.get(outline)
        if known is None or known.keys != keys:
            known = seen[outline] = _Keys.of(keys)
        of_port = ends.rows[device]
        rows = np.array([of_port.get(port, -1) for port in known.ports])[known.port]
        kept = (rows >= 0) & (known.numbers >= 0) & (known.numbers < WIDTH)
        taken = slice(None) if kept.all() else kept
        into = target.place[rows[taken]] * len(target.number) + known.numbers[taken]
        for field, get in fields.items():
            counts, is_known = _counts(get(table.values()))
            at = into + target.number[f"{field}0"]
            target.figures.ravel()[at] = counts[taken]
            target.known.ravel()[at] = is_known[taken]
