"""Keys of the firmware of ConnectX NICs, as mlxconfig, operators and profiles name them.

Names and values: Mellanox/nic-configuration-operator at 8bfbeb3, pkg/consts; public mstconfig
listing of a ConnectX-6 Dx (MCX623432AN). Keys of a port end in its number: ``CNP_DSCP_P1``.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from fabric.observe.nicprofiles import refused
from fabric.observe.nicprofiles.record import PRIORITIES, Fields, NicValue

if TYPE_CHECKING:
    from collections.abc import Mapping

_OF_PORT = re.compile(r"(\w+)_P(\d{1,2})")
#: ``True(1)``, ``DEVICE_DEFAULT(0)``, ``48``, ``0x1``.
_NUMBER = re.compile(r"(?:\w*\()?(0x[0-9A-Fa-f]{1,8}|\d{1,10})\)?")


class _Key(NamedTuple):
    """What a key says: a field of the record, and the largest value that it can have."""

    field: str
    most: int


_KEYS = {
    "CNP_DSCP": _Key("cnp_dscp", 63),
    "CNP_802P_PRIO": _Key("cnp_priority", PRIORITIES - 1),
    "ROCE_CC_PRIO_MASK": _Key("congestion_priorities", 2**PRIORITIES - 1),
    "ROCE_ADAPTIVE_ROUTING_EN": _Key("out_of_order", 1),
    "USER_PROGRAMMABLE_CC": _Key("algorithm", 1),
}


def is_known(name: str) -> bool:
    """Tell whether a key says something about a lossless class."""
    match = _OF_PORT.fullmatch(name)
    return (match[1] if match else name) in _KEYS


def values_of_ports(keys: Mapping[str, NicValue[str]], file: str) -> dict[int, Fields]:
    """Return the fields that keys fill, by the port of the card; 0 where no key names a port.

    Keys without a number hold for every port.

    Raises
    ------
    InputError
        When a value cannot be.
    """
    by_port: dict[int, Fields] = {}
    for name, value in keys.items():
        match = _OF_PORT.fullmatch(name)
        key = _KEYS.get(match[1] if match else name)
        if key is None:
            continue
        number = _number(name, value, key.most, file)
        fields = by_port.setdefault(int(match[2]) if match else 0, {})
        content = _content(key.field, number)
        if content is not None:
            fields[key.field] = NicValue(content, value.line)
    whole = by_port.pop(0, {})
    if not by_port:
        return {0: whole} if whole else {}
    return {port: whole | fields for port, fields in sorted(by_port.items())}


def _content(field: str, number: int) -> object:
    """Return the value of a field; a switch that is off leaves the algorithm to other keys."""
    if field == "congestion_priorities":
        return frozenset(bit for bit in range(PRIORITIES) if number >> bit & 1)
    if field == "algorithm":
        return "programmable" if number else None
    return bool(number) if field == "out_of_order" else number


def _number(name: str, value: NicValue[str], most: int, file: str) -> int:
    match = _NUMBER.fullmatch(value.value.strip())
    number = int(match[1], 0) if match else -1
    if not 0 <= number <= most:
        message = f"{value.value[:40]!r} is not a value of {name}"
        raise refused(file, value.line, message, f"use 0 to {most}", name)
    return number
