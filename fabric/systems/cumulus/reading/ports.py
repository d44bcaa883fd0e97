"""Ports, gateways and VLANs of a Cumulus configuration."""

from __future__ import annotations

from fabric.observe.configuration.blocks import address
from fabric.observe.configuration.defaults import leave_open
from fabric.systems.cumulus.reading.model import LINES, RoutingLines


@LINES.means("hostname")
def _hostname(reading: RoutingLines, _: int, name: str) -> None:
    reading.switch.name = name


@LINES.means("vlan")
def _vlan(reading: RoutingLines, line: int, bridge: str, vlan: str) -> None:
    _check(bridge)
    reading.switch.vlans[int(vlan)] = line


@LINES.means("interface")
def _interface(reading: RoutingLines, line: int, name: str, type: str = "swp") -> None:  # noqa: A002
    if type not in {"swp", "loopback", "svi"}:
        raise ValueError(type)
    reading.port(name, line)


@LINES.means("description")
def _description(reading: RoutingLines, line: int, name: str, text: str) -> None:
    reading.port(name, line).description = text


@LINES.means("state")
def _state(reading: RoutingLines, line: int, name: str, state: str) -> None:
    reading.port(name, line).enabled = state == "up"
    reading.said.add(name)


@LINES.means("mtu")
def _mtu(reading: RoutingLines, line: int, name: str, mtu: str) -> None:
    reading.port(name, line).mtu_bytes = int(mtu)


@LINES.means("access")
def _access(
    reading: RoutingLines, line: int, name: str, bridge: str, vlan: str | None = None
) -> None:
    _check(bridge)
    port = reading.port(name, line)
    if port.routed:
        raise ValueError("a routed port")
    port.routed, port.vlan = False, int(vlan) if vlan else port.vlan


@LINES.means("gateway")
def _gateway(reading: RoutingLines, line: int, name: str, vlan: str) -> None:
    reading.port(name, line).gateway_vlan = int(vlan)


@LINES.means("address")
def _address(reading: RoutingLines, line: int, name: str, text: str) -> None:
    port = reading.port(name, line)
    if port.routed is False:
        raise ValueError("a switched port")
    port.routed = True
    port.addresses.append(address(text, None, line))


def _check(bridge: str) -> None:
    """Check that a bridge is the one that switches have.

    Raises
    ------
    ValueError
        When it is another one.
    """
    if bridge != "br_default":
        raise ValueError(bridge)


def settle_ports(reading: RoutingLines) -> None:
    """Leave open whether a port in use works that has no ``link state``, and complete gateways.

    The MTU of a gateway without ``link mtu`` is that of the bridge: the lowest of its members.
    """
    ports = reading.switch.ports.values()
    members = [port.mtu_bytes for port in ports if port.routed is False and port.mtu_bytes]
    for port in ports:
        if port.gateway_vlan is not None and port.mtu_bytes is None:
            port.mtu_bytes = min(members, default=None)
    for name, port in reading.switch.ports.items():
        is_used = port.routed is not None or name in reading.bgp.peers
        if name.startswith("swp") and is_used and name not in reading.said:
            port.enabled = True
            leave_open(reading.switch, port.line, "port_up", f"interface {name}")
