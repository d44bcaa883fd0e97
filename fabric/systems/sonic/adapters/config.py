"""CONFIG_DB of SONiC: the whole that is wanted, and what differs."""

from __future__ import annotations

import re
from typing import Any

from fabric.platforms.buffers import SELF_MADE_PROFILE
from fabric.systems.sonic.adapters.foreign import ConfigDb, kept_rows
from fabric.systems.sonic.daemons import RECLAIMING
from fabric.systems.sonic.ownership import MERGED_TABLES, OWNED_TABLES, Cell
from fabric.systems.sonic.platforms import FRAMEWORK


def compose(running: ConfigDb, intended: ConfigDb) -> ConfigDb:
    """Return the whole configuration that is wanted.

    Tables of ours are replaced but for rows of ports that are not ours, fields of shared tables
    merged, all else is kept, and so are the buffer profiles that the switch makes by itself; a
    switch that computes its buffers makes none.
    """
    target = {table: rows for table, rows in running.items() if table not in OWNED_TABLES}
    for table in MERGED_TABLES:
        rows = {
            row: fields for row, fields in target.get(table, {}).items() if _holds(table, fields)
        }
        for row, fields in intended.get(table, {}).items():
            kept = {name: value for name, value in rows.get(row, {}).items() if name != FRAMEWORK}
            rows[row] = {**kept, **fields}
        target[table] = rows
    kept = kept_rows(running, intended)
    foreign = _other_vrfs(running)
    if foreign:
        kept["VRF"] = {**foreign, **kept.get("VRF", {})}
    for table in OWNED_TABLES:
        rows, others = intended.get(table, {}), kept.get(table, {})
        if rows or others:
            target[table] = {**others, **rows}
    for row, lengths in kept.get("CABLE_LENGTH", {}).items():
        target["CABLE_LENGTH"][row] = {**lengths, **target["CABLE_LENGTH"][row]}
    computes = target.get("DEVICE_METADATA", {}).get("localhost", {}).get("buffer_model")
    profiles = {
        name: fields
        for name, fields in running.get("BUFFER_PROFILE", {}).items()
        if computes != "dynamic" and re.fullmatch(SELF_MADE_PROFILE, name)
    }
    if profiles or target.get("BUFFER_PROFILE"):
        target["BUFFER_PROFILE"] = {**profiles, **target.get("BUFFER_PROFILE", {})}
    return {table: rows for table, rows in target.items() if rows}


def _other_vrfs(running: ConfigDb) -> ConfigDb:
    """Return the VRFs that no tenant has: those of others stay."""
    rows = running.get("VRF", {}).items()
    return {name: fields for name, fields in rows if not re.fullmatch(r"Vrf\d+", name)}


def without_reclaimed(running: ConfigDb, target: ConfigDb, asic: str) -> ConfigDb:
    """Return a target without the lossless groups that the switch takes from ports that are down.

    On some ASICs the buffer manager deletes them, and brings them back when the port comes up
    (sonic-net/sonic-swss cfgmgr/buffermgr.cpp).
    """
    computes = target.get("DEVICE_METADATA", {}).get("localhost", {}).get("buffer_model")
    if asic not in RECLAIMING or computes == "dynamic":
        return target
    ports, known = target.get("PORT", {}), running.get("BUFFER_PG", {})
    groups = {
        row: fields
        for row, fields in target.get("BUFFER_PG", {}).items()
        if row in known
        or ports.get(row.partition("|")[0], {}).get("admin_status") == "up"
        or not re.fullmatch(SELF_MADE_PROFILE, str(fields.get("profile", "")))
    }
    both = {**target, "BUFFER_PG": groups}
    return {table: rows for table, rows in both.items() if rows}


def _holds(table: str, fields: dict[str, Any]) -> bool:
    """Tell whether a found row may stay: one of a broken out cage holds only where we say so."""
    return table != "BREAKOUT_CFG" or str(fields.get("brkout_mode", "")).startswith("1x")


def differences(running: ConfigDb, target: ConfigDb) -> list[tuple[Cell, Any, Any]]:
    """Return ((table, row, field), before, after) of all that differs; None where absent.

    A row without fields is listed with the empty field name.
    """
    cells: list[tuple[Cell, Any, Any]] = []
    for table in sorted({*running, *target}):
        old_rows, new_rows = running.get(table, {}), target.get(table, {})
        if old_rows == new_rows:
            continue
        for row in sorted({*old_rows, *new_rows}):
            old, new = old_rows.get(row), new_rows.get(row)
            if old == new:
                continue
            if not old and not new:
                cells.append(((table, row, ""), old, new))
            for name in sorted({*(old or {}), *(new or {})}):
                before, after = (old or {}).get(name), (new or {}).get(name)
                if before != after:
                    cells.append(((table, row, name), before, after))
    return cells
