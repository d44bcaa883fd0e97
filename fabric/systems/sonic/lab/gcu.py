"""The Generic Config Updater of SONiC: JSON patches, their refusals and their effect on ports.

Known: sonic-net/sonic-utilities, generic_config_updater (generic_updater.py, gu_common.py,
patch_sorter.py, field_operation_validators.py), branches 202405 to master; the rules themselves
are in ``fabric.systems.sonic.gcu``. The validators see the difference from the running to the
target configuration, not the patch as it was written. A patch that fails in the middle stays half
applied.
Assumed: changes are applied in the order of the difference, since the real sorter is not rebuilt;
``PORT|lanes`` of a port that other rows use is answered with "no possible sorting".
"""

from __future__ import annotations

import copy
import re
from typing import Any

import jsonpatch

from fabric.systems.sonic.gcu import CREATE_ONLY, KEPT_PATHS, PORT_DOWN_TABLES, Updater
from fabric.systems.sonic.lab.check import ConfigRefusedError, Tables, check_config


class PatchRefusedError(Exception):
    """GCU refuses the patch; nothing is changed."""


def split_pointer(pointer: str) -> list[str]:
    """Split a JSON pointer into its parts."""
    return [part.replace("~1", "/").replace("~0", "~") for part in pointer.split("/")[1:]]


def target_of(running: Tables, patch: Any) -> Tables:
    """Return what the running configuration becomes under a JSON patch.

    Raises
    ------
    PatchRefusedError
        When the patch is not one, or does not fit.
    """
    if not isinstance(patch, list) or not all(isinstance(item, dict) for item in patch):
        raise PatchRefusedError("Given patch is not valid")
    for item in patch:
        if not str(item.get("path", "")).strip("/"):
            raise PatchRefusedError("Wrong patch with empty path.")
    try:
        target: Tables = jsonpatch.apply_patch(copy.deepcopy(running), patch)
    except (jsonpatch.JsonPatchException, jsonpatch.JsonPointerException) as error:
        raise PatchRefusedError(str(error)) from None
    return target


def difference(running: Tables, target: Tables) -> list[dict[str, Any]]:
    """Return the operations from running to target, at the level at which rows differ."""
    return list(jsonpatch.make_patch(running, target))


def check_change(running: Tables, target: Tables, release: str = "202405") -> None:
    """Judge a change as GCU does before it touches anything.

    Raises
    ------
    PatchRefusedError
        With GCU's message.
    """
    empty = [table for table, rows in target.items() if not rows]
    if empty:
        tables = f"Table{'s' if len(empty) > 1 else ''}: {', '.join(empty)}"
        raise PatchRefusedError(
            "Given patch is not valid because it will result in empty tables which is not allowed "
            f"in ConfigDb. {tables}"
        )
    sku = str(running.get("DEVICE_METADATA", {}).get("localhost", {}).get("hwsku", ""))
    for operation in difference(running, target):
        _check_field(Updater(sku, release), operation)
    _check_create_only(running, target)
    try:
        check_config(target, release)
    except ConfigRefusedError as error:
        raise PatchRefusedError(
            f"Given patch will produce invalid config. Error: {error}"
        ) from None


def _check_field(updater: Updater, operation: dict[str, Any]) -> None:
    if updater.takes(operation):
        return
    if operation["op"] == "remove" and operation["path"] in KEPT_PATHS:
        what = f"Operation: remove is illegal on field: {operation['path']}"
        raise PatchRefusedError(f"Given patch operation is invalid. {what}")
    table = split_pointer(operation["path"])[0]
    validator = "rdma_config_update_validator"
    function = f"generic_config_updater.field_operation_validators.{validator}"
    raise PatchRefusedError(
        f"Modification of {table} table is illegal- validating function {function} returned False"
    )


def _check_create_only(running: Tables, target: Tables) -> None:
    for port, fields in running.get("PORT", {}).items():
        after = target.get("PORT", {}).get(port)
        if after is None or after.get("lanes") == fields.get("lanes"):
            continue
        used = re.compile(rf"(^|\|){re.escape(port)}(\||$)")
        rows = ((name, key) for name, table in target.items() if name != "PORT" for key in table)
        if any(used.search(key) for _, key in rows):
            raise PatchRefusedError("There is no possible sorting")


def rows_changed(running: Tables, target: Tables) -> list[tuple[str, str]]:
    """Return (table, key) of every row that differs, removals first."""
    removed = [
        (table, key)
        for table, rows in running.items()
        for key in rows
        if key not in target.get(table, {})
    ]
    other = [
        (table, key)
        for table, rows in target.items()
        for key, fields in rows.items()
        if running.get(table, {}).get(key) != fields
    ]
    return removed + other


def ports_taken_down(rows: list[tuple[str, str]]) -> set[str]:
    """Return the ports that GCU takes down and up again while it changes these rows."""
    return {
        key.split("|")[0]
        for table, key in rows
        if table in PORT_DOWN_TABLES and key.startswith("Ethernet")
    }


def recreated(running: Tables, target: Tables, table: str, key: str) -> bool:
    """Tell whether GCU deletes and adds the row, since a create-only field changes."""
    before, after = running.get(table, {}).get(key), target.get(table, {}).get(key)
    if before is None or after is None:
        return False
    names = CREATE_ONLY.get(table, frozenset())
    return any(before.get(name) != after.get(name) for name in names)
