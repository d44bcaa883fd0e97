"""Ports, ageing and hash of a Cumulus configuration."""

from __future__ import annotations

import re

from fabric.observe.configuration.lossless import Use, Value, Watchdog
from fabric.systems.cumulus.reading_lossless.model import GLOBAL, KINDS, TABLE, Reading

_NAME = r"swp\d+(s\d+)?"
_PORT = rf"interface (?P<name>{_NAME})"
_NEIGHBOUR = r"vrf \S+ router bgp neighbor (?P<name>\S+)"
_HASHES = {
    "source-ip": "src-ip",
    "destination-ip": "dst-ip",
    "source-port": "src-port",
    "destination-port": "dst-port",
}


@TABLE.line(r"system hostname (?P<name>\S+)")
def _hostname(reading: Reading, _: int, name: str) -> None:
    reading.switch.name = name


@TABLE.line(rf"{_PORT} description (?P<text>.*)")
def _description(reading: Reading, line: int, name: str, text: str) -> None:
    reading.switch.port(name, line).description = text


@TABLE.line(rf"{_PORT} link state (?P<state>up|down)")
def _state(reading: Reading, line: int, name: str, state: str) -> None:
    reading.switch.port(name, line).enabled = state == "up"


@TABLE.line(rf"{_PORT} link mtu (?P<mtu>\d+)")
def _mtu(reading: Reading, line: int, name: str, mtu: str) -> None:
    reading.switch.port(name, line).mtu_bytes = Value(int(mtu), line)


@TABLE.line(rf"{_PORT} link speed (?P<gbps>\d+)G")
def _speed(reading: Reading, line: int, name: str, gbps: str) -> None:
    reading.switch.port(name, line).speed_gbps = float(gbps)


@TABLE.line(rf"{_PORT} (ip|ipv4|ipv6) address .*")
def _address(reading: Reading, line: int, name: str) -> None:
    reading.switch.port(name, line).routed = True


@TABLE.line(rf"{_PORT} bridge domain \S+(?P<access> access \d+)?( .*)?")
def _bridge(reading: Reading, line: int, name: str, access: str | None) -> None:
    reading.switch.port(name, line).routed = False
    reading.tagged[name] = reading.tagged.get(name, True) and not access


@TABLE.line(rf"{_PORT} qos pfc-watchdog( state (?P<state>\S+))?")
def _watchdog(reading: Reading, line: int, name: str, state: str | None) -> None:
    reading.switch.port(name, line)
    is_on = state in (None, "enable", "enabled", "on")
    reading.watchdogs[name] = Watchdog(line, enabled=is_on, action="drop")


@TABLE.line(rf"{_PORT} qos (?P<kind>{'|'.join(KINDS)}) profile (?P<profile>\S+)")
def _profile(reading: Reading, line: int, name: str, kind: str, profile: str) -> None:
    reading.switch.port(name, line)
    reading.bound[name][kind] = profile
    if profile != GLOBAL:
        reading.switch.used.append(Use(f"qos {kind} profile", profile, line))


@TABLE.line(rf"{_PORT} link breakout [248]x( .*)?")
def _parent(reading: Reading, _: int, name: str) -> None:
    reading.parents.add(name)


@TABLE.line(rf"{_PORT}( (?!qos ).*)?")
def _exists(reading: Reading, line: int, name: str) -> None:
    reading.switch.port(name, line)


@TABLE.line(rf"{_NEIGHBOUR}( .*)?")
def _neighbour(reading: Reading, line: int, name: str) -> None:
    reading.speakers.add(name)
    if re.fullmatch(_NAME, name):  # a session by the port: an unnumbered port needs no own line
        reading.switch.port(name, line)


@TABLE.line(r"system global arp base-reachable-time (?P<seconds>\d+)")
def _arp(reading: Reading, line: int, seconds: str) -> None:
    reading.reachable_s = Value(int(seconds), line)


@TABLE.line(r"system global arp base-reachable-time auto")
def _arp_auto(_: Reading, __: int) -> None:
    """Leave the default."""


@TABLE.line(r"bridge domain \S+ ageing (?P<seconds>\d+)")
def _mac(reading: Reading, line: int, seconds: str) -> None:
    reading.switch.mac_ageing_s = Value(int(seconds), line)


@TABLE.line(r"system forwarding ecmp-hash (?P<field>\S+) (?P<state>on|off|enabled|disabled)")
def _hash(reading: Reading, _: int, field: str, state: str) -> None:
    fields = reading.switch.hash_fields
    if fields is None:
        fields = reading.switch.hash_fields = set(_HASHES.values())
    if field in _HASHES and state in ("off", "disabled"):
        fields.discard(_HASHES[field])
