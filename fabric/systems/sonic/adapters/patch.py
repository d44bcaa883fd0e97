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
        path = _pointer(table, row)
        if row not in new_rows:
            operations.append({"op": "remove", "path": path})
        elif row not in old_rows:
            operations.append({"op": "add", "path": path, "value": new_rows[row]})
        else:
            old, new = old_rows[row], new_rows[row]
            for name in sorted({*old, *new}):
                field = _pointer(table, row, name)
                if name not in new:
                    operations.append({"op": "remove", "path": field})
                elif name not in old:
                    operations.append({"op": "add", "path": field, "value": new[name]})
                elif old[name] != new[name]:
                    operations.append({"op": "replace", "path": field, "value": new[name]})
    return operations


def _pointer(*parts: str) -> str:
    return "".join("/" + part.replace("~", "~0").replace("/", "~1") for part in parts)
