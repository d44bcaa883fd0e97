"""Answers as the OpenAPI document describes them; members are added to them, none is removed."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import BaseModel, Field, RootModel

from fabric.report.placement import PlacementDocument
from fabric.serve.replies_map import MAP_REPLIES, ConditionReply, Count
from fabric.serve.replies_review import REVIEW_REPLIES

Load = Annotated[float, Field(ge=0)]
Gbps = Annotated[float, Field(ge=0)]


class StateReply(BaseModel):
    """Version, age and size of the state."""

    version: Annotated[int, Field(ge=0, description="Counts changes.")]
    age_s: Annotated[
        float | None, Field(ge=0, description="Seconds since the last change; null before it.")
    ]
    conditions: Annotated[Count | None, Field(description="Null before there is a state.")]
    jobs: Annotated[Count | None, Field(description="Null before there is a state.")]


class ConditionsReply(BaseModel):
    """The state."""

    state: StateReply
    conditions: Annotated[dict[str, ConditionReply], Field(description="By subject.")]


class AlertsReply(BaseModel):
    """What alerts changed of the state."""

    state: StateReply
    set: Annotated[list[str], Field(description="Subjects of conditions that are new.")]
    removed: Annotated[list[str], Field(description="Subjects whose alert is resolved.")]
    unknown: Annotated[list[str], Field(description="Subjects that the fabric does not have.")]


class JobReply(BaseModel):
    """A job that runs."""

    name: str
    hosts: Annotated[str, Field(description="Its hosts as a range.")]
    traffic: Annotated[str, Field(description="Collectives with shares, or the layout.")]


class NotedJobReply(JobReply):
    """A job that was noted."""

    warnings: Annotated[
        list[str],
        Field(
            description="Hosts of it that the state says are down or degraded, and hosts with NICs "
            "of several tenants."
        ),
    ]


class PageReply(BaseModel):
    """A page of a list."""

    total: Count
    next: Annotated[int | None, Field(description="Offset of the next page; null at the end.")]


class JobsReply(PageReply):
    """A page of the running jobs, by name."""

    items: list[JobReply]


class HostReply(BaseModel):
    """A host."""

    name: str
    unit: str
    pod: str | None
    leaves: Annotated[list[str], Field(description="Leaves of its NICs.")]
    tenants: Annotated[
        list[str], Field(description="Tenants of its NICs; a tenant's token sees itself.")
    ]
    condition: ConditionReply | None
    job: Annotated[str | None, Field(description="Job that it runs.")]


class HostHealthReply(BaseModel):
    """Whether a host takes jobs."""

    name: str
    takes_jobs: Annotated[
        bool, Field(description="False where it, a NIC, its cable or its leaf carries no job.")
    ]
    reason: Annotated[
        str, Field(description="Where it differs from the plan; empty where it does not.")
    ]
    job: Annotated[str | None, Field(description="Job that it runs.")]


class HostsReply(PageReply):
    """A page of hosts, in the order of the inventory."""

    items: list[HostReply]


class TenantReply(BaseModel):
    """A tenant."""

    name: str
    id: Annotated[int, Field(description="Number that VRF and VNI follow from.")]
    vrf: str
    vni: Annotated[int | None, Field(description="Null where its traffic stays on its leaf.")]
    hosts: Annotated[str, Field(description="Hosts of which it has a NIC, as a range.")]
    nics: Annotated[int, Field(description="NIC ports.")]
    services: Annotated[list[str], Field(description="Tenants that it reaches.")]
    shared: Annotated[bool, Field(description="Whether other tenants may reach it.")]


class UnassignedReply(BaseModel):
    """NIC ports without a tenant."""

    nics: int
    quarantine: Annotated[bool, Field(description="Whether their ports are shut down.")]


class TenantsReply(BaseModel):
    """All tenants, in the order of the inventory."""

    tenants: list[TenantReply]
    without: UnassignedReply


class LinkReply(BaseModel):
    """A cable; its ends are subjects of conditions."""

    near: Annotated[str, Field(description="Host or lower switch, as `device:port`.")]
    far: Annotated[str | None, Field(description="Switch; null where no port is planned.")]
    gbps: Gbps
    enabled: Annotated[bool, Field(description="Whether the inventory uses it.")]
    condition: ConditionReply | None


class LinksReply(PageReply):
    """A page of cables."""

    items: list[LinkReply]


class UnitReply(BaseModel):
    """A unit of the fabric."""

    name: str
    hosts: Annotated[str, Field(description="Its hosts as a range.")]
    pod: str | None


class LinkCounts(BaseModel):
    """Numbers of cables."""

    host: Count
    switch: Count


class FabricReply(BaseModel):
    """The size of the fabric."""

    name: str
    hosts: Count
    gpus_per_host: Count
    rails: Count
    nic_ports: Annotated[int, Field(ge=1, description="Ports of the NIC of a rail.")]
    switches: Annotated[dict[str, Count], Field(description="By role.")]
    links: LinkCounts
    units: list[UnitReply]
    state: StateReply
    warnings: list[str]


class FindingReply(BaseModel):
    """One thing that is wrong."""

    rule: str
    severity: str
    message: str
    fix: str
    field: str | None
    file: str | None
    line: Annotated[int | None, Field(description="Null where it is about a whole file.")]
    column: int | None
    device: str | None
    port: str | None
    also: list[str] = Field(default=[], description="Further devices that it is about.")


class AliveReply(BaseModel):
    """The process runs."""

    status: Literal["ok"]


class InventoryReply(BaseModel):
    """The inventory that answers are about."""

    loads: Annotated[int, Field(ge=1, description="Inventories that this process has loaded.")]
    loaded_s: Annotated[float, Field(description="When, in seconds since 1970.")]
    is_current: Annotated[bool, Field(description="Whether it is the one on disk.")]
    findings: Annotated[list[FindingReply], Field(description="Of the one on disk.")]


class TokensReply(BaseModel):
    """The tokens that are accepted."""

    is_current: Annotated[bool, Field(description="Whether they are those on disk.")]
    findings: Annotated[list[FindingReply], Field(description="Of the file on disk.")]


class KnownStateReply(StateReply):
    """The state, with what the inventory lacks."""

    ignored: Annotated[list[str], Field(description="Subjects and hosts that it lacks.")]


class ReadyReply(BaseModel):
    """Whether placements are answered; about what is said to who may read."""

    status: Literal["ok", "degraded"]
    fabric: str = ""
    inventory: InventoryReply | None = None
    tokens: TokensReply | None = None
    state: KnownStateReply | None = None


class FilterReply(BaseModel):
    """``ExtenderFilterResult`` of k8s.io/kube-scheduler/extender/v1."""

    nodes: Annotated[
        dict[str, Any] | None, Field(alias="Nodes", description="Where whole nodes were sent.")
    ] = None
    node_names: Annotated[
        list[str] | None, Field(alias="NodeNames", description="Where names were sent.")
    ] = None
    failed: Annotated[dict[str, str], Field(alias="FailedNodes", description="Why, by name.")]
    error: Annotated[str, Field(alias="Error")]


class HostPriority(BaseModel):
    """``HostPriority`` of k8s.io/kube-scheduler/extender/v1."""

    host: Annotated[str, Field(alias="Host")]
    score: Annotated[int, Field(alias="Score", ge=0, le=10)]


class PrioritiesReply(RootModel[list[HostPriority]]):
    """``HostPriorityList`` of k8s.io/kube-scheduler/extender/v1."""


class Pairs(BaseModel):
    """Pairs that reach each other, and those that no longer do."""

    before: Count
    cut: Count


class SplitRail(BaseModel):
    """A rail that falls apart."""

    rail: int
    parts: Count


class LostRail(BaseModel):
    """A host, and a rail of which it loses the last NIC port that was up."""

    host: str
    rail: int


class MovedTraffic(BaseModel):
    """Switches that lose uplinks."""

    role: str
    switches: Count
    times: Annotated[float | None, Field(description="What the others carry; null without one.")]


class UnitBandwidth(BaseModel):
    """Bandwidth of a unit before and after."""

    unit: str
    nic_gbps: Gbps
    nic_gbps_left: Gbps
    uplink_gbps: Gbps
    uplink_gbps_left: Gbps


class PodBandwidth(BaseModel):
    """Bandwidth of a pod to other pods, before and after."""

    pod: str
    gbps: Gbps
    gbps_left: Gbps


class HostBandwidth(BaseModel):
    """Bandwidth of a host before and after."""

    host: str
    gbps: Gbps
    gbps_left: Gbps
    nic_share_left: Annotated[
        float, Field(ge=0, le=1, description="Share that its slowest NIC keeps: a job runs at it.")
    ]


class NewFinding(BaseModel):
    """What a rule says of the fabric that is left."""

    rule: str
    severity: str
    device: str | None
    port: str | None
    message: str
    fix: str


class BrokenRule(BaseModel):
    """A rule that failed itself."""

    rule: str
    reason: str


class HitTenantReply(BaseModel):
    """A tenant that loses something."""

    tenant: str
    nics_lost: Annotated[int, Field(ge=0, description="Its NICs that are down by it.")]
    nic_pairs_cut: Count
    host_pairs_cut: Count
    gbps: Gbps
    gbps_left: Gbps


class OutageReply(BaseModel):
    """What a failure or a drain does, as `rocefab whatif` says it."""

    format: str
    failed: list[str]
    drained: str
    harmless: Annotated[
        bool,
        Field(description="Whether it is safe, and no unit, pod, host or switch loses bandwidth."),
    ]
    safe: Annotated[
        bool,
        Field(
            description="Whether no hosts are cut, no rail is split, no host loses a rail and no "
            "rule finds a new error."
        ),
    ]
    reasons: Annotated[list[str], Field(description="Why it is not safe.")]
    verdict: Annotated[str, Field(description="Both in words, with the bandwidth that is left.")]
    leaf_pairs: Pairs
    host_pairs: Pairs
    rails_split: list[SplitRail]
    rails_lost: Annotated[
        list[LostRail], Field(description="Also of hosts that fail, or are cut off by it.")
    ]
    rail_losers: Annotated[
        list[str], Field(description="Hosts that lose a rail and have others, as `reasons` says.")
    ]
    moved: list[MovedTraffic]
    units: list[UnitBandwidth]
    pods: Annotated[
        list[PodBandwidth], Field(default_factory=list, description="Not sent without pods.")
    ]
    worst_hosts: list[HostBandwidth]
    new_findings: list[NewFinding]
    changed_findings: list[NewFinding]
    broken_rules: list[BrokenRule]
    hosts_hit: Annotated[list[str], Field(description="All hosts that lose bandwidth.")]
    tenants: Annotated[
        list[HitTenantReply],
        Field(
            default_factory=list,
            description="Tenants that lose something; not sent without tenants.",
        ),
    ]


class SingleFailures(BaseModel):
    """Failures with the same impact."""

    what: str
    count: Count
    host_pairs_cut: Count
    leaf_pairs_cut: Count
    rails_split: Count
    hosts_that_lose_a_rail: Count
    bandwidth_left_percent: Annotated[float, Field(ge=0, le=100)]
    single_point_of_failure: bool
    names: list[str]


class SinglesReply(BaseModel):
    """Each single failure, the worst first."""

    format: str
    failures: Count
    single_points_of_failure: Count
    switches_without_cables: Annotated[
        list[str], Field(description="Without a cable that is up: their failure takes nothing.")
    ]
    counted: Annotated[
        str, Field(description="Which pairs of hosts count, where there are tenants; or empty.")
    ]
    lossless_circle: Annotated[str, Field(description="Of a deadlock after one; or empty.")]
    groups: list[SingleFailures]


class WhatIfReply(RootModel[OutageReply | SinglesReply]):
    """One failure, or every single one in groups."""


#: All answers that are JSON.
REPLIES: tuple[type[BaseModel], ...] = (
    *(PlacementDocument, ConditionsReply, AlertsReply, JobReply, JobsReply, HostsReply, LinksReply),
    *(NotedJobReply,),
    *(HostHealthReply, TenantsReply, TenantReply),
    *(FabricReply, AliveReply, ReadyReply, FilterReply, PrioritiesReply, WhatIfReply),
    *MAP_REPLIES,
    *REVIEW_REPLIES,
)
