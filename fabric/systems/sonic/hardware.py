"""A switch model from the files of a SONiC image: ``/usr/share/sonic/device/PLATFORM/HWSKU``.

Forms of the files: sonic-net/sonic-buildimage src/sonic-config-engine portconfig.py
(``port_config.ini``, ``platform.json``, ``hwsku.json``) and device/*/*/default_sku.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from fabric.core.counts import counted
from fabric.core.findings import Position
from fabric.core.shown import quoted
from fabric.exchange.hardware.model import (
    FrontPort,
    Hardware,
    Source,
    hardware_readers,
    note,
    wrong,
)
from fabric.intent.yaml.file import input_error
from fabric.platforms.asic_catalogue import is_asic
from fabric.platforms.breakout import parse_mode
from fabric.systems.sonic.hardware_files import as_json, as_table, lane_numbers

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from fabric.core.findings import Finding

PORTS, CAGES, SKU = "port_config.ini", "platform.json", "hwsku.json"
HEADROOM, PROFILE = "pg_profile_lookup.ini", "sai.profile"
BUFFERS = ("config_db.json", "buffers.json")
#: Word before the first ``-`` of the file that sai.profile names, such as td3-s5248f-25g; a variant
#: of a chip follows an ``x``: td3x7.
_CHIP = re.compile(
    r"SAI_INIT_CONFIG_FILE=\S{0,200}/([a-z]+[0-9]?)(?:x[0-9])?[-_][^/\s]*$", re.MULTILINE
)
#: Switches of NVIDIA by the number of their series, the longest first: sonic-net/
#: sonic-buildimage 086b03bd70f9 platform/mellanox/asic_table.j2.
_SERIES = (
    ("5640", "spectrum-5"),
    ("2", "spectrum-1"),
    ("3", "spectrum-2"),
    ("4", "spectrum-3"),
    ("5", "spectrum-4"),
    ("6", "spectrum-6"),
)
#: Platform strings as ONIE has them: processor, maker and machine.
_PLATFORM = re.compile(r"(x86_64|arm64|armhf)-[A-Za-z0-9_.-]+$")
_NVIDIA = re.compile(r"(?:^|[-_])(?:MSN|SN)(\d{4})", re.IGNORECASE)


@hardware_readers.add("sonic")
def read(sources: tuple[Source, ...]) -> Hardware | None:
    """Return what the files of a HwSKU tell; None without a list of ports."""
    files = {source.name.rpartition("/")[2]: source for source in sources}
    if not {PORTS, CAGES} & files.keys():
        return None
    findings: list[Finding] = []
    cages = _cages(files.get(CAGES), findings)
    rows = _rows(files.get(PORTS), findings)
    notes: list[Finding] = []
    ports = _whole(rows, cages, notes) if rows else list(cages.values())
    if SKU in files and cages:  # platform.json wins then (sonic-py-common device_info.py)
        ports = [cages.get(port.name, port) if port.lanes else port for port in ports]
    if findings:
        raise input_error(findings, next(iter(files.values())).shown)
    name, platform = _names(sources)
    known_modes = any(port.modes for port in ports)
    return Hardware(
        nos="sonic",
        name=name,
        ports=tuple(sorted(ports, key=_order)),
        source=", ".join(sorted(files.keys() & {PORTS, CAGES, SKU, HEADROOM, PROFILE, *BUFFERS})),
        asic=_asic(files.get(PROFILE), name),
        platform=platform,
        headroom=files[HEADROOM].text if HEADROOM in files else "",
        buffers=next((files[file].text for file in BUFFERS if file in files), ""),
        part_names=_part_names if known_modes else None,
        notes=tuple(notes),
    )


def _part_names(name: str, alias: str) -> tuple[str, str]:  # noqa: ARG001 - aliases are listed
    """Parts are named by their first lane as whole ports are (portconfig.py)."""
    return (name if name == "Ethernet{lane}" else ""), ""


def _order(port: FrontPort) -> tuple[int, str]:
    digits = re.search(r"\d{1,6}", port.name)
    return int(digits.group()) if digits else 0, port.name


def _names(sources: Iterable[Source]) -> tuple[str, str]:
    """Return HwSKU and platform: the folder of the list of ports, and the folder above."""
    folders = [source.name.split("/")[:-1] for source in sources]
    deepest = max(folders, key=len, default=[])
    platform, *rest = deepest or [""]
    return (rest[-1] if rest else platform), platform if _PLATFORM.match(platform) else ""


def _asic(profile: Source | None, name: str) -> str:
    series = _NVIDIA.search(name)
    if series:
        heads = (family for head, family in _SERIES if series[1].startswith(head))
        return next(heads, "")
    chip = _CHIP.search(profile.text) if profile else None
    return chip[1] if chip and is_asic(chip[1]) else ""


@dataclass(frozen=True, slots=True)
class _Row:
    """A line of ``port_config.ini``."""

    name: str
    lanes: tuple[int, ...]
    alias: str
    speeds_gbps: tuple[int, ...]
    place: Position


def _rows(source: Source | None, findings: list[Finding]) -> list[_Row]:
    rows = []
    for line, values in as_table(source.text) if source else ():
        assert source is not None
        place = Position(source.shown, line)
        lanes = lane_numbers(values.get("lanes", ""))
        if not lanes:
            message = f"{quoted(values.get('lanes', ''))} are not lanes"
            findings.append(wrong(message, "write lanes as 1,2,3,4", place, "lanes"))
        speeds = _speeds(values)
        if speeds is None:
            message = f"{quoted(values.get('speed', ''))} is not a speed in Mb/s"
            findings.append(wrong(message, "write a speed as 100000", place, "speed"))
        name = values.get("name", "")
        rows.append(_Row(name, lanes, values.get("alias") or name, speeds or (), place))
    return rows


def _speeds(values: Mapping[str, str]) -> tuple[int, ...] | None:
    """Return the speeds of a line in Gb/s, none where it has none; None where one is wrong."""
    words = [values.get("speed", ""), *values.get("valid_speeds", "").split(",")]
    words = [word for word in words if word]
    if not all(word.isascii() and word.isdigit() and 0 < len(word) < 8 for word in words):  # noqa: PLR2004
        return None
    return tuple(sorted({int(word) // 1000 for word in words} - {0}))


def _cages(source: Source | None, findings: list[Finding]) -> dict[str, FrontPort]:
    """Return the cages of ``platform.json`` by name; none where it lists none."""
    interfaces = as_json(source, findings).get("interfaces", {}) if source else {}
    if source is None or not isinstance(interfaces, dict):
        return {}
    cages = {}
    for name, row in interfaces.items():
        place = Position(source.shown)
        field = f"interfaces.{quoted(name)[1:-1]}"
        lanes = lane_numbers(row.get("lanes", "")) if isinstance(row, dict) else ()
        if not lanes:
            message = f"the lanes of {quoted(name)} are missing or wrong"
            findings.append(wrong(message, "write lanes as 1,2,3,4", place, field))
            continue
        modes = dict(_modes(row, len(lanes)))
        single = [mode for mode in modes if parse_mode(mode).parts == 1]
        alias = next((modes[mode][0] for mode in single if modes[mode]), name)
        speeds = {speed for mode in single for speed in parse_mode(mode).speeds_gbps}
        cages[name] = FrontPort(name, alias, len(lanes), tuple(sorted(speeds)), lanes, modes, place)
    return cages


def _modes(row: Mapping[str, Any], lanes: int) -> Iterator[tuple[str, tuple[str, ...]]]:
    """Yield the modes of a cage that rocefab can express, with the aliases of the parts."""
    given = row.get("breakout_modes")
    if isinstance(given, str):
        aliases = [word.strip() for word in str(row.get("alias_at_lanes", "")).split(",")]
        words = re.findall(r"\d+x[^,\[]+(?:\[[^\]]*\])?(?:\(\d+\))?", given)
        given = dict.fromkeys(words, aliases)
    if not isinstance(given, dict):
        return
    for word, aliases in given.items():
        try:
            mode = parse_mode(str(word))
        except ValueError:
            continue
        each = (mode.lanes or lanes) // mode.parts
        if (mode.lanes is not None and mode.lanes > lanes) or (mode.lanes or lanes) % mode.parts:
            continue
        listed = aliases.split(",") if isinstance(aliases, str) else aliases
        names = [str(alias).strip() for alias in listed] if isinstance(listed, list) else []
        if len(names) == lanes > mode.parts:
            names = names[::each]
        yield str(word), tuple(names[: mode.parts])


def _whole(
    rows: list[_Row], cages: Mapping[str, FrontPort], notes: list[Finding]
) -> list[FrontPort]:
    """Return whole cages: those of platform.json where it has them, else the listed ports."""
    parts = [row for row in rows if row.name not in cages or cages[row.name].lanes != row.lanes]
    if not cages or (len(parts) == len(rows) and not _inside(parts, cages)):
        return [_port(row) for row in rows]
    if parts and _inside(parts, cages):
        message = (
            f"the HwSKU breaks cages out: {counted(len(rows), 'port')} of "
            f"{counted(len(cages), 'cage')}"
        )
        notes.append(note(message, "set breakouts in fabric.yaml", rows[0].place))
    by_name = {row.name: row for row in rows}
    whole = []
    for cage in cages.values():
        row = by_name.get(cage.name)
        speeds = cage.speeds_gbps or (row.speeds_gbps if row else ())
        alias = row.alias if row and row.lanes == cage.lanes else cage.alias
        place = row.place if row else cage.place
        whole.append(
            FrontPort(cage.name, alias, cage.lane_count, speeds, cage.lanes, cage.modes, place)
        )
    taken = {lane for cage in whole for lane in cage.lanes}
    return [*whole, *(_port(row) for row in rows if not taken & {*row.lanes})]


def _inside(parts: Iterable[_Row], cages: Mapping[str, FrontPort]) -> bool:
    """Tell whether ports are parts of cages."""
    owners = {lane: cage.name for cage in cages.values() for lane in cage.lanes}
    return any(
        len({owners.get(lane) for lane in row.lanes}) == 1 and owners.get(row.lanes[0])
        for row in parts
        if row.lanes
    )


def _port(row: _Row) -> FrontPort:
    return FrontPort(row.name, row.alias, len(row.lanes), row.speeds_gbps, row.lanes, {}, row.place)
