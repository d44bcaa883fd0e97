"""The inventory as typed, frozen models; hosts stand in `host_model`."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from fabric.intent.drift_model import Drift
from fabric.intent.host_model import HostProfile
from fabric.intent.kubernetes_model import Kubernetes
from fabric.intent.management_model import Management
from fabric.intent.policy import LosslessPolicy, Model
from fabric.intent.rollout_model import Rollout
from fabric.intent.scalars import (
    Address,
    Address6,
    AddressOffset,
    Asn,
    BufferModel,
    CableMetres,
    Cages,
    Day,
    EcmpMode,
    Gbps,
    Glob,
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
    PortNames,
    RackUnit,
    Release,
    RuleId,
    SplitMode,
    Text,
)
from fabric.intent.tenancy_model import Tenancy, Tenant
from fabric.platforms.cable_types import CableType
from fabric.platforms.model import Role, role_field


class Unit(Model):
    """A scalable unit (rail-optimised: one leaf per rail) or a rack (classic: one leaf)."""

    name: Name = Field(
        description="Name of the unit, the first part of the names of its leaves: su1-rail0."
    )
    hosts: Names = Field(description="Hosts in order, as a range: gpu[001-032].")
    pod: Name | None = Field(
        None, description="Pod of the unit; set it on all units or on none. Pods need super-spines."
    )
    host_gbps: Gbps | None = Field(None, description="Speed of its NICs, if it differs.")
    leaf_sku: str | None = Field(None, description="Switch model of its leaves, if it differs.")
    vlan_per: Literal["none"] | None = Field(
        None,
        description="none: its NICs are on routed ports; default: addressing.vlan_per.",
    )


class Spines(Model):
    """The spine layer."""

    count: int = Field(
        ge=1,
        le=4096,
        description="Number of spines per pod and plane; every leaf there is cabled to each of "
        "them.",
    )
    links_per_leaf: int = Field(
        1, ge=1, le=64, description="Number of cables from each leaf to each spine."
    )


class SuperSpines(Model):
    """The layer above the spines, which connects pods."""

    count: int = Field(ge=1, le=4096, description="Number of super-spines per plane.")
    links_per_spine: int = Field(
        1,
        ge=1,
        le=64,
        description="Number of cables from each spine to each super-spine of its group.",
    )
    groups: int = Field(
        1,
        ge=1,
        le=256,
        description="Number of groups: spine n of every pod is cabled to super-spines n, n + "
        "groups, ...",
    )
    spines_per_pod: int | None = Field(
        None,
        ge=1,
        le=4096,
        description="Spines reserved per pod, in numbering and on super-spine "
        "ports; default: as many as a leaf has uplink ports for.",
    )


class SwitchEntry(Model):
    """A range of switches of an explicit design."""

    names: Names = Field(description="Switches that this entry applies to, in order, as a range.")
    role: Role = Field(description="Their tier.")
    unit: Name | None = Field(None, description="Unit whose hosts they serve; required for leaves.")
    rail: int | None = Field(
        None, ge=0, le=63, description="Rail of a leaf; null if it serves the NICs of all rails."
    )
    pod: Name | None = Field(None, description="Pod; default for a leaf: that of its unit.")
    plane: int | None = Field(None, ge=0, le=1, description="Plane, 0 or 1.")
    sku: str | None = Field(None, description="Switch model, if not that of the role.")
    asn: Asn | None = Field(
        None,
        description="AS number of the first switch of the range; incremented for each further "
        "switch.",
    )
    loopback: Address | None = Field(
        None,
        description="Loopback of the first switch of the range; incremented for each further "
        "switch.",
    )


class CageSplit(Model):
    """Cages of a switch that are broken out into several ports."""

    cages: Cages = Field(description="Cages by their numbers on the front, from 1: 1-32,40.")
    mode: SplitMode = Field(description="Ports of each cage and their speed: 2x400G.")


class RolePlatform(Model):
    """Switch model of a role, and its overrides of the fabric policy."""

    sku: str = Field(description="Switch model; `rocefab show platforms` lists them.")
    release: Release | None = Field(
        None,
        description="Release of its operating system, such as 202405 or 5.14; default: any known "
        "release.",
    )
    scope: Literal["whole", "merge"] = Field(
        "whole",
        description="whole: rocefab writes the sections that it renders; merge: lines of others in "
        "them stay as they run.",
    )
    buffer_model: BufferModel = Field(
        "traditional",
        description="Headroom from the vendor's table, or computed by the switch (SONiC, NVIDIA).",
    )
    headroom_over_subscription: OverSubscription | None = Field(
        None,
        description="With buffer_model dynamic: the ports share one headroom, the sum of theirs "
        "divided by this number; default: each has its own.",
    )
    pause_response_ns: PauseResponseNs | None = Field(
        None,
        description="Longest time from a pause until a port of these switches stops sending, for "
        "the headroom at the other end of its cables; default: that of the switch model where it "
        "is known, else what IEEE 802.3 allows.",
    )
    host_ports: int | None = Field(
        None,
        ge=1,
        description="Number of leaf ports reserved for hosts, from port 1; default: half of them.",
    )
    down_ports: int | None = Field(
        None,
        ge=1,
        description="Number of spine ports reserved for leaves; default: half with super-spines, "
        "otherwise all.",
    )
    reserved_ports: Annotated[tuple[PortNames, ...], Loose] = Field(
        (), description="Ports that the design never uses, by name or range; they are not counted."
    )
    breakouts: Annotated[tuple[CageSplit, ...], Loose] = Field(
        (), description="Breakouts of cages; ports are counted after breakout."
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
        platform: RolePlatform | None = getattr(self, role_field(role))
        return platform


class Speeds(Model):
    """Port speeds in Gb/s."""

    host_gbps: Gbps = Field(description="Host NIC and its leaf port.")
    uplink_gbps: Gbps | None = Field(
        None, description="Both ends of a cable between leaf and spine; needed with spines."
    )
    core_gbps: Gbps | None = Field(
        None, description="Both ends of a cable between spine and super-spine; default: uplink."
    )


class Cables(Model):
    """Cables by tier: one-way length in metres, and what they are made of."""

    host_m: CableMetres = Field(5, description="From host to leaf.")
    uplink_m: CableMetres = Field(40, description="From leaf to spine.")
    core_m: CableMetres | None = Field(
        None, description="From spine to super-spine; default: as uplink_m."
    )
    host_type: CableType | None = Field(
        None,
        description="Type of the cables from host to leaf: dac, aec, aoc, or the optics at both "
        "ends. Types are for parts lists and reach; switches do not get them.",
    )
    uplink_type: CableType | None = Field(
        None, description="Type of the cables from leaf to spine."
    )
    core_type: CableType | None = Field(
        None, description="Type of the cables from spine to super-spine; default: uplink_type."
    )


class Ipv6Plan(Model):
    """IPv6 of NICs on routed ports, and of the links between switches."""

    hosts: Network6 = Field(
        description="Pool of the NIC ports: a /64 for each rail, and with slaac for each NIC."
    )
    assignment: Literal["static", "slaac"] = Field(
        "static",
        description="static: a /127 for each NIC, leaf even, NIC odd. slaac: a /64 for each NIC, "
        "whose address follows from its MAC address.",
    )
    uplinks: Network6 | None = Field(
        None,
        description="Pool of /127 links between switches; needed with bgp.peering numbered.",
    )
    rdma: bool = Field(
        False,  # noqa: FBT003
        description="Whether RDMA uses IPv6; it does where there is no addressing.hosts.",
    )


class Addressing(Model):
    """Address pools; addresses are derived from unit, rail and slot, so that growth is stable."""

    loopbacks: Network = Field(
        description="Loopback pool: spines use the lower half, leaves the upper half, "
        "super-spines the second quarter."
    )
    uplinks: Network | None = Field(
        None,
        description="Pool of /31 links between leaves and spines; needed where their sessions are "
        "numbered.",
    )
    uplinks_per_leaf: int = Field(
        64, ge=1, le=1024, description="/31 links reserved for each leaf."
    )
    core_links: Network | None = Field(
        None,
        description="Pool of /31 links between spines and super-spines; needed where their "
        "sessions are numbered.",
    )
    core_links_per_spine: int = Field(
        64, ge=1, le=1024, description="/31 links reserved for each spine."
    )
    hosts: Network | None = Field(
        None,
        description="Pool of the NIC subnets; hosts route the whole pool over the rail, or "
        "with planes the parts that have subnets of their plane alone: by default, half of it. "
        "Needed without ipv6.",
    )
    host_prefix_length: int = Field(24, ge=8, le=30, description="Length of one NIC subnet.")
    gateway_offset: AddressOffset = Field(1, description="Gateway = network address + this.")
    first_host_offset: AddressOffset = Field(2, description="First host = network address + this.")
    vlan_first: int = Field(101, ge=2, le=4094, description="VLAN of rail 0 (or of port 1).")
    vlan_per: Literal["rail", "nic", "none"] = Field(
        "rail",
        description="Whether the NICs of a rail on a leaf share one VLAN and subnet, or each NIC "
        "has its own; none: each NIC is on a routed port without a VLAN.",
    )
    routed_hosts: Network | None = Field(
        None,
        description="Pool of routed NIC ports, cut by rail, leaf and port; default: hosts. Needed "
        "where some units have VLANs.",
    )
    routed_prefix_length: int = Field(
        31,
        ge=26,
        le=31,
        description="Length of the subnet of a routed NIC port. 31: leaf even, NIC odd; shorter: "
        "the leaf is first, the NIC second, and the rest is free for virtual functions or pods.",
    )
    advertise: Literal["nic", "leaf"] = Field(
        "nic",
        description="What a leaf announces of routed NIC ports: the subnet of each, or one prefix "
        "for each rail, which hides that a NIC is cut off.",
    )
    ipv6: Ipv6Plan | None = Field(None, description="IPv6 of NICs, which are on routed ports.")

    @property
    def ipv4(self) -> bool:
        """Whether NICs have IPv4 addresses."""
        return bool(self.hosts or self.routed_hosts)

    @property
    def rdma_ipv6(self) -> bool:
        """Whether RDMA of routed NIC ports uses IPv6."""
        return self.ipv6 is not None and (self.ipv6.rdma or not self.ipv4)


class Bgp(Model):
    """BGP underlay: one AS per leaf, one for the spines of a pod, one for the super-spines."""

    peering: Peering = Field(
        "numbered",
        description="Numbered: sessions between /31 addresses. Unnumbered: sessions between "
        "link-local addresses, on cables that no end wants numbered.",
    )
    spine_asn: Asn = Field(65100, description="AS number of all spines in a fabric without pods.")
    pod_asn_first: Asn = Field(
        64600,
        description="AS number of the spines of the first pod; incremented for each further pod.",
    )
    super_spine_asn: Asn = Field(64512, description="AS number of all super-spines.")
    leaf_asn_first: Asn = Field(
        65101, description="AS number of the first leaf; incremented for each further leaf."
    )
    allowas_in: int = Field(
        0,
        ge=0,
        le=9,
        description="How often a leaf accepts its own AS number in a route; 1 for leaves that "
        "share an AS number.",
    )
    keepalive_s: int = Field(3, ge=1, le=3600, description="Keepalive interval.")
    hold_s: int = Field(9, ge=3, le=3600, description="Hold time of a session.")
    max_paths: int = Field(64, ge=1, le=256, description="Maximum number of equal-cost paths.")
    bfd: bool = Field(False, description="Whether BFD is enabled for the sessions.")  # noqa: FBT003


class Ecmp(Model):
    """How the switches balance packets over equal-cost paths."""

    mode: EcmpMode = Field(
        "hash",
        description="hash: per flow; flowlet: dynamic, per flowlet; per-packet: dynamic, per "
        "packet; "
        "cluster: per flow, with RoCE endpoints learned by the leaves.",
    )
    hash_queue_pairs: bool = Field(
        False,  # noqa: FBT003
        description="Whether the RoCE queue pair is part of the hash; not supported by every "
        "switch.",
    )


class Arp(Model):
    """Ageing: silent NICs must be refreshed before their MAC expires, or packets are flooded."""

    timeout_s: int = Field(
        240,
        ge=60,
        le=65_535,
        description="Neighbour timeout on the leaf. SONiC refreshes every 300 s regardless of "
        "this value.",
    )
    mac_ageing_s: int | None = Field(
        None, ge=10, le=1_000_000, description="MAC ageing; null: platform default."
    )
    neighbour_capacity: int = Field(
        8192,
        ge=256,
        le=1_048_576,
        description="Number of neighbour entries that the leaf must support.",
    )


class Waiver(Model):
    """Findings that are accepted for a time."""

    rule: RuleId = Field(description="Rule whose findings are waived.")
    device: Glob = Field("*", description="Switches and hosts, with * and ? as wildcards.")
    port: Glob = Field("*", description="Ports and NICs, with * and ? as wildcards.")
    reason: Text = Field(min_length=1, description="Why this is acceptable; shown in reports.")
    until: Day = Field(description="Last day of the waiver; later the findings return.")


class SeverityChange(Model):
    """Another severity for the findings of a rule."""

    level: Literal["error", "warning", "info"] = Field(description="Severity of its findings.")
    reason: Text = Field(min_length=1, description="Why it differs; shown in reports.")


class FabricFile(Model):
    """``fabric.yaml``: what the fabric is."""

    name: Name = Field(description="Name of the fabric.")
    design: Literal["rail-optimised", "rail-only", "classic-tor", "explicit"] = Field(
        description="rail-optimised, rail-only: one leaf per unit and rail, with or without "
        "spines; classic-tor: "
        "one leaf per rack with all NICs of its hosts; explicit: a list of switches and cables."
    )
    cabling: Literal["generated", "explicit"] = Field(
        "generated",
        description="generated: cables follow from the design; explicit: only cables "
        "in cabling.csv or cabling.dot, as in an explicit design.",
    )
    rails: int = Field(ge=1, le=64, description="Number of NICs per host in the fabric.")
    nic_ports: Literal[1, 2] = Field(
        1, description="Number of NIC ports in use; ports 1 and 2 are cabled to separate leaves."
    )
    planes: Literal[1, 2] = Field(
        1, description="Number of spine planes; with 2, port p of each NIC is in plane p."
    )
    units: Annotated[tuple[Unit, ...], Loose] = Field(
        min_length=1, description="Units in order; append new ones to keep names and addresses."
    )
    spines: Spines | None = Field(
        None, description="Spines and their cables; required except for rail-only, which has none."
    )
    super_spines: SuperSpines | None = Field(
        None, description="Super-spines and their cables, for fabrics with pods."
    )
    switches: Annotated[tuple[SwitchEntry, ...], Loose] = Field(
        (), description="Switches of an explicit design in order; append new ones."
    )
    switch_prefix: Name | None = Field(
        None, description="Prefix of the generated switch names: storage-spine01."
    )
    leaf_names: Names | None = Field(
        None, description="Custom leaf names, unit by unit, as a range."
    )
    spine_names: Names | None = Field(None, description="Custom spine names, as a range.")
    platforms: Platforms = Field(description="Switch models.")
    speeds: Speeds = Field(description="Port speeds.")
    cables: Cables = Field(Cables(), description="Cable lengths.")
    addressing: Addressing = Field(description="Address pools.")
    lossless: LosslessPolicy = Field(LosslessPolicy(), description="The lossless policy.")
    arp: Arp = Field(Arp(), description="Neighbour and MAC ageing.")
    bgp: Bgp = Field(Bgp(), description="The BGP underlay.")
    ecmp: Ecmp = Field(Ecmp(), description="ECMP load balancing.")
    host: HostProfile = Field(description="Host profile.")
    management: Management = Field(
        Management(), description="Servers used by the switches, and the management network."
    )
    kubernetes: Kubernetes = Field(Kubernetes(), description="Kubernetes cluster on the hosts.")
    tenancy: Tenancy | None = Field(None, description="How tenants are kept apart.")
    tenants: Annotated[tuple[Tenant, ...], Loose] = Field(
        (), description="Tenants; files in `tenants/` may have more of them."
    )
    waivers: Annotated[tuple[Waiver, ...], Loose] = Field(
        (), description="Findings that are accepted, each with a reason and a last day."
    )
    severity: dict[RuleId, SeverityChange] = Field(
        {}, description="Rules whose findings have another severity here."
    )
    rollout: Rollout = Field(Rollout(), description="How a change goes through the fabric.")
    drift: Drift = Field(Drift(), description="What is repaired without being asked.")


class Peer(Model):
    """The other end of a cable that differs from the design."""

    device: Name = Field(description="Switch or host at the other end.")
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
        default_factory=dict, description="Overrides for single ports, by port name."
    )


class DevicesFile(Model):
    """``devices/*.yaml``."""

    devices: Annotated[tuple[DeviceOverride, ...], Loose] = Field(
        min_length=1, description="Overrides; a later entry takes precedence, field by field."
    )
