"""Overrides of switches and ports: ``devices/*.yaml``."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from fabric.intent.platform_model import CageSplit
from fabric.intent.policy import LosslessPolicy, Model
from fabric.intent.scalars import (
    Address,
    Address6,
    Asn,
    BufferModel,
    CableMetres,
    Gbps,
    LinkAddress,
    LinkAddress6,
    Loose,
    Mac,
    Name,
    Names,
    Network,
    Network6,
    OverSubscription,
    PauseResponseNs,
    Peering,
    PortName,
    RackUnit,
    Release,
    Text,
)
from fabric.platforms.cable_types import CableType


class Peer(Model):
    """The other end of a cable that differs from the design."""

    device: Name = Field(
        description="Switch at the other end; cables of NICs move by nics.port in hosts/*.yaml."
    )
    port: PortName = Field(description="Port name on that device.")


class PortOverride(Model):
    """Overrides for one port."""

    enabled: bool = Field(True, description="Whether the port is enabled.")  # noqa: FBT003
    speed_gbps: Gbps | None = Field(None, description="Speed of the port.")
    cable_m: CableMetres | None = Field(None, description="One-way length of its cable.")
    cable_type: CableType | None = Field(None, description="Type of its cable.")
    state: Literal["working", "broken"] = Field(
        "working",
        description="Whether the port is usable; no cable may end on a broken port.",
    )
    fec: Literal["rs", "fc", "none"] | None = Field(None, description="Forward error correction.")
    description: Text | None = Field(None, description="Port description.")
    address: LinkAddress | None = Field(
        None, description="Address of this end of a cable between switches, as a /31 or with /30."
    )
    ipv6: LinkAddress6 | None = Field(
        None, description="IPv6 address of this end of a cable between switches, as a /127."
    )
    peering: Peering | None = Field(
        None,
        description="Peering of the cable between switches, which is unnumbered if both ends are; "
        "default: that of the switch.",
    )
    peer: Peer | None = Field(
        None, description="Other end of the cable, if it differs from the design."
    )
    lossless: LosslessPolicy | None = Field(
        None, description="Fields of the lossless policy that differ on this port."
    )


class LeafSubnet(Model):
    """VLAN, subnet and gateway of NICs on a leaf, where they differ from those of the pools."""

    rail: int | None = Field(
        None, ge=0, le=63, description="Rail of the NICs; default: that of the leaf."
    )
    slot: int | None = Field(
        None,
        ge=0,
        le=1023,
        description="Place of the host in its unit, from 0; with vlan_per nic, and only then.",
    )
    vlan: int | None = Field(None, ge=2, le=4094, description="VLAN.")
    network: Network | None = Field(None, description="Subnet, in addressing.hosts.")
    gateway: Address | None = Field(
        None, description="Gateway; default: gateway_offset in the subnet."
    )
    ipv6: Network6 | None = Field(
        None,
        description="IPv6 subnet of a routed NIC port, in addressing.ipv6.hosts: a /127, or with "
        "slaac a /64.",
    )
    ipv6_gateway: Address6 | None = Field(
        None,
        description="Address of the leaf in it; default: the first of a /127, the second of a /64.",
    )


class DeviceOverride(Model):
    """Overrides for some switches."""

    names: Names = Field(description="Switches that this entry applies to, as a range.")
    sku: str | None = Field(None, description="Switch model.")
    release: Release | None = Field(None, description="Release of its operating system.")
    buffer_model: BufferModel | None = Field(
        None, description="Source of its headroom: vendor's table, or computed by the switch."
    )
    headroom_over_subscription: OverSubscription | None = Field(
        None, description="With buffer_model dynamic: divisor of the headroom that its ports share."
    )
    pause_response_ns: PauseResponseNs | None = Field(
        None, description="Longest time from a pause until its ports stop sending."
    )
    breakouts: Annotated[tuple[CageSplit, ...] | None, Loose] = Field(
        None,
        description="Breakouts of cages, replacing those of the role, also for a different sku.",
    )
    asn: Asn | None = Field(None, description="AS number.")
    peering: Peering | None = Field(
        None,
        description="Peering of its cables to other switches; numbered for a system that has no "
        "unnumbered sessions; default: bgp.peering.",
    )
    loopback: Address | None = Field(None, description="Loopback address.")
    mac: Mac | None = Field(
        None, description="Chassis MAC; a switch with a different one is never changed."
    )
    serial: Text | None = Field(
        None, description="Serial number; a switch with a different one is never changed."
    )
    rack: Text | None = Field(None, description="Rack, for labels and cable plans.")
    rack_unit: RackUnit | None = Field(
        None, description="Rack unit of its lower edge, counted from the floor; for labels."
    )
    management_address: Address | None = Field(
        None, description="Address in the management network; default: by its position."
    )
    management_mac: Mac | None = Field(
        None, description="MAC of its management port; default: the chassis MAC."
    )
    lossless: LosslessPolicy | None = Field(
        None, description="Fields of the lossless policy that differ on these switches."
    )
    subnets: Annotated[tuple[LeafSubnet, ...], Loose] = Field(
        (), description="VLANs, subnets and gateways of NICs that differ on this leaf."
    )
    ports: dict[PortName, PortOverride] = Field(
        default_factory=dict, description="Overrides for single ports, by port name; no ranges."
    )


class DevicesFile(Model):
    """``devices/*.yaml``."""

    devices: Annotated[tuple[DeviceOverride, ...], Loose] = Field(
        min_length=1, description="Overrides; a later entry takes precedence, field by field."
    )
