"""Ports, what is bound to them, ageing and hash of a Junos configuration."""

from __future__ import annotations

import glob
import re
from fnmatch import fnmatchcase

from fabric.observe.configuration.lossless import Use, Value
from fabric.observe.configuration.model import Leftover
from fabric.systems.junos.platforms.text import unquoted
from fabric.systems.junos.reading_lossless.model import LINES, Binding, LosslessLines

_MINUTE_S = 60


@LINES.means("host_name")
def _host_name(reading: LosslessLines, _: int, name: str) -> None:
    reading.switch.name = name


@LINES.means("description")
def _description(reading: LosslessLines, line: int, name: str, text: str) -> None:
    reading.switch.port(name, line).description = unquoted(text)


@LINES.means("disable")
def _disable(reading: LosslessLines, line: int, name: str, unit: str = "0") -> None:
    port = reading.switch.port(name, line)
    port.enabled = port.enabled and unit != "0"


@LINES.means("mtu")
def _mtu(reading: LosslessLines, line: int, name: str, mtu: str) -> None:
    reading.switch.port(name, line).mtu_bytes = Value(int(mtu), line)


@LINES.means("inet_mtu")
def _inet_mtu(reading: LosslessLines, line: int, name: str, mtu: str, **_: str) -> None:
    reading.switch.port(name, line)
    reading.inet_mtu_bytes[name] = Value(int(mtu), line)


@LINES.means("filter")
def _filter(reading: LosslessLines, line: int, name: str, family: str, filtered: str) -> None:
    port = reading.switch.port(name, line)
    if family == "ethernet-switching":
        port.routed = False
    words = f"{name} has filter {filtered}, which sets forwarding classes"
    reading.filtered.setdefault(filtered, Leftover(line, words))


@LINES.means("classifying")
def _classifying(reading: LosslessLines, _: int, name: str, rest: str) -> None:
    if re.fullmatch(r".* then forwarding-class \S+", rest):
        reading.classifying.add(name)


@LINES.means("routed")
def _routed(reading: LosslessLines, line: int, name: str, **_: str) -> None:
    reading.switch.port(name, line).routed = True


@LINES.means("tagged")
def _tagged(reading: LosslessLines, line: int, name: str) -> None:
    port = reading.switch.port(name, line)
    port.tagged = True
    port.routed = port.routed or False


@LINES.means("switched")
def _switched(reading: LosslessLines, line: int, name: str, mode: str = "access", **_: str) -> None:
    if mode == "trunk":
        _tagged(reading, line, name)
    else:
        reading.switch.port(name, line).routed = False


@LINES.means("speed")
def _speed(reading: LosslessLines, line: int, name: str, gbps: str) -> None:
    reading.switch.port(name, line)
    if re.fullmatch(r"\d+g", gbps):
        reading.speeds_gbps[name] = float(gbps.removesuffix("g"))


@LINES.means("member")
def _member(reading: LosslessLines, line: int, name: str, bundle: str) -> None:
    reading.switch.port(name, line)
    reading.members[name] = bundle


@LINES.means("parent")
def _parent(reading: LosslessLines, _: int, name: str) -> None:
    reading.parents.add(name)


@LINES.means("exists")
def _exists(reading: LosslessLines, line: int, name: str) -> None:
    reading.switch.port(name, line)


def _bind(reading: LosslessLines, line: int, port: str, kind: str, name: str) -> None:
    reading.bindings.append(Binding(port, kind, name, line))
    if name != "default":
        reading.switch.used.append(Use(kind, name, line))


@LINES.means("bind")
def _bind_notification(reading: LosslessLines, line: int, port: str, name: str) -> None:
    _bind(reading, line, port, "congestion-notification-profile", name)


@LINES.means("bind_map")
def _bind_map(reading: LosslessLines, line: int, port: str, name: str) -> None:
    _bind(reading, line, port, "scheduler-map", name)


@LINES.means("bind_classifier")
def _bind_classifier(reading: LosslessLines, line: int, port: str, name: str) -> None:
    _bind(reading, line, port, "classifier", name)


@LINES.means("bind_tags")
def _bind_tags(reading: LosslessLines, line: int, port: str, name: str) -> None:
    _bind(reading, line, port, "ieee-802.1 classifier", name)


@LINES.means("bind_group")
def _bind_group(reading: LosslessLines, line: int, port: str, name: str) -> None:
    reading.bindings.append(Binding(port, "traffic-control-profile", name, line))


@LINES.means("arp")
def _arp(reading: LosslessLines, line: int, minutes: str) -> None:
    reading.switch.arp_timeout_s = Value(int(minutes) * _MINUTE_S, line)


@LINES.means("port_arp")
def _port_arp(reading: LosslessLines, line: int, minutes: str) -> None:
    reading.hosts_arp_s.append(Value(int(minutes) * _MINUTE_S, line))


@LINES.means("mac")
def _mac(reading: LosslessLines, line: int, seconds: str) -> None:
    reading.switch.mac_ageing_s = Value(int(seconds), line)


@LINES.means("hash")
def _hash(reading: LosslessLines, _: int, layer: str) -> None:
    fields = {"src-ip", "dst-ip"} if layer == "layer-3" else {"src-port", "dst-port"}
    reading.switch.hash_fields = (reading.switch.hash_fields or set()) | fields


@LINES.means("per_packet")
def _per_packet(reading: LosslessLines, _: int) -> None:
    reading.per_packet = True


def fits(pattern: str, port: str) -> bool:
    """Tell whether a name, ``all``, or a wildcard such as ``et-*`` stands for a port."""
    words = "*" if pattern == "all" else pattern
    return fnmatchcase(port, "*".join(map(glob.escape, words.split("*"))))
