"""The realised network as a plant."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from fabric.exchange.plant import Cable, Device, Nic, Plant
from fabric.topology.graph import graph
from fabric.topology.naming import nic_names

if TYPE_CHECKING:
    from fabric.topology.model import Fabric


def plant(fabric: Fabric) -> Plant:
    """Return devices, enabled cables and enabled NICs of a realised network."""
    network = graph(fabric)
    edges = [data for *_, data in network.edges(data=True) if data["enabled"]]
    macs = _macs(fabric)
    nodes: list[tuple[str, dict[str, Any]]] = [
        (name, dict(data)) for name, data in network.nodes(data=True)
    ]
    pods = {data["unit"]: data.get("pod") for _, data in nodes if data["role"] == "leaf"}
    return Plant(
        fabric.intent.fabric.name,
        tuple(
            _device(fabric, name, {**data, "pod": data.get("pod") or pods.get(data["unit"])})
            for name, data in nodes
        ),
        tuple(_cable(data) for data in edges),
        tuple(_nic(fabric, data, macs) for data in edges if data["kind"] == "nic"),
    )


def _device(fabric: Fabric, name: str, data: dict[str, Any]) -> Device:
    unit, pod = data["unit"] or "", data["pod"]
    if data["kind"] == "host":
        return Device(name, "host", unit=unit, pod=_text(pod), serial=_host_serial(fabric, name))
    known = [item.value for item in fabric.intent.device_overrides.get(name, ())]
    return Device(
        name,
        "switch",
        role=data["role"],
        unit=unit,
        pod=_text(pod),
        rail=data["rail"],
        plane=data.get("plane"),
        model=data["sku"],
        system=data["platform"],
        asn=data["asn"],
        loopback=data["loopback"],
        serial=next((item.serial for item in reversed(known) if item.serial), ""),
        mac=next((item.mac for item in reversed(known) if item.mac), ""),
    )


def _text(value: object) -> str:
    return "" if value is None else str(value)


def _host_serial(fabric: Fabric, name: str) -> str:
    known = [item.value for item in fabric.intent.host_overrides.get(name, ())]
    return next((item.serial for item in reversed(known) if item.serial), "")


def _macs(fabric: Fabric) -> dict[tuple[str, int, int], str]:
    """Return MAC addresses by host, rail and port of the NIC; a later override wins."""
    return {
        (name, nic.rail, getattr(nic, "nic_port", 0)): nic.mac
        for name, overrides in fabric.intent.host_overrides.items()
        for override in overrides
        for nic in override.value.nics
        if nic.mac
    }


def _cable(data: dict[str, Any]) -> Cable:
    one, other = data["ports"].items()
    return Cable.between(one, other, data["speed_gbps"], data["cable_m"])


def _nic(fabric: Fabric, data: dict[str, Any], macs: dict[tuple[str, int, int], str]) -> Nic:
    host, interface = next(
        (name, port) for name, port in data["ports"].items() if name in fabric.host_row
    )
    names = [own.interface for own in nic_names(fabric, host)]
    nic_port = names.index(interface) % (len(names) // fabric.rails)
    return Nic(
        host,
        interface,
        data["rail"],
        nic_port,
        data["rdma_device"],
        data["addresses"][host],
        macs.get((host, data["rail"], nic_port), ""),
    )
