"""The gentlest way from one CONFIG_DB to another: steps while the switch runs, or a reload.

The sorter of ``config apply-patch`` takes longer than in proportion to what it is given, so the
change goes in parts. Each part leaves a configuration that is whole: what others refer to comes
first and goes last. Rows of ports, and the watchdog, go by ``config load`` beside the updater
(`ports`); so does a row that the updater may not add or remove, though the switch can.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from itertools import groupby
from operator import itemgetter
from typing import TYPE_CHECKING, Any

import jsonpatch

from fabric.change.model import Risk
from fabric.devices.candidate import SonicStep
from fabric.systems.sonic.adapters import ports
from fabric.systems.sonic.adapters.bindings import Moves
from fabric.systems.sonic.adapters.config import differences
from fabric.systems.sonic.adapters.patch import patch
from fabric.systems.sonic.adapters.way import Way
from fabric.systems.sonic.daemons import MAPS
from fabric.systems.sonic.gcu import CREATE_ONLY, RESTRICTED_TABLES, Updater
from fabric.systems.sonic.ownership import is_live, risk

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from fabric.systems.sonic.adapters.foreign import ConfigDb
    from fabric.systems.sonic.ownership import Cell

#: Tables of which a whole row can come or go beside the updater: orchagent takes it live
#: (sonic-net/sonic-swss bufferorch.cpp, qosorch.cpp).
_DIRECT = ("BUFFER_PROFILE", "WRED_PROFILE")
_STOP_SESSIONS, _DEFINE, _SHARED, _VLAN, _PORTS, _PORT = range(6)
_START_SESSIONS, _VLAN_ENDS, _SHARED_ENDS = range(6, 9)
#: How many ports, VLANs or rows a part holds: so few that a part takes seconds (`way.MOVE_S`).
_SIZES = {_PORT: 4, _VLAN: 8, _VLAN_ENDS: 8, _STOP_SESSIONS: 24, _START_SESSIONS: 24}


@dataclass(frozen=True, order=True)
class Unit:
    """A row that changes, or one field of it."""

    table: str
    row: str
    name: str = ""

    @property
    def port(self) -> str:
        """The port that it belongs to, or nothing."""
        return ports.port_of(self.row, self.name)

    def phase(self, state: ConfigDb, target: ConfigDb) -> int:
        """Return when it is its turn."""
        row = target.get(self.table, {}).get(self.row)
        ends = row is None or (bool(self.name) and self.name not in row)
        if self.table == "BGP_NEIGHBOR":
            return _STOP_SESSIONS if ends else _START_SESSIONS
        if self.table in _DIRECT and self.row not in state.get(self.table, {}):
            return _DEFINE
        if self.name:
            return _SHARED_ENDS if ends else _SHARED
        if self.port:
            return _PORT
        if self.table in ("VLAN", "VLAN_INTERFACE"):
            return _VLAN_ENDS if ends else _VLAN
        return _SHARED_ENDS if ends else _SHARED


def way(running: ConfigDb, target: ConfigDb, updater: Updater) -> Way:
    """Return the gentlest way from one configuration to another."""
    cells = differences(running, target)
    change = Way.begin(running, target, updater)
    rest = [cell for cell, old, new in cells if not is_live(cell, old, new)]
    change.reload = next(filter(None, map(_restart, rest)), "")
    if change.reload or not cells:
        return change
    moves = Moves.of(running, target)
    moves.take_off(change)
    change.target = moves.held_down(target)
    _take_all(change)
    change.target = target
    if not change.reload:
        moves.bring_up(change, target)
    return change


def _take_all(change: Way) -> None:
    """Add the steps of all that is left to change."""
    running, target = dict(change.state), change.target
    cells = differences(running, target)
    work = ports.Work.of(running, target, cells)
    live = [
        (cell, new) for cell, old, new in cells if is_live(cell, old, new) and not work.holds(cell)
    ]
    if live:
        change.load(_rows(live))
    units = sorted(_units(change.state, target), key=lambda unit: _key(unit, change.state, target))
    units = [unit for unit in units if not work.holds_unit(unit.table, unit.row, unit.name)]
    turns = [(unit.phase(change.state, target), unit) for unit in units]
    before = [turn for turn in turns if turn[0] < _PORTS]
    after = [turn for turn in turns if turn[0] > _PORTS]
    if _patches(change, before):
        work.carry_out(change)
        _patches(change, after)


def _patches(change: Way, turns: Iterable[tuple[int, Unit]]) -> bool:
    """Add the steps of some phases; False where a row cannot change while the switch runs."""
    for phase, members in groupby(turns, key=itemgetter(0)):
        for part in _parts(phase, [unit for _, unit in members]):
            change.reload = _take(change, part)
            if change.reload:
                return False
    return True


def _restart(cell: Cell) -> str:
    """Return the change when it takes a restart on any switch."""
    table, row, name = cell
    if table == "DEVICE_METADATA" and risk(cell) is Risk.RESTART:
        return f"{table}|{row}|{name}"
    if table == "BREAKOUT_CFG" or (table == "PORT" and name in ("lanes", "")):
        return f"{table}|{row}"
    return ""


def _units(state: ConfigDb, target: ConfigDb) -> Iterable[Unit]:
    """Yield what changes; fields that come or go in a map, and lengths of cables, one by one."""
    for table in sorted({*state, *target}):
        old, new = state.get(table, {}), target.get(table, {})
        if old == new:
            continue
        for row in sorted({*old, *new}):
            if old.get(row) == new.get(row) and (row in old) == (row in new):
                continue
            if table in (*MAPS, "CABLE_LENGTH", "PORT") and row in old and row in new:
                names = {*old[row], *new[row]}
                yield from (
                    Unit(table, row, n) for n in sorted(names) if old[row].get(n) != new[row].get(n)
                )
            else:
                yield Unit(table, row)


def _key(unit: Unit, state: ConfigDb, target: ConfigDb) -> tuple[Any, ...]:
    number = re.search(r"\d+", unit.port or unit.row)
    return (unit.phase(state, target), int(number[0]) if number else -1, unit)


def _parts(phase: int, units: Sequence[Unit]) -> Iterable[list[Unit]]:
    """Yield the units of a phase in parts, what belongs to one port or VLAN together."""
    names = list(dict.fromkeys(_name(phase, unit) for unit in units))
    size = _SIZES.get(phase, len(names))
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
        change.load(_rows_of(coming, change.target))
    _patch(change, [unit for unit in part if unit not in refused])
    if going:
        change.drop(_rows_of(going, change.state))
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


def _patch(change: Way, units: Sequence[Unit]) -> None:
    if not units:
        return
    after = _changed(change.state, change.target, units)
    change.resets += [unit.row for unit in units if _recreated(unit, change.state, after)]
    operations = json.dumps(patch(change.state, after))
    change.patch(SonicStep("patch", operations), after, len(units))


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
