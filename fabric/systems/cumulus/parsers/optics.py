"""Cumulus Linux: optics of each port, and temperatures of the switch.

Layouts of CumulusNetworks/docs, content/cumulus-linux-514, NVUE Reference, Platform:
``nv show interface PORT transceiver`` (from 5.11 on) and ``nv show platform environment
temperature`` (from 5.9 on).
"""

from __future__ import annotations

import re

from fabric.observe.parsers import UnreadableError
from fabric.observe.state import Optic, Sensor
from fabric.systems.cumulus.parsers.counters import by_port
from fabric.systems.cumulus.parsers.tables import rows, sections

_POWER = re.compile(r"^ch-(\d+)-(rx|tx)-power +: (.*?) *$", re.MULTILINE)
_DBM = re.compile(r"\d+\.\d+ mW / (-?\d+\.\d+) dBm")
_TEMPERATURE = re.compile(r"^temperature +: (.*?) *$", re.MULTILINE)
_CELSIUS = re.compile(r"(-?\d+\.\d+) degrees C / -?\d+\.\d+ degrees F")
_CURRENT, _LIMIT, _NAME = "Cur Temp (°C)", "Max Temp", "Name"
_NUMBER = re.compile(r"-?\d+(?:\.\d+)?")
_NONE = "N/A"


def optics(text: str) -> dict[str, Optic]:
    """Parse ``nv show interface PORT transceiver``; a port that measures nothing is left out.

    Raises
    ------
    UnreadableError
        When no port prints anything, or what is measured is no number.
    """
    if not any(part.strip() for part in by_port(text, str).values()):
        raise UnreadableError("no port has an answer; the command exists from 5.11 on")
    seen = by_port(text, _optic)
    return {port: optic for port, optic in seen.items() if optic != Optic()}


def _optic(part: str) -> Optic:
    if part.strip() and not part.endswith("\n"):
        raise UnreadableError("the last line is cut")
    powers: dict[str, dict[int, float | None]] = {"rx": {}, "tx": {}}
    for lane, way, words in _POWER.findall(part):
        powers[way][int(lane)] = _figure(words, _DBM)
    lanes = set(range(1, len(powers["rx"]) + 1))
    if not powers["rx"].keys() == powers["tx"].keys() == lanes:
        raise UnreadableError("a lane is missing, or one of its two powers")
    received, sent = (tuple(one[lane] for lane in sorted(one)) or None for one in powers.values())
    words = _TEMPERATURE.search(part)
    return Optic(_figure(words[1], _CELSIUS) if words else None, received, sent)


def _figure(words: str, form: re.Pattern[str]) -> float | None:
    if words == _NONE:
        return None
    said = form.fullmatch(words)
    if said is None:
        raise UnreadableError(f"{words[:80]!r} is not a figure with its unit")
    return float(said[1])


def temperatures(text: str) -> dict[str, Sensor]:
    """Parse ``nv show platform environment temperature``.

    Raises
    ------
    UnreadableError
        When the table is missing, or a row of it is cut.
    """
    sensors = {}
    for row in rows(sections(text)[""]):
        name, word = row.get(_NAME), row.get(_CURRENT, "")
        if not name or not (_NUMBER.fullmatch(word) or word == _NONE):
            raise UnreadableError(f"a row is cut, or of another table: {row}")
        if word != _NONE:
            limit = row.get(_LIMIT, "")
            most = float(limit) if _NUMBER.fullmatch(limit) else None
            sensors[name] = Sensor(float(word), most)
    return sensors
