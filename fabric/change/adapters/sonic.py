"""SONiC: rows and fields of CONFIG_DB.

Fields that orchagent applies in place are set by ``config load``; what ``config apply-patch`` lets
through goes that way; everything else takes ``config reload``, a restart of the services.
"""

from __future__ import annotations

import json
import re
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from fabric.change.adapter import Draft, adapters
from fabric.change.model import Change, Risk
from fabric.devices.driver import Candidate, RemoteFile
from fabric.platforms.sonic import (
    FRAMEWORK,
    HARMLESS_TABLES,
    LIVE_FIELDS,
    MERGED_TABLES,
    OWNED_TABLES,
    PORT_DOWN_TABLES,
    PORT_FLAP_FIELDS,
    RESTART_METADATA,
    RESTRICTED_TABLES,
    SELF_MADE_PROFILE,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

    from fabric.core.artefact import Artefact
    from fabric.devices.driver import Driver
    from fabric.observe.snapshot import Running

ConfigDb = dict[str, dict[str, Any]]
SYSCTL_PATH = "/etc/sysctl.d/90-rocefab-neighbours.conf"
#: Fields that hold passwords and keys (BGP_NEIGHBOR ``auth_password``, ``passkey`` of servers).
_SECRET_FIELD = re.compile(r"passw|passkey|secret|auth_key|community", re.IGNORECASE)
_ACTIVATE = (f"sysctl -p {SYSCTL_PATH}",)


def compose(running: ConfigDb, intended: ConfigDb) -> ConfigDb:
    """Return the whole configuration that is wanted.

    Tables of ours are replaced, fields of shared tables merged, all else is kept, and so are the
    buffer profiles that the switch makes by itself; a switch that computes its buffers makes none.
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
    for table in OWNED_TABLES:
        if intended.get(table):
            target[table] = intended[table]
    computes = target.get("DEVICE_METADATA", {}).get("localhost", {}).get("buffer_model")
    made = {
        name: fields
        for name, fields in running.get("BUFFER_PROFILE", {}).items()
        if computes != "dynamic" and re.fullmatch(SELF_MADE_PROFILE, name)
    }
    if made or target.get("BUFFER_PROFILE"):
        target["BUFFER_PROFILE"] = {**made, **target.get("BUFFER_PROFILE", {})}
    return {table: rows for table, rows in target.items() if rows}


def _holds(table: str, fields: dict[str, Any]) -> bool:
    """Tell whether a found row may stay: one of a broken out cage holds only where we say so."""
    return table != "BREAKOUT_CFG" or str(fields.get("brkout_mode", "")).startswith("1x")


Cell = tuple[str, str, str]


def differences(running: ConfigDb, target: ConfigDb) -> list[tuple[Cell, Any, Any]]:
    """Return ((table, row, field), before, after) of all that differs; None where absent.

    A row without fields is listed with the empty field name.
    """
    found: list[tuple[Cell, Any, Any]] = []
    for table in sorted({*running, *target}):
        old_rows, new_rows = running.get(table, {}), target.get(table, {})
        for row in sorted({*old_rows, *new_rows}):
            old, new = old_rows.get(row), new_rows.get(row)
            if old == new:
                continue
            if not old and not new:
                found.append(((table, row, ""), old, new))
            for name in sorted({*(old or {}), *(new or {})}):
                before, after = (old or {}).get(name), (new or {}).get(name)
                if before != after:
                    found.append(((table, row, name), before, after))
    return found


def risk(cell: Cell) -> Risk:
    """Return what a change of a field does to traffic."""
    table, _, name = cell
    if table == "DEVICE_METADATA":
        return Risk.RESTART if name in RESTART_METADATA else Risk.HARMLESS
    if table == "PORT" and name == "lanes":
        return Risk.RESTART
    if table in HARMLESS_TABLES or (table == "PORT" and name == "description"):
        return Risk.HARMLESS
    if table in PORT_DOWN_TABLES or (table == "PORT" and name in PORT_FLAP_FIELDS):
        live = name in LIVE_FIELDS.get(table, ())
        return Risk.BRIEF_LOSS if live else Risk.PORT_FLAP
    return Risk.BRIEF_LOSS


def is_live(cell: Cell, before: Any, after: Any) -> bool:
    """Tell whether a field can be set in place: it exists before and after, and is applied live."""
    names = LIVE_FIELDS.get(cell[0], ())
    return before is not None and after is not None and ("*" in names or cell[2] in names)


def is_patchable(cell: Cell) -> bool:
    """Tell whether ``config apply-patch`` lets a field change through on any switch."""
    table, _, name = cell
    if table in RESTRICTED_TABLES or (table == "PORT" and name == "lanes"):
        return False
    return not (table == "DEVICE_METADATA" and name in RESTART_METADATA)


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


def candidate(running: ConfigDb, target: ConfigDb) -> Candidate:
    """Return the gentlest way from one configuration to another."""
    cells = differences(running, target)
    if not cells:
        return Candidate(method="files", target=_text(target))
    live = [(cell, old, new) for cell, old, new in cells if is_live(cell, old, new)]
    rest = [cell for cell, old, new in cells if not is_live(cell, old, new)]
    if not all(is_patchable(cell) for cell in rest):
        return Candidate(method="reload", target=_text(target))
    load = _rows((cell, new) for cell, _, new in live)
    unload = _rows((cell, old) for cell, old, _ in live)
    between = _merged(running, load)
    operations = patch(between, target)
    return Candidate(
        method="live",
        target=_text(target),
        load=_text(load) if load else "",
        unload=_text(unload) if unload else "",
        patch=json.dumps(operations) if operations else "",
    )


def _rows(cells: Any) -> ConfigDb:
    rows: ConfigDb = {}
    for (table, row, name), value in cells:
        rows.setdefault(table, {}).setdefault(row, {})[name] = value
    return rows


def _merged(base: ConfigDb, rows: ConfigDb) -> ConfigDb:
    merged = dict(base)
    for table, changes in rows.items():
        merged[table] = {
            **base.get(table, {}),
            **{
                row: {**base.get(table, {}).get(row, {}), **fields}
                for row, fields in changes.items()
            },
        }
    return merged


def _text(config: ConfigDb) -> str:
    return json.dumps(config, indent=1, sort_keys=True) + "\n"


class SonicAdapter:
    """Changes SONiC switches."""

    def files(self, artefacts: Sequence[Artefact]) -> list[str]:
        """Return the path of the neighbour settings."""
        return [SYSCTL_PATH for item in artefacts if item.kind == "sysctl"]

    def subjects(self, artefacts: Sequence[Artefact]) -> list[str]:  # noqa: ARG002
        """CONFIG_DB says it all."""
        return []

    def draft(
        self,
        running: Running,
        artefacts: Sequence[Artefact],
        driver: Driver,  # noqa: ARG002 - SONiC makes no diff of its own
    ) -> Draft:
        """Compare CONFIG_DB and the neighbour settings."""
        intended = json.loads(_only(artefacts, "config_db").text)
        target = compose(running.config, intended)
        cells = differences(running.config, target)
        changes = [
            Change("|".join(cell), _show(cell, old), _show(cell, new), risk(cell))
            for cell, old, new in cells
        ]
        files = _changed_files(running, artefacts)
        changes += [
            Change(file.path, _digest_of(running, file.path), "new content", Risk.HARMLESS)
            for file in files
        ]
        way = candidate(running.config, target)
        return Draft(
            candidate=replace(way, files=tuple(files), activate=_ACTIVATE if files else ()),
            changes=tuple(changes),
            diff="\n".join(_lines(cells) + [f"~ {file.path}" for file in files]),
        )

    def restore(self, before: Running, now: Running) -> Candidate:
        """Return the gentlest way back."""
        way = candidate(now.config, before.config)
        files = tuple(
            RemoteFile(path, text.encode())
            for path, text in before.files.items()
            if now.files.get(path) != text
        )
        return replace(
            way,
            files=files,
            remove=tuple(path for path in now.files if path not in before.files),
            activate=_ACTIVATE if files else (),
        )

    def apart(self, left: Running, right: Running) -> set[str]:
        """Return the fields and files that differ, without the profiles that the switch makes."""
        cells = [cell for cell, _, _ in differences(left.config, right.config)]
        fields = {"|".join(cell) for cell in cells if not _is_self_made(cell)}
        paths = {*left.files, *right.files}
        return fields | {path for path in paths if left.files.get(path) != right.files.get(path)}


def _is_self_made(cell: Cell) -> bool:
    return cell[0] == "BUFFER_PROFILE" and bool(re.fullmatch(SELF_MADE_PROFILE, cell[1]))


def _only(artefacts: Sequence[Artefact], kind: str) -> Artefact:
    return next(item for item in artefacts if item.kind == kind)


def _changed_files(running: Running, artefacts: Sequence[Artefact]) -> list[RemoteFile]:
    return [
        RemoteFile(SYSCTL_PATH, item.content)
        for item in artefacts
        if item.kind == "sysctl" and running.files.get(SYSCTL_PATH) != item.text
    ]


def _digest_of(running: Running, path: str) -> str:
    return "old content" if path in running.files else ""


def _show(cell: Cell, value: Any) -> str:
    if value is None:
        return ""
    if _SECRET_FIELD.search(cell[2]):
        return "***"
    return value if isinstance(value, str) else json.dumps(value)


def _lines(cells: list[tuple[Cell, Any, Any]]) -> list[str]:
    lines = []
    for cell, old, new in cells:
        name = "|".join(part for part in cell if part)
        if old is not None:
            lines.append(f"- {name} = {_show(cell, old)}")
        if new is not None:
            lines.append(f"+ {name} = {_show(cell, new)}")
    return lines


adapters.add("sonic")(SonicAdapter())
