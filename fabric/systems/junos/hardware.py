"""A switch model from ``show chassis hardware`` of Junos, as text, XML or JSON.

Forms: Juniper CLI reference, show chassis hardware; descriptions of PICs such as 32X400G-QSFP-DD
and 48x25G-8x100G: lists of Juniper's own test suites.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, NamedTuple

from fabric.core.counts import counted
from fabric.core.findings import Position
from fabric.core.shown import quoted
from fabric.exchange.hardware.model import (
    FrontPort,
    Hardware,
    Source,
    fabric_speeds,
    hardware_readers,
    usual_lanes,
    wrong,
)
from fabric.exchange.hardware.outputs import Output, as_object, column, outputs
from fabric.intent.yaml.file import input_error
from fabric.observe.parsers import UnreadableError
from fabric.systems.junos.parsers.interfaces import tree

if TYPE_CHECKING:
    from collections.abc import Iterator

_GROUP = re.compile(r"(\d{1,3})\s*[xX]\s*(\d{1,4})G")
_MODEL = re.compile(r"(?:QFX|EX|PTX)\d[0-9A-Z-]+", re.IGNORECASE)
#: ASIC families by the series of a model: JVD extensions of Juniper (TD4, TH3, TH4, TH5), and
#: sonic-net/sonic-buildimage 086b03bd70f9 device/juniper (QFX5200, QFX5210).
_SERIES = (
    ("QFX5120", "trident-3"),
    ("QFX5130", "trident-4"),
    ("QFX5200", "tomahawk-1"),
    ("QFX5210", "tomahawk-2"),
    ("QFX5220", "tomahawk-3"),
    ("QFX5230", "tomahawk-4"),
    ("QFX524", "tomahawk-5"),
)


class _Item(NamedTuple):
    """A line of the inventory: its name, its description, and where it is."""

    name: str
    text: str
    place: Position


@hardware_readers.add("junos")
def read(sources: tuple[Source, ...]) -> Hardware | None:
    """Return what the chassis tells; None without its hardware."""
    items = [item for output in outputs(sources) for item in _items(output)]
    chassis = next((item for item in items if item.name == "Chassis"), None)
    if chassis is None:
        return None
    slots = {item.name for item in items if re.fullmatch(r"FPC \d+", item.name)}
    if len(slots) > 1:
        message = f"the chassis has {counted(len(slots), 'line card')}"
        fix = "a model describes a switch without line cards; give the outputs of such a switch"
        raise input_error([wrong(message, fix, chassis.place)], sources[0].shown)
    pic = next((item for item in items if item.name == "PIC 0"), None)
    ports = tuple(_ports(pic)) if pic else ()
    if not ports:
        message = f"the ports of {quoted(chassis.text)} are not described"
        fix = "give the whole output, with the line of PIC 0"
        raise input_error([wrong(message, fix, (pic or chassis).place)], sources[0].shown)
    found = _MODEL.search(chassis.text)
    name = found.group().upper() if found else ""
    return Hardware(
        nos="junos",
        name=name,
        ports=ports,
        source="show chassis hardware",
        asic=next((family for head, family in _SERIES if name.startswith(head)), ""),
        part_names=_part_names,
    )


def _part_names(name: str, alias: str) -> tuple[str, str]:
    return f"{name}:{{part}}", f"{alias}:{{part}}"


def _items(output: Output) -> Iterator[_Item]:
    text = output.text.strip()
    place = Position(output.shown, output.line)
    data = as_object(output)
    if isinstance(data.get("chassis-inventory"), list):
        yield from _of_json(data["chassis-inventory"], place)
    elif text.startswith("<") and "chassis-inventory" in text:
        yield from _of_xml(text, place)
    else:
        yield from _of_text(output)


def _of_text(output: Output) -> Iterator[_Item]:
    header = ""
    for number, line in enumerate(output.text.splitlines()):
        if line.startswith("Item") and "Description" in line:
            header = line
        elif header and line.strip():
            name = re.match(r"\s*([A-Z][A-Za-z]*(?: \d+)?)\b", line)
            text = column(header, line, "Description")
            if name:
                yield _Item(name[1], text, Position(output.shown, output.line + number))


def _of_json(value: Any, place: Position) -> Iterator[_Item]:
    """Yield each object that has a name and a description, from the outside in."""
    if isinstance(value, list):
        for item in value:
            yield from _of_json(item, place)
    elif isinstance(value, dict):
        name, text = _data(value.get("name")), _data(value.get("description"))
        if name:
            yield _Item(name, text, place)
        for item in value.values():
            if isinstance(item, list | dict):
                yield from _of_json(item, place)


def _data(value: Any) -> str:
    first = value[0] if isinstance(value, list) and value else None
    return str(first.get("data", "")) if isinstance(first, dict) else ""


def _of_xml(text: str, place: Position) -> Iterator[_Item]:
    try:
        root = tree(text)
    except UnreadableError as error:
        fix = "save the whole output of `show chassis hardware | display xml`"
        raise input_error([wrong(str(error), fix, place)], place.file) from error
    for element in root.iter():
        values = {child.tag: (child.text or "").strip() for child in element}
        if values.get("name"):
            yield _Item(values["name"], values.get("description", ""), place)


def _ports(pic: _Item) -> Iterator[FrontPort]:
    """Yield the ports that the description of a PIC counts: ``48x25G-8x100G``.

    Groups follow each other behind ``-``; ``/`` parts the speeds of the same ports.
    """
    index = 0
    for group in pic.text.split("-"):
        pairs = [(int(count), int(speed)) for count, speed in _GROUP.findall(group)]
        count = min((count for count, _ in pairs), default=0)
        speeds = fabric_speeds(speed for number, speed in pairs if number == count)
        for _ in range(count if speeds else 0):
            name = f"et-0/0/{index}"
            yield FrontPort(name, name, usual_lanes(speeds), speeds, place=pic.place)
            index += 1
