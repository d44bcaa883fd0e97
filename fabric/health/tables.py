"""Tables of readings as arrays: all devices of a window at one time; what is not known is NaN.

Each table is walked once, and each figure is taken by a call of C: a fabric has tens of millions.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from itertools import chain
from operator import attrgetter
from typing import TYPE_CHECKING, Any

import numpy as np

from fabric.health.columns import COLUMNS, WIDTH

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from fabric.health.ends import Ends, Floats
    from fabric.health.reading import Reading
    from fabric.topology.model import Ints

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
    figures : array of float, shape (ends, names)
    number : mapping
        Column of each name.
    """

    rows: slice | Ints
    figures: Floats
    number: Mapping[str, int]

    def put(self, whole: Floats, names: Sequence[str], since: Table | None = None) -> None:
        """Write the figures of some names into the columns of an array of all ends.

        Parameters
        ----------
        since : Table, optional
            The same table at an earlier time: how much the figures rose is written.
        """
        numbers = [self.number[name] for name in names]
        if numbers == [*range(numbers[0], numbers[0] + len(numbers))]:  # a view, no copy
            taken: slice | list[int] = slice(numbers[0], numbers[-1] + 1)
        else:
            taken = numbers
        figures = self.figures[:, taken]
        whole[self.rows, : len(numbers)] = figures - since.figures[:, taken] if since else figures


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
        figures = np.full((len(rows), len(number)), np.nan)
        walk(ends, name, iter(of_device.items()), _Target(figures, place, number))
        tables.append(Table(where, figures, number))
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

    figures: Floats
    place: Ints
    number: Mapping[str, int]

    def write(self, rows: Sequence[int], words: Sequence[str], values: Sequence[Any]) -> None:
        """Write the values of some words at some ends, one end after the other."""
        block = _floats(values).reshape(len(rows), len(words))
        wanted = [place for place, word in enumerate(words) if word in self.number]
        into = self.place[np.array(rows)]
        for place in wanted:
            self.figures[into, self.number[words[place]]] = block[:, place]


def _floats(values: Sequence[Any]) -> Floats:
    """Return numbers as an array; None is NaN."""
    try:
        return np.fromiter(values, np.float64, len(values))
    except TypeError:
        return np.array(values, dtype=np.float64)


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
        into, numbers = target.place[rows[kept]], known.numbers[kept]
        for field, get in fields.items():
            values = _floats(get(table.values()))
            target.figures[into, target.number[f"{field}0"] + numbers] = values[kept]
