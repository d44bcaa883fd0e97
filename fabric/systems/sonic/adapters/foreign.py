"""What on a switch is not ours: the ports beside those of the fabric, and rows that refer to ours.

SONiC refuses a configuration in which a row refers to one that is not there, or in which a port is
in a VLAN and in a port channel at once (sonic-net/sonic-buildimage src/sonic-yang-models,
sonic-vlan.yang). So rows of other ports stay with all that they refer to, and what cannot stay
beside the plan is named before anything is written.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from fabric.devices.redaction import redacted
from fabric.platforms.catalogue import sku, sku_names
from fabric.systems.sonic.ownership import MERGED_TABLES, OWNED_TABLES, REFERENCES

if TYPE_CHECKING:
    from collections.abc import Iterator

#: Tables, rows and fields of CONFIG_DB.
ConfigDb = dict[str, dict[str, Any]]


_NAME = re.compile(r"(Ethernet\d+|Vlan\d+|Loopback\d+)(\.\d+)?")
_NAMED_BY = {"Ethernet": "PORT", "Vlan": "VLAN", "Loopback": "LOOPBACK_INTERFACE"}


def foreign_ports(running: ConfigDb, intended: ConfigDb) -> set[str]:
    """Return the ports that run and are not of the fabric.

    They are the service ports of the model, and those whose lanes no port of the fabric has; a
    part of a cage that is made whole shares its lanes.
    """
    model = running.get("DEVICE_METADATA", {}).get("localhost", {}).get("hwsku", "")
    service = {port.name for port in sku(model).service_ports} if model in sku_names() else set()
    ours = intended.get("PORT", {})
    others = {port: row for port, row in running.get("PORT", {}).items() if port not in ours}
    if others.keys() <= service:
        return {*others}
    taken = {lane for row in ours.values() for lane in _lanes(row)}
    return {
        port
        for port, row in others.items()
        if port in service or (_lanes(row) and not _lanes(row) & taken)
    }


def kept_rows(running: ConfigDb, intended: ConfigDb) -> ConfigDb:
    """Return the rows of our tables that belong to other ports, and all that they refer to."""
    ports = foreign_ports(running, intended)
    kept: ConfigDb = {}
    for table in OWNED_TABLES:
        for row, fields in running.get(table, {}).items():
            if _of_ports(table, row, ports, intended):
                kept.setdefault(table, {})[row] = fields
    for row, fields in running.get("CABLE_LENGTH", {}).items():
        lengths = {port: fields[port] for port in fields if port in ports}
        if lengths:
            kept.setdefault("CABLE_LENGTH", {})[row] = lengths
    add_references(kept, running, intended)
    return kept


def conflicts(running: ConfigDb, target: ConfigDb) -> list[str]:
    """Return what cannot stay beside the wanted configuration, each with what to do."""
    return [*_dangling(running, target), *_doubly_used(target)]


def _lanes(row: dict[str, Any]) -> set[str]:
    return {lane.strip() for lane in str(row.get("lanes", "")).split(",") if lane.strip()}


def _of_ports(table: str, row: str, ports: set[str], intended: ConfigDb) -> bool:
    """Tell whether a row belongs to other ports; in a VLAN of ours they are not left."""
    parts = row.split("|")
    if table == "VLAN_MEMBER" and parts[0] in intended.get("VLAN", {}):
        return False
    return not ports.isdisjoint(parts)


def add_references(kept: ConfigDb, running: ConfigDb, intended: ConfigDb) -> None:
    """Add to rows what they refer to, as far as it runs and is not wanted anyway."""
    waiting = [(table, row) for table, rows in kept.items() for row in rows]
    while waiting:
        table, row = waiting.pop()
        for other, name in _references(table, row, kept[table][row], running):
            known = (side.get(other, {}) for side in (intended, kept))
            if name in running.get(other, {}) and not any(name in rows for rows in known):
                kept.setdefault(other, {})[name] = running[other][name]
                waiting.append((other, name))


def _references(
    table: str, row: str, fields: dict[str, Any], running: ConfigDb
) -> Iterator[tuple[str, str]]:
    for name, value in fields.items():
        if name in REFERENCES:
            yield from ((REFERENCES[name], item) for item in str(value).split(","))
    if table == "VLAN_MEMBER":
        yield "VLAN", row.partition("|")[0]
    if table == "VLAN":
        interfaces = running.get("VLAN_INTERFACE", {})
        yield from (("VLAN_INTERFACE", key) for key in interfaces if key.split("|")[0] == row)


def _dangling(running: ConfigDb, target: ConfigDb) -> Iterator[str]:
    """Yield the rows that refer to a port, VLAN or loopback that goes away."""
    names = {
        table: [
            {row.partition("|")[0] for row in side.get(table, {})} for side in (running, target)
        ]
        for table in _NAMED_BY.values()
    }
    for table, rows in target.items():
        if table in OWNED_TABLES or table in MERGED_TABLES:
            continue
        for row, fields in rows.items():
            for kind, name in _names(row, fields):
                before, after = names[_NAMED_BY[kind]]
                if name in before and name not in after:
                    yield (
                        f"{redacted(f'{table}|{row}')} refers to {name}, which goes away; take "
                        "that reference out on the switch first"
                    )


def _names(row: str, fields: dict[str, Any]) -> list[tuple[str, str]]:
    values = [item for v in fields.values() for item in (v if isinstance(v, list) else [v])]
    words = {word for text in (row, *map(str, values)) for word in re.split(r"[|,;]", text)}
    matches = filter(None, map(_NAME.fullmatch, sorted(words)))
    return [(re.sub(r"\d", "", match[1]), match[1]) for match in matches]


def _doubly_used(target: ConfigDb) -> Iterator[str]:
    """Yield the ports of the fabric that somebody else uses in a way that excludes it."""
    used = {key.partition("|")[2] for key in target.get("VLAN_MEMBER", {})}
    used |= {key.partition("|")[0] for key in target.get("INTERFACE", {})}
    for key in target.get("PORTCHANNEL_MEMBER", {}):
        channel, _, port = key.partition("|")
        if port in used:
            yield (
                f"{port} is a member of {channel}, and the fabric uses it; "
                f"`config portchannel member del {channel} {port}` takes it out"
            )
    for name, fields in target.get("MIRROR_SESSION", {}).items():
        if fields.get("dst_port") in used:
            yield (
                f"{fields['dst_port']} is where the mirror session {name} goes, and the fabric "
                f"uses it; `config mirror_session remove {name}` ends it"
            )
