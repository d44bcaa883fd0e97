"""The gentlest way from one CONFIG_DB to another: steps while the switch runs, or a reload.

The sorter of ``config apply-patch`` takes longer than in proportion to what it is given, so the
change goes in parts. Each part leaves a configuration that is whole: what others refer to comes
first and goes last, the rows of a port change together, and the watchdog of a port starts behind
everything else of it. A row that the updater may not add or remove, though the switch can, goes by
``config load`` or is deleted from CONFIG_DB.
"""

from __future__ import annotations

import copy
import json
import math
import re
from dataclasses import dataclass, field
from itertools import groupby
from operator import itemgetter
from typing import TYPE_CHECKING, Any

import jsonpatch

from fabric.devices.candidate import NO_FILES, Files, SonicLive, SonicReload, SonicStep
from fabric.systems.sonic.adapters.config import differences, is_live
from fabric.systems.sonic.adapters.patch import patch
from fabric.systems.sonic.gcu import CREATE_ONLY, PORT_DOWN_TABLES, RESTRICTED_TABLES, Updater
from fabric.systems.sonic.platforms import RESTART_METADATA

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from fabric.devices.candidate import SonicCandidate
    from fabric.systems.sonic.adapters.config import Cell
    from fabric.systems.sonic.adapters.foreign import ConfigDb

#: Of the sorter: 7, 13 and 25 moves for 2, 4 and 8 ports took 4.1, 7.2 and 16.8 s of CPU
#: (sonic-net/sonic-utilities 691b1bb, measured).
MOVE_S = 0.7
#: Tables of which a whole row can come or go beside the updater: orchagent takes it live
#: (sonic-net/sonic-swss bufferorch.cpp, qosorch.cpp, pfcwdorch.cpp).
_DIRECT = ("BUFFER_PROFILE", "WRED_PROFILE", "PFC_WD")
_STOP_WATCH, _STOP_SESSIONS, _DEFINE, _SHARED, _VLAN, _PORT = range(6)
_START_SESSIONS, _START_WATCH, _VLAN_ENDS, _SHARED_ENDS = range(6, 10)
#: How many ports, VLANs or rows a part holds; by the same measurement one of 4 ports takes 7 s.
_SIZES = {_PORT: 4, _VLAN: 8, _VLAN_ENDS: 8, _STOP_WATCH: 24, _START_WATCH: 24}
_SIZES |= {_STOP_SESSIONS: 24, _START_SESSIONS: 24}


@dataclass(frozen=True, order=True)
class Unit:
    """A row that changes, or one field of it."""

    table: str
    row: str
    name: str = ""

    @property
    def port(self) -> str:
        """The port that it belongs to, or nothing."""
        parts = (*self.row.split("|"), self.name)
        return next((part for part in parts if re.fullmatch(r"Ethernet\d+", part)), "")

    def phase(self, state: ConfigDb, target: ConfigDb) -> int:
        """Return when it is its turn."""
        ends = self.row not in target.get(self.table, {})
        if self.table == "PFC_WD" and self.row != "GLOBAL":
            return _STOP_WATCH if ends else _START_WATCH
        if self.table == "PFC_WD" and ends:
            return _STOP_WATCH
        if self.table == "BGP_NEIGHBOR":
            return _STOP_SESSIONS if ends else _START_SESSIONS
        if self.table in _DIRECT and self.row not in state.get(self.table, {}):
            return _DEFINE
        if self.port:
            return _PORT
        if self.table in ("VLAN", "VLAN_INTERFACE"):
            return _VLAN_ENDS if ends else _VLAN
        return _SHARED_ENDS if ends else _SHARED


@dataclass
class Way:
    """Steps from a configuration to another, as they are found.

    Parameters
    ----------
    state : dict
        What runs after the steps so far.
    moves : int
        Moves of the sorter in all of them.
    flaps, resets : list of str
        Ports that the updater takes down, and BGP neighbours that it removes and adds again.
    reload : str
        What cannot be done while the switch runs; empty where all can.
    """

    state: ConfigDb
    target: ConfigDb
    updater: Updater
    steps: list[SonicStep] = field(default_factory=list)
    moves: int = 0
    flaps: list[str] = field(default_factory=list)
    resets: list[str] = field(default_factory=list)
    reload: str = ""

    @property
    def takes_s(self) -> int:
        """How long the updater sorts."""
        return math.ceil(self.moves * MOVE_S)

    def candidate(self, beside: Files = NO_FILES, *, ran_before: bool = False) -> SonicCandidate:
        """Return the way as a driver takes it, with files that change along with it."""
        if self.reload:
            text = json.dumps(self.target, indent=1, sort_keys=True) + "\n"
            return SonicReload(text, ran_before, beside)
        return SonicLive(tuple(self.steps), self.takes_s, beside) if self.steps else beside

    def notes(self) -> tuple[str, ...]:
        """Return what a person is to know before it is done."""
        if self.reload:
            return (f"config reload restarts all services: {self.reload} takes one",)
        parts = sum(step.kind == "patch" for step in self.steps)
        notes = []
        if parts:
            word = "part" if parts == 1 else "parts"
            notes.append(f"config apply-patch in {parts} {word}, about {self.takes_s} s")
        if self.flaps:
            notes.append(f"ports that go down and up: {', '.join(self.flaps)}")
        if self.resets:
            notes.append(f"BGP sessions that drop: {', '.join(self.resets)}")
        return tuple(notes)


