"""CONFIG_DB of SONiC: the whole that is wanted, and what differs."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from fabric.platforms.buffers import SELF_MADE_PROFILE
from fabric.systems.sonic.adapters.foreign import ConfigDb, kept_rows
from fabric.systems.sonic.daemons import RECLAIMING
from fabric.systems.sonic.ownership import MERGED_TABLES, OWNED_TABLES, Cell
from fabric.systems.sonic.platforms import FRAMEWORK

if TYPE_CHECKING:
    from collections.abc import Mapping

#: VRFs with the names of those of tenants.
_TENANT = re.compile(r"Vrf\d+")


def compose(
    running: ConfigDb, intended: ConfigDb, vrfs: Mapping[str, Any] | None = None
) -> ConfigDb:
    """Return the whole configuration that is wanted.

    Tables of ours are replaced but for rows of ports that are not ours, fields of shared tables
    merged, all else is kept, and so are the buffer profiles that the switch makes by itself; a
    switch that computes its buffers makes none.

    Parameters
    ----------
    running, intended : dict
        What runs, and what is rendered.
    vrfs : mapping, optional
        VRFs of others, which stay; default: those in a fabric without tenants.
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
    vrfs = other_vrfs(running, intended, tenants=False) if vrfs is None else vrfs
    if vrfs:
        kept["VRF"] = {**vrfs, **kept.get("VRF", {})}
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


def other_vrfs(running: ConfigDb, intended: ConfigDb, *, tenants: bool) -> dict[str, Any]:
    """Return the VRFs that no tenant has.

    Those that ``Vrf`` and a number name are of others too where the fabric has no tenants, unless
    an interface of ours in one says that it had them.
    """
    rows = running.get("VRF", {})
    theirs = {name: fields for name, fields in rows.items() if not _TENANT.fullmatch(name)}
    bound = (
        _TENANT.fullmatch(str(fields.get("vrf_name", "")))
        for table in ("INTERFACE", "VLAN_INTERFACE")
        for name, fields in running.get(table, {}).items()
        if name in intended.get("PORT", {}) or name in intended.get("VLAN", {})
    )
    return theirs if tenants or any(bound) else rows


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
