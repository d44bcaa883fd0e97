"""A device as it is planned: facts, ports with their peers, VLANs, policy and buffer."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

from pydantic import BaseModel, Field

from fabric.design.configured import headroom_state
from fabric.report.budget import find_port, port_budget
from fabric.report.buffer import buffer_of
from fabric.report.policy_rows import host_policy_rows, switch_policy_rows
from fabric.topology.cable_types import Panels
from fabric.topology.device_ends import ends_of
from fabric.topology.tenants import UNASSIGNED
from fabric.validate.cable import AUTO_FEC

if TYPE_CHECKING:
    from fabric.design.designs import Designs
    from fabric.design.host_model import HostDesign, NicDesign
    from fabric.design.model import DeviceDesign
    from fabric.design.port_model import PortDesign
    from fabric.topology.model import Fabric

#: Tenant of a NIC, or empty, and whether the NIC is in quarantine.
Owner = tuple[str, bool]
_NOBODY: Owner = ("", False)
#: Rows of two cells: what it is, and its value.
Facts = list[tuple[str, str]]


class PlannedPort(BaseModel):
    """A port that has a cable."""

    port: str
    kind: Annotated[str, Field(description="host, uplink, or nic for a port of a host.")]
    enabled: bool
    peer: str
    peer_port: str
    speed_gbps: int
    cable_m: int
    mtu_bytes: int
    fec: Annotated[str, Field(description="`auto` where the device chooses it.")]
    vlan: Annotated[int | None, Field(description="Access VLAN; null where the port is routed.")]
    address: Annotated[str, Field(description="Of IPv4, with its prefix length, or empty.")]
    ipv6: Annotated[
        str,
        Field(description="As address, of IPv6; the subnet where a NIC makes its address of it."),
    ]
    rail: int | None
    headroom_bytes: Annotated[int | None, Field(description="Of a class; null if not known.")]
    headroom_is_estimate: Annotated[
        bool, Field(description="Whether a law gives it, not the vendor or the switch (QOS050).")
    ]
    headroom_lack: Annotated[
        str, Field(description="`not configured` with the rule, where the switch does not get it.")
    ]
    panel: Annotated[str, Field(description="Its name on the front panel; empty at a host.")]
    peer_panel: Annotated[str, Field(description="As panel, of the other end.")]
    tenant: Annotated[str, Field(description="Whose the NIC of the cable is; empty without one.")]
    quarantined: Annotated[
        bool, Field(description="Whether the NIC of the cable is of no tenant, and shut down.")
    ]


class PlannedVlan(BaseModel):
    """A VLAN of a leaf."""

    vlan: int
    name: str
    rail: int
    network: str
    gateway: str


class PlannedDevice(BaseModel):
    """A device of the inventory."""

    name: str
    kind: Annotated[str, Field(description="host, leaf, spine or super-spine.")]
    facts: Facts
    ports: list[PlannedPort]
    vlans: list[PlannedVlan]
    policy: Annotated[Facts, Field(description="The lossless policy.")]
    buffer: Annotated[Facts, Field(description="As `rocefab show buffer`; empty for a host.")]


def planned(designs: Designs, name: str) -> PlannedDevice | None:
    """Return what is planned for a device; None where there is none of that name."""
    switch = designs.devices.get(name)
    if switch is not None:
        return _switch(designs, switch)
    host = designs.hosts.get(name)
    return None if host is None else _host(designs, host)


def budget_rows(designs: Designs, device: str, port: str) -> list[tuple[str, str, str, str]] | None:
    """Return how the headroom of a switch port comes about; None where there is no such port."""
    switch = designs.devices.get(device)
    at = find_port(designs, device, port)
    if switch is None or at is None:
        return None
    return [tuple(map(str, row)) for row in port_budget(designs, switch, at).rows]  # type: ignore[misc]


def _switch(designs: Designs, device: DeviceDesign) -> PlannedDevice:
    row, panels = designs.fabric.switch_row[device.name], Panels(designs.fabric)
    unit, rail = (
        int(of[row]) for of in (designs.fabric.switches.unit, designs.fabric.switches.rail)
    )
    facts = [
        ("role", device.role),
        ("model", f"{device.sku.name} ({device.platform})"),
        *([("unit", designs.intent.fabric.units[unit].name)] if unit >= 0 else []),
        *([("rail", str(rail))] if rail >= 0 else []),
        ("AS", str(device.bgp.asn)),
        ("loopback", device.loopback),
        ("BGP sessions", str(len(device.sessions))),
    ]
    ports = [port for port in device.ports if port.kind != "unused"]
    policy = designs.resolver.switch(device.name, device.role)
    owners = _owners(designs.fabric, device.name)
    mtus_bytes = [port.mtu_bytes for port in ports]
    return PlannedDevice(
        name=device.name,
        kind=device.role,
        facts=facts,
        ports=[_port(device, port, rail, panels, owners.get(port.name, _NOBODY)) for port in ports],
        vlans=[
            PlannedVlan(
                vlan=one.vlan,
                name=one.name,
                rail=one.rail,
                network=one.network,
                gateway=one.gateway_interface,
            )
            for one in device.vlans
        ],
        policy=switch_policy_rows(policy, device.sku, device.role, mtus_bytes),
        buffer=buffer_of(device),
    )


def _owners(fabric: Fabric, device: str) -> dict[str, Owner]:
    """Return the tenant of the NIC at each port of a device, and whether it is in quarantine."""
    tenants = fabric.tenants
    if tenants is None:
        return {}
    rows = {end.port: end.row for end in ends_of(fabric, device) if end.is_nic}
    return {
        port: (tenants.names[tenants.of_nic[row]], False)
        if tenants.of_nic[row] != UNASSIGNED
        else ("", bool(tenants.quarantined[row]))
        for port, row in rows.items()
    }


def _port(
    device: DeviceDesign, port: PortDesign, rail: int, panels: Panels, owner: Owner
) -> PlannedPort:
    return PlannedPort(
        port=port.name,
        kind=port.kind,
        enabled=port.enabled,
        peer=port.peer,
        peer_port=port.peer_port,
        speed_gbps=port.speed_gbps,
        cable_m=port.cable_m,
        mtu_bytes=port.mtu_bytes,
        fec=port.fec or AUTO_FEC,
        vlan=port.vlan,
        address=port.address,
        ipv6=port.ipv6,
        rail=rail if rail >= 0 else None,
        headroom_bytes=port.headroom.headroom_bytes if port.headroom else None,
        headroom_is_estimate=port.headroom is not None and port.headroom.is_estimate,
        headroom_lack=(
            headroom_state(port.headroom, device.sku, device.role).lack if port.headroom else ""
        ),
        panel=panels.of(device.name, port.name),
        peer_panel=panels.of(port.peer, port.peer_port),
        tenant=owner[0],
        quarantined=owner[1],
    )


def _host(designs: Designs, host: HostDesign) -> PlannedDevice:
    panels, owners = Panels(designs.fabric), _owners(designs.fabric, host.name)
    facts = [
        ("role", "host"),
        ("unit", host.unit),
        ("GPUs", str(host.gpus)),
        ("management interface", host.management_interface),
        *([("no lossless configuration", host.no_lossless)] if host.no_lossless else []),
    ]
    return PlannedDevice(
        name=host.name,
        kind="host",
        facts=facts,
        ports=[_nic(nic, panels, owners.get(nic.interface, _NOBODY)) for nic in host.nics],
        vlans=[],
        policy=host_policy_rows(designs.resolver.host(host.name)),
        buffer=[],
    )


def _nic(nic: NicDesign, panels: Panels, owner: Owner) -> PlannedPort:
    return PlannedPort(
        port=nic.interface,
        kind="nic",
        enabled=nic.enabled,
        peer=nic.leaf,
        peer_port=nic.leaf_port,
        speed_gbps=nic.speed_gbps,
        cable_m=nic.cable_m,
        mtu_bytes=nic.mtu_bytes,
        fec=AUTO_FEC,
        vlan=nic.vlan or None,
        address=_addresses(nic, is_ipv6=False),
        ipv6=_addresses(nic, is_ipv6=True),
        rail=nic.rail,
        headroom_bytes=None,
        headroom_is_estimate=False,
        headroom_lack="",
        panel="",
        peer_panel=panels.of(nic.leaf, nic.leaf_port),
        tenant=owner[0],
        quarantined=owner[1],
    )


def _addresses(nic: NicDesign, *, is_ipv6: bool) -> str:
    """Return the address of a family, or its subnet where the NIC makes it."""
    own = (one for one in nic.addresses if one.is_ipv6 == is_ipv6)
    return next((one.interface if one.address else one.network for one in own), "")
