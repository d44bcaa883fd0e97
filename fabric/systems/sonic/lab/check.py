"""Judge a CONFIG_DB as sonic-yang does, from the data of ``sonic_model``.

Known: the kinds of refusal and the wording of libyang's messages (sonic-net/sonic-buildimage,
src/sonic-yang-mgmt; CESNET/libyang). Assumed: one message per configuration, the first found; the
real library prints more lines around it.
"""

from __future__ import annotations

import ipaddress
import re
from typing import Any

from fabric.systems.sonic.lab.model import TABLES, Row
from fabric.systems.sonic.platforms import SONIC

Tables = dict[str, dict[str, dict[str, Any]]]


class ConfigRefusedError(Exception):
    """The configuration breaks the model."""


def check_config(config: Tables, release: str = "202405") -> None:
    """Check a whole CONFIG_DB by the models of a release.

    Raises
    ------
    ConfigRefusedError
        With the message for the first thing that is wrong.
    """
    for table, rows in config.items():
        if table not in TABLES:
            raise ConfigRefusedError(
                f"All Keys are not parsed in {table}\ntable {table} has no YANG model"
            )
        for key, fields in rows.items():
            _check_row(config, table, key, fields)
    for rule in (_check_vlans, _check_interfaces, _check_wred, _check_watchdog):
        rule(config)
    _, longest = SONIC.watchdog_range_ms(release)["poll"]
    poll = config.get("PFC_WD", {}).get("GLOBAL", {}).get("POLL_INTERVAL", "0")
    _integer(config, f"0..{longest}", poll, "/PFC_WD/PFC_WD_LIST[GLOBAL]/POLL_INTERVAL")


def _check_row(config: Tables, table: str, key: str, fields: dict[str, Any]) -> None:
    row = _row_of(table, key, fields)
    for kind, part in zip(row.key, key.split("|"), strict=True):
        _check_value(config, kind, part, f"/{table}/{table}_LIST[{key}]")
    for name, value in fields.items():
        place = f"/{table}/{table}_LIST[{key}]/{name}"
        if row.any_field is not None:
            _check_value(config, row.any_field[0], name, place)
            _check_value(config, row.any_field[1], value, place)
        else:
            _check_value(config, row.fields[name], value, place)


def _row_of(table: str, key: str, fields: dict[str, Any]) -> Row:
    parts = len(key.split("|"))
    known = [row for row in TABLES[table] if len(row.key) == parts]
    for row in known:
        if row.any_field is not None or set(fields) <= set(row.fields):
            return row
    unknown = sorted(set(fields) - set(known[0].fields)) if known else [key]
    raise ConfigRefusedError(
        f"All Keys are not parsed in {table}\n{table}|{key}: {', '.join(unknown)}"
    )


def _check_value(config: Tables, kind: str, value: Any, place: str) -> None:
    name, _, argument = kind.partition(":")
    if name == "list":
        if not isinstance(value, list):
            _refuse(f'Invalid value "{value}": a JSON array is needed.', place)
        for item in value:
            _check_value(config, argument, item, place)
        return
    if not isinstance(value, str):
        _refuse(f'Invalid value "{value}": a string is needed.', place)
    _KINDS[name](config, argument, value, place)


def _refuse(what: str, place: str) -> None:
    raise ConfigRefusedError(f'Data Loading Failed:{what} (Data location "{place}".)')


def _integer(_config: Tables, argument: str, value: str, place: str) -> None:
    low, high = (int(bound) for bound in argument.split(".."))
    if not re.fullmatch(r"-?[0-9]+", value):
        _refuse(f'Invalid type int value "{value}".', place)
    if not low <= int(value) <= high:
        _refuse(f'Unsatisfied range - value "{value}" is out of the allowed range.', place)


def _pattern(_config: Tables, argument: str, value: str, place: str) -> None:
    if not re.fullmatch(argument, value):
        _refuse(f'Unsatisfied pattern - "{value}" does not conform to "{argument}".', place)


