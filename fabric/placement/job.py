"""A job that needs hosts, as its user writes it: on the command line, in a queue, over HTTP."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Literal

from pydantic import (
    AfterValidator,
    AliasChoices,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    StringConstraints,
)

from fabric.core import hostlist
from fabric.core.counts import counted
from fabric.intent.scalars import formed
from fabric.placement.engine.layout import Layout
from fabric.placement.engine.query import JOB_RULE, Query, Within
from fabric.placement.engine.traffic import RING, Traffic, dimensions, parse_traffic

if TYPE_CHECKING:
    from collections.abc import Callable

    #: Takes a field that is wrong, what is wrong with it, and what to do.
    Wrong = Callable[[str, str, str], None]

#: Longest host range; longer ones are written as a list.
MAX_RANGE = 8192
#: Most names in a list, and most members of an object.
MAX_NAMES = 100_000
#: Most hosts of a job.
MAX_NODES = 1_000_000
#: Most GPUs of a host.
MAX_GPUS = 64
_MAX_SIZE = 1_000_000
_TRAFFIC_FIX = "use ring, tree, all-to-all, pipeline, or a mix such as ring:3,all-to-all:1"
_RANGE_FIX = "use a range such as gpu[001-004], or a list"

#: One word of printable ASCII.
Name = Annotated[
    str,
    Field(min_length=1, max_length=128),
    formed(r"^[!-~]+$", "printable ASCII without spaces"),
]


def _range(value: str | list[str]) -> str | list[str]:
    """Return hosts; raise ValueError for a range that cannot be read."""
    if isinstance(value, str) and value:
        try:
            hostlist.count(value)
        except ValueError as error:
            raise ValueError("; ".join(range_words(error))) from None
    return value


def range_words(error: ValueError) -> tuple[str, str]:
    """Return what is wrong with a range, and what to do, in printable ASCII."""
    reason, fix = hostlist.worded(error, _RANGE_FIX)
    return ascii(reason[:200])[1:-1], ascii(fix[:200])[1:-1]


HostNames = Annotated[
    Annotated[str, StringConstraints(max_length=MAX_RANGE)]
    | Annotated[list[Name], Field(max_length=MAX_NAMES)],
    AfterValidator(_range),
]
Dimension = Literal["tp", "cp", "ep", "dp", "pp"]
Size = Annotated[int, Field(ge=1, le=_MAX_SIZE)]
Weight = Annotated[float, Field(gt=0, le=1e18)]


def _sizes(value: Any) -> Any:
    """Return the sizes of a text such as ``tp=8,dp=16``; an empty text has none."""
    if not isinstance(value, str):
        return value
    sizes = _dimensions(value, "tp=8,pp=4,dp=16", whole=True)
    return {name: int(size) for name, size in sizes.items()} or None


def _weights(value: Any) -> Any:
    """Return the bytes or shares of a text such as ``dp=2e9,pp=1e8``; an empty text has none."""
    return _dimensions(value, "dp=2e9,pp=1e8") or None if isinstance(value, str) else value


def _dimensions(text: str, example: str, *, whole: bool = False) -> dict[str, float]:
    try:
        return dimensions(text, whole=whole) if text else {}
    except ValueError as error:
        raise ValueError(f"{error}; write {example}") from None


def _traffic(value: str) -> str:
    """Return a traffic; raise ValueError for one that cannot be read."""
    try:
        parse_traffic(value)
    except ValueError as error:
        raise ValueError(f"{error}; {_TRAFFIC_FIX}") from None
    return value


class TrafficRequest(BaseModel):
    """What the hosts of a job send to each other: no unknown member, no guess at a type."""

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)

    traffic: Annotated[str, StringConstraints(max_length=200), AfterValidator(_traffic)] = Field(
        "ring",
        description="Collective, or a mix with shares: ring, tree, all-to-all, pipeline.",
        examples=["ring:3,all-to-all:1"],
    )
    layout: Annotated[dict[Dimension, Size] | None, BeforeValidator(_sizes)] = Field(
        None,
        description="Parallel layout; tp x cp x dp x pp is the number of ranks. It takes the "
        "place of `traffic`.",
        examples=[{"tp": 8, "dp": 2}],
    )
    weights: Annotated[dict[Dimension, Weight] | None, BeforeValidator(_weights)] = Field(
        None,
        validation_alias=AliasChoices("bytes", "weights"),
        description="Bytes or shares that a rank sends in each dimension of the layout; `weights` "
        "is an older name.",
    )
    pxn: bool = Field(default=True, description="Whether NCCL uses PXN for an all-to-all.")


class JobRequest(TrafficRequest):
    """A job that needs hosts.

    A wrong member raises pydantic's ``ValidationError``; ``job_request`` makes the same request,
    and raises ``InputError`` as all else here.
    """

    #: What the fault of a member is, wherever the request comes from.
    fault_rule: ClassVar[str] = JOB_RULE

    nodes: Annotated[int, Field(ge=1, le=MAX_NODES)] | None = Field(
        None, description="Hosts of the job; may be omitted where `hosts` names them."
    )
    gpus_per_node: Annotated[int, Field(ge=1, le=MAX_GPUS)] | None = Field(
        None, description="GPUs of each host, from GPU 0 on; all where omitted."
    )
    hosts: HostNames | None = Field(
        None, description="Rank exactly these hosts: a range such as gpu[001-004], or a list."
    )
    include: HostNames | None = Field(None, description="Search among these hosts only.")
    exclude: HostNames | None = Field(None, description="Hosts that must not be used.")
    within: Within | None = Field(
        None, strict=False, description="What all hosts must share: block, unit or pod."
    )
    segment: Size | None = Field(
        None, description="Hosts that stay together on one unit; divides `nodes`."
    )
    max_units: Size | None = Field(None, description="Most units that the job may spread over.")
    target: Annotated[float, Field(ge=0, le=1)] = Field(
        1.0,
        description="Load of links that is good enough: below it, fewer units are better than "
        "lighter links. 1 is the line rate of the NICs, 0 takes the lightest links.",
    )
    room: Annotated[float, Field(ge=0, le=100)] = Field(
        0.0,
        description="Load that is accepted above the best for leaving room to larger jobs: 0.1 is "
        "10 %.",
    )
    nvlink_gpus: Size | None = Field(
        None, description="GPUs of an NVLink domain; those of a host where omitted."
    )
    tenant: Name | None = Field(
        None, description="Tenant whose hosts the job uses; hosts without a tenant where omitted."
    )


def query_of(job: JobRequest, most_hosts: int, wrong: Wrong) -> Query:
    """Return what the engine is asked.

    Parameters
    ----------
    most_hosts : int
        Of a range; the hosts of the fabric.
    wrong : callable
        Takes each member that cannot be read; the query has nothing for it.
    """
    hosts = host_names("hosts", job.hosts, most_hosts, wrong)
    return Query(
        nodes=job.nodes or len(hosts) or 1,
        gpus_per_node=job.gpus_per_node,
        traffic=traffic_of(job, wrong),
        hosts=hosts,
        include=host_names("include", job.include, most_hosts, wrong),
        exclude=host_names("exclude", job.exclude, most_hosts, wrong),
        within=job.within,
        segment=job.segment,
        max_units=job.max_units,
        target=job.target,
        room=job.room,
        nvlink_gpus=job.nvlink_gpus,
        tenant=job.tenant or "",
    )


def traffic_of(job: TrafficRequest, wrong: Wrong) -> Traffic:
    """Return the traffic of a job; `wrong` is told what cannot be read."""
    try:
        traffic = parse_traffic(job.traffic)
    except ValueError as error:
        wrong("traffic", str(error), _TRAFFIC_FIX)
        traffic = RING
    return Traffic(traffic.shares, _layout(job, wrong), job.pxn)


def _layout(job: TrafficRequest, wrong: Wrong) -> Layout | None:
    if job.layout is None:
        if job.weights:
            wrong("bytes", "bytes of dimensions need a layout", "add a layout, or omit them")
        return None
    if not job.layout:
        wrong("layout", "the layout is empty", "add a dimension, such as tp")
    weights = {str(name): weight for name, weight in (job.weights or {}).items()}
    return Layout({str(name): size for name, size in job.layout.items()}, weights)


def host_names(
    field: str,
    given: str | list[str] | None,
    most: int,
    wrong: Wrong,
    owner: str = "the fabric",
) -> tuple[str, ...]:
    """Return the hosts of a list, or of a range with at most so many, which are of an owner."""
    if given is None or isinstance(given, list):
        return tuple(given or ())
    try:
        count = hostlist.count(given) if given else 0
        if count <= most:
            return tuple(hostlist.expand(given)) if given else ()
        message, fix = f"the range has {counted(count, 'host')}, but {owner} has {most}", _RANGE_FIX
    except ValueError as error:
        message, fix = range_words(error)
    wrong(field, message, fix)
    return ()
