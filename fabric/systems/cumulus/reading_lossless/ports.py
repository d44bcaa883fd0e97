"""Ports, ageing and hash of a Cumulus configuration."""

from __future__ import annotations

import re

from fabric.observe.configuration.lossless import Use, Value, Watchdog
from fabric.systems.cumulus.reading_lossless.model import GLOBAL, LINES, LosslessLines

_NAME = r"swp\d+(s\d+)?"
_HASHES = {
    "source-ip": "src-ip",
    "destination-ip": "dst-ip",
    "source-port": "src-port",
    "destination-port": "dst-port",
}


@LINES.means("hostname")
def _hostname(reading: LosslessLines, _: int, name: str) -> None:
    reading.switch.name = name


@LINES.means("description")
def _description(reading: LosslessLines, line: int, name: str, text: str) -> None:
    reading.port(name, line).description = text


@LINES.means("state")
def _state(reading: LosslessLines, line: int, name: str, state: str) -> None:
    reading.port(name, line).enabled = state == "up"


@LINES.means("mtu")
def _mtu(reading: LosslessLines, line: int, name: str, mtu: str) -> None:
    reading.port(name, line).mtu_bytes = Value(int(mtu), line)


@LINES.means("speed")
def _speed(reading: LosslessLines, line: int, name: str, speed: str) -> None:
    port = reading.port(name, line)
    if re.fullmatch(r"\d+G", speed):
        port.speed_gbps = float(speed.removesuffix("G"))


@LINES.means("address")
def _address(reading: LosslessLines, line: int, name: str, **_: str) -> None:
    reading.port(name, line).routed = True


@LINES.means("bridge")
def _bridge(
    reading: LosslessLines, line: int, name: str, vlan: str | None = None, **_: str
) -> None:
    reading.port(name, line).routed = False
    reading.tagged[name] = reading.tagged.get(name, True) and not vlan


@LINES.means("watchdog")
def _watchdog(reading: LosslessLines, line: int, name: str, state: str | None = None) -> None:
    reading.port(name, line)
    is_on = state in (None, "enable", "enabled", "on")
    reading.watchdogs[name] = Watchdog(line, enabled=is_on, action="drop")


@LINES.means("profile")
def _profile(reading: LosslessLines, line: int, name: str, kind: str, profile: str) -> None:
    reading.port(name, line)
    reading.bound[name][kind] = profile
    if profile != GLOBAL:
        reading.switch.used.append(Use(f"qos {kind} profile", profile, line))


@LINES.means("parent")
def _parent(reading: LosslessLines, line: int, name: str, parts: str) -> None:
    if parts == "1x":
        reading.port(name, line)
    else:
        reading.parents.add(name)


@LINES.means("exists")
def _exists(reading: LosslessLines, line: int, name: str, rest: str = "", **_: str) -> None:
    if rest.startswith("qos "):
        raise ValueError(rest)
    reading.port(name, line)


@LINES.means("neighbour")
def _neighbour(reading: LosslessLines, line: int, name: str) -> None:
    reading.speakers.add(name)
    if re.fullmatch(_NAME, name):  # a session by the port: an unnumbered port needs no own line
        reading.port(name, line)


@LINES.means("arp")
def _arp(reading: LosslessLines, line: int, seconds: str = "", **_: str) -> None:
    if seconds:  # `auto` leaves the default
        reading.reachable_s = Value(int(seconds), line)


@LINES.means("mac")
def _mac(reading: LosslessLines, line: int, seconds: str, **_: str) -> None:
    reading.switch.mac_ageing_s = Value(int(seconds), line)


@LINES.means("hash")
def _hash(reading: LosslessLines, _: int, field: str, state: str) -> None:
    fields = reading.switch.hash_fields
    if fields is None:
        fields = reading.switch.hash_fields = set(_HASHES.values())
    if field in _HASHES and state in ("off", "disabled"):
        fields.discard(_HASHES[field])
