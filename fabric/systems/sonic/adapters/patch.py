"""RFC 6902 patches between two CONFIG_DB, by row and field."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from fabric.systems.sonic.adapters.foreign import ConfigDb


def patch(running: ConfigDb, target: ConfigDb) -> list[dict[str, Any]]:
    """Return the RFC 6902 patch from one configuration to another, by row and field."""
    operations: list[dict[str, Any]] = []
    for table in sorted({*running, *target}):
        old_rows, new_rows = running.get(table), target.get(table)
        if not new_rows:
            if old_rows:
                operations.append({"op": "remove", "path": _pointer(table)})
        elif not old_rows:
            operations.append({"op": "add", "path": _pointer(table), "value": new_rows})
        else:
            operations += _row_patch(table, old_rows, new_rows)
    return operations


def _row_patch(
    table: str, old_rows: dict[str, Any], new_rows: dict[str, Any]
) -> list[dict[str, Any]]:
    operations: list[dict[str, Any]] = []
    for row in sorted({*old_rows, *new_rows}):
        if row not in new_rows:
            operations.append({"op": "remove", "path": _pointer(table, row)})
        elif row not in old_rows:
            operations.append({"op": "add", "path": _pointer(table, row), "value": new_rows[row]})
        elif old_rows[row] != new_rows[row]:
            operations += _field_patch(table, row, old_rows[row], new_rows[row])
    return operations


def _field_patch(
    table: str, row: str, old: dict[str, Any], new: dict[str, Any]
) -> list[dict[str, Any]]:
    operations: list[dict[str, Any]] = []
    for name in sorted({*old, *new}):
        if name not in new:
            operations.append({"op": "remove", "path": _pointer(table, row, name)})
        elif name not in old:
            operations.append({"op": "add", "path": _pointer(table, row, name), "value": new[name]})
        elif old[name] != new[name]:
            field = _pointer(table, row, name)
            operations.append({"op": "replace", "path": field, "value": new[name]})
    return operations


def _pointer(*parts: str) -> str:
    return "".join("/" + part.replace("~", "~0").replace("/", "~1") for part in parts)
