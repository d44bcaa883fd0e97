"""Ports, gateways and VLANs of a Cumulus configuration."""

from __future__ import annotations

from fabric.observe.configuration.blocks import address
from fabric.observe.configuration.defaults import leave_open
from fabric.systems.cumulus.reading.model import TABLE, Reading

_PORT = r"interface (?P<name>swp\d+(s\d+)?|lo|vlan\d+)"


@TABLE.line(r"system hostname (?P<name>\S+)")
def _hostname(reading: Reading, _: int, name: str) -> None:
    reading.switch.name = name


@TABLE.line(r"bridge domain br_default vlan (?P<vlan>\d+)")
def _vlan(reading: Reading, line: int, vlan: str) -> None:
    reading.switch.vlans[int(vlan)] = line


@TABLE.line(rf"{_PORT}( type (swp|loopback|svi))?")
def _interface(reading: Reading, line: int, name: str) -> None:
    reading.port(name, line)


@TABLE.line(rf"{_PORT} description (?P<text>.*)")
def _description(reading: Reading, line: int, name: str, text: str) -> None:
    reading.port(name, line).description = text


@TABLE.line(rf"{_PORT} link state (?P<state>up|down)")
def _state(reading: Reading, line: int, name: str, state: str) -> None:
    reading.said.add(name)
    reading.port(name, line).enabled = state == "up"


@TABLE.line(rf"{_PORT} link mtu (?P<mtu>\d+)")
def _mtu(reading: Reading, line: int, name: str, mtu: str) -> None:
    reading.port(name, line).mtu_bytes = int(mtu)


@TABLE.line(rf"{_PORT} bridge domain br_default( access (?P<vlan>\d+))?")
def _access(reading: Reading, line: int, name: str, vlan: str | None) -> None:
    port = reading.port(name, line)
    if port.routed:
        raise ValueError("a routed port")
    port.routed, port.vlan = False, int(vlan) if vlan else port.vlan


@TABLE.line(rf"{_PORT} vlan (?P<vlan>\d+)")
def _gateway(reading: Reading, line: int, name: str, vlan: str) -> None:
    reading.port(name, line).gateway_vlan = int(vlan)


@TABLE.line(rf"{_PORT} (ip|ipv4) address (?P<text>[\d.]+/\d+)")
def _address(reading: Reading, line: int, name: str, text: str) -> None:
    port = reading.port(name, line)
    if port.routed is False:
        raise ValueError("a switched port")
    port.routed = True
    port.addresses.append(address(text, None, line))


def settle_ports(reading: Reading) -> None:
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