def _choice(_config: Tables, argument: str, value: str, place: str) -> None:
    if value not in argument.split("|"):
        _refuse(f'Invalid enumeration value "{value}".', place)


def _boolean(_config: Tables, _argument: str, value: str, place: str) -> None:
    if value not in ("true", "false"):
        _refuse(f'Invalid boolean value "{value}".', place)


def _address(_config: Tables, _argument: str, value: str, place: str) -> None:
    try:
        ipaddress.ip_address(value)
    except ValueError:
        _refuse(f'Unsatisfied pattern - "{value}" is not an IP address.', place)


def _reference(config: Tables, argument: str, value: str, place: str) -> None:
    table, *others = argument.split("|")
    tables = (table, *others)
    if value not in others and not any(value in config.get(name, {}) for name in tables):
        what = f'Invalid leafref value "{value}" - no target instance "/{table}/{table}_LIST/name"'
        _refuse(f"{what} with the same value.", place)


def _references(config: Tables, argument: str, value: str, place: str) -> None:
    for item in value.split(","):
        _reference(config, argument, item, place)


_KINDS = {
    "int": _integer,
    "re": _pattern,
    "enum": _choice,
    "bool": _boolean,
    "str": lambda *_: None,
    "ip": _address,
    "ref": _reference,
    "refs": _references,
}


def _check_vlans(config: Tables) -> None:
    for name, fields in config.get("VLAN", {}).items():
        if fields.get("vlanid", name[4:]) != name[4:]:
            _refuse("The vlanid must correspond to the VLAN name", f"/VLAN/{name}/vlanid")
    bundled = {key.split("|")[1] for key in config.get("PORTCHANNEL_MEMBER", {})}
    mirrored = {row.get("dst_port") for row in config.get("MIRROR_SESSION", {}).values()}
    routed = {key.split("|")[0] for key in config.get("INTERFACE", {})}
    untagged: set[str] = set()
    for key, fields in config.get("VLAN_MEMBER", {}).items():
        port = key.split("|")[1]
        place = f"/VLAN_MEMBER/VLAN_MEMBER_LIST[{key}]/port"
        if port in routed:
            _refuse("Port is a router interface.", place)
        if port in mirrored:
            _refuse("Port is used as a destination port in a mirror session.", place)
        if port in bundled:
            _refuse("Port is a member of a port channel.", place)
        if fields.get("tagging_mode") == "untagged":
            if port in untagged:
                _refuse("Port can be untagged in at most one VLAN.", place)
            untagged.add(port)


def _check_interfaces(config: Tables) -> None:
    for table in ("INTERFACE", "VLAN_INTERFACE", "LOOPBACK_INTERFACE"):
        rows = config.get(table, {})
        for key in rows:
            if "|" in key and key.split("|")[0] not in rows:
                what = "Must condition not satisfied, Try adding PORT: {}, Example: 'Ethernet0': {}"
                _refuse(what, f"/{table}/{table}_IPPREFIX_LIST[{key}]/name")


def _check_wred(config: Tables) -> None:
    for name, fields in config.get("WRED_PROFILE", {}).items():
        for colour in ("green", "yellow", "red"):
            low, high = (fields.get(f"{colour}_{end}_threshold") for end in ("min", "max"))
            if low is not None and high is not None and int(high) < int(low):
                what = f"{colour.capitalize()} max threshold must be greater than or equal to min"
                _refuse(f"{what} threshold", f"/WRED_PROFILE/{name}/{colour}_max_threshold")


def _check_watchdog(config: Tables) -> None:
    rows = config.get("PFC_WD", {})
    poll_ms = int(rows.get("GLOBAL", {}).get("POLL_INTERVAL", "0"))
    for port, fields in rows.items():
        for name in ("detection_time", "restoration_time"):
            if int(fields.get(name, poll_ms)) < poll_ms:
                what = f"{name} must be greater than or equal to POLL_INTERVAL"
                _refuse(what, f"/PFC_WD/PFC_WD_LIST[{port}]/{name}")
