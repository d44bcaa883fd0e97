"""What each line of a Comware 7 configuration says of the lossless class."""

from __future__ import annotations

import re

from fabric.core.units import min_to_s
from fabric.observe.configuration.blocks import numbers
from fabric.observe.configuration.lossless import Marking, Use, Value
from fabric.systems.comware7.reading_lossless.switch import LINES, ComwarePort, Switch

_FIELDS = {"src-ip": "src-ip", "dest-ip": "dst-ip", "src-port": "src-port", "dest-port": "dst-port"}
_HASH = re.compile(
    r"(per-packet|per-flow( algorithm \d)?"
    r"(?P<words>( (dest-ip|dest-port|ip-pro|src-ip|src-port))*))( (slot|chassis) .*)?"
)
_NEVER = 0

#: Values of a map table, and the line of each.
Rows = tuple[dict[int, int], dict[int, int]]


@LINES.means("interface")
def _interface(switch: Switch, line: int, name: str) -> ComwarePort:
    return switch.front.setdefault(name, ComwarePort(line=line, name=name))


@LINES.means("interval")
def _interval(switch: Switch, line: int, classes: str) -> None:
    switch.intervals |= dict.fromkeys(numbers(classes), line)


@LINES.means("action")
def _action(switch: Switch, _: int, action: str) -> None:
    switch.action = action


@LINES.means("threshold")
def _threshold(switch: Switch, line: int, classes: str, fatal: str | None = None) -> None:
    if fatal:
        switch.fatal |= dict.fromkeys(numbers(classes), line)


@LINES.means("map_table")
def _map_table(switch: Switch, _: int, name: str, outbound: str | None = None) -> Rows:
    key = f"{outbound} {name}" if outbound else name
    return switch.maps.setdefault(key, {}), switch.map_lines.setdefault(key, {})


@LINES.means("import")
def _import(rows: Rows, line: int, values: str, value: str) -> None:
    table, lines = rows
    for number in numbers(values):
        table[number], lines[number] = int(value), line


@LINES.means("wred_table")
def _wred_table(switch: Switch, line: int, name: str) -> dict[int, Marking]:
    switch.defined.append(Use("WRED table", name, line))
    return switch.tables.setdefault(name, {})


@LINES.means("arp")
def _arp(switch: Switch, line: int, minutes: str = "0", seconds: str = "0") -> None:
    switch.arp_timeout_s = Value(min_to_s(int(minutes)) + int(seconds), line)


@LINES.means("mac")
def _mac(switch: Switch, line: int, seconds: str | None = None) -> None:
    switch.mac_ageing_s = Value(int(seconds or _NEVER), line)


@LINES.means("hash")
def _hash(switch: Switch, _: int, words: str) -> None:
    mode = _HASH.fullmatch(words)
    if mode is None:
        raise ValueError(words)
    fields = {_FIELDS[word] for word in (mode["words"] or "").split() if word in _FIELDS}
    switch.hash_fields = fields or switch.hash_fields
