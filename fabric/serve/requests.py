"""Bodies of requests, checked as they are parsed, and described in the OpenAPI document."""

from __future__ import annotations

from typing import Annotated, Any, Literal, Self

from pydantic import (
    AfterValidator,
    BaseModel,
    ConfigDict,
    Field,
    model_validator,
)

from fabric.intent.scalars import formed
from fabric.placement.condition import ConditionBody, Line, Subject, by_name
from fabric.placement.job import (
    MAX_GPUS,
    MAX_NAMES,
    HostNames,
    JobRequest,
    Name,
    TrafficRequest,
)

JobName = Annotated[
    str,
    formed(
        r"^[A-Za-z0-9][A-Za-z0-9._+-]{0,127}$",
        "at most 128 letters, digits, ., _, + and -, starting with a letter or digit",
    ),
]


class Body(BaseModel):
    """A body: no unknown member, no guess at a type."""

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)


class PlacementBody(JobRequest):
    """A job that needs hosts."""

    model_config = ConfigDict(
        json_schema_extra={"examples": [{"nodes": 2}, {"nodes": 2, "traffic": "all-to-all"}]}
    )

    ranks: bool = Field(default=False, description="Whether to list the ranks with their NICs.")
    links: bool = Field(
        default=False, description="Whether to list the cables between switches with their load."
    )


class StateBody(Body):
    """All that is not as planned, by host, switch, `device:port`, or a range of them."""

    model_config = ConfigDict(
        json_schema_extra={
            "examples": [{"conditions": {"gpu001": {"health": "down", "reason": "no power"}}}]
        }
    )

    conditions: Annotated[
        dict[Subject, ConditionBody], Field(max_length=MAX_NAMES), AfterValidator(by_name)
    ]


class StatePatchBody(Body):
    """Changes of the state as a merge patch (RFC 7396): null removes a condition."""

    model_config = ConfigDict(
        json_schema_extra={
            "examples": [{"conditions": {"gpu001": {"health": "drained"}, "gpu002": None}}]
        }
    )

    conditions: Annotated[
        dict[Subject, ConditionBody | None], Field(max_length=MAX_NAMES), AfterValidator(by_name)
    ]


class JobBody(TrafficRequest):
    """A job that runs."""

    model_config = ConfigDict(
        json_schema_extra={"examples": [{"name": "train-7", "hosts": "gpu[001-002]"}]}
    )

    name: JobName
    hosts: HostNames = Field(description="Its hosts: a range such as gpu[001-004], or a list.")
    gpus_per_node: Annotated[int, Field(ge=1, le=MAX_GPUS)] | None = Field(
        None, description="GPUs that it uses on each host, from GPU 0 on; all where omitted."
    )


class FailingBody(Body):
    """What fails."""

    model_config = ConfigDict(json_schema_extra={"examples": [{"fail": ["switch:spine01"]}]})

    fail: Annotated[list[Line], Field(max_length=1000)] = Field(
        [],
        description="link:SWITCH:PORT, switch:NAME, cable-bundle:SWITCH:SWITCH, rack:UNIT, "
        "host:NAME, HOST:INTERFACE, or the name of a switch or host alone; all fail together.",
    )


class WhatIfBody(FailingBody):
    """What fails, or is drained."""

    drain: Line = Field("", description="Switch to drain, in addition to the failures.")
    all_links: bool = Field(default=False, description="Rank the failure of each single cable.")
    all_switches: bool = Field(default=False, description="Rank the failure of each single switch.")
    rules: bool = Field(default=False, description="Whether to look for new findings of the rules.")


Labels = Annotated[dict[str, str], Field(max_length=1000)]


class AlertBody(BaseModel):
    """An alert in a webhook of Alertmanager; it has more members than these."""

    model_config = ConfigDict(extra="ignore", frozen=True, strict=True)

    status: Literal["firing", "resolved"]
    labels: Labels = Field(
        description="`device` and `port` say what it is about; without `health` it is ignored."
    )
    annotations: Labels = Field({}, description="`summary` becomes the reason of the condition.")


class AlertsBody(BaseModel):
    """Webhook of Alertmanager, version 4; it has more members than these."""

    model_config = ConfigDict(
        extra="ignore",
        frozen=True,
        strict=True,
        json_schema_extra={
            "examples": [
                {
                    "version": "4",
                    "alerts": [
                        {
                            "status": "firing",
                            "labels": {
                                "alertname": "HostDown",
                                "device": "gpu001",
                                "health": "down",
                            },
                            "annotations": {"summary": "gpu001 is down"},
                        }
                    ],
                }
            ]
        },
    )

    version: Literal["4"]
    alerts: Annotated[list[AlertBody], Field(max_length=MAX_NAMES)]


class ExtenderBody(BaseModel):
    """``ExtenderArgs`` of k8s.io/kube-scheduler/extender/v1; it has more members than these."""

    model_config = ConfigDict(
        extra="ignore",
        frozen=True,
        strict=True,
        json_schema_extra={
            "examples": [{"Pod": {"metadata": {"uid": "1"}}, "NodeNames": ["gpu001", "gpu002"]}]
        },
    )

    pod: dict[str, Any] = Field(alias="Pod")
    nodes: dict[str, Any] | None = Field(None, alias="Nodes")
    node_names: Annotated[list[str], Field(max_length=MAX_NAMES)] | None = Field(
        None, alias="NodeNames"
    )

    @model_validator(mode="after")
    def _has_nodes(self) -> Self:
        if self.nodes is None and self.node_names is None:
            raise ValueError("Nodes and NodeNames are missing; send one of them")
        return self


Plugin = Literal["topology/tree", "topology/block"]
#: Limits of Topograph (pkg/engines/slurm/slurm.go, ``validateBlockSizes``).
BlockSizes = Annotated[
    list[Annotated[int, Field(ge=1, le=65_536)]],
    Field(max_length=20, description="Hosts of a block, and its multiples by a power of two."),
]


class GenerateTopology(Body):
    """One topology of ``topology.yaml``."""

    plugin: Plugin | Literal["topology/flat"]
    block_sizes: BlockSizes = Field([], alias="blockSizes")
    nodes: Annotated[list[Name], Field(max_length=MAX_NAMES)] = Field(
        [], description="Its nodes; those of the request where omitted."
    )
    cluster_default: bool = Field(
        default=False, alias="clusterDefault", description="Of nodes without another topology."
    )


class GenerateParams(Body):
    """What the engine writes: ``topology.yaml`` where `topologies` is there."""

    plugin: Plugin | None = Field(None, description="topology/tree where omitted.")
    block_sizes: BlockSizes = Field([], alias="blockSizes")
    topologies: Annotated[dict[JobName, GenerateTopology], Field(max_length=1000)] | None = Field(
        None, description="By name, for Slurm 25.05 and later; without `plugin`."
    )


class GenerateEngine(Body):
    """Engine of a request to Topograph."""

    name: Literal["", "slurm"] = ""
    params: GenerateParams = GenerateParams()


class GenerateNodes(Body):
    """Nodes of a region: instance id and node name."""

    region: str = ""
    instances: dict[str, str] = {}


_BLOCKS: dict[str, Any] = {"engine": {"name": "slurm", "params": {"plugin": "topology/block"}}}


class GenerateBody(Body):
    """Request of Topograph (NVIDIA/topograph, pkg/topology/request.go); the provider is ignored."""

    model_config = ConfigDict(
        json_schema_extra={"examples": [{"engine": {"name": "slurm"}}, _BLOCKS]}
    )

    provider: dict[str, Any] = {}
    engine: GenerateEngine = GenerateEngine()
    nodes: list[GenerateNodes] = []
