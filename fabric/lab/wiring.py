"""From designs to stand-ins: cabled as the fabric is, with devices fresh from the box.

A SONiC switch starts with its identity and its ports shut, an EOS switch with its management
access, a host with NICs without settings.
"""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING, Any

from fabric.lab.spec import Neighbour, NicSpec, StandInSpec

if TYPE_CHECKING:
    from collections.abc import Mapping

    from fabric.design.model import DeviceDesign, HostDesign
    from fabric.lab.lab import Lab

_USERS = {"sonic": "admin", "eos": "admin", "host": "ops"}


def specs(
    devices: Mapping[str, DeviceDesign], hosts: Mapping[str, HostDesign], password: str
) -> list[StandInSpec]:
    """Return the specification of every stand-in.

    Parameters
    ----------
    devices, hosts : mapping
        Designs by name; cables follow from them.
    password : str
        Password of the only account of each stand-in.
    """
    return [
        *(_switch(design, devices, password) for design in devices.values()),
        *(_host(design, devices, password) for design in hosts.values()),
    ]


def mac_of(name: str) -> str:
    """Return a stable, locally administered MAC address for a name."""
    digest = hashlib.sha256(name.encode()).hexdigest()
    return "02:" + ":".join(digest[index : index + 2] for index in range(0, 10, 2))


def serial_of(name: str) -> str:
    """Return a stable serial number for a name."""
    return "LAB" + hashlib.sha256(name.encode()).hexdigest()[:8].upper()


def _switch(
    design: DeviceDesign, devices: Mapping[str, DeviceDesign], password: str
) -> StandInSpec:
    mac = design.mac or mac_of(design.name)
    running = _sonic_factory(design, mac) if design.platform == "sonic" else _eos_factory(design)
    return StandInSpec(
        name=design.name,
        platform=design.platform,
        username=_USERS[design.platform],
        password=password,
        mac=mac,
        serial=design.serial or serial_of(design.name),
        model=design.sku.name,
        running=running,
        neighbours=tuple(
            Neighbour(port.name, port.peer, _announced(devices, port.peer, port.peer_port))
            for port in design.ports
            if port.kind != "unused"
        ),
        options={
            **design.sku.facts,
            "ports": ",".join(port.name for port in design.ports),
        },
    )


def _announced(devices: Mapping[str, DeviceDesign], device: str, port: str) -> str:
    """Return the port id that a neighbour announces: SONiC its alias, all else the name."""
    if device in devices and devices[device].platform == "sonic":
        return next(item.alias for item in devices[device].ports if item.name == port)
    return port


def _sonic_factory(design: DeviceDesign, mac: str) -> dict[str, Any]:
    return {
        "DEVICE_METADATA": {
            "localhost": {
                "hostname": design.name,
                "hwsku": design.sku.name,
                "platform": design.sku.facts["platform"],
                "mac": mac,
                "type": "LeafRouter",
                "buffer_model": "traditional",
            }
        },
        "MGMT_INTERFACE": {"eth0|192.0.2.2/24": {"gwaddr": "192.0.2.1"}},
        "PORT": {
            port.name: {
                "alias": port.alias,
                "lanes": ",".join(str(lane) for lane in port.lanes),
                "index": str(port.number),
                "speed": str(max(design.sku.speeds_gbps) * 1000),
                "admin_status": "down",
            }
            for port in design.ports
        },
    }


def _eos_factory(design: DeviceDesign) -> str:
    return "\n".join((
        f"hostname {design.name}",
        "username admin privilege 15 role network-admin secret sha512 $6$lab$0000000000",
        "interface Management1",
        "   ip address 192.0.2.2/24",
        "management api http-commands",
        "   no shutdown",
        "",
    ))


def _host(design: HostDesign, devices: Mapping[str, DeviceDesign], password: str) -> StandInSpec:
    management = NicSpec(
        design.management_interface,
        design.management_rdma_device,
        mac_of(f"{design.name} {design.management_interface}"),
        speed_gbps=25,
    )
    return StandInSpec(
        name=design.name,
        platform="host",
        username=_USERS["host"],
        password=password,
        mac=mac_of(design.name),
        serial=design.serial or serial_of(design.name),
        neighbours=tuple(
            Neighbour(nic.interface, nic.leaf, _announced(devices, nic.leaf, nic.leaf_port))
            for nic in design.nics
            if nic.enabled
        ),
        nics=(
            management,
            *(
                NicSpec(
                    nic.interface,
                    nic.rdma_device,
                    nic.mac or mac_of(f"{design.name} {nic.interface}"),
                    speed_gbps=nic.speed_gbps,
                )
                for nic in design.nics
            ),
        ),
    )


def wire(lab: Lab, devices: Mapping[str, DeviceDesign]) -> None:
    """Make BGP sessions depend on both ends: one is up when the far end knows it too."""
    far_ends = {
        peer.local_address: (peer.name, peer.local_address)
        for design in devices.values()
        for peer in design.bgp.neighbours
    }
    others = {
        peer.address: peer.local_address
        for design in devices.values()
        for peer in design.bgp.neighbours
    }

    def known_at_far_end(local_address: str) -> bool:
        name, address = far_ends.get(local_address, ("", ""))
        return bool(name) and _knows(lab[name], address)

    for name, design in devices.items():
        if design.platform == "sonic":
            lab[name].peer_up = known_at_far_end
        else:
            lab[name].connect(peer_up=lambda address: known_at_far_end(others.get(address, "")))


def _knows(stand_in: Any, address: str) -> bool:
    if stand_in.spec.platform == "sonic":
        return address in stand_in.running.get("BGP_NEIGHBOR", {})
    return f"neighbor {address} remote-as" in stand_in.running_text
