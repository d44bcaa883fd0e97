"""Ports, gateways and VLANs of a Junos configuration."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from fabric.observe.configuration.blocks import address, numbers
from fabric.observe.configuration.defaults import number_of
from fabric.systems.junos.platforms import FRAME_EXTRA_BYTES
from fabric.systems.junos.platforms.text import unquoted
from fabric.systems.junos.reading.table import LINES

if TYPE_CHECKING:
    from fabric.observe.configuration import ConfiguredPort
    from fabric.systems.junos.reading.model import RoutingLines

#: Begin of the names of aggregated interfaces.
BUNDLE = "ae"
_UNIT = "0"
#: Members that are no name of one VLAN that a line makes.
_OTHER_MEMBERS = re.compile(r"all|default|\d+-\d+")


@LINES.means("vlan")
def _vlan(reading: RoutingLines, line: int, name: str, vlan: str) -> None:
    reading.vlan_ids[name] = int(vlan)
    reading.switch.vlans[int(vlan)] = line


@LINES.means("vlan_range")
def _vlan_range(reading: RoutingLines, line: int, name: str, vlans: str) -> None:
    reading.vlan_lists.add(name)
    reading.switch.vlans |= dict.fromkeys(numbers(vlans), line)


@LINES.means("gateway")
def _gateway(reading: RoutingLines, line: int, name: str, irb: str) -> None:
    reading.switch.port(irb, line).gateway_vlan = reading.vlan_ids[name]


def _port(reading: RoutingLines, name: str, line: int, unit: str = _UNIT) -> ConfiguredPort:
    """Return a port of the front panel; its one unit is the port itself.

    Raises
    ------
    ValueError
        When it is a bundle, or another unit.
    """
    if name.startswith(BUNDLE) or unit != _UNIT:
        raise ValueError(f"{name} unit {unit}")
    return reading.switch.port(name, line)


@LINES.means("disable")
def _disable(reading: RoutingLines, line: int, name: str, unit: str = _UNIT) -> None:
    _port(reading, name, line, unit).enabled = False


@LINES.means("description")
def _description(reading: RoutingLines, line: int, name: str, text: str) -> None:
    _port(reading, name, line).description = unquoted(text)


@LINES.means("mtu")
def _mtu(reading: RoutingLines, line: int, name: str, mtu: str) -> None:
    _port(reading, name, line).mtu_bytes = int(mtu)


@LINES.means("inet_mtu")
def _inet_mtu(reading: RoutingLines, line: int, name: str, unit: str, mtu: str) -> None:
    reading.inet_mtu_bytes[_port(reading, name, line, unit).name] = int(mtu)


@LINES.means("inet")
def _inet(reading: RoutingLines, line: int, name: str, unit: str) -> None:
    _port(reading, name, line, unit).routed = True


@LINES.means("inet6")
def _inet6(reading: RoutingLines, line: int, name: str, unit: str) -> None:
    reading.inet6.add(_port(reading, name, line, unit).name)


@LINES.means("advertises")
def _advertises(reading: RoutingLines, _: int, port: str) -> None:
    reading.advertising.add(port_of(port))


def port_of(logical: str) -> str:
    """Return the port of a logical interface; that of another unit than 0 is no port here."""
    return logical.removesuffix(f".{_UNIT}")


@LINES.means("address")
def _address(reading: RoutingLines, line: int, name: str, unit: str, text: str) -> None:
    port = _port(reading, name, line, unit)
    if port.routed is False:
        raise ValueError("a switched port")
    _add(port, text, line)


@LINES.means("switched")
def _switched(reading: RoutingLines, line: int, name: str, unit: str, mode: str = "access") -> None:
    port = _port(reading, name, line, unit)
    if port.routed or mode != "access":
        raise ValueError("a routed port, or a trunk")
    port.routed = False


@LINES.means("member")
def _member(reading: RoutingLines, line: int, name: str, unit: str, vlan: str) -> None:
    port = _port(reading, name, line, unit)
    is_several = vlan in reading.vlan_lists or _OTHER_MEMBERS.fullmatch(vlan)
    if port.routed or port.vlan is not None or port.unknown_vlan or is_several:
        raise ValueError("a routed port, or more than one VLAN")
    port.routed = False
    port.vlan = int(vlan) if vlan.isdecimal() else reading.vlan_ids.get(vlan)
    port.unknown_vlan = vlan if port.vlan is None else ""


@LINES.means("irb_mtu")
def _irb_mtu(reading: RoutingLines, _: int, mtu: str) -> None:
    reading.irb_mtu_bytes = int(mtu)


@LINES.means("irb_disable")
def _irb_disable(reading: RoutingLines, _: int) -> None:
    reading.irb_enabled = False


@LINES.means("unit_disable")
def _unit_disable(reading: RoutingLines, line: int, unit: str) -> None:
    reading.switch.port(f"irb.{unit}", line).enabled = False


@LINES.means("unit_mtu")
def _unit_mtu(reading: RoutingLines, _: int, unit: str, mtu: str) -> None:
    reading.inet_mtu_bytes[f"irb.{unit}"] = int(mtu)


@LINES.means("unit_address")
def _unit_address(reading: RoutingLines, line: int, unit: str, text: str) -> None:
    _add(reading.switch.port(f"irb.{unit}", line), text, line)


@LINES.means("loopback")
def _loopback(reading: RoutingLines, line: int, unit: str, text: str) -> None:
    if unit != _UNIT:
        raise ValueError(f"lo0 unit {unit}")
    _add(reading.switch.port("lo0", line), text, line)


def _add(port: ConfiguredPort, text: str, line: int) -> None:
    port.routed = True
    port.addresses.append(address(text, None, line))


def settle_ports(reading: RoutingLines) -> None:
    """Give every port the MTU and the state that hold where none of its own lines says them."""
    for name, port in reading.switch.ports.items():
        if name.startswith("irb"):
            port.mtu_bytes = reading.irb_mtu_bytes
            port.enabled = port.enabled and reading.irb_enabled
        if name == "lo0":
            continue
        frame = port.mtu_bytes or number_of("junos", "frame")
        packet = frame - FRAME_EXTRA_BYTES
        port.mtu_bytes = min(packet, reading.inet_mtu_bytes.get(name, packet))
