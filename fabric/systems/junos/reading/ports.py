"""Ports, gateways and VLANs of a Junos configuration."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fabric.observe.configuration.blocks import address, numbers
from fabric.observe.configuration.defaults import number_of
from fabric.systems.junos.reading.table import TABLE, VLAN_IDS, unquoted

if TYPE_CHECKING:
    from fabric.observe.configuration import Port
    from fabric.systems.junos.reading.model import Reading

_PORT = r"interfaces (?P<name>(et|xe|ge)-\d+/\d+/\d+(:\d+)?)"
_IRB = r"interfaces irb unit (?P<unit>\d+)"

#: Bytes of a frame before an untagged packet (juniper.net CLI reference, mtu).
_HEADER_BYTES = 14


@VLAN_IDS.line(r"vlans (?P<name>\S+) vlan-id (?P<vlan>\d+)")
def _vlan(reading: Reading, line: int, name: str, vlan: str) -> None:
    reading.vlan_ids[name] = int(vlan)
    reading.switch.vlans[int(vlan)] = line


@TABLE.line(r"vlans \S+ vlan-id-list (?P<vlans>\d+(-\d+)?)")
def _vlan_range(reading: Reading, line: int, vlans: str) -> None:
    reading.switch.vlans |= dict.fromkeys(numbers(vlans), line)


@TABLE.line(r"vlans (?P<name>\S+) l3-interface (?P<irb>irb\.\d+)")
def _gateway(reading: Reading, line: int, name: str, irb: str) -> None:
    reading.switch.port(irb, line).gateway_vlan = reading.vlan_ids[name]


@TABLE.line(rf"{_PORT}( unit 0)? disable")
def _disable(reading: Reading, line: int, name: str) -> None:
    reading.switch.port(name, line).enabled = False


@TABLE.line(rf"{_PORT} description (?P<text>.*)")
def _description(reading: Reading, line: int, name: str, text: str) -> None:
    reading.switch.port(name, line).description = unquoted(text)


@TABLE.line(rf"{_PORT} mtu (?P<mtu>\d+)")
def _mtu(reading: Reading, line: int, name: str, mtu: str) -> None:
    reading.switch.port(name, line).mtu_bytes = int(mtu)


@TABLE.line(rf"{_PORT} unit 0 family inet mtu (?P<mtu>\d+)")
def _inet_mtu(reading: Reading, _: int, name: str, mtu: str) -> None:
    reading.inet_mtu_bytes[name] = int(mtu)


@TABLE.line(rf"{_PORT} unit 0 family inet")
def _inet(reading: Reading, line: int, name: str) -> None:
    reading.switch.port(name, line).routed = True


@TABLE.line(rf"{_PORT} unit 0 family inet address (?P<text>[\d./]+)")
def _address(reading: Reading, line: int, name: str, text: str) -> None:
    port = reading.switch.port(name, line)
    if port.routed is False:
        raise ValueError("a switched port")
    _add(port, text, line)


@TABLE.line(rf"{_PORT} unit 0 family ethernet-switching( interface-mode access)?")
def _switched(reading: Reading, line: int, name: str) -> None:
    port = reading.switch.port(name, line)
    if port.routed:
        raise ValueError("a routed port")
    port.routed = False


@TABLE.line(rf"{_PORT} unit 0 family ethernet-switching vlan members (?P<vlan>\S+)")
def _member(reading: Reading, line: int, name: str, vlan: str) -> None:
    port = reading.switch.port(name, line)
    if port.routed or port.vlan is not None:
        raise ValueError("a routed port, or a second VLAN")
    port.routed = False
    port.vlan = int(vlan) if vlan.isdecimal() else reading.vlan_ids[vlan]


@TABLE.line(r"interfaces irb mtu (?P<mtu>\d+)")
def _irb_mtu(reading: Reading, _: int, mtu: str) -> None:
    reading.irb_mtu_bytes = int(mtu)


@TABLE.line(r"interfaces irb disable")
def _irb_disable(reading: Reading, _: int) -> None:
    reading.irb_enabled = False


@TABLE.line(rf"{_IRB} disable")
def _unit_disable(reading: Reading, line: int, unit: str) -> None:
    reading.switch.port(f"irb.{unit}", line).enabled = False


@TABLE.line(rf"{_IRB} family inet mtu (?P<mtu>\d+)")
def _unit_mtu(reading: Reading, _: int, unit: str, mtu: str) -> None:
    reading.inet_mtu_bytes[f"irb.{unit}"] = int(mtu)


@TABLE.line(rf"{_IRB} family inet address (?P<text>[\d./]+)")
def _unit_address(reading: Reading, line: int, unit: str, text: str) -> None:
    _add(reading.switch.port(f"irb.{unit}", line), text, line)


@TABLE.line(r"interfaces lo0 unit 0 family inet address (?P<text>[\d./]+)")
def _loopback(reading: Reading, line: int, text: str) -> None:
    _add(reading.switch.port("lo0", line), text, line)


def _add(port: Port, text: str, line: int) -> None:
    port.routed = True
    port.addresses.append(address(text, None, line))


def settle_ports(reading: Reading) -> None:
    """Give every port the MTU and the state that hold where none of its own lines says them."""
    for name, port in reading.switch.ports.items():
        if name.startswith("irb"):
            port.mtu_bytes = reading.irb_mtu_bytes
            port.enabled = port.enabled and reading.irb_enabled
        if name == "lo0":
            continue
        frame = port.mtu_bytes or number_of("junos", "frame")
        packet = reading.inet_mtu_bytes.get(name, frame - _HEADER_BYTES)
        port.mtu_bytes = min(frame, packet + _HEADER_BYTES)
