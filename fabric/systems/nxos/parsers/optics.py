"""NX-OS: optics and temperatures, from text.

Layouts: the recorded outputs of networktocode/ntc-templates,
tests/cisco_nxos/show_interface_transceiver_details and show_environment_temperature. Nothing in
them counts their rows, so a row that is missing as a whole cannot be detected.
"""

from __future__ import annotations

import math
import re

from fabric.observe.parsers import UnreadableError
from fabric.observe.parsers.tables import plain
from fabric.observe.state import Optic, Sensor

_PORT = re.compile(r"^(Ethernet\d+(?:/\d+)+) *\n", re.MULTILINE)
_PRESENT = re.compile(r"^ +transceiver is ", re.MULTILINE)
_MEASURED = re.compile(r"^ +(Temperature|Tx Power|Rx Power) +(\S+)(?: (C|dBm)\b)?.*$", re.MULTILINE)
_UNITS = {"Temperature": "C", "Tx Power": "dBm", "Rx Power": "dBm"}
_NOT_MEASURED = "N/A"
_HEADER = re.compile(r"^Module +Sensor +MajorThresh +MinorThres +CurTemp +Status *$", re.MULTILINE)
_SENSOR = re.compile(r"(\S+) +(\S.*?) +(?:\d+|N/A) +(\d+|N/A) +(\d+|N/A) +\S+ *")
_IGNORED = re.compile(r"-+|(?: *\(Celsius\))+ *| *")


def optics(text: str) -> dict[str, Optic]:
    """Parse ``show interface transceiver details``; a port that measures nothing is left out.

    A module of several lanes prints a table for each; one of them may have the temperature alone.

    Raises
    ------
    UnreadableError
        When there are no ports, or what is measured is no number.
    """
    before, *pieces = _PORT.split(_whole(text))
    if before.strip() or not pieces:
        raise UnreadableError("there are no ports")
    seen = {port: _optic(part) for port, part in zip(pieces[::2], pieces[1::2], strict=True)}
    return {port: optic for port, optic in seen.items() if optic != Optic()}


def _optic(part: str) -> Optic:
    if len(_PRESENT.findall(part)) > 1:
        raise UnreadableError("the name of a port is missing")
    measured: dict[str, list[float | None]] = {name: [] for name in _UNITS}
    for name, word, unit in _MEASURED.findall(part):
        measured[name].append(_value(word, unit, _UNITS[name]))
    temperatures, sent, received = measured.values()
    if len(sent) != len(received):
        raise UnreadableError("a lane has one of its two powers")
    return Optic(
        temperature_celsius=next((one for one in temperatures if one is not None), None),
        received_dbm=tuple(received) or None,
        sent_dbm=tuple(sent) or None,
    )


def _value(word: str, unit: str, right: str) -> float | None:
    if word == _NOT_MEASURED:
        return None
    try:
        value = float(word)
    except ValueError:
        value = math.nan
    if unit != right or not math.isfinite(value):
        raise UnreadableError(f"{word[:80]!r} {unit!r} is not a figure in {right}")
    return value


def temperatures(text: str) -> dict[str, Sensor]:
    """Parse ``show environment temperature``: by module and sensor, numbered where names repeat.

    Raises
    ------
    UnreadableError
        When the table is missing, or a row of it is cut.
    """
    header = _HEADER.search(text := _whole(text))
    if header is None:
        raise UnreadableError("there is no table of sensors")
    sensors: dict[str, Sensor] = {}
    for line in text[header.end() :].splitlines():
        row = _SENSOR.fullmatch(line)
        if row is None and not _IGNORED.fullmatch(line):
            raise UnreadableError(f"a row is cut, or of another table: {line[:80]!r}")
        if row is not None and row[4] != _NOT_MEASURED:
            minor = None if row[3] == _NOT_MEASURED else float(row[3])
            sensors[_unused(f"{row[1]} {row[2]}", sensors)] = Sensor(float(row[4]), minor)
    return sensors


def _unused(name: str, used: dict[str, Sensor]) -> str:
    number = 1 + sum(one == name or one.startswith(f"{name} #") for one in used)
    return name if number == 1 else f"{name} #{number}"


def _whole(text: str) -> str:
    text = plain(text)
    if not text.endswith("\n"):
        raise UnreadableError("the last line is cut")
    return text
