"""Ports and their neighbours: one paragraph each."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from fabric.observe.parsers import UnreadableError
from fabric.observe.parsers.tables import first_match
from fabric.observe.state import InterfaceState, LldpNeighbour
from fabric.systems.comware7.parsers.text import lines_of

if TYPE_CHECKING:
    from collections.abc import Iterator

_NAME = re.compile(r"[A-Z][A-Za-z-]*\d[\d/:.]*")
_STATE = re.compile(r"Current state: ((?:Administratively |STP )?DOWN|UP)(?: ?\(.*\))? *")
_SPEED = re.compile(r"(\d+)(G|M|k)bps-speed mode, .*")
_PER_GBPS = {"G": 1, "M": 1_000, "k": 1_000_000}
_MTU = re.compile(r"Maximum transmission unit: (\d+) *")
_DESCRIPTION = re.compile(r"Description: (.*)")
_TOTAL = re.compile(r" *(Input|Output) ?\(total\): +(\d+|-) packets, (\d+|-) bytes *")
_KINDS = re.compile(r" *(?:\d+|-) unicasts, .* multicasts, (\d+|-) pauses *")
_ERRORS = re.compile(r" *(Input|Output): +(\d+|-) (?:input|output) errors, .*")
_CRC = re.compile(r" +(\d+|-) CRC, .*")
_LAST_COUNTER = re.compile(r" +(?:\d+|-) lost carrier, (?:\d+|-) no carrier *")
#: Ports for traffic, not that of the management (``M-GigabitEthernet0/0/0``).
_COUNTED = re.compile(r"(?!M-)[A-Za-z-]*(?:GigE|GigabitEthernet)[\d/:]+")
_LLDP_PORT = re.compile(r"LLDP neighbor-information of port \d+ ?\[([A-Za-z-]+\d[\d/:.]*?):?\]: *")
_LLDP_FIELD = re.compile(r" (Port ID|Port description|System name) +: (.*)")


def interfaces(text: str) -> dict[str, InterfaceState]:
    """Parse ``display interface``.

    The paragraph of a port for traffic must have the last of its counters; those of other
    interfaces, such as gateways and the management port, have no sure end.

    Raises
    ------
    UnreadableError
        When a paragraph is not that of a port, or is cut.
    """
    by_name = {}
    for name, lines in _paragraphs(text):
        by_name[name] = _interface(name, lines)
    if not by_name:
        raise UnreadableError("no ports in the answer")
    return by_name


def _paragraphs(text: str) -> Iterator[tuple[str, list[str]]]:
    part: list[str] = []
    for line in [*lines_of(text), ""]:
        if line.strip():
            part.append(line.rstrip())
        elif part:
            if not _NAME.fullmatch(part[0]):
                raise UnreadableError(f"{part[0]!r} is not a port")
            yield part[0], part[1:]
            part = []


def _interface(name: str, lines: list[str]) -> InterfaceState:
    states = [match[1] for line in lines if (match := _STATE.fullmatch(line))]
    counted = any(_LAST_COUNTER.fullmatch(line) for line in lines)
    if len(states) != 1 or (_COUNTED.fullmatch(name) and not counted):
        raise UnreadableError(f"the part of {name} is not whole")
    speed, mtu = first_match(_SPEED, lines), first_match(_MTU, lines)
    description = first_match(_DESCRIPTION, lines)
    said = description[1].strip() if description else ""
    return InterfaceState(
        up=states[0] == "UP",
        enabled=not states[0].startswith("Administratively"),
        speed_gbps=int(speed[1]) / _PER_GBPS[speed[2]] if speed else None,
        mtu_bytes=int(mtu[1]) if mtu else None,
        description="" if said == f"{name} Interface" else said,
        counters=dict(_counters(lines)) if counted else {},
    )


def _counters(lines: list[str]) -> Iterator[tuple[str, int]]:
    side = ""
    for line in lines:
        total, kinds = _TOTAL.fullmatch(line), _KINDS.fullmatch(line)
        errors, crc = _ERRORS.fullmatch(line), _CRC.fullmatch(line)
        named: dict[str, str] = {}
        if total:
            side = "in" if total[1] == "Input" else "out"
            named = {f"{side}_packets": total[2], f"{side}_bytes": total[3]}
        elif kinds and side:
            named = {f"{side}_pause_frames": kinds[1]}
            side = ""
        elif errors:
            named = {f"{'in' if errors[1] == 'Input' else 'out'}_errors": errors[2]}
        elif crc:
            named = {"in_crc_errors": crc[1]}
        yield from ((key, int(value)) for key, value in named.items() if value != "-")


def lldp_neighbours(text: str) -> dict[str, tuple[LldpNeighbour, ...]]:
    """Parse ``display lldp neighbor-information verbose``; it has full names of ports.

    Raises
    ------
    UnreadableError
        When there is none, or one is cut.
    """
    parts: list[tuple[str, dict[str, str]]] = []
    for line in lines_of(text):
        port, field = _LLDP_PORT.fullmatch(line), _LLDP_FIELD.fullmatch(line)
        if port:
            parts.append((port[1], {}))
        elif field and parts:
            parts[-1][1].setdefault(field[1], field[2].strip())
        elif line.strip() and not parts:
            raise UnreadableError(f"{line!r} is not an LLDP neighbour")
    last = parts[-1][1] if parts else {}
    if "System name" not in last or any("Port ID" not in fields for _, fields in parts):
        raise UnreadableError("an LLDP neighbour is not whole")
    neighbours: dict[str, tuple[LldpNeighbour, ...]] = {}
    for name, fields in parts:
        neighbour = LldpNeighbour(
            fields.get("System name", ""), fields["Port ID"], fields.get("Port description", "")
        )
        neighbours[name] = (*neighbours.get(name, ()), neighbour)
    return neighbours
