"""A switch model from ``show version``, ``show inventory`` and ``show interfaces hardware`` of EOS.

Forms: pyeapi and aristanetworks/eos outputs (``modelName``, ``xcvrSlots``, and ``modes`` with
``link.speed`` of each interface); speed words: pyavd 6.4.0 schema, ethernet_interfaces.speed.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from fabric.core.counts import counted
from fabric.core.findings import Position
from fabric.exchange.hardware.model import (
    FrontPort,
    Hardware,
    Source,
    fabric_speeds,
    hardware_readers,
    note,
    usual_lanes,
    wrong,
)
from fabric.exchange.hardware.outputs import Lines, Output, as_object, outputs
from fabric.intent.yaml.file import input_error

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fabric.core.findings import Finding

_MODEL = re.compile(
    r"\b(?:DCS|CCS)-(7[0-9A-Z]{1,12}(?:-[0-9A-Z]{1,12}){0,3}?)(?:-SSD)?(?:-[FR])?(?=[#\s]|$)"
)
_NAME = re.compile(r"Ethernet(\d{1,3})(?:/(\d{1,2}))?")
_SPEED = re.compile(r"(\d{1,4}(?:\.\d)?)\s*(G|M|T)", re.IGNORECASE)
_BLOCK = re.compile(r"^(Ethernet\S+)[ \t]*$", re.MULTILINE)
_MODES = re.compile(
    r"^[ \t]*Speed/Duplex[ \t]*:[ \t]*(\S.*(?:\n[ \t]{8,80}\S.*)*)", re.IGNORECASE | re.MULTILINE
)
#: ASIC families by the series of a model, the longest first: sai.profile and aliases of
#: sonic-net/sonic-buildimage 086b03bd70f9 device/arista; Jericho2C+ of aristanetworks/sonic.
_SERIES = (
    (r"7060X6", "tomahawk-5"),
    (r"7060[DP]X5|7388X5", "tomahawk-4"),
    (r"7060[DP]X4", "tomahawk-3"),
    (r"7260CX3", "tomahawk-2"),
    (r"7060CX2?-", "tomahawk-1"),
    (r"7050[CDPS]X4", "trident-4"),
    (r"7050[CS]X3", "trident-3"),
    (r"7050QX", "trident-2"),
    (r"7280[CDP]R3A", "jericho-2c-plus"),
    (r"7280[CDP]R3", "jericho-2"),
)
_PAM4_GBPS, _FAST_GBPS = 50, 100


def speed_word(fastest_gbps: int, lanes: int, speed_gbps: int) -> str:
    """Return the word for a speed of a cage; empty where it has none."""
    rate = fastest_gbps // lanes
    if speed_gbps in {10, 25}:
        return f"{speed_gbps}g"
    fixed = {40: 4, 50: 1 if rate >= _PAM4_GBPS else 2}
    per_lane = rate if rate >= _FAST_GBPS else {100: 25}.get(speed_gbps, rate)
    used = fixed.get(speed_gbps) or max(1, speed_gbps // max(1, min(per_lane, speed_gbps)))
    return f"{speed_gbps}g-{used}" if used <= lanes else ""


@dataclass
class _Told:
    """What the outputs tell so far."""

    model: str = ""
    slots: int = 0
    speeds: dict[str, tuple[int, ...]] = field(default_factory=dict)
    places: dict[str, Position] = field(default_factory=dict)
    seen: list[str] = field(default_factory=list)


@hardware_readers.add("eos")
def read(sources: tuple[Source, ...]) -> Hardware | None:
    """Return what outputs of EOS tell; None where there are none."""
    told = _Told()
    for output in outputs(sources):
        data = as_object(output)
        if data:
            _from_json(data, output, told)
        else:
            _from_text(output, told)
    if not told.seen:
        return None
    if not told.speeds:
        slots = f"; {counted(told.slots, 'cage is', 'cages are')} listed" if told.slots else ""
        message = f"the names and speeds of the ports are missing{slots}"
        fix = "add the output of `show interfaces hardware`"
        place = Position(sources[0].shown)
        raise input_error([wrong(message, fix, place)], sources[0].shown)
    notes: list[Finding] = []
    ports = tuple(_ports(told, notes))
    family = next((family for head, family in _SERIES if re.match(head, told.model)), "")
    return Hardware(
        nos="eos",
        name=told.model,
        ports=ports,
        source=", ".join(dict.fromkeys(told.seen)),
        asic=family,
        part_names=_part_names,
        speed_words={
            (speed, port.lane_count): word
            for port in ports
            for speed in port.speeds_gbps
            if (word := speed_word(max(port.speeds_gbps), port.lane_count, speed))
        },
        notes=tuple(notes),
    )


def _part_names(name: str, alias: str) -> tuple[str, str]:
    """``Ethernet{number}/1`` is lane 1 of a cage, and the whole cage."""
    if not name.endswith("/1"):
        return "", ""
    return f"{name.removesuffix('1')}{{first}}", f"{alias}/{{first}}"


def _from_json(data: dict[str, Any], output: Output, told: _Told) -> None:
    name = data.get("modelName")
    if isinstance(name, str) and _MODEL.search(name):
        told.model = _model(name)
        told.seen.append("show version")
    system = data.get("systemInformation")
    if isinstance(system, dict) and isinstance(data.get("xcvrSlots"), dict):
        told.model = told.model or _model(str(system.get("name", "")))
        told.slots = len(data["xcvrSlots"])
        told.seen.append("show inventory")
    interfaces = data.get("interfaces")
    if not isinstance(interfaces, dict):
        return
    for port, row in interfaces.items():
        modes = row.get("modes") if isinstance(row, dict) else None
        if isinstance(modes, list):
            words = [
                str(mode["link"].get("speed", ""))
                for mode in modes
                if isinstance(mode, dict) and isinstance(mode.get("link"), dict)
            ]
            _take(told, str(port), " ".join(words), Position(output.shown))


def _from_text(output: Output, told: _Told) -> None:
    head = output.text.lstrip()[:400]
    first = head.partition("\n")[0]
    if first.startswith("Arista") and _MODEL.search(first):
        told.model = _model(first)
        told.seen.append("show version")
    slots = re.search(r"System has (\d{1,4}) switched transceiver slots", output.text)
    if slots:
        told.slots = int(slots[1])
        found = _MODEL.search(output.text)
        told.model = told.model or (found[1] if found else "")
        told.seen.append("show inventory")
    blocks = list(_BLOCK.finditer(output.text))
    lines = Lines(output.text, output.line)
    for index, block in enumerate(blocks):
        end = blocks[index + 1].start() if index + 1 < len(blocks) else len(output.text)
        body = output.text[block.end() : end]
        modes = _MODES.search(body)
        if modes:
            _take(told, block[1], modes[1], Position(output.shown, lines.at(block.start())))
            found = _MODEL.search(body)
            told.model = told.model or (found[1] if found else "")


def _take(told: _Told, port: str, words: str, place: Position) -> None:
    speeds = {_gbps(number, unit) for number, unit in _SPEED.findall(words)}
    told.speeds[port] = fabric_speeds(speeds)
    told.places[port] = place
    told.seen.append("show interfaces hardware")


def _gbps(number: str, unit: str) -> float:
    return float(number) * {"m": 0.001, "g": 1, "t": 1000}[unit.lower()]


def _model(text: str) -> str:
    found = _MODEL.search(text)
    return found[1] if found else ""


def _ports(told: _Told, notes: list[Finding]) -> Iterator[FrontPort]:
    cages: dict[int, list[int]] = {}
    names: dict[int, str] = {}
    for port in told.speeds:
        match = _NAME.fullmatch(port)
        if match:
            cages.setdefault(int(match[1]), []).append(int(match[2] or 0))
            if match[2] in {None, "1"}:
                names[int(match[1])] = port
    others = [port for port in told.speeds if not _NAME.fullmatch(port)]
    if others:
        listed = ", ".join(sorted(others)[:4])
        message = (
            f"{counted(len(others), 'interface is', 'interfaces are')} not part of the model, such "
            f"as {listed}"
        )
        fix = "the ports of line cards have no place in a model yet"
        notes.append(note(message, fix, told.places[others[0]]))
    for cage in sorted(names):
        port = names[cage]
        speeds, place = told.speeds[port], told.places[port]
        lanes = _lanes(cages[cage], speeds)
        has_parts = max(cages[cage]) != 1
        yield FrontPort(port, str(cage), lanes, speeds, place=place, counted=has_parts)


def _lanes(parts: list[int], speeds: tuple[int, ...]) -> int:
    """Return the lanes of a cage: those that are listed, else as many as its speed needs."""
    listed = max(parts)
    if listed > 1:
        return 1 << (listed - 1).bit_length()
    return usual_lanes(speeds)
