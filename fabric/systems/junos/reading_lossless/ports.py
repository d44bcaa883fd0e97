"""Ports, what is bound to them, ageing and hash of a Junos configuration."""

from __future__ import annotations

import glob
from fnmatch import fnmatchcase

from fabric.observe.configuration.lossless import Use, Value
from fabric.observe.configuration.model import Leftover
from fabric.systems.junos.platforms.text import unquoted
from fabric.systems.junos.reading_lossless import queues
from fabric.systems.junos.reading_lossless.model import TABLE, Binding, Reading

__all__ = ["PORT", "queues"]

#: Begin of the names of aggregated interfaces; one without members carries no traffic.
BUNDLE = "ae"
PORT = rf"((et|xe|ge)-\d+/\d+/\d+(:\d+)?|{BUNDLE}\d+)"
_PORT = rf"interfaces (?P<name>{PORT})"
_BOUND = r"class-of-service interfaces (?P<port>\S+)"
_MINUTE_S = 60


@TABLE.line(r"system host-name (?P<name>\S+)")
def _host_name(reading: Reading, _: int, name: str) -> None:
    reading.switch.name = name


@TABLE.line(rf"{_PORT} description (?P<text>.*)")
def _description(reading: Reading, line: int, name: str, text: str) -> None:
    reading.switch.port(name, line).description = unquoted(text)


@TABLE.line(rf"{_PORT}( unit 0)? disable")
def _disable(reading: Reading, line: int, name: str) -> None:
    reading.switch.port(name, line).enabled = False


@TABLE.line(rf"{_PORT} mtu (?P<mtu>\d+)")
def _mtu(reading: Reading, line: int, name: str, mtu: str) -> None:
    reading.switch.port(name, line).mtu_bytes = Value(int(mtu), line)


@TABLE.line(rf"{_PORT} unit \d+ family inet mtu (?P<mtu>\d+)")
def _inet_mtu(reading: Reading, line: int, name: str, mtu: str) -> None:
    reading.switch.port(name, line)
    reading.inet_mtu_bytes[name] = Value(int(mtu), line)


@TABLE.line(rf"{_PORT} unit \d+ family (?P<family>\S+) filter input(-list)? (?P<filtered>\S+)")
def _filter(reading: Reading, line: int, name: str, family: str, filtered: str) -> None:
    port = reading.switch.port(name, line)
    if family == "ethernet-switching":
        port.routed = False
    words = f"{name} has filter {filtered}, which sets forwarding classes"
    reading.filtered.setdefault(filtered, Leftover(line, words))


@TABLE.line(r"firewall (family \S+ )?filter (?P<name>\S+) .* then forwarding-class \S+")
def _classifying(reading: Reading, _: int, name: str) -> None:
    reading.classifying.add(name)


@TABLE.line(rf"{_PORT} unit \d+ family (inet|inet6) address .*", rf"{_PORT} unit \d+ family inet6")
def _routed(reading: Reading, line: int, name: str) -> None:
    reading.switch.port(name, line).routed = True


@TABLE.line(
    rf"{_PORT} (flexible-)?vlan-tagging",
    rf"{_PORT} unit \d+ family ethernet-switching (interface|port)-mode trunk",
)
def _tagged(reading: Reading, line: int, name: str) -> None:
    port = reading.switch.port(name, line)
    port.tagged = True
    port.routed = port.routed or False


@TABLE.line(rf"{_PORT} unit \d+ family ethernet-switching( .*)?")
def _switched(reading: Reading, line: int, name: str) -> None:
    reading.switch.port(name, line).routed = False


@TABLE.line(rf"{_PORT} speed (?P<gbps>\d+)g")
def _speed(reading: Reading, line: int, name: str, gbps: str) -> None:
    reading.speeds_gbps[name] = float(gbps)
    reading.switch.port(name, line)


