"""The lines of a port of Enterprise SONiC."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fabric.observe.configuration.blocks import Context, numbers
from fabric.observe.configuration.lossless import Use, Value, Watchdog
from fabric.systems.esonic.reading_lossless.model import KIND

if TYPE_CHECKING:
    from fabric.systems.esonic.reading_lossless.model import Inside

_MBPS = 1_000
PORT = Context(
    r"(?!description |mtu |speed |(no )?shutdown$|ip address |switchport |channel-group "
    r"|ipv6 enable$|queue |scheduler-policy |qos-map |priority-flow-control "
    r"|service-policy type qos in ).*",
    r"speed (?!\d+$).*",
    rf"qos-map (?!{KIND} ).*",
    r"no priority-flow-control .*",
)


@PORT.line(r"description \"?(?P<text>.*?)\"?")
def _description(inside: Inside, _: int, text: str) -> None:
    inside[1].description = text


@PORT.line(r"mtu (?P<mtu>\d+)")
def _mtu(inside: Inside, line: int, mtu: str) -> None:
    inside[1].mtu_bytes = Value(int(mtu), line)


@PORT.line(r"speed (?P<mbps>\d+)")
def _speed(inside: Inside, _: int, mbps: str) -> None:
    inside[1].speed_gbps = int(mbps) / _MBPS


@PORT.line(r"(?P<no>no )?shutdown")
def _shutdown(inside: Inside, _: int, no: str | None) -> None:
    inside[1].enabled = bool(no)


@PORT.line(r"switchport trunk .*")
def _trunk(inside: Inside, _: int) -> None:
    inside[1].routed, inside[1].tagged = False, True


@PORT.line(r"(?P<word>switchport|ip address) .*", r"ipv6 enable")
def _place(inside: Inside, _: int, word: str | None = None) -> None:
    inside[1].routed = word != "switchport"


@PORT.line(r"channel-group (?P<number>\d+)( .*)?")
def _member(inside: Inside, _: int, number: str) -> None:
    switch, port = inside
    port.routed = False
    switch.members[port.name] = f"PortChannel{number}"


def _bind(inside: Inside, line: int, key: str, kind: str, name: str) -> None:
    switch, port = inside
    switch.bound.setdefault(port.name, {})[key] = name
    switch.used.append(Use(kind, name, line))


@PORT.line(r"queue (?P<queue>[0-7]) wred-policy (?P<name>\S+)")
def _port_wred(inside: Inside, line: int, queue: str, name: str) -> None:
    _bind(inside, line, f"queue {queue}", "qos wred-policy", name)


@PORT.line(r"scheduler-policy (?P<name>\S+)")
def _port_scheduler(inside: Inside, line: int, name: str) -> None:
    _bind(inside, line, "qos scheduler-policy", "qos scheduler-policy", name)


@PORT.line(rf"qos-map {KIND} (?P<name>\S+)")
def _port_map(inside: Inside, line: int, kind: str, name: str) -> None:
    _bind(inside, line, f"qos map {kind}", f"qos map {kind}", name)


@PORT.line(r"priority-flow-control priority (?P<many>[0-7][\d,-]*)")
def _pfc(inside: Inside, line: int, many: str) -> None:
    inside[1].pfc |= dict.fromkeys(numbers(many), line)


@PORT.line(r"priority-flow-control asymmetric")
def _asymmetric(_: Inside, __: int) -> None:
    """Leave it out: frames that arrive pause all priorities then, those sent stay the same."""


def _guard(inside: Inside, line: int) -> Watchdog:
    port = inside[1]
    port.watchdog = port.watchdog or Watchdog(line, action="drop")
    return port.watchdog


@PORT.line(r"priority-flow-control watchdog action (?P<word>drop|forward|alert)")
def _action(inside: Inside, line: int, word: str) -> None:
    _guard(inside, line).action = word


@PORT.line(r"priority-flow-control watchdog on detect-time (?P<ms>\d+)")
def _detection(inside: Inside, line: int, ms: str) -> None:
    _guard(inside, line).detection_ms = float(ms)


@PORT.line(r"priority-flow-control watchdog restore-time (?P<ms>\d+)")
def _restoration(inside: Inside, line: int, ms: str) -> None:
    _guard(inside, line).restoration_ms = float(ms)


@PORT.line(r"priority-flow-control watchdog off")
def _off(inside: Inside, line: int) -> None:
    inside[1].watchdog = Watchdog(line, enabled=False)
