"""Hosts as the inventory tells them: NICs, GPUs, operating system and containers."""

from __future__ import annotations

import re
from typing import Annotated, Literal

from pydantic import AfterValidator, Field

from fabric.intent.policy import LosslessPolicy, Model
from fabric.intent.scalars import (
    Address,
    CableMetres,
    Gbps,
    Interface,
    Interfaces,
    Loose,
    Mac,
    Name,
    Names,
    PortName,
    Text,
    formed,
)

_PCI = re.compile(r"[0-9a-f]{4}:[0-9a-f]{2}:[01][0-9a-f]\.[0-7]")


def _pci(text: str) -> str:
    if not _PCI.fullmatch(text):
        message = f"{text!r} is not a PCI address; write it as 0000:4b:00.0"
        raise ValueError(message)
    return text


PciAddress = Annotated[str, AfterValidator(_pci)]
NumaNode = Annotated[int, Field(ge=0, le=63)]
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
    formed(r"^([a-z][a-z0-9]{0,15})?$", "at most 16 small letters and digits, the first a letter"),
]
PortUuid = Annotated[
    str,
    formed(
        r"^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$",
        "a UUID in small letters, such as 01234567-89ab-cdef-0123-456789abcdef",
    ),
]

#: First and last line of NCCL 2 whose variables are known (NVIDIA/nccl, tags v2.12.7-1, v2.30.7-1).
NCCL_LINES = (12, 30)


def _nccl(text: str) -> str:
    first, _ = NCCL_LINES
    if int(text.split(".")[1]) < first:
        message = f"NCCL {text} is too old; versions from 2.{first} on are known"
        raise ValueError(message)
    return text


NcclVersion = Annotated[
    str,
    formed(r"^2\.[0-9]{1,2}(\.[0-9]{1,2})?$", "a release of NCCL 2, such as 2.21.5"),
    AfterValidator(_nccl),
]


class ReceiveBuffers(Model):
    """Two receive buffers of a NIC; the lossless priority gets one of its own."""

    lossy_bytes: BufferBytes = Field(description="Buffer of all other priorities.")
    lossless_bytes: BufferBytes = Field(
        description="Buffer of the lossless priority: what it may fill, and the headroom."
    )


