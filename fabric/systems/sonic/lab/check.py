"""Judge a CONFIG_DB as sonic-yang does, from the book of SONiC.

Known: the kinds of refusal and the wording of libyang's messages (sonic-net/sonic-buildimage,
src/sonic-yang-mgmt; CESNET/libyang). Assumed: one message per configuration, the first found; the
real library prints more lines around it.
"""

from __future__ import annotations

import ipaddress
import re
from functools import cache
from typing import TYPE_CHECKING, Any

from fabric.book.grammar import element
from fabric.book.kinds import referred
from fabric.systems.sonic.lab.model import TABLES
from fabric.systems.sonic.platforms import SONIC

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from fabric.book.grammar import Element
    from fabric.book.tables import RowRule

Tables = dict[str, dict[str, dict[str, Any]]]

_ADDRESS = "ip4|ip6"
#: Kinds of texts that may be anything.
_ANY = ("text", "word")
#: A list that stands as one in JSON.
_ARRAY = "..."
#: A pattern of such words alone is an enumeration.
_PLAIN = re.compile(r"[\w-]+")


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
    place = "/PFC_WD/PFC_WD_LIST[GLOBAL]/POLL_INTERVAL"
    _integer(element(f"<0-{longest}>"), poll, place)


def _check_row(config: Tables, table: str, key: str, fields: dict[str, Any]) -> None:
    row = _row_of(table, key, fields)
    for kind, part in zip(row.key, key.split("|"), strict=True):
        _check_value(config, (kind,), part, f"/{table}/{table}_LIST[{key}]")
    for name, value in fields.items():
        place = f"/{table}/{table}_LIST[{key}]/{name}"
        field = row.field(name)
        assert field
        _check_value(config, (field.name,), name, place)
        _check_value(config, field.values, value, place)


def _row_of(table: str, key: str, fields: dict[str, Any]) -> RowRule:
    parts = key.split("|")
    known = [row for row in TABLES[table] if len(row.key) == len(parts)]
    if len(known) > 1:
        known.sort(key=lambda row: not _has_words(row, parts))
    for row in known:
        if all(row.field(name) for name in fields):
            return row
    unknown = sorted(name for name in fields if not known[0].field(name)) if known else [key]
    raise ConfigRefusedError(
        f"All Keys are not parsed in {table}\n{table}|{key}: {', '.join(unknown)}"
    )


def _has_words(row: RowRule, parts: Sequence[str]) -> bool:
    """Tell whether a key has the words of a row."""
    pairs = zip(row.key, parts, strict=True)
    return all(not element.literals or part in element.literals for element, part in pairs)


def _check_value(config: Tables, forms: Sequence[Element], value: Any, place: str) -> None:
    """Check a value by its forms: words, and at most one argument."""
    *_, form = forms
    if form.many == _ARRAY:
        if not isinstance(value, list):
            _refuse(f'Invalid value "{value}": a JSON array is needed.', place)
        for item in value:
            _check_text(config, form, item, place)
    elif not any(isinstance(value, str) and value in words.literals for words in forms[:-1]):
        _check_text(config, form, value, place)


def _check_text(config: Tables, form: Element, value: Any, place: str) -> None:
    """Check a value by its kind."""
    if not isinstance(value, str):
        _refuse(f'Invalid value "{value}": a string is needed.', place)
    if form.literals:
        _choice(form.literals, value, place)
    elif tables := referred(form.kind):
        for item in value.split(",") if form.many else [value]:
            _reference(config, tables, item, place)
    elif form.kind == _ADDRESS:
        _address(value, place)
    elif form.kind.startswith("~"):
        if words := _words(form.pattern):
            _choice(words, value, place)
        else:
            _pattern(form.pattern, value, place)
    elif form.kind not in _ANY:
        _integer(form, value, place)


@cache
def _words(pattern: str) -> frozenset[str]:
    """Return the words of a pattern that has nothing else."""
    words = pattern.split("|")
    return frozenset(words if all(map(_PLAIN.fullmatch, words)) else ())


def _refuse(what: str, place: str) -> None:
    raise ConfigRefusedError(f'Data Loading Failed:{what} (Data location "{place}".)')


def _integer(form: Element, value: str, place: str) -> None:
    if not re.fullmatch(r"-?[0-9]+", value):
        _refuse(f'Invalid type int value "{value}".', place)
    if not (form.check and form.check(value)):
        _refuse(f'Unsatisfied range - value "{value}" is out of the allowed range.', place)


def _pattern(pattern: str, value: str, place: str) -> None:
    if not re.fullmatch(pattern, value):
        _refuse(f'Unsatisfied pattern - "{value}" does not conform to "{pattern}".', place)


def _choice(words: Collection[str], value: str, place: str) -> None:
    if value not in words:
        what = "boolean" if set(words) == {"true", "false"} else "enumeration"
        _refuse(f'Invalid {what} value "{value}".', place)


def _address(value: str, place: str) -> None:
    try:
        ipaddress.ip_address(value)
    except ValueError:
        _refuse(f'Unsatisfied pattern - "{value}" is not an IP address.', place)


def _reference(config: Tables, tables: tuple[str, ...], value: str, place: str) -> None:
    if not any(value in config.get(name, {}) for name in tables):
        table = tables[0]
        what = f'Invalid leafref value "{value}" - no target instance "/{table}/{table}_LIST/name"'
        _refuse(f"{what} with the same value.", place)


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
