"""The inventory as typed, frozen models; hosts stand in `host_model`."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from fabric.intent.host_model import HostProfile
from fabric.intent.kubernetes_model import Kubernetes
from fabric.intent.policy import LosslessPolicy, Model
from fabric.intent.scalars import (
    Address,
    Asn,
    BufferModel,
    CableMetres,
    Cages,
    EcmpMode,
    Gbps,
    Loose,
    Mac,
    Name,
    Names,
    Network,
    PortName,
    PortNames,
    Release,
    SplitMode,
    Text,
)
from fabric.platforms.model import Role, role_field


class Unit(Model):
    """A scalable unit (rail-optimised: one leaf per rail) or a rack (classic: one leaf)."""

    name: Name = Field(description="First part of the names of its leaves: su1-rail0.")
    hosts: Names = Field(description="Hosts in order, as a range: gpu[001-032].")
    pod: Name | None = Field(
        None, description="Pod that it belongs to; of all units or of none. Pods need super-spines."
    )
    host_gbps: Gbps | None = Field(None, description="Speed of its NICs, where it differs.")
    leaf_sku: str | None = Field(None, description="Switch model of its leaves, where it differs.")


class Spines(Model):
    """The spine layer."""

    count: int = Field(
        ge=1, le=4096, description="Spines of a pod and plane; every leaf there is cabled to each."
    )
    links_per_leaf: int = Field(1, ge=1, le=64, description="Cables from each leaf to each spine.")


class SuperSpines(Model):
    """The layer above the spines, which connects pods."""

    count: int = Field(ge=1, le=4096, description="Super-spines of a plane.")
    links_per_spine: int = Field(
        1, ge=1, le=64, description="Cables from each spine to each super-spine of its group."
    )
    groups: int = Field(
        1,
        ge=1,
        le=256,
        description="Groups: spine n of every pod is cabled to super-spines n, n + groups, ...",
    )
    spines_per_pod: int | None = Field(
        None,
        ge=1,
        le=4096,
        description="Places kept for the spines of a pod, in numbers and on super-spines; "
        "default: as many as a leaf has uplink ports for.",
    )


class SwitchEntry(Model):
    """Some switches of an explicit design."""

    names: Names = Field(description="Switches that this is about, in order, as a range.")
    role: Role = Field(description="Their tier.")
    unit: Name | None = Field(None, description="Unit whose hosts they serve; leaves need it.")
    rail: int | None = Field(
        None, ge=0, le=63, description="Rail of a leaf; null when it takes the NICs of all rails."
    )
    pod: Name | None = Field(None, description="Pod; of a leaf that of its unit by default.")
    plane: int | None = Field(None, ge=0, le=1, description="Plane, 0 or 1.")
    sku: str | None = Field(None, description="Switch model, where it is not that of the role.")
    asn: Asn | None = Field(
        None, description="AS number; of the first leaf of the range, one more for each."
    )
    loopback: Address | None = Field(
        None, description="Loopback of the first of the range, one more for each."
    )


class CageSplit(Model):
    """Cages of a switch that are broken out into several ports."""

    cages: Cages = Field(description="Cages by their numbers on the front, from 1: 1-32,40.")
    mode: SplitMode = Field(description="Ports of each cage and their speed: 2x400G.")


class RolePlatform(Model):
    """Which switch model a role uses, and what differs from the policy of the fabric."""

    sku: str = Field(description="Switch model; `rocefab show platforms` lists them.")
    release: Release | None = Field(
        None,
        description="Release of its system, such as 202405 or 5.14; default: any known.",
    )
    buffer_model: BufferModel = Field(
        "traditional",
        description="Headroom from the vendor's table, or computed by the switch (SONiC, NVIDIA).",
    )
    host_ports: int | None = Field(
        None, ge=1, description="Leaf ports kept for hosts, from port 1; default: half of them."
    )
    down_ports: int | None = Field(
        None,
        ge=1,
        description="Spine ports kept for leaves; default: half with super-spines, else all.",
    )
    reserved_ports: Annotated[tuple[PortNames, ...], Loose] = Field(
        (), description="Ports that the design never uses, by name or range; counts skip them."
    )
    breakouts: Annotated[tuple[CageSplit, ...], Loose] = Field(
        (), description="Cages that are broken out; ports are counted after that."
    )
    lossless: LosslessPolicy | None = Field(
        None, description="Fields of the lossless policy that differ on this role."
    )


class Platforms(Model):
    """Switch model by role."""

    leaf: RolePlatform = Field(description="Platform of the leaves.")
    spine: RolePlatform | None = Field(None, description="Platform of the spines.")
    super_spine: RolePlatform | None = Field(None, description="Platform of the super-spines.")

    def of(self, role: Role) -> RolePlatform | None:
        """Return what is said of a role."""
        found: RolePlatform | None = getattr(self, role_field(role))
        return found


class Speeds(Model):
    """Port speeds in Gb/s."""

    host_gbps: Gbps = Field(description="Host NIC and the leaf port that it is on.")
    uplink_gbps: Gbps | None = Field(
        None, description="Both ends of a cable between leaf and spine; needed with spines."
    )
    core_gbps: Gbps | None = Field(
        None, description="Both ends of a cable between spine and super-spine; default: uplink."
    )


class Cables(Model):
    """One-way cable lengths in metres; switches may accept listed lengths only."""

    host_m: CableMetres = Field(5, description="From host to leaf.")
    uplink_m: CableMetres = Field(40, description="From leaf to spine.")
    core_m: CableMetres | None = Field(
        None, description="From spine to super-spine; default: as uplink_m."
    )


class Addressing(Model):
    """Address pools; places in them follow from unit, rail and slot, so that growth is stable."""

    loopbacks: Network = Field(
        description="Pool of loopbacks: spines below, leaves above its middle; super-spines from "
        "the end of its first quarter."
    )
    uplinks: Network | None = Field(
        None, description="Pool of /31 links between leaves and spines; needed with spines."
    )
    uplinks_per_leaf: int = Field(
        64, ge=1, le=1024, description="/31 links reserved for each leaf."
    )
    core_links: Network | None = Field(
        None, description="Pool of /31 links between spines and super-spines; needed with these."
    )
    core_links_per_spine: int = Field(
        64, ge=1, le=1024, description="/31 links reserved for each spine."
    )
    hosts: Network = Field(
        description="Pool of the NIC subnets; hosts route all of it to the rail, or with planes "
        "the half of their plane."
    )
    host_prefix_length: int = Field(24, ge=8, le=30, description="Length of one NIC subnet.")
    gateway_offset: int = Field(1, ge=1, description="Gateway = network address + this.")
    first_host_offset: int = Field(2, ge=1, description="First host = network address + this.")
    vlan_first: int = Field(101, ge=2, le=4094, description="VLAN of rail 0 (or of port 1).")
    vlan_per: Literal["rail", "nic"] = Field(
        "rail", description="One VLAN and subnet for the NICs of a rail on a leaf, or one per NIC."
    )


class Bgp(Model):
    """BGP underlay: the spines of a pod in one AS, so the super-spines; each leaf in its own."""

    peering: Literal["numbered", "unnumbered"] = Field(
        "numbered",
        description="Sessions between /31 addresses, or between ports by link-local addresses.",
    )
    spine_asn: Asn = Field(65100, description="AS number of all spines where there are no pods.")
    pod_asn_first: Asn = Field(
        64600, description="AS number of the spines of the first pod; one more for each pod."
    )
    super_spine_asn: Asn = Field(64512, description="AS number of all super-spines.")
    leaf_asn_first: Asn = Field(65101, description="AS number of the first leaf; one more each.")
    keepalive_s: int = Field(3, ge=1, le=3600, description="Time between two keepalives.")
    hold_s: int = Field(9, ge=3, le=3600, description="Silence after which a session ends.")
    max_paths: int = Field(64, ge=1, le=256, description="Equal paths that are used together.")
    bfd: bool = Field(False, description="Whether BFD watches the sessions.")  # noqa: FBT003


class Ecmp(Model):
    """How the switches share packets out among equal paths."""

    mode: EcmpMode = Field(
        "hash",
        description="By a hash of each flow; by load, at gaps in a flow; by load, each packet; or "
        "flow by flow, as the leaves learn the RoCE endpoints.",
    )
    hash_queue_pairs: bool = Field(
        False,  # noqa: FBT003
        description="Whether the queue pair of RoCE is hashed too; not every switch can.",
    )


class Arp(Model):
    """Ageing: a silent NIC is asked again before its MAC dies, else packets to it are flooded."""

    timeout_s: int = Field(
        240,
        ge=60,
        le=65_535,
        description="Neighbour timeout on the leaf. SONiC asks every 300 s, whatever this says.",
    )
    mac_ageing_s: int | None = Field(
        None, ge=10, le=1_000_000, description="MAC ageing; null = the platform's default."
    )
    neighbour_capacity: int = Field(
        8192, ge=256, le=1_048_576, description="Neighbour entries the leaf must hold."
    )


class Management(Model):
    """What the switches need beside the fabric; logins and management ports are left as found."""

    ntp_servers: Annotated[tuple[Address, ...], Loose] = Field((), description="NTP servers.")
    syslog_servers: Annotated[tuple[Address, ...], Loose] = Field(
        (), description="Receivers of system messages."
    )


class FabricFile(Model):
    """``fabric.yaml``: what the fabric is."""

    name: Name = Field(description="Name of the fabric.")
    design: Literal["rail-optimised", "rail-only", "classic-tor", "explicit"] = Field(
        description="One leaf per unit and rail, with spines or without, one leaf per rack with "
        "all NICs of its hosts, or switches and cables one by one."
    )
    cabling: Literal["generated", "explicit"] = Field(
        "generated",
        description="Whether cables follow from the design, or are those of cabling.csv or "
        "cabling.dot alone; an explicit design has these alone.",
    )
    rails: int = Field(ge=1, le=64, description="NICs of a host that take part in the fabric.")
    nic_ports: Literal[1, 2] = Field(
        1, description="Ports of a NIC in use; port 1 and 2 go to leaves of their own."
    )
    planes: Literal[1, 2] = Field(
        1, description="Planes of spines; with 2, port p of each NIC is in plane p."
    )
    units: Annotated[tuple[Unit, ...], Loose] = Field(
        min_length=1, description="Units in order; append new ones, so that nothing moves."
    )
    spines: Spines | None = Field(
        None, description="Spines and their cables; rail-only has none, other designs need them."
    )
    super_spines: SuperSpines | None = Field(
        None, description="Super-spines and their cables, where there are pods."
    )
    switches: Annotated[tuple[SwitchEntry, ...], Loose] = Field(
        (), description="Switches of an explicit design in order; append new ones."
    )
    switch_prefix: Name | None = Field(
        None, description="First part of the generated switch names: storage-spine01."
    )
    leaf_names: Names | None = Field(None, description="Own leaf names, unit by unit, as a range.")
    spine_names: Names | None = Field(None, description="Own spine names as a range.")
    platforms: Platforms = Field(description="Switch models.")
    speeds: Speeds = Field(description="Port speeds.")
    cables: Cables = Field(Cables(), description="Cable lengths.")
    addressing: Addressing = Field(description="Address pools.")
    lossless: LosslessPolicy = Field(LosslessPolicy(), description="The lossless policy.")
    arp: Arp = Field(Arp(), description="Ageing of neighbours.")
    bgp: Bgp = Field(Bgp(), description="The BGP underlay.")
    ecmp: Ecmp = Field(Ecmp(), description="Sharing among equal paths.")
    host: HostProfile = Field(description="What a host looks like.")
    management: Management = Field(Management(), description="Servers that the switches use.")
    kubernetes: Kubernetes = Field(Kubernetes(), description="The cluster on the hosts.")


class Peer(Model):
    """The other end of a cable that differs from the design."""

    device: Name = Field(description="Switch or host at the other end.")
    port: PortName = Field(description="Its port, as the platform names it.")


class PortOverride(Model):
    """What differs on one port."""

    enabled: bool = Field(True, description="Whether the port is up.")  # noqa: FBT003
    speed_gbps: Gbps | None = Field(None, description="Speed of the port.")
    cable_m: CableMetres | None = Field(None, description="One-way length of its cable.")
    state: Literal["working", "broken"] = Field(
        "working",
        description="Whether the port can be used; no cable may end on a broken one.",
    )
    fec: Literal["rs", "fc", "none"] | None = Field(None, description="Forward error correction.")
    description: Text | None = Field(None, description="Text at the port.")
    peer: Peer | None = Field(None, description="Other end of the cable, where it differs.")
    lossless: LosslessPolicy | None = Field(
        None, description="Fields of the lossless policy that differ on this port."
    )


class DeviceOverride(Model):
    """What differs on some switches."""

    names: Names = Field(description="Switches that this is about, as a range.")
    sku: str | None = Field(None, description="Switch model.")
    release: Release | None = Field(None, description="Release of its system.")
    buffer_model: BufferModel | None = Field(None, description="Where its headroom comes from.")
    breakouts: Annotated[tuple[CageSplit, ...] | None, Loose] = Field(
        None,
        description="Cages that are broken out, in place of those of the role, also for another "
        "sku.",
    )
    asn: Asn | None = Field(None, description="AS number.")
    loopback: Address | None = Field(None, description="Address of the loopback.")
    mac: Mac | None = Field(None, description="Chassis MAC; another switch is never written to.")
    serial: Text | None = Field(None, description="Serial; another switch is never written to.")
    lossless: LosslessPolicy | None = Field(
        None, description="Fields of the lossless policy that differ on these switches."
    )
    ports: dict[PortName, PortOverride] = Field(
        default_factory=dict, description="What differs on single ports, by port name."
    )


class DevicesFile(Model):
    """``devices/*.yaml``."""

    devices: Annotated[tuple[DeviceOverride, ...], Loose] = Field(
        min_length=1, description="What differs; a later entry wins, field by field."
    )
