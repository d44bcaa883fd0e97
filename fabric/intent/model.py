"""The inventory as typed, frozen models; hosts stand in `host_model`."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from fabric.intent.addressing_model import Addressing
from fabric.intent.drift_model import Drift
from fabric.intent.host_model import HostProfile
from fabric.intent.kubernetes_model import Kubernetes
from fabric.intent.management_model import Management
from fabric.intent.platform_model import Platforms
from fabric.intent.policy import LosslessPolicy, Model
from fabric.intent.rollout_model import Rollout
from fabric.intent.scalars import (
    Address,
    Asn,
    CableMetres,
    Day,
    EcmpMode,
    Gbps,
    Glob,
    Loose,
    Name,
    Names,
    Peering,
    RuleId,
    Text,
)
from fabric.intent.tenancy_model import Tenancy, Tenant
from fabric.platforms.cable_types import CableType
from fabric.platforms.model import Role


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
    max_paths: int = Field(
        64,
        ge=1,
        le=256,
        description="Maximum number of equal-cost paths; docs/addressing.md has the lines.",
    )
    bfd: bool = Field(
        False,  # noqa: FBT003
        description="Whether BFD is enabled for the sessions; docs/addressing.md has its timers.",
    )


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
