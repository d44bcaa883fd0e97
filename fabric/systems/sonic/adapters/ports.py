"""Rows of ports and the watchdog: set by ``config load``, with the ports down where they must be.

The updater is not used for them. It takes ports down by itself and reads CONFIG_DB for every change
(202405 to 202511), while the buffer manager of NVIDIA deletes the lossless groups of a port that is
down, so that a patch of them ends with ports down. A row that loses a field is deleted first, as a
load only adds; ranges of queues go before others come, as a range that goes clears its queues.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from fabric.systems.sonic.daemons import MAPS
from fabric.systems.sonic.gcu import PORT_DOWN_TABLES
from fabric.systems.sonic.ownership import is_live

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from typing import Any

    from fabric.systems.sonic.adapters.foreign import ConfigDb
    from fabric.systems.sonic.adapters.way import Way
    from fabric.systems.sonic.ownership import Cell

    Difference = tuple[Cell, Any, Any]

#: Ports that are down at once; our choice: a host has few of them on one leaf.
AT_ONCE = 16
#: Tables in which a port has a field or a row of its own whose fields come and go by the updater.
_FIELDS = ("PORT", "CABLE_LENGTH")
_WATCH = "PFC_WD"


def port_of(row: str, name: str = "") -> str:
    """Return the port that a row or a field belongs to, or nothing."""
    parts = (*row.split("|"), name)
    return next((part for part in parts if re.fullmatch(r"Ethernet\d+", part)), "")


@dataclass
class Work:
    """What changes in rows of ports, in maps with them, and of the watchdog.

    Parameters
    ----------
    down : set of str
        Ports that must be down for it.
    rows : dict
        By port: rows of `PORT_DOWN_TABLES` that change.
    fields : dict
        By port: fields of PORT and CABLE_LENGTH that have other values.
    maps : dict
        Values of maps that change while the ports are down.
    unwatched, watched : set of str
        Rows of PFC_WD that go, and that come; one that is set again is in both.
    """

    down: set[str] = field(default_factory=set)
    rows: dict[str, set[tuple[str, str]]] = field(default_factory=dict)
    fields: dict[str, ConfigDb] = field(default_factory=dict)
    maps: ConfigDb = field(default_factory=dict)
    unwatched: set[str] = field(default_factory=set)
    watched: set[str] = field(default_factory=set)

    @classmethod
    def of(cls, running: ConfigDb, target: ConfigDb, cells: Sequence[Difference]) -> Work:
        """Return the work in what differs."""
        work = cls()
        for (table, row, name), old, new in cells:
            port = port_of(row, name)
            if table in PORT_DOWN_TABLES and port:
                work.rows.setdefault(port, set()).add((table, row))
                if not is_live((table, row, name), old, new):
                    work.down.add(port)
            elif table in _FIELDS and port and old is not None and new is not None:
                work.fields.setdefault(port, {}).setdefault(table, {}).setdefault(row, {})[name] = (
                    new
                )
        if work.down:
            for (table, row, name), old, new in cells:
                if table in MAPS and old is not None and new is not None:
                    work.maps.setdefault(table, {}).setdefault(row, {})[name] = new
        work._watch(running, target, cells)
        return work

    def _watch(self, running: ConfigDb, target: ConfigDb, cells: Sequence[Difference]) -> None:
        """Find the rows of PFC_WD that orchagent has to register again (pfcwdsworch.cpp)."""
        old, new = (side.get(_WATCH, {}) for side in (running, target))
        masks = {row for (table, row, name), _, _ in cells if name == "pfcwd_sw_enable"}
        changed = {
            row
            for cell, a, b in cells
            if (row := cell[1]) and cell[0] == _WATCH and not is_live(cell, a, b)
        }
        again = {row for row in (changed | masks) if row in old and row in new}
        self.unwatched = again | (old.keys() - new.keys())
        self.watched = again | (new.keys() - old.keys())

    def holds(self, cell: Cell) -> bool:
        """Tell whether a change of a field is part of this work."""
        table, row, name = cell
        if table == _WATCH:
            return row in self.watched | self.unwatched
        if table in MAPS:
            return name in self.maps.get(table, {}).get(row, {})
        return table in (*PORT_DOWN_TABLES, *_FIELDS) and self.holds_unit(table, row, name)

    def holds_unit(self, table: str, row: str, name: str = "") -> bool:
        """Tell whether a row or a field is part of this work."""
        port = port_of(row, name)
        if table == _WATCH:
            return True
        if table in MAPS:
            return name in self.maps.get(table, {}).get(row, {})
        if table in PORT_DOWN_TABLES:
            return bool(port)
        return name in self.fields.get(port, {}).get(table, {}).get(row, {})

    def carry_out(self, change: Way) -> None:
        """Add the steps."""
        calm = [port for port in {*self.rows, *self.fields} if port not in self.down]
        self._set(change, _sorted(calm))
        down = _sorted(self.down)
        size = len(down) if self.maps else AT_ONCE
        for start in range(0, len(down), size or 1):
            self._while_down(change, down[start : start + size])
        self._rewatch(change, self.unwatched - self.down, self.watched - self.down)

    def _while_down(self, change: Way, ports: Sequence[str]) -> None:
        rows = change.state.get("PORT", {})
        up = [port for port in ports if rows.get(port, {}).get("admin_status") == "up"]
        if up:
            change.load(_status(up, "down"))
            change.flaps += up
        began_s = change.transients.now_s
        names = {*ports}
        self._drop(change, [*self._lost(change, ports)], self.unwatched & names)
        self._set(change, ports)
        self._rewatch(change, set(), self.watched & names)
        wanted = change.target.get("PORT", {})
        up = [port for port in ports if wanted.get(port, {}).get("admin_status") == "up"]
        if up:
            change.load(_status(up, "up"))
            change.down_s = max(change.down_s, change.transients.now_s - began_s)

    def _lost(self, change: Way, ports: Iterable[str]) -> Iterable[tuple[str, str]]:
        """Yield the rows that go, or that lose or get a field."""
        for port in ports:
            for table, row in sorted(self.rows.get(port, ())):
                old, new = (s.get(table, {}).get(row) for s in (change.state, change.target))
                if old is not None and (new is None or old.keys() != new.keys()):
                    yield table, row

    def _drop(self, change: Way, rows: Iterable[tuple[str, str]], watched: set[str]) -> None:
        found: ConfigDb = {}
        for table, row in [*rows, *((_WATCH, port) for port in sorted(watched))]:
            found.setdefault(table, {})[row] = change.state[table][row]
        if found:
            change.drop(found)

    def _set(self, change: Way, ports: Sequence[str]) -> None:
        """Load what ports have in the target, but for their state."""
        found: ConfigDb = {}
        for port in ports:
            for table, row in sorted(self.rows.get(port, ())):
                new = change.target.get(table, {}).get(row)
                if new is not None:
                    found.setdefault(table, {})[row] = new
            for table, rows in self.fields.get(port, {}).items():
                for row, fields in rows.items():
                    kept = {k: v for k, v in fields.items() if self._is_loaded(table, port, k)}
                    if kept:
                        held = found.setdefault(table, {})
                        held[row] = {**held.get(row, {}), **kept}
        if self.down.issuperset(ports) and ports:
            found |= self.maps
        if found:
            change.load(found)

    def _is_loaded(self, table: str, port: str, name: str) -> bool:
        return table != "PORT" or name != "admin_status" or port not in self.down

    def _rewatch(self, change: Way, gone: set[str], come: set[str]) -> None:
        """Set rows of the watchdog again, one right after the other.

        All go before any comes: Broadcom has one action for a whole switch, which it takes while no
        port is watched (pfcwdorch.cpp, createEntry).
        """
        self._drop(change, [], gone)
        if come:
            rows = change.target[_WATCH]
            change.load({_WATCH: {row: rows[row] for row in sorted(come)}})


def _status(ports: Iterable[str], status: str) -> ConfigDb:
    return {"PORT": {port: {"admin_status": status} for port in ports}}


def _sorted(ports: Iterable[str]) -> list[str]:
    return sorted(ports, key=lambda port: (len(port), port))