@TABLE.line(rf"{_PORT} (ether|gigether)-options 802.3ad (?P<bundle>ae\d+)")
def _member(reading: Reading, line: int, name: str, bundle: str) -> None:
    reading.switch.port(name, line)
    reading.members[name] = bundle


@TABLE.line(rf"{_PORT} number-of-sub-ports \d+")
def _parent(reading: Reading, _: int, name: str) -> None:
    reading.parents.add(name)


@TABLE.line(rf"{_PORT}( .*)?")
def _exists(reading: Reading, line: int, name: str) -> None:
    reading.switch.port(name, line)


@TABLE.line(rf"interfaces (?!{PORT}|interface-range ).*")
def _no_port(_: Reading, __: int) -> None:
    """Leave out what is no port of the front panel."""


@TABLE.line(
    rf"{_BOUND} (unit (?P<unit>\S+) )?(?P<kind>congestion-notification-profile|scheduler-map"
    r"|classifiers (dscp|ieee-802.1)) (?P<name>\S+)"
)
def _bind(reading: Reading, line: int, port: str, unit: str | None, kind: str, name: str) -> None:
    if unit is not None and not kind.startswith("classifiers"):
        raise ValueError(kind)
    word = {
        "classifiers dscp": "classifier",
        "classifiers ieee-802.1": "ieee-802.1 classifier",
    }.get(kind, kind)
    reading.bindings.append(Binding(port, word, name, line))
    if name != "default":
        reading.switch.used.append(Use(word, name, line))


@TABLE.line(rf"{_BOUND} forwarding-class-set \S+ output-traffic-control-profile (?P<name>\S+)")
def _bind_group(reading: Reading, line: int, port: str, name: str) -> None:
    reading.bindings.append(Binding(port, "traffic-control-profile", name, line))


@TABLE.line(
    rf"{_BOUND} (unit \S+ )?classifiers (dscp-ipv6|exp|inet-precedence) .*",
    rf"{_BOUND} (unit \S+ )?(rewrite-rules|dedicated-buffer-profile) .*",
    rf"{_BOUND} forwarding-class-set \S+",
)
def _other(_: Reading, __: int, port: str) -> None:
    """Leave out what is no part of the lossless class of DSCPs."""


@TABLE.line(r"system arp aging-timer (?P<minutes>\d+)")
def _arp(reading: Reading, line: int, minutes: str) -> None:
    reading.switch.arp_timeout_s = Value(int(minutes) * _MINUTE_S, line)


@TABLE.line(r"system arp interfaces \S+ aging-timer (?P<minutes>\d+)")
def _port_arp(reading: Reading, line: int, minutes: str) -> None:
    reading.hosts_arp_s.append(Value(int(minutes) * _MINUTE_S, line))


@TABLE.line(r"system arp (?!aging-timer |interfaces \S+ aging-timer ).*")
def _other_arp(_: Reading, __: int) -> None:
    """Leave other properties of ARP out."""


@TABLE.line(r"protocols l2-learning global-mac-table-aging-time (?P<seconds>\d+)")
def _mac(reading: Reading, line: int, seconds: str) -> None:
    reading.switch.mac_ageing_s = Value(int(seconds), line)


@TABLE.line(r"forwarding-options hash-key family inet layer-(?P<layer>[34])")
def _hash(reading: Reading, _: int, layer: str) -> None:
    fields = {"src-ip", "dst-ip"} if layer == "3" else {"src-port", "dst-port"}
    reading.switch.hash_fields = (reading.switch.hash_fields or set()) | fields


@TABLE.line(r"forwarding-options enhanced-hash-key ecmp-dlb per-packet")
def _per_packet(reading: Reading, _: int) -> None:
    reading.per_packet = True


def fits(pattern: str, port: str) -> bool:
    """Tell whether a name, ``all``, or a wildcard such as ``et-*`` stands for a port."""
    words = "*" if pattern == "all" else pattern
    return fnmatchcase(port, "*".join(map(glob.escape, words.split("*"))))
