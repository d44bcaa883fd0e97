"""Fields that the AS numbers of a line follow from: those of the switches that have the numbers."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING

from fabric.topology.addressing import ASN_FIELDS, asn_field

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fabric.design.designs import Designs
    from fabric.render.explain import Explanation

#: The override of a switch.
OWN_ASN = "devices.asn"
_FIELDS = frozenset((*ASN_FIELDS.values(), OWN_ASN))
#: Not a part of an address, a prefix or a community.
_NUMBER = re.compile(r"(?<![\w.:/])\d+(?![\w.:/])")


def of_as_numbers(designs: Designs, device: str, line: str, entry: Explanation) -> Explanation:
    """Return what is known of a line, with the fields of the AS numbers that it is about.

    A line without a number is about the switch and its neighbours.
    """
    if device not in designs.devices or not _FIELDS & {*entry.fields}:
        return entry
    named = switches_of(designs, device, line)
    numbered = dict.fromkeys(_field(designs, name) for name in named)
    own = (OWN_ASN,) if device in named else ()
    others = (field for field in entry.fields if field not in _FIELDS)
    return replace(entry, fields=tuple(dict.fromkeys((*numbered, *own, *others))))


def switches_of(designs: Designs, device: str, line: str) -> list[str]:
    """Return the switches whose AS numbers a line of a switch is about: itself, or neighbours.

    A line with a number that none of them has is about the neighbour whose session it names.
    """
    numbers = {int(number) for number in _NUMBER.findall(line)}
    switches = dict(_numbered(designs, device))
    words = set(line.split())
    peers = [one.name for one in designs.devices[device].sessions if one.session in words]
    with_number = [name for name, number in switches.items() if number in numbers]
    return with_number or peers or [*switches]


def _numbered(designs: Designs, device: str) -> Iterator[tuple[str, int]]:
    """Yield a switch and its neighbours with their AS numbers."""
    bgp = designs.devices[device].bgp
    yield device, bgp.asn
    for neighbour in bgp.neighbours:
        yield neighbour.name, neighbour.asn


def _field(designs: Designs, switch: str) -> str:
    """Return the field that decides the AS number of a switch."""
    overrides = designs.intent.device_overrides.get(switch, [])
    if any(one.value.asn is not None for one in overrides):
        return OWN_ASN
    row = designs.fabric.switch_row[switch]
    switches = designs.fabric.switches
    return asn_field(switches.role(row), in_pod=bool(switches.pod[row] >= 0))
