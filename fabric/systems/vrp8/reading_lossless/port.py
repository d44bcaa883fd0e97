"""What each line of a VRP8 port says of the lossless class."""

from __future__ import annotations

import re

from fabric.core.units import kib_to_bytes, mib_to_bytes
from fabric.observe.configuration.blocks import numbers
from fabric.observe.configuration.lossless import Value
from fabric.systems.vrp8.reading_lossless.switch import DEFAULT, LINES, Named, VrpPort

#: "1 kbytes" is taken for 1,024 bytes, as for the headroom pool of the design.
_BYTES = {"kbytes": kib_to_bytes, "mbytes": mib_to_bytes}
_MODES = re.compile(r"(pq|drr|lpq)((?: [0-7](?: to [0-7])?)+)")


@LINES.means("portswitch")
def _portswitch(port: VrpPort, _: int, no: str | None) -> None:
    port.routed = bool(no)


@LINES.means("link_type")
def _link_type(port: VrpPort, _: int, kind: str) -> None:
    port.routed, port.tagged = False, port.tagged or kind != "access"


@LINES.means("switched")
def _switched(port: VrpPort, _: int) -> None:
    port.routed = False


@LINES.means("trunk")
def _trunk(port: VrpPort, _: int, number: str) -> None:
    port.trunk = f"Eth-Trunk{number}"


@LINES.means("jumboframe")
def _jumboframe(port: VrpPort, line: int, frame: str) -> None:
    port.frame_bytes = Value(int(frame), line)


@LINES.means("port_arp")
def _arp(port: VrpPort, line: int, seconds: str) -> None:
    port.arp_timeout_s = Value(int(seconds), line)


@LINES.means("trust")
def _trust(port: VrpPort, _: int, what: str = "8021p") -> None:
    port.trusts_dscp = what == "dscp"


@LINES.means("domain")
def _domain(port: VrpPort, line: int, name: str) -> None:
    port.domain = Named(name, line)


@LINES.means("pfc")
def _pfc(port: VrpPort, line: int, name: str = DEFAULT, mode: str = "") -> None:
    port.profile = Named(name, line)
    port.pfc_on = mode != "auto"
    port.negotiated = line if mode == "auto" else None


@LINES.means("pause")
def _pause(port: VrpPort, line: int, queue: str, size: str, unit: str = "kbytes") -> None:
    port.pause_bytes[int(queue)] = Value(_BYTES[unit](int(size)), line)


@LINES.means("headroom")
def _headroom(port: VrpPort, line: int, queue: str, size: str) -> None:
    port.headroom_bytes[int(queue)] = Value(kib_to_bytes(int(size)), line)


@LINES.means("ets")
def _ets(port: VrpPort, line: int, name: str) -> None:
    port.ets = Named(name, line)


@LINES.means("trigger")
def _trigger(port: VrpPort, line: int, what: str) -> None:
    port.trigger = Named(what, line)


@LINES.means("modes")
def _modes(port: VrpPort, line: int, modes: str) -> None:
    if _MODES.sub("", modes).strip():
        raise ValueError(modes)
    for mode, queues in _MODES.findall(modes):
        port.modes |= dict.fromkeys(numbers(queues), Named(mode, line))


@LINES.means("weight")
def _weight(port: VrpPort, line: int, queue: str, weight: str) -> None:
    port.weights[int(queue)] = Value(int(weight), line)


@LINES.means("shaping")
def _shaping(port: VrpPort, _: int, queue: str) -> None:
    port.shaped.add(int(queue))


@LINES.means("wred")
def _wred(port: VrpPort, line: int, queue: str, name: str) -> None:
    port.wred[int(queue)] = Named(name, line)


@LINES.means("ecn")
def _ecn(port: VrpPort, line: int, queue: str) -> None:
    port.ecn[int(queue)] = line
