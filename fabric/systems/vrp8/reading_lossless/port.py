"""What each line of a VRP8 port says of the lossless class."""

from __future__ import annotations

import re

from fabric.core.units import kib_to_bytes, mib_to_bytes
from fabric.observe.configuration.blocks import Context, numbers
from fabric.observe.configuration.lossless import Value
from fabric.systems.vrp8.reading_lossless.switch import DEFAULT, Named, Port

#: "1 kbytes" is taken for 1,024 bytes, as for the headroom pool of the design.
_BYTES = {"kbytes": kib_to_bytes, "mbytes": mib_to_bytes}
_MODES = re.compile(r"(pq|drr|lpq)((?: [0-7](?: to [0-7])?)+)")
#: Lines of ``qos`` that change nothing for the lossless class: rates, rewriting, counters, and
#: buffers of egress, whose effect depends on the load.
_HARMLESS = (
    r"(undo )?qos (lr|car|phb|group|micro-burst|statistics|buffer-monitoring) .*",
    r"qos buffer queue [0-7] shared-threshold .*",
)

PORT = Context(
    r"(?!description |(undo )?shutdown$|(undo )?portswitch$|trust |dcb |(undo )?qos |jumboframe "
    r"|port (link-type|default|trunk|hybrid|pfc-deadlock) |arp timeout |eth-trunk "
    r"|traffic-policy ).*",
    *_HARMLESS,
    r"dcb (app-profile|compliance) .*",
    r"port pfc-deadlock trigger turn-off",
)


@PORT.line(r"(?P<undo>undo )?portswitch")
def _portswitch(port: Port, _: int, undo: str | None) -> None:
    port.routed = bool(undo)


@PORT.line(r"port link-type (trunk|hybrid)")
def _tagged(port: Port, _: int) -> None:
    port.routed, port.tagged = False, True


@PORT.line(r"port (link-type|default vlan|trunk|hybrid) .*")
def _switched(port: Port, _: int) -> None:
    port.routed = False


@PORT.line(r"eth-trunk (?P<number>\d+)( .*)?")
def _trunk(port: Port, _: int, number: str) -> None:
    port.trunk = f"Eth-Trunk{number}"


@PORT.line(r"jumboframe enable (?P<frame>\d+)")
def _jumboframe(port: Port, line: int, frame: str) -> None:
    port.frame_bytes = Value(int(frame), line)


@PORT.line(r"arp timeout (?P<seconds>\d+)")
def _arp(port: Port, line: int, seconds: str) -> None:
    port.arp_timeout_s = Value(int(seconds), line)


@PORT.line(r"trust (?P<what>dscp|8021p (inner|outer))")
def _trust(port: Port, _: int, what: str) -> None:
    port.trusts_dscp = what == "dscp"


@PORT.line(r"trust upstream (?P<name>\S+)")
def _domain(port: Port, line: int, name: str) -> None:
    port.domain = Named(name, line)


@PORT.line(r"dcb pfc enable( (?P<name>(?!mode )\S+))?( mode (?P<mode>auto|manual))?")
def _pfc(port: Port, line: int, name: str | None, mode: str | None) -> None:
    port.profile = Named(name or DEFAULT, line)
    port.pfc_on = mode != "auto"
    port.negotiated = line if mode == "auto" else None


@PORT.line(
    r"dcb pfc buffer (?P<queue>[0-7]) (xon static \d+ [km]bytes )?xoff static (?P<size>\d+)"
    r"( (?P<unit>[km]bytes))?( xon offset .*)?"
)
def _pause(port: Port, line: int, queue: str, size: str, unit: str | None) -> None:
    port.pause_bytes[int(queue)] = Value(_BYTES[unit or "kbytes"](int(size)), line)


@PORT.line(r"dcb pfc buffer [0-7] (xon dynamic \d+ )?xoff dynamic \d+( xon offset .*)?")
@PORT.line(r"dcb pfc buffer [0-7] (guaranteed|hdrm) .*")
def _dynamic(_: Port, __: int) -> None:
    """Leave the threshold open: it follows the buffer that is free."""


@PORT.line(r"dcb ets enable (?P<name>\S+)")
def _ets(port: Port, line: int, name: str) -> None:
    port.ets = Named(name, line)


@PORT.line(r"port pfc-deadlock trigger (?P<what>error-down)")
def _trigger(port: Port, line: int, what: str) -> None:
    port.trigger = Named(what, line)


@PORT.line(r"qos (?P<modes>(pq|drr|lpq) [\d topqdrl]+)")
def _modes(port: Port, line: int, modes: str) -> None:
    if _MODES.sub("", modes).strip():
        raise ValueError(modes)
    for mode, queues in _MODES.findall(modes):
        port.modes |= dict.fromkeys(numbers(queues), Named(mode, line))


@PORT.line(r"qos queue (?P<queue>[0-7]) drr weight (?P<weight>\d+)")
def _weight(port: Port, line: int, queue: str, weight: str) -> None:
    port.weights[int(queue)] = Value(int(weight), line)


@PORT.line(r"qos queue (?P<queue>[0-7]) shaping .*")
def _shaping(port: Port, _: int, queue: str) -> None:
    port.shaped.add(int(queue))


@PORT.line(r"qos queue (?P<queue>[0-7]) wred (?P<name>\S+)")
def _wred(port: Port, line: int, queue: str, name: str) -> None:
    port.wred[int(queue)] = Named(name, line)


@PORT.line(r"qos queue (?P<queue>[0-7]) ecn")
def _ecn(port: Port, line: int, queue: str) -> None:
    port.ecn[int(queue)] = line
