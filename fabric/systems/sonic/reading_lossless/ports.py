"""Ports, port channels and VLANs."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fabric.observe.configuration.bundles import join
from fabric.observe.configuration.lossless import PortPolicy, Value
from fabric.systems.sonic.config_db import DEFAULT_MTU, number
from fabric.systems.sonic.reading_lossless.model import READER

if TYPE_CHECKING:
    from fabric.systems.sonic.reading_lossless.model import DumpedSwitch, DumpRow

_MBPS = 1_000


def join_bundles(device: DumpedSwitch) -> None:
    """Join members with port channels, whose MTU they have (sonic-swss cfgmgr/teammgr.cpp)."""
    for port, bundle in join(device.switch.ports, device.members):
        port.mtu_bytes = bundle.mtu_bytes or Value(DEFAULT_MTU, 0)
    for name in device.bundles:
        device.switch.ports.pop(name, None)


@READER.means("metadata")
def _metadata(device: DumpedSwitch, row: DumpRow) -> None:
    if row.key == "localhost":
        device.switch.name = row.fields.get("hostname", "")
        device.switch.model = row.fields.get("hwsku", "")


@READER.means("port")
def _port(device: DumpedSwitch, row: DumpRow) -> None:
    port = device.switch.port(row.key, row.line)
    port.enabled = row.fields.get("admin_status") == "up"
    port.description = row.fields.get("description", "")
    mtu, speed = number(row.fields.get("mtu")), number(row.fields.get("speed"))
    port.mtu_bytes = None if mtu is None else Value(mtu, port.line)
    port.speed_gbps = None if speed is None else speed / _MBPS
    port.trusts_dscp = False


@READER.means("cables")
def _cables(device: DumpedSwitch, row: DumpRow) -> None:
    """Read lengths such as ``40m``; ``0m`` is none (sonic-swss cfgmgr/buffermgr.cpp)."""
    for name, text in row.fields.items():
        if port := device.switch.ports.get(name):
            port.cable_m = number(text.removesuffix("m")) or None


@READER.means("bundle")
def _bundle(device: DumpedSwitch, row: DumpRow) -> None:
    device.bundles.add(row.key)
    _port(device, row)


@READER.means("bundled")
def _bundled(device: DumpedSwitch, row: DumpRow) -> None:
    bundle, _, name = row.key.partition("|")
    device.members[name] = bundle


@READER.means("member")
def _member(device: DumpedSwitch, row: DumpRow) -> None:
    vlan, _, name = row.key.partition("|")
    port = device.switch.ports.get(name)
    if port is None:
        return
    port.routed = port.routed or False
    port.tagged = port.tagged or row.fields.get("tagging_mode") == "tagged"
    if (identifier := number(vlan.removeprefix("Vlan"))) is not None:
        port.vlans.add(identifier)


@READER.means("routed")
def _routed(device: DumpedSwitch, row: DumpRow) -> None:
    if port := device.switch.ports.get(row.key.partition("|")[0]):
        port.routed = True


@READER.means("gateway")
def _gateway(device: DumpedSwitch, row: DumpRow) -> None:
    """Read the MTU of a VLAN that routes, where its row has one (sonic-vlan.yang)."""
    vlan = device.dump.rows("VLAN").get(row.key.partition("|")[0])
    mtu = number(vlan.fields.get("mtu")) if vlan else None
    identifier = number(vlan.key.removeprefix("Vlan")) if vlan else None
    if vlan and mtu is not None and identifier is not None:
        enabled = vlan.fields.get("admin_status", "up") == "up"
        gateway = PortPolicy(line=vlan.line, name=vlan.key, enabled=enabled)
        gateway.mtu_bytes = Value(mtu, vlan.line)
        device.switch.gateways[identifier] = gateway
