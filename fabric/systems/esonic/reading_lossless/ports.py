"""The lines of a port of Enterprise SONiC."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fabric.observe.configuration.blocks import numbers
from fabric.observe.configuration.lossless import Use, Value, Watchdog
from fabric.systems.esonic.reading_lossless.model import LINES

if TYPE_CHECKING:
    from fabric.systems.esonic.reading_lossless.model import Inside

_MBPS = 1_000


@LINES.means("description")
def _description(inside: Inside, _: int, text: str) -> None:
    inside[1].description = text.removeprefix('"').removesuffix('"')


@LINES.means("mtu")
def _mtu(inside: Inside, line: int, bytes: str) -> None:  # noqa: A002 - of the book
    inside[1].mtu_bytes = Value(int(bytes), line)


@LINES.means("speed")
def _speed(inside: Inside, _: int, mbps: str | None = None) -> None:
    if mbps:  # else it is negotiated
        inside[1].speed_gbps = int(mbps) / _MBPS


@LINES.means("shutdown")
def _shutdown(inside: Inside, _: int, no: str | None) -> None:
    inside[1].enabled = bool(no)


@LINES.means("trunk")
def _trunk(inside: Inside, _: int) -> None:
    inside[1].routed, inside[1].tagged = False, True


@LINES.means("switched")
def _switched(inside: Inside, _: int, **__: str) -> None:
    inside[1].routed = False


@LINES.means("routed")
def _routed(inside: Inside, _: int, **__: str) -> None:
    inside[1].routed = True


@LINES.means("member")
def _member(inside: Inside, _: int, number: str) -> None:
    switch, port = inside
    port.routed = False
    switch.members[port.name] = f"PortChannel{number}"


def _bind(inside: Inside, line: int, key: str, kind: str, name: str) -> None:
    switch, port = inside
    switch.bound.setdefault(port.name, {})[key] = name
    switch.used.append(Use(kind, name, line))


@LINES.means("port_wred")
def _port_wred(inside: Inside, line: int, queue: str, name: str) -> None:
    _bind(inside, line, f"queue {queue}", "qos wred-policy", name)


@LINES.means("port_scheduler")
def _port_scheduler(inside: Inside, line: int, name: str) -> None:
    _bind(inside, line, "qos scheduler-policy", "qos scheduler-policy", name)


@LINES.means("port_map")
def _port_map(inside: Inside, line: int, kind: str, name: str) -> None:
    _bind(inside, line, f"qos map {kind}", f"qos map {kind}", name)


@LINES.means("pfc")
def _pfc(inside: Inside, line: int, many: str) -> None:
    inside[1].pfc |= dict.fromkeys(numbers(many), line)


@LINES.means("cable")
def _cable(inside: Inside, _: int, length: str) -> None:
    inside[1].cable_m = int(length.removesuffix("m"))


def _guard(inside: Inside, line: int) -> Watchdog:
    port = inside[1]
    port.watchdog = port.watchdog or Watchdog(line, action="drop")
    return port.watchdog


@LINES.means("action")
def _action(inside: Inside, line: int, word: str) -> None:
    _guard(inside, line).action = word


@LINES.means("detection")
def _detection(inside: Inside, line: int, ms: str) -> None:
    _guard(inside, line).detection_ms = float(ms)


@LINES.means("restoration")
def _restoration(inside: Inside, line: int, ms: str) -> None:
    _guard(inside, line).restoration_ms = float(ms)


@LINES.means("off")
def _off(inside: Inside, line: int) -> None:
    inside[1].watchdog = Watchdog(line, enabled=False)
