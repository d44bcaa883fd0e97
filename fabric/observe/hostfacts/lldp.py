"""``lldpcli show neighbors -f json`` and ``-f json0`` (lldpd/lldpd, src/client/json_writer.c).

``json0`` writes every member as a list. ``json`` takes away lists of one, objects that hold nothing
but a ``value``, and keys an object by its ``name`` where it has one.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from fabric.observe.hostfacts import reads
from fabric.observe.hostfacts.jsontext import read_json
from fabric.observe.hostfacts.values import interface_name, label, shown
from fabric.observe.parsers import UnreadableError
from fabric.observe.parsers.lldp import by_port
from fabric.observe.state import LldpNeighbour

if TYPE_CHECKING:
    from collections.abc import Mapping

    Neighbours = Mapping[str, tuple[LldpNeighbour, ...]]


_TITLE = re.compile(r"^LLDP neighbors:$", re.MULTILINE)
_INTERFACE = re.compile(r"Interface: +([^\s,]+), via: (\w+)")
_FIELD = re.compile(r" +(SysName|PortID|PortDescr): +(\S.*)")


@reads("lldp", "lldpcli show neighbors -f json")
def parse_lldp(text: str) -> Neighbours:
    """Parse the neighbours by local interface, in either of the two forms.

    Names and ports are what the neighbour sent; with signs that no system puts there the reading is
    refused. A description that is no printable ASCII is left out. ``system_name`` is empty where
    the neighbour sent none.

    Raises
    ------
    UnreadableError
        When the output is not that JSON, or a neighbour has no port.
    """
    neighbours: dict[str, tuple[LldpNeighbour, ...]] = {}
    whole = read_json(text)
    root = _single(whole.get("lldp") if isinstance(whole, dict) else None, "lldp")
    for row in _list(root.get("interface", [])):
        for interface, seen in _named(row):
            name = interface_name(interface)
            neighbours[name] = (*neighbours.get(name, ()), _neighbour(seen))
    return neighbours


def _neighbour(seen: Any) -> LldpNeighbour:
    seen = _object(seen)
    chassis = _named(_single(seen.get("chassis"), "chassis"), inside="id")
    if len(chassis) != 1 or "id" not in _object(chassis[0][1]):
        raise UnreadableError("lldpcli printed a neighbour without the id of its chassis")
    system = chassis[0][0]
    port = _single(seen.get("port"), "port")
    identity = _value(_single(port.get("id"), "id of a port").get("value"))
    description = _value(port.get("descr", ""))
    return LldpNeighbour(
        label(system, "name of a system") if system else "",
        label(identity, "id of a port"),
        description if description.isprintable() and description.isascii() else "",
    )


def _named(row: Any, inside: str = "") -> list[tuple[str, Any]]:
    """Return (name, object) of an object that holds its name, or of objects keyed by theirs."""
    row = _object(row)
    if "name" in row and not isinstance(row["name"], dict):
        return [(_value(row["name"]), row)]
    if inside and inside in row and "value" in _object(_first(row[inside])):
        return [("", row)]
    return list(row.items())


def _first(value: Any) -> Any:
    return value[0] if isinstance(value, list) and len(value) == 1 else value


def _list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else [value]


def _object(value: Any) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise UnreadableError(f"lldpcli printed {shown(value)} where an object belongs")
    return value


def _single(value: Any, kind: str) -> dict[str, Any]:
    first = _first(value)
    if not isinstance(first, dict):
        raise UnreadableError(f"lldpcli printed no {kind}")
    return first


def _value(value: Any) -> str:
    """Return a text; ``json0`` puts it into a list of one object."""
    first = _first(value)
    first = first.get("value") if isinstance(first, dict) else first
    if not isinstance(first, str):
        raise UnreadableError(f"lldpcli printed {shown(first)} where a text belongs")
    return first


def parse_lldp_text(text: str) -> Neighbours:
    """Parse ``lldpctl`` and ``lldpcli show neighbors`` (lldpd/lldpd, src/client/display.c).

    Other protocols than LLDP are passed over.

    Raises
    ------
    UnreadableError
        When it is another output, or a neighbour has no port.
    """
    if not _TITLE.search(text):
        raise UnreadableError("this is not the text of lldpcli")
    parts: list[tuple[str, str, dict[str, str]]] = []
    for line in text.splitlines():
        head, field = _INTERFACE.match(line), _FIELD.fullmatch(line.rstrip())
        if head:
            parts.append((head[1], head[2], {}))
        elif field and parts:
            parts[-1][2].setdefault(field[1], field[2].strip())
    if any("PortID" not in fields for _, _, fields in parts):
        raise UnreadableError("a neighbour of LLDP has no port")
    return by_port(
        (
            port,
            LldpNeighbour(
                fields.get("SysName", ""),
                fields["PortID"].partition(" ")[2] or fields["PortID"],
                fields.get("PortDescr", ""),
            ),
        )
        for port, protocol, fields in parts
        if protocol == "LLDP"
    )
