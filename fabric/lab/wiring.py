"""From designs to stand-ins: cabled as the fabric is, with devices fresh from the box.

A switch starts with what its own stand-in calls fresh from the box, a host with NICs without
settings.
"""

from __future__ import annotations

import hashlib
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, cast

from fabric.lab.sessions import LabSessions
from fabric.lab.spec import Neighbour, NicSpec, StandInSpec
from fabric.lab.standin import stand_ins
from fabric.lab.vrfs import LabVrfs, LeafPort
from fabric.platforms import platforms

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from fabric.design.host_model import HostDesign, NicDesign
    from fabric.design.model import DeviceDesign
    from fabric.design.port_model import PortDesign
    from fabric.lab.lab import Lab
    from fabric.lab.standin import SwitchStandIn

_SWITCH_USER = "admin"
_HOST_USER = "ops"
#: FEC of a port in the design, as ethtool names it at the other end of the cable; what is left to
#: the switch is taken for RS.
_FEC = {"": "RS", "rs": "RS", "fc": "BaseR", "none": "Off"}
#: PCI bus of the first NIC of a host whose inventory tells no addresses.
_FIRST_BUS = 0x10


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


def whole_hosts(fabrics: Sequence[Mapping[str, HostDesign]]) -> dict[str, HostDesign]:
    """Return the hosts of all fabrics of a site; one in several has the NICs of all.

    NICs without a PCI address get one in a PCI domain of their fabric.
    """
    whole: dict[str, HostDesign] = {}
    for number, hosts in enumerate(fabrics):
        for name, host in hosts.items():
            nics = [
                replace(nic, pci_address=nic.pci_address or _pci_address(nic, number))
                for nic in host.nics
            ]
            before = whole[name].nics if name in whole else ()
            whole[name] = replace(whole.get(name, host), nics=(*before, *nics))
    return whole


def _pci_address(nic: NicDesign, domain: int = 0) -> str:
    return f"{domain:04x}:{_FIRST_BUS + nic.rail:02x}:00.{nic.nic_port}"


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
    kind = cast("type[SwitchStandIn]", stand_ins[design.platform])
    return StandInSpec(
        name=design.name,
        platform=design.platform,
        username=_SWITCH_USER,
        password=password,
        mac=mac,
        serial=design.serial or serial_of(design.name),
        model=design.sku.name,
        running=kind.factory(design, mac),
        neighbours=tuple(
            Neighbour(port.name, port.peer, _announced(devices, port.peer, port.peer_port))
            for port in design.ports
            if port.kind != "unused"
        ),
        options={
            **design.sku.facts,
            "asic": design.sku.asic,
            "queues": design.sku.queue_submode,
            "ports": ",".join(port.name for port in design.ports),
        },
    )


def _announced(devices: Mapping[str, DeviceDesign], device: str, port: str) -> str:
    """Return the port id that a neighbour announces: the alias of a port, or its name."""
    if device in devices and platforms[devices[device].platform].announces_alias:
        return _port(devices, device, port).alias
    return port


def _port(devices: Mapping[str, DeviceDesign], device: str, port: str) -> PortDesign:
    return next(item for item in devices[device].ports if item.name == port)


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
        username=_HOST_USER,
        password=password,
        mac=mac_of(design.name),
        serial=design.serial or serial_of(design.name),
        neighbours=tuple(
            Neighbour(nic.interface, nic.leaf, _announced(devices, nic.leaf, nic.leaf_port))
            for nic in design.nics
        ),
        nics=(
            management,
            *(
                NicSpec(
                    nic.interface,
                    nic.rdma_device,
                    nic.mac or mac_of(f"{design.name} {nic.interface}"),
                    nic.pci_address or _pci_address(nic),
                    nic.speed_gbps,
                    nic.numa_node,
                    nic.gpus,
                    _FEC[_port(devices, nic.leaf, nic.leaf_port).fec],
                )
                for nic in design.nics
            ),
        ),
    )


def wire(lab: Lab, devices: Mapping[str, DeviceDesign]) -> None:
    """Connect the stand-ins.

    Links and BGP sessions depend on both ends: a link is up when the far end sends light too, a
    session when both ends have it and expect each other's AS number. One between loopbacks needs
    one over a cable between its switches. Hosts reach each other as they are cabled, inside the VRF
    that the ports of both are in.
    """
    vrfs = LabVrfs(
        {name: lab[name] for name in devices},
        {
            (port.peer, port.peer_port): LeafPort(name, port.name)
            for name, design in devices.items()
            for port in design.ports
            if port.kind == "host"
        },
    )
    sessions = LabSessions(
        {name: lab[name] for name in devices},
        _links(devices),
        {
            (name, here): (peer.name, there)
            for name, design in devices.items()
            for peer in design.bgp.neighbours
            for here, there in ((peer.address, peer.local_address), (peer.port, peer.peer_port))
        },
        {design.loopback: name for name, design in devices.items()},
        vrfs.configured,
    )

    def up(name: str, session: str) -> bool:
        return sessions.now().is_up(name, session)

    for name in devices:
        lab[name].watch_bgp(partial(up, name), partial(sessions.asn_there, name))
    _light(lab, devices)
    hosts = {name: lab[name] for name in lab.names() if name not in devices}
    spines = frozenset(name for name, design in devices.items() if design.role == "spine")
    for name in devices:
        lab[name].watch_routes(partial(vrfs.routes, name))
    for kind in {type(host) for host in hosts.values()}:
        own = {name: host for name, host in hosts.items() if type(host) is kind}
        kind.connect(own, spines, vrfs)


def _links(devices: Mapping[str, DeviceDesign]) -> dict[tuple[str, str], tuple[str, str]]:
    """Return the far end of each cable by both of its ends."""
    cables = [
        ((name, port.name), (port.peer, port.peer_port))
        for name, design in devices.items()
        for port in design.ports
        if port.kind != "unused"
    ]
    return {here: there for cable in cables for here, there in (cable, cable[::-1])}


def _light(lab: Lab, devices: Mapping[str, DeviceDesign]) -> None:
    """Let every stand-in see whether the far end of a cable is shut.

    A device that is not in the lab is taken to send light.
    """
    present, far_ends = frozenset(lab.names()), _links(devices)

    def lit(name: str, port: str) -> bool:
        far, its_port = far_ends.get((name, port), ("", ""))
        return far not in present or bool(lab[far].sends_light(its_port))

    for name in present:
        lab[name].watch_light(partial(lit, name))