class NicTraits(Model):
    """The NICs of the rails, which are alike; lists are in the order of the rails."""

    vendor: Literal["nvidia", "broadcom", "amd"] = Field("nvidia", description="Maker.")
    model: Text = Field("", description="Model as the maker writes it, such as ConnectX-7.")
    driver: NicDriver = Field(
        "mlx5-ofed",
        description="Driver: mlx5-ofed is that of DOCA-OFED, mlx5 that of the kernel, bnxt of "
        "Broadcom, ionic of AMD Pensando.",
    )
    link_layer: LinkLayer = Field(
        "roce",
        description="What runs over the cable; all but roce are named in the inventory, and get no "
        "lossless configuration.",
    )
    ports_per_card: Literal[1, 2] = Field(
        1, description="Rails that share a card; 2 means that rails 0 and 1 are its two ports."
    )
    virtual_functions: int = Field(0, ge=0, le=127, description="SR-IOV functions of each NIC.")
    pci_addresses: Annotated[tuple[PciAddress, ...], Loose] = Field(
        (), max_length=64, description="PCI address of each NIC."
    )
    numa_nodes: Annotated[tuple[NumaNode, ...], Loose] = Field(
        (), max_length=64, description="NUMA node of each NIC."
    )
    gpus: Annotated[tuple[Annotated[tuple[Gpu, ...], Loose], ...], Loose] = Field(
        (),
        max_length=64,
        description="GPUs nearest to each NIC, where they are not shared out in order.",
    )
    nearness: Nearness = Field("PIX", description="How near those GPUs are.")
    dcqcn_set: DcqcnSet | None = Field(
        None,
        description="DCQCN parameters, as `rocefab show dcqcn` names them; null leaves those of "
        "the firmware.",
    )
    byte_counter_unit_bytes: Literal[1, 64] = Field(
        64, description="What one unit of rpg_byte_reset is; sources differ."
    )
    receive_buffers: ReceiveBuffers | None = Field(
        None,
        description="Receive buffers set by hand, which makes the cable length count; null leaves "
        "those of the firmware.",
    )
    pause_storm_ms: int | None = Field(
        None,
        ge=80,
        le=8000,
        description="Time after which the NIC stops pausing its peer; null leaves it as found.",
    )
    firmware_file: bool = Field(
        False,  # noqa: FBT003
        description="Whether a file for mlxconfig is written; an operator runs it, never apply.",
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
    """Settings of PCIe and of the operating system; what is not named is left as it is found."""

    max_read_request_bytes: Literal[128, 256, 512, 1024, 2048, 4096] | None = Field(
        None, description="Largest PCIe read of a NIC; 4096 is advised for RDMA."
    )
    acs: Literal["off"] | None = Field(
        None, description="Access control of PCIe bridges; it sends GPU traffic a long way round."
    )
    governor: Literal["performance"] | None = Field(None, description="CPU frequency governor.")
    hugepages_1g: int | None = Field(
        None, ge=0, le=1024, description="Huge pages of 1 GiB, for network stacks in user space."
    )
    relaxed_ordering: Literal["per_mkey", "force_relax"] | None = Field(
        None,
        description="PCIe write ordering in the file for mlxconfig: per_mkey lets an application "
        "ask for it.",
    )
    gpudirect: Literal["peermem", "dmabuf"] | None = Field(
        None, description="How NICs reach GPU memory; it is looked for and said when it is absent."
    )


class HostTraits(Model):
    """What a host is like, beside the names of its NICs."""

    nic: NicTraits = Field(NicTraits(), description="Its NICs.")
    gpu: GpuTraits = Field(GpuTraits(), description="Its GPUs.")
    network_stack: NetworkStack = Field(
        "netplan-networkd", description="What configures addresses and routes."
    )
    container_mode: ContainerMode = Field(
        "host-network", description="How a container comes to the NICs."
    )
    virtual_machine: bool = Field(
        False,  # noqa: FBT003
        description="Whether it is a virtual machine, which hides the PCIe tree.",
    )
    static_neighbours: bool = Field(
        False,  # noqa: FBT003
        description="Whether the gateways are written down as neighbours; needs their MAC.",
    )
    tuning: Tuning = Field(Tuning(), description="PCIe and operating system.")
    nccl_version: NcclVersion | None = Field(
        None, description="NCCL of the jobs; without it settings suit 2.21 and later."
    )


class HostProfile(HostTraits):
    """What a GPU host looks like."""

    gpus: int = Field(8, ge=1, le=64, description="GPUs of a host.")
    interfaces: Interfaces = Field(description="NIC interfaces by rail, then port: eth[1-8].")
    rdma_devices: Interfaces = Field(description="RDMA devices by rail, then port: mlx5_[1-8].")
    management_interface: Interface = Field(
        "eth0", description="Interface outside of the fabric; jobs start over it."
    )
    management_rdma_device: Interface | None = Field(
        None, description="RDMA device of the management NIC, so that jobs leave it alone."
    )
    nccl_queue_pairs: int = Field(4, ge=1, le=128, description="NCCL_IB_QPS_PER_CONNECTION.")
    namespace: Namespace = Field(
        "",
        description="Word in the names of files and units on the hosts; hosts in several fabrics "
        "of a site need another one in each, or none in one of them.",
    )
    first_table: int = Field(
        100,
        ge=1,
        le=30_000,
        description="Routing table and rule priority of the first NIC port of a host; one more for "
        "each.",
    )


class NicOverride(Model):
    """What differs on one NIC."""

    rail: int = Field(ge=0, le=63, description="Which NIC: its rail, from 0.")
    nic_port: int = Field(0, ge=0, le=1, description="Which of its ports, from 0.")
    enabled: bool = Field(True, description="Whether the NIC takes part.")  # noqa: FBT003
    interface: Interface | None = Field(None, description="Interface name.")
    rdma_device: Interface | None = Field(None, description="RDMA device.")
    mac: Mac | None = Field(None, description="MAC address.")
    port_uuid: PortUuid | None = Field(
        None, description="Its port as nicctl names it; AMD Pensando only."
    )
    speed_gbps: Gbps | None = Field(None, description="Speed of the NIC.")
    cable_m: CableMetres | None = Field(None, description="One-way length of its cable.")
    leaf: Name | None = Field(None, description="Leaf that the NIC is really cabled to.")
    port: PortName | None = Field(None, description="Port of that leaf.")
    address: Address | None = Field(None, description="Address inside the subnet of its leaf.")


class HostOverride(Model):
    """What differs on some hosts."""

    names: Names = Field(description="Hosts that this is about, as a range.")
    serial: Text | None = Field(None, description="Serial; another host is never written to.")
    lossless: LosslessPolicy | None = Field(
        None, description="Fields of the lossless policy that differ on these hosts."
    )
    traits: HostTraits | None = Field(
        None, description="Fields of `host` that differ on these hosts; those of all hosts stay."
    )
    nics: Annotated[tuple[NicOverride, ...], Loose] = Field(
        (), description="What differs on single NICs."
    )


class HostsFile(Model):
    """``hosts/*.yaml``."""

    hosts: Annotated[tuple[HostOverride, ...], Loose] = Field(
        min_length=1, description="What differs; a later entry wins, field by field."
    )
