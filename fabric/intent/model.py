"""The inventory as typed, frozen models."""

from __future__ import annotations

import ipaddress
import re
from collections import Counter
from typing import Annotated, Literal

from pydantic import AfterValidator, BeforeValidator, Field

from fabric.core import hostlist
from fabric.intent.policy import LosslessPolicy, Model

_NAME = re.compile(r"[A-Za-z0-9]([A-Za-z0-9-]*[A-Za-z0-9])?")
_MAC = re.compile(r"[0-9a-f]{2}(:[0-9a-f]{2}){5}")
_INTERFACE = re.compile(r"[A-Za-z][A-Za-z0-9_.-]{0,14}")
_MAX_NAME = 63


def _name(text: str) -> str:
    if len(text) > _MAX_NAME or not _NAME.fullmatch(text):
        message = (
            f"{text!r} is not a device name; use letters, digits and inner hyphens, at most 63"
        )
        raise ValueError(message)
    return text


def _names(text: str) -> str:
    try:
        total = hostlist.count(text)
    except ValueError as error:
        raise ValueError(str(error)) from None
    if total > hostlist.MAX_NAMES:
        message = (
            f"the range stands for {total:,} names; at most {hostlist.MAX_NAMES:,} are allowed"
        )
        raise ValueError(message)
    names = hostlist.expand(text)
    for name in names:
        _name(name)
    if len(set(names)) != len(names):
        double = Counter(names).most_common(1)[0][0]
        message = f"{double!r} stands in the range twice; name each device once"
        raise ValueError(message)
    return text


def _interfaces(text: str) -> str:
    try:
        names = hostlist.expand(text)
    except ValueError as error:
        raise ValueError(str(error)) from None
    for name in names:
        _interface(name)
    return text


def _interface(text: str) -> str:
    if not _INTERFACE.fullmatch(text):
        message = f"{text!r} is not an interface name; use at most 15 of A-Z a-z 0-9 _ . -"
        raise ValueError(message)
    return text


def _network(value: object) -> object:
    if not isinstance(value, str):
        return value
    try:
        return ipaddress.IPv4Network(value)
    except ValueError as error:
        message = f"{value!r} is not an IPv4 network ({error}); write it as 10.0.0.0/16"
        raise ValueError(message) from None


def _address(value: object) -> object:
    if not isinstance(value, str):
        return value
    try:
        return ipaddress.IPv4Address(value)
    except ValueError:
        message = f"{value!r} is not an IPv4 address; write it as 10.0.0.1"
        raise ValueError(message) from None


def _mac(text: str) -> str:
    if not _MAC.fullmatch(text):
        message = f"{text!r} is not a MAC address; write six lower-case pairs with colons"
        raise ValueError(message)
    return text


def _text(text: str) -> str:
    if not text.isprintable() or not text.isascii():
        message = "only printable ASCII characters are allowed; remove the others"
        raise ValueError(message)
    return text


Loose = Field(strict=False)  # YAML knows lists only; the items stay strict
Name = Annotated[str, AfterValidator(_name)]
Names = Annotated[str, AfterValidator(_names)]
Interface = Annotated[str, AfterValidator(_interface)]
Interfaces = Annotated[str, AfterValidator(_interfaces)]
Network = Annotated[ipaddress.IPv4Network, BeforeValidator(_network)]
Address = Annotated[ipaddress.IPv4Address, BeforeValidator(_address)]
Mac = Annotated[str, AfterValidator(_mac)]
Text = Annotated[str, Field(max_length=120), AfterValidator(_text)]
PortName = Annotated[str, Field(pattern=r"^[A-Za-z][A-Za-z0-9/:_.-]{0,31}$")]
Gbps = Literal[10, 25, 40, 50, 100, 200, 400, 800]
CableMetres = Annotated[int, Field(ge=1, le=80_000)]
Asn = Annotated[int, Field(ge=1, le=4_294_967_294)]


class Unit(Model):
    """A scalable unit (rail-optimised: one leaf per rail) or a rack (classic: one leaf)."""

    name: Name
    hosts: Names = Field(description="Hosts in order, as a range: gpu[001-032].")


class Spines(Model):
    """The spine layer."""

    count: int = Field(ge=1, le=4096)
    links_per_leaf: int = Field(1, ge=1, le=64, description="Cables from each leaf to each spine.")


class RolePlatform(Model):
    """Which switch model a role uses, and what differs from the policy of the fabric."""

    sku: str = Field(description="Switch model; `rocefab show platforms` lists them.")
    host_ports: int | None = Field(
        None, ge=1, description="Leaf ports kept for hosts, from port 1; default: half of them."
    )
    lossless: LosslessPolicy | None = None


class Platforms(Model):
    """Switch model by role."""

    leaf: RolePlatform
    spine: RolePlatform


class Speeds(Model):
    """Port speeds in Gb/s."""

    host_gbps: Gbps
    uplink_gbps: Gbps


class Cables(Model):
    """One-way cable lengths in metres; switches may accept listed lengths only."""

    host_m: CableMetres = 5
    uplink_m: CableMetres = 40