def way(running: ConfigDb, target: ConfigDb, updater: Updater) -> Way:
    """Return the gentlest way from one configuration to another."""
    cells = differences(running, target)
    if not cells:
        return Way(running, target, updater)
    # Rows are changed below, their values are not.
    state = {
        table: {row: copy.copy(fields) for row, fields in rows.items()}
        for table, rows in running.items()
        if rows
    }
    change = Way(state, target, updater)
    rest = [cell for cell, old, new in cells if not is_live(cell, old, new)]
    change.reload = next(filter(None, map(_restart, rest)), "")
    if change.reload:
        return change
    # A port that goes down all the same changes at once: PFC on a group without its buffer loses.
    down = {Unit(*cell).port for cell in rest if cell[0] in PORT_DOWN_TABLES}
    live = [
        (cell, new)
        for cell, old, new in cells
        if is_live(cell, old, new)
        and not (cell[0] in PORT_DOWN_TABLES and Unit(*cell).port in down)
    ]
    if live:
        _load(change, _rows(live))
    units = sorted(_units(change.state, target), key=lambda unit: _key(unit, change.state, target))
    turns = [(unit.phase(change.state, target), unit) for unit in units]
    for phase, members in groupby(turns, key=itemgetter(0)):
        for part in _parts(phase, [unit for _, unit in members], target):
            obstacle = _take(change, part)
            if obstacle:
                change.reload = obstacle
                return change
    return change


def _restart(cell: Cell) -> str:
    """Return the change when it takes a restart on any switch."""
    table, row, name = cell
    if table == "DEVICE_METADATA" and name in RESTART_METADATA:
        return f"{table}|{row}|{name}"
    if table == "BREAKOUT_CFG" or (table == "PORT" and name in ("lanes", "")):
        return f"{table}|{row}"
    return ""


def _units(state: ConfigDb, target: ConfigDb) -> Iterable[Unit]:
    """Yield what changes; lengths of cables, which are fields of one row, port by port."""
    for table in sorted({*state, *target}):
        old, new = state.get(table, {}), target.get(table, {})
        if old == new:
            continue
        for row in sorted({*old, *new}):
            if old.get(row) == new.get(row) and (row in old) == (row in new):
                continue
            if table == "CABLE_LENGTH" and row in old and row in new:
                names = {*old[row], *new[row]}
                yield from (
                    Unit(table, row, n) for n in sorted(names) if old[row].get(n) != new[row].get(n)
                )
            else:
                yield Unit(table, row)


def _key(unit: Unit, state: ConfigDb, target: ConfigDb) -> tuple[Any, ...]:
    number = re.search(r"\d+", unit.port or unit.row)
    return (unit.phase(state, target), int(number[0]) if number else -1, unit)


def _parts(phase: int, units: Sequence[Unit], target: ConfigDb) -> Iterable[list[Unit]]:
    """Yield the units of a phase in parts, what belongs to one port or VLAN together."""
    ends = phase == _STOP_WATCH and "GLOBAL" not in target.get("PFC_WD", {})
    size = len(units) if ends else _SIZES.get(phase, len(units))
    names = list(dict.fromkeys(_name(phase, unit) for unit in units))
    for start in range(0, len(names), size):
        chosen = set(names[start : start + size])
        yield [unit for unit in units if _name(phase, unit) in chosen]


def _name(phase: int, unit: Unit) -> str:
    """Return what holds units of a phase together."""
    if phase == _PORT:
        return unit.port
    return unit.row.partition("|")[0] if phase in (_VLAN, _VLAN_ENDS) else unit.row


