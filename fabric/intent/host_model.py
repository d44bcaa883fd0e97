"""Hosts as the inventory tells them: NICs, GPUs, operating system and containers."""

from __future__ import annotations

import re
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, BeforeValidator, Field

from fabric.intent.policy import LosslessPolicy, Model
from fabric.intent.scalars import (
    Address,
    Address6,
    CableMetres,
    Gbps,
    Interface,
    Interfaces,
    Loose,
    Mac,
    Name,
    Names,
    PauseResponseNs,
    PortName,
    RackUnit,
    Text,
    formed,
)
from fabric.platforms.cable_types import CableType

_PCI = re.compile(r"[0-9a-f]{4}:[0-9a-f]{2}:[01][0-9a-f]\.[0-7]")


def _pci(text: str) -> str:
    if not _PCI.fullmatch(text):
        raise ValueError(f"{text!r} is not a PCI address; use the form 0000:4b:00.0")
    return text


PciAddress = Annotated[str, AfterValidator(_pci)]
NumaNode = Annotated[int, Field(ge=0, le=63)]


def _cores(text: str) -> str:
    _, first, last = core_range(text)
    if first > last:
        raise ValueError(f"{text!r} counts down; use package:first-last, such as 0:0-31")
    return text


def core_range(text: str) -> tuple[int, int, int]:
    """Return package, first and last core of ``package:first-last``."""
    package, _, cores = text.partition(":")
    first, _, last = cores.partition("-")
    return int(package), int(first), int(last)


NumaCores = Annotated[
    str,
    formed(r"^[0-9]{1,2}:[0-9]{1,3}-[0-9]{1,3}$", "package:first-last, such as 0:0-31"),
    AfterValidator(_cores),
]
Gpu = Annotated[int, Field(ge=0, le=63)]
#: From near to far, as ``nvidia-smi topo -m`` prints them.
Nearness = Literal["PIX", "PXB", "PHB", "NODE", "SYS"]
LinkLayer = Literal["roce", "infiniband", "iwarp", "ethernet"]
NicDriver = Literal["mlx5-ofed", "mlx5", "bnxt", "ionic"]
NetworkStack = Literal["netplan-networkd", "netplan-networkmanager", "networkd", "networkmanager"]
ContainerMode = Literal["host-network", "physical-function", "virtual-function", "macvlan"]
#: Parameter sets of fabric/qos/dcqcn: published ones, and the computed one.
DcqcnSet = Literal["connectx", "paper", "hpcc-dcqcn", "hpcc-dcqcn-paper", "rocefab"]
#: Receive buffer of a NIC; the field of the PBMC register holds 16 bits of cells (Linux
#: include/linux/mlx5/mlx5_ifc.h), and no port has more than this.
BufferBytes = Annotated[int, Field(ge=1024, le=2**24)]
#: Part of names of files, units and profiles on a host.
Namespace = Annotated[
    str,
    formed(
        r"^([a-z][a-z0-9]{0,15})?$",
        "at most 16 lower-case letters and digits, starting with a letter",
    ),
]
PortUuid = Annotated[
    str,
    formed(
        r"^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$",
        "a lower-case UUID, such as 01234567-89ab-cdef-0123-456789abcdef",
    ),
]

#: First and last line of NCCL 2 whose variables are known (NVIDIA/nccl, tags v2.12.7-1, v2.30.7-1).
NCCL_LINES = (12, 30)


def _nccl(text: str) -> str:
    first, _ = NCCL_LINES
    if int(text.split(".")[1]) < first:
        raise ValueError(f"NCCL {text} is not supported; use 2.{first} or later")
    return text


UcxVersion = Annotated[
    str, formed(r"^1\.[0-9]{1,2}(\.[0-9]{1,2})?$", "a UCX 1 release, such as 1.19.1")
]
NcclVersion = Annotated[
    str,
    formed(r"^2\.[0-9]{1,2}(\.[0-9]{1,2})?$", "an NCCL 2 release, such as 2.21.5"),
    AfterValidator(_nccl),
]


class ReceiveBuffers(Model):
    """Two receive buffers of a NIC; the lossless priority has its own."""

    lossy_bytes: BufferBytes = Field(description="Buffer for all other priorities.")
    lossless_bytes: BufferBytes = Field(
        description="Buffer for the lossless priority, including its headroom."
    )