class Addressing(Model):
    """Address pools; places in them follow from unit, rail and slot, so that growth is stable."""

    loopbacks: Network = Field(
        description="Pool of loopbacks: spines below, leaves above its middle."
    )
    uplinks: Network = Field(description="Pool of /31 links between leaves and spines.")
    uplinks_per_leaf: int = Field(64, ge=1, le=256, description="/31 links reserved for each leaf.")
    hosts: Network = Field(
        description="Pool of the NIC subnets; hosts route all of it to the rail."
    )
    host_prefix_length: int = Field(24, ge=8, le=30, description="Length of one NIC subnet.")
    gateway_offset: int = Field(1, ge=1, description="Gateway = network address + this.")
    first_host_offset: int = Field(2, ge=1, description="First host = network address + this.")
    vlan_first: int = Field(101, ge=2, le=4094, description="VLAN of rail 0 (or of port 1).")
    vlan_per: Literal["rail", "nic"] = Field(
        "rail", description="One VLAN and subnet for the NICs of a rail on a leaf, or one per NIC."
    )


class Bgp(Model):
    """BGP underlay: all spines in one AS, each leaf in its own."""

    spine_asn: Asn = 65100
    leaf_asn_first: Asn = 65101
    keepalive_s: int = Field(3, ge=1, le=3600)
    hold_s: int = Field(9, ge=3, le=3600)
    max_paths: int = Field(64, ge=1, le=256)
    bfd: bool = False


class Arp(Model):
    """Ageing: an ARP entry must die before the MAC entry, else lossless packets are flooded."""

    timeout_s: int = Field(240, ge=60, le=65_535, description="Neighbour timeout on the leaf.")
    mac_ageing_s: int | None = Field(
        None, ge=10, le=1_000_000, description="MAC ageing; null = the platform's default."
    )
    neighbour_capacity: int = Field(
        8192, ge=256, le=1_048_576, description="Neighbour entries the leaf must hold."
    )


class Management(Model):
    """What the switches need beside the fabric; logins and management ports are left as found."""

    ntp_servers: Annotated[tuple[Address, ...], Loose] = ()
    syslog_servers: Annotated[tuple[Address, ...], Loose] = ()


class HostProfile(Model):
    """What a GPU host looks like."""

    gpus: int = Field(8, ge=1, le=64)
    interfaces: Interfaces = Field(description="NIC interface of each rail in order: eth[1-8].")
    rdma_devices: Interfaces = Field(description="RDMA device of each rail in order: mlx5_[1-8].")
    management_interface: Interface = "eth0"
    management_rdma_device: Interface | None = Field(
        None, description="RDMA device of the management NIC, so that jobs leave it alone."
    )
    nccl_queue_pairs: int = Field(4, ge=1, le=128, description="NCCL_IB_QPS_PER_CONNECTION.")


class FabricFile(Model):
    """``fabric.yaml``: what the fabric is."""

    name: Name
    design: Literal["rail-optimised", "classic-tor"]
    rails: int = Field(ge=1, le=64, description="NICs of a host that take part in the fabric.")
    units: Annotated[tuple[Unit, ...], Loose] = Field(min_length=1)
    spines: Spines
    leaf_names: Names | None = Field(None, description="Own leaf names, unit by unit, as a range.")
    spine_names: Names | None = Field(None, description="Own spine names as a range.")
    platforms: Platforms
    speeds: Speeds
    cables: Cables = Cables()
    addressing: Addressing
    lossless: LosslessPolicy = LosslessPolicy()
    arp: Arp = Arp()
    bgp: Bgp = Bgp()
    host: HostProfile
    management: Management = Management()


class Peer(Model):
    """The other end of a cable that differs from the design."""

    device: Name
    port: PortName


class PortOverride(Model):
    """What differs on one port."""

    enabled: bool = True
    speed_gbps: Gbps | None = None
    cable_m: CableMetres | None = None
    fec: Literal["rs", "fc", "none"] | None = None
    description: Text | None = None
    peer: Peer | None = None
    lossless: LosslessPolicy | None = None


class DeviceOverride(Model):
    """What differs on some switches."""

    names: Names
    sku: str | None = None
    asn: Asn | None = None
    loopback: Address | None = None
    mac: Mac | None = None
    serial: Text | None = None
    lossless: LosslessPolicy | None = None
    ports: dict[PortName, PortOverride] = Field(default_factory=dict)


class NicOverride(Model):
    """What differs on one NIC."""

    rail: int = Field(ge=0, le=63)
    enabled: bool = True
    interface: Interface | None = None
    rdma_device: Interface | None = None
    mac: Mac | None = None
    speed_gbps: Gbps | None = None
    cable_m: CableMetres | None = None
    leaf: Name | None = Field(None, description="Leaf that the NIC is really cabled to.")
    port: PortName | None = Field(None, description="Port of that leaf.")
    address: Address | None = None


class HostOverride(Model):
    """What differs on some hosts."""

    names: Names
    serial: Text | None = None
    lossless: LosslessPolicy | None = None
    nics: Annotated[tuple[NicOverride, ...], Loose] = ()


class DevicesFile(Model):
    """``devices/*.yaml``."""

    devices: Annotated[tuple[DeviceOverride, ...], Loose] = Field(min_length=1)


class HostsFile(Model):
    """``hosts/*.yaml``."""

    hosts: Annotated[tuple[HostOverride, ...], Loose] = Field(min_length=1)
