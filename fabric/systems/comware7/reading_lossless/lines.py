"""What each line of a Comware 7 configuration says of the lossless class."""

from __future__ import annotations

from operator import attrgetter
from typing import TYPE_CHECKING

from fabric.core.units import min_to_s
from fabric.observe.configuration.blocks import Context, numbers
from fabric.observe.configuration.lossless import Marking, Use, Value
from fabric.observe.configuration.port_lines import add_port_lines
from fabric.systems.comware7.reading_lossless.port import PORT, add_pfc_lines, add_wred_lines
from fabric.systems.comware7.reading_lossless.switch import Port

if TYPE_CHECKING:
    from fabric.systems.comware7.reading_lossless.switch import Switch

_FIELDS = {"src-ip": "src-ip", "dest-ip": "dst-ip", "src-port": "src-port", "dest-port": "dst-port"}
_NEVER = 0

TOP = Context(
    r"(?!sysname |interface |qos |(undo )?priority-flow-control|arp timer aging |mac-address timer "
    r"|ip load-sharing mode ).*",
    r"interface (M-|(?!.*((GigE|GigabitEthernet)[\d/:]+|(Bridge|Route)-Aggregation\d+)$)).*",
    r"priority-flow-control deadlock (precision|auto-recover cos) .*",
    r"priority-flow-control poolid .*",
    r"qos (trust tunnel-dot1p|carl|policy|traffic-counter|vlan-policy) ?.*",
)
_MAP = Context()
_TABLE = Context()

add_port_lines(TOP, PORT, name="sysname", undo="undo ")


@TOP.line(r"interface (?P<name>\S+)", inside=PORT)
def _interface(switch: Switch, line: int, name: str) -> Port:
    return switch.front.setdefault(name, Port(line=line, name=name))


add_pfc_lines(TOP, attrgetter("every"))


@TOP.line(r"priority-flow-control deadlock cos (?P<classes>[\d,-]+) interval \d+")
def _interval(switch: Switch, line: int, classes: str) -> None:
    switch.intervals |= dict.fromkeys(numbers(classes), line)


@TOP.line(r"priority-flow-control deadlock auto-recover action (?P<action>discard|forwarding)")
def _action(switch: Switch, _: int, action: str) -> None:
    switch.action = action


@TOP.line(
    r"priority-flow-control deadlock threshold cos (?P<classes>[\d,-]+) period \d+ count \d+"
    r"(?P<fatal> error-down)?"
)
def _threshold(switch: Switch, line: int, classes: str, fatal: str | None) -> None:
    if fatal:
        switch.fatal |= dict.fromkeys(numbers(classes), line)


@TOP.line(r"qos map-table (?P<outbound>outbound )?(inbound )?(?P<name>\S+)", inside=_MAP)
def _map_table(switch: Switch, _: int, name: str, outbound: str | None) -> dict[int, int]:
    return switch.maps.setdefault(f"{outbound or ''}{name}", {})


@_MAP.line(r"import (?P<values>[\d ,to-]+) export (?P<value>\d+)")
def _import(table: dict[int, int], _: int, values: str, value: str) -> None:
    table |= dict.fromkeys(numbers(values), int(value))


@TOP.line(r"qos wred queue table (?P<name>\S+)", inside=_TABLE)
def _wred_table(switch: Switch, line: int, name: str) -> dict[int, Marking]:
    switch.defined.append(Use("WRED table", name, line))
    return switch.tables.setdefault(name, {})


add_wred_lines(_TABLE, "", lambda table: table)


@TOP.line(r"arp timer aging ((?P<minutes>\d+)|second (?P<seconds>\d+))")
def _arp(switch: Switch, line: int, minutes: str | None, seconds: str | None) -> None:
    switch.arp_timeout_s = Value(min_to_s(int(minutes)) if minutes else int(seconds or 0), line)


@TOP.line(r"mac-address timer (aging (?P<seconds>\d+)|no-aging)")
def _mac(switch: Switch, line: int, seconds: str | None) -> None:
    switch.mac_ageing_s = Value(int(seconds or _NEVER), line)


@TOP.line(
    r"ip load-sharing mode (per-packet|per-flow( algorithm \d)?"
    r"(?P<words>( (dest-ip|dest-port|ip-pro|src-ip|src-port))*))( (slot|chassis) .*)?"
)
def _hash(switch: Switch, _: int, words: str | None) -> None:
    fields = {_FIELDS[word] for word in (words or "").split() if word in _FIELDS}
    switch.hash_fields = fields or switch.hash_fields