class NicTraits(Model):
    """The identical NICs of the rails; lists are in the order of the rails."""

    vendor: Literal["nvidia", "broadcom", "amd"] = Field("nvidia", description="Maker.")
    model: Text = Field("", description="Vendor's model name, such as ConnectX-7.")
    driver: NicDriver = Field(
        "mlx5-ofed",
        description="Driver: mlx5-ofed (DOCA-OFED), mlx5 (kernel), bnxt "
        "(Broadcom), ionic (AMD Pensando).",
    )
    link_layer: LinkLayer = Field(
        "roce",
        description="Link layer; only roce gets a lossless configuration.",
    )
    ports_per_card: Literal[1, 2] = Field(
        1, description="Number of rails per card; 2 means that rails 0 and 1 are its two ports."
    )
    virtual_functions: int = Field(
        0, ge=0, le=127, description="Number of SR-IOV virtual functions per NIC."
    )
    pci_addresses: Annotated[tuple[PciAddress, ...], Loose] = Field(
        (), max_length=64, description="PCI address of each NIC."
    )
    match: Literal["mac", "path"] = Field(
        "mac",
        description="How files find a NIC: by its MAC address, or by name where hosts.nics has "
        "none; path: by its PCI address, so that a NIC in the same slot takes its place.",
    )
    numa_nodes: Annotated[tuple[NumaNode, ...], Loose] = Field(
        (), max_length=64, description="NUMA node of each NIC."
    )
    gpus: Annotated[tuple[Annotated[tuple[Gpu, ...], Loose], ...], Loose] = Field(
        (),
        max_length=64,
        description="GPUs nearest to each NIC, if they are not assigned in order.",
    )
    nearness: Nearness = Field("PIX", description="Distance of those GPUs.")
    dcqcn_set: DcqcnSet | None = Field(
        None,
        description="DCQCN parameter set, as named by `rocefab show dcqcn`; null keeps "
        "the firmware defaults.",
    )
    pause_response_ns: PauseResponseNs | None = Field(
        None,
        description="Longest time from a pause until the NIC stops sending, for the headroom of "
        "its leaf port; default: what IEEE 802.3 allows.",
    )
    first_cnp_rate_mbps: int | None = Field(
        None,
        ge=1,
        le=2**17 - 1,
        description="Rate of a flow after its first CNP, which decides how long a start pauses "
        "senders; null keeps the rate of the set.",
    )
    byte_counter_unit_bytes: Literal[1, 64] = Field(
        64, description="Size of one unit of rpg_byte_reset; sources differ."
    )
    receive_buffers: ReceiveBuffers | None = Field(
        None,
        description="Manual receive buffers, which make the cable length effective; null "
        "keeps the firmware defaults.",
    )
    pause_storm_ms: int | None = Field(
        None,
        ge=80,
        le=8000,
        description="Time after which the NIC stops pausing its peer; null does not change it.",
    )
    firmware_file: bool = Field(
        False,  # noqa: FBT003
        description="Whether a script for mlxconfig is written. An operator runs it; `apply` does "
        "not.",
    )


class GpuTraits(Model):
    """The GPUs of a host; lists are in the order of the GPUs."""

    pci_addresses: Annotated[tuple[PciAddress, ...], Loose] = Field(
        (), max_length=64, description="PCI address of each GPU."
    )
    numa_nodes: Annotated[tuple[NumaNode, ...], Loose] = Field(
        (), max_length=64, description="NUMA node of each GPU."
    )


class Tuning(Model):
    """Settings of PCIe and of the operating system; settings that are not given are not changed."""

    max_read_request_bytes: Literal[128, 256, 512, 1024, 2048, 4096] | None = Field(
        None, description="PCIe MaxReadReq of the NICs; 4096 is recommended for RDMA."
    )
    acs: Literal["off"] | None = Field(
        None,
        description="PCIe access control services (ACS) of bridges, which redirect GPU traffic "
        "through the root complex.",
    )
    governor: Literal["performance"] | None = Field(None, description="CPU frequency governor.")
    hugepages_1g: int | None = Field(
        None,
        ge=0,
        le=1024,
        description="Number of 1 GiB huge pages, for user-space network stacks.",
    )
    relaxed_ordering: Literal["per_mkey", "force_relax"] | None = Field(
        None,
        description="PCIe write ordering in the mlxconfig script; per_mkey lets an application "
        "request relaxed ordering.",
    )
    gpudirect: Literal["peermem", "dmabuf"] | None = Field(
        None, description="How NICs access GPU memory; a missing kernel module is reported."
    )


class HostTraits(Model):
    """Properties of a host, apart from the names of its NICs."""

    nic: NicTraits = Field(NicTraits(), description="Its NICs.")
    gpu: GpuTraits = Field(GpuTraits(), description="Its GPUs.")
    numa_cores: Annotated[tuple[NumaCores, ...], Loose] = Field(
        (),
        max_length=64,
        description="Cores of each NUMA node as package:first-last, in the logical numbers that "
        "lstopo prints; a rankfile of Open MPI binds ranks to them.",
    )
    network_stack: NetworkStack = Field(
        "netplan-networkd", description="Network stack that configures addresses and routes."
    )
    container_mode: ContainerMode = Field(
        "host-network", description="How containers access the NICs."
    )
    virtual_machine: bool = Field(
        False,  # noqa: FBT003
        description="Whether the host is a virtual machine, which hides the PCIe tree.",
    )
    static_neighbours: bool = Field(
        False,  # noqa: FBT003
        description="Whether the gateways are static neighbours; needs their MAC addresses.",
    )
    tuning: Tuning = Field(Tuning(), description="PCIe and operating system.")
    nccl_version: NcclVersion | None = Field(
        None, description="NCCL release of the jobs; default: settings for 2.21 and later."
    )
    ucx_version: UcxVersion | None = Field(
        None, description="UCX release of the jobs; default: not known."
    )