def _take(change: Way, part: Sequence[Unit]) -> str:
    """Add the steps of a part; return the row that cannot change while the switch runs."""
    limited = [unit for unit in part if unit.table in RESTRICTED_TABLES]
    refused = _refused(change, limited)
    for unit in refused:
        new, old = (unit.row in side.get(unit.table, {}) for side in (change.target, change.state))
        if unit.table not in _DIRECT or new == old:
            return f"{unit.table}|{unit.row}"
    coming = [unit for unit in refused if unit.row in change.target.get(unit.table, {})]
    going = [unit for unit in refused if unit not in coming]
    if coming:
        _load(change, _rows_of(coming, change.target))
    _patch(change, [unit for unit in part if unit not in refused])
    if going:
        rows = _rows_of(going, change.state)
        change.steps.append(SonicStep("drop", _text(rows)))
        change.state = _changed(change.state, change.target, going)
    return ""


def _refused(change: Way, units: Sequence[Unit]) -> list[Unit]:
    """Return the units that the updater of the switch does not take."""
    refused = []
    for _, members in groupby(sorted(units), key=lambda unit: unit.table):
        rows = list(members)
        if _legal(change, rows):
            continue
        alone = [unit for unit in rows if not _legal(change, [unit])]
        others = [unit for unit in rows if unit not in alone]
        refused += alone if _legal(change, others) else rows
    return refused


def _legal(change: Way, units: Sequence[Unit]) -> bool:
    if not units:
        return True
    table = units[0].table
    sides = [change.state, _changed(change.state, change.target, units)]
    old, new = ({table: side[table]} if table in side else {} for side in sides)
    return all(map(change.updater.takes, jsonpatch.make_patch(old, new)))


def _load(change: Way, rows: ConfigDb) -> None:
    before = {
        table: {
            row: {name: change.state[table][row][name] for name in fields}
            for row, fields in changed.items()
            if row in change.state.get(table, {})
        }
        for table, changed in rows.items()
    }
    back = {table: changed for table, changed in before.items() if changed}
    change.steps.append(SonicStep("load", _text(rows), _text(back)))
    for table, changed in rows.items():
        for row, fields in changed.items():
            change.state.setdefault(table, {}).setdefault(row, {}).update(fields)


def _patch(change: Way, units: Sequence[Unit]) -> None:
    if not units:
        return
    after = _changed(change.state, change.target, units)
    running = change.state.get("PORT", {})
    ports = {
        unit.port
        for unit in units
        if unit.table in PORT_DOWN_TABLES and running.get(unit.port, {}).get("admin_status") == "up"
    }
    change.steps.append(SonicStep("patch", json.dumps(patch(change.state, after))))
    change.moves += len(units) + 2 * len(ports)
    change.flaps += sorted(ports - set(change.flaps), key=lambda port: int(port[8:]))
    change.resets += [unit.row for unit in units if _recreated(unit, change.state, after)]
    change.state = after


def _recreated(unit: Unit, before: ConfigDb, after: ConfigDb) -> bool:
    old, new = (side.get(unit.table, {}).get(unit.row) for side in (before, after))
    if unit.table != "BGP_NEIGHBOR" or not old or not new:
        return False
    return any(old.get(name) != new.get(name) for name in CREATE_ONLY["BGP_NEIGHBOR"])


def _changed(state: ConfigDb, target: ConfigDb, units: Iterable[Unit]) -> ConfigDb:
    """Return a configuration in which some units are as they are wanted."""
    after = {table: dict(rows) for table, rows in state.items()}
    for unit in units:
        rows, planned = after.setdefault(unit.table, {}), target.get(unit.table, {})
        if unit.row not in planned:
            rows.pop(unit.row, None)
        elif not unit.name:
            rows[unit.row] = planned[unit.row]
        else:
            row = {k: v for k, v in rows.get(unit.row, {}).items() if k != unit.name}
            new = planned[unit.row].get(unit.name)
            rows[unit.row] = row if new is None else {**row, unit.name: new}
    return {table: rows for table, rows in after.items() if rows}


def _rows(cells: Iterable[tuple[Cell, Any]]) -> ConfigDb:
    rows: ConfigDb = {}
    for (table, row, name), value in cells:
        rows.setdefault(table, {}).setdefault(row, {})[name] = value
    return rows


def _rows_of(units: Iterable[Unit], config: ConfigDb) -> ConfigDb:
    rows: ConfigDb = {}
    for unit in units:
        rows.setdefault(unit.table, {})[unit.row] = config[unit.table][unit.row]
    return rows


def _text(rows: ConfigDb) -> str:
    return json.dumps(rows, indent=1, sort_keys=True) + "\n"
