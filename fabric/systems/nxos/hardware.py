"""A switch model from ``show module`` and ``show interface capabilities`` of NX-OS.

Forms: networktocode/ntc-templates cisco_nxos_show_module and Cisco Nexus 9000 NX-OS command
reference, show interface capabilities (speeds in Mb/s).
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
    usual_lanes,
    wrong,
)
from fabric.exchange.hardware.outputs import Lines, Output, as_object, outputs
from fabric.intent.yaml.file import input_error

if TYPE_CHECKING:
    from collections.abc import Iterator

_GROUP = re.compile(r"(\d{1,3})\s*x\s*((?:\d{1,4}/)*\d{1,4})\s*G", re.IGNORECASE)
_BLOCK = re.compile(r"^(Ethernet\d\S*)[ \t]*$", re.MULTILINE)
_CAPABLE = re.compile(r"^[ \t]*Speed:[ \t]*([\d,]+)[ \t]*$", re.MULTILINE)
#: Number, ports, type and model of a module, and its status.
_ROW = re.compile(r"^\d{1,2}[ ]+\d{1,3}[ ]+(\S.{0,80}?)[ ]+(N\dK-C[0-9A-Z-]+)[ ]+\S", re.MULTILINE)
_MODEL = re.compile(r"N\dK-C[0-9A-Z-]+")
_PORT = re.compile(r"Ethernet1/(\d{1,3})")
#: ASIC families by the end of a model: Cisco Nexus 9300 data sheets and white papers.
_SERIES = (
    (r"-GX2[AB]?$", "cloud-scale-gx2"),
    (r"-GX$", "cloud-scale-gx"),
    (r"-FX2(-E)?$", "cloud-scale-fx2"),
    (r"-H2R$", "cloud-scale-h2r"),
    (r"-H1$", "cloud-scale-h1"),
)


@dataclass
class _Told:
    model: str = ""
    kind: str = ""
    modules: int = 0
    place: Position | None = None
    speeds: dict[str, tuple[int, ...]] = field(default_factory=dict)
    places: dict[str, Position] = field(default_factory=dict)
    seen: list[str] = field(default_factory=list)


@hardware_readers.add("nxos")
def read(sources: tuple[Source, ...]) -> Hardware | None:
    """Return what outputs of NX-OS tell; None where there are none."""
    told = _Told()
    for output in outputs(sources):
        data = as_object(output)
        if data:
            _modules_of(data, output, told)
        else:
            _modules_in(output, told)
            _capabilities(output, told)
    if not told.seen:
        return None
    if told.modules > 1:
        message = f"the switch has {counted(told.modules, 'module')}"
        fix = "a model describes a switch without line cards; give the outputs of such a switch"
        raise input_error([wrong(message, fix, told.place)], sources[0].shown)
    ports = tuple(_listed(told)) if told.speeds else tuple(_counted(told))
    if not ports:
        message = "the names and speeds of the ports are missing"
        fix = "add the output of `show interface capabilities`"
        raise input_error([wrong(message, fix, told.place)], sources[0].shown)
    return Hardware(
        nos="nxos",
        name=told.model,
        ports=ports,
        source=", ".join(dict.fromkeys(told.seen)),
        asic=next((family for end, family in _SERIES if re.search(end, told.model)), ""),
        part_names=_part_names,
    )


def _part_names(name: str, alias: str) -> tuple[str, str]:
    return f"{name}/{{ordinal}}", f"{alias}/{{ordinal}}"


def _modules_of(data: dict[str, Any], output: Output, told: _Told) -> None:
    table = data.get("TABLE_modinfo")
    rows = table.get("ROW_modinfo") if isinstance(table, dict) else None
    for row in rows if isinstance(rows, list) else [rows]:
        if isinstance(row, dict) and _MODEL.fullmatch(str(row.get("model", ""))):
            kind = str(row.get("modtype", ""))
            _module(told, str(row["model"]), kind, Position(output.shown, output.line))


def _modules_in(output: Output, told: _Told) -> None:
    lines = Lines(output.text, output.line)
    for match in _ROW.finditer(output.text):
        place = Position(output.shown, lines.at(match.start()))
        _module(told, match[2], match[1].strip(), place)


def _module(told: _Told, model: str, kind: str, place: Position) -> None:
    told.model, told.kind, told.place = model, kind, place
    told.modules += 1
    told.seen.append("show module")


def _capabilities(output: Output, told: _Told) -> None:
    blocks = list(_BLOCK.finditer(output.text))
    lines = Lines(output.text, output.line)
    for index, block in enumerate(blocks):
        end = blocks[index + 1].start() if index + 1 < len(blocks) else len(output.text)
        body = output.text[block.end() : end]
        speed, model = _CAPABLE.search(body), _MODEL.search(body)
        if speed:
            words = {int(word) // 1000 for word in speed[1].split(",") if 0 < len(word) < 8}  # noqa: PLR2004
            told.speeds[block[1]] = fabric_speeds(words)
            told.places[block[1]] = Position(output.shown, lines.at(block.start()))
            told.seen.append("show interface capabilities")
            told.model = told.model or (model.group() if model else "")


def _listed(told: _Told) -> Iterator[FrontPort]:
    numbers = {int(match[1]): port for port in told.speeds if (match := _PORT.fullmatch(port))}
    for number in sorted(numbers):
        port = numbers[number]
        yield _port(number, told.speeds[port], told.places[port])


def _counted(told: _Told) -> Iterator[FrontPort]:
    """Yield the ports that the type of the module counts: ``48x25G + 6x100G Ethernet Module``."""
    number = 0
    for count, words in _GROUP.findall(told.kind):
        speeds = fabric_speeds(map(int, words.split("/")))
        for _ in range(int(count)):
            number += 1
            yield _port(number, speeds, told.place)


def _port(number: int, speeds: tuple[int, ...], place: Position | None) -> FrontPort:
    name = f"Ethernet1/{number}"
    return FrontPort(name, str(number), usual_lanes(speeds), speeds, place=place)