class HostProfile(HostTraits):
    """Profile of a GPU host."""

    gpus: int = Field(8, ge=1, le=64, description="Number of GPUs per host.")
    interfaces: Interfaces = Field(description="NIC interfaces by rail, then port: eth[1-8].")
    rdma_devices: Interfaces = Field(description="RDMA devices by rail, then port: mlx5_[1-8].")
    management_interface: Interface = Field(
        "eth0", description="Interface outside the fabric; jobs start over it."
    )
    management_rdma_device: Interface | None = Field(
        None, description="RDMA device of the management NIC, which jobs must not use."
    )
    nccl_queue_pairs: int = Field(4, ge=1, le=128, description="NCCL_IB_QPS_PER_CONNECTION.")
    nccl_subnet_aware: bool = Field(
        default=False,
        description="NCCL takes the NIC on the rail of its peer, by the prefix of the rail "
        "(NCCL_IB_SUBNET_AWARE_ROUTING, from 2.30.7 on). Needs routed NIC ports in all units, and "
        "one plane.",
    )
    namespace: Namespace = Field(
        "",
        description="Namespace in the names of files and units on hosts. Hosts in several fabrics "
        "of a site need a different one in each; one fabric may have none.",
    )
    first_table: int = Field(
        100,
        ge=1,
        le=30_000,
        description="Routing table and rule priority of the first NIC port of a host; incremented "
        "for "
        "each further port.",
    )


def _port_of_leaf(value: Any) -> Any:
    """Reject a number, which is meant to be that of the port of the NIC."""
    if isinstance(value, int):
        raise ValueError(  # noqa: TRY004 - pydantic takes it
            f"the port of the leaf is a name, found the number {value}; for the port of the NIC "
            f"use nic_port: {value}, else put the name in quotes"
        )
    return value


class NicOverride(Model):
    """Overrides for one NIC."""

    rail: int = Field(ge=0, le=63, description="Rail of the NIC, from 0.")
    nic_port: int = Field(0, ge=0, le=1, description="Port of the NIC, from 0.")
    enabled: bool = Field(True, description="Whether the NIC is part of the fabric.")  # noqa: FBT003
    interface: Interface | None = Field(None, description="Interface name.")
    rdma_device: Interface | None = Field(None, description="RDMA device.")
    mac: Mac | None = Field(None, description="MAC address.")
    port_uuid: PortUuid | None = Field(
        None, description="UUID of its port in nicctl; AMD Pensando only."
    )
    speed_gbps: Gbps | None = Field(None, description="Speed of the NIC.")
    cable_m: CableMetres | None = Field(None, description="One-way length of its cable.")
    cable_type: CableType | None = Field(None, description="Type of its cable.")
    leaf: Name | None = Field(
        None, description="Leaf that the NIC is cabled to, if not the designed one."
    )
    port: Annotated[PortName | None, BeforeValidator(_port_of_leaf)] = Field(
        None, description="Port of that leaf."
    )
    address: Address | None = Field(None, description="Address inside the subnet of its leaf.")
    ipv6: Address6 | None = Field(
        None, description="IPv6 address inside the subnet of its port; not with slaac."
    )


class HostOverride(Model):
    """Overrides for some hosts."""

    names: Names = Field(description="Hosts that this entry applies to, as a range.")
    serial: Text | None = Field(
        None, description="Serial number; a host with a different one is never changed."
    )
    rack: Text | None = Field(None, description="Rack, for labels and cable plans.")
    rack_unit: RackUnit | None = Field(
        None, description="Rack unit of its lower edge, counted from the floor; for labels."
    )
    management_address: Address | None = Field(
        None, description="Address in the management network; default: by its position."
    )
    management_mac: Mac | None = Field(None, description="MAC of its management interface.")
    bmc_address: Address | None = Field(
        None, description="Address of its BMC; default: by the position of the host."
    )
    bmc_mac: Mac | None = Field(None, description="MAC of its BMC.")
    lossless: LosslessPolicy | None = Field(
        None, description="Fields of the lossless policy that differ on these hosts."
    )
    traits: HostTraits | None = Field(
        None, description="Fields of `host` that differ on these hosts."
    )
    nics: Annotated[tuple[NicOverride, ...], Loose] = Field(
        (), description="Overrides for single NICs."
    )


class HostsFile(Model):
    """``hosts/*.yaml``."""

    hosts: Annotated[tuple[HostOverride, ...], Loose] = Field(
        min_length=1, description="Overrides; a later entry takes precedence, field by field."
    )
