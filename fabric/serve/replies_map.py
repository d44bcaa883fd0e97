"""Answers of the map and of devices, as the OpenAPI document describes them."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import BaseModel, Field

from fabric.placement.engine.state import Health
from fabric.report.device import PlannedDevice
from fabric.report.events import EventDocument
from fabric.report.readings import ReadingsDocument
from fabric.serve.drift import DeviceDrift
from fabric.topology.drawing import Border
from fabric.validate.cable import CableLine, Word

Count = Annotated[int, Field(ge=0)]
State = Literal["planned", "quarantine", "oversubscribed", "degraded", "down", "lossless", "wrong"]


class ConditionReply(BaseModel):
    """How a host, a switch or a cable is."""

    health: Health
    reason: str
    capacity: Annotated[float, Field(ge=0, le=1)]


class BoxReply(BaseModel):
    """A device, or several that are drawn as one."""

    kind: str
    label: str
    detail: str
    rail: Annotated[int, Field(description="-1 where there is none, or several.")]
    members: list[str]
    x: float
    y: float
    width: float
    height: float
    health: Annotated[Health | None, Field(description="The worst of its members.")]
    tenants: Annotated[
        dict[str, Count],
        Field(description="Hosts of which each tenant has a NIC, or leaves with such a NIC."),
    ]
    is_mixed: Annotated[
        bool, Field(description="Whether it has NICs of tenants and NICs of no tenant.")
    ]
    border: Annotated[
        Border,
        Field(description="Border of no tenant, of one, of one in part, or of several (shared)."),
    ]
    busy: Annotated[int, Field(ge=0, description="Hosts that run a job.")]
    opens: Annotated[
        dict[str, str] | None, Field(description="Filter that shows its devices as more boxes.")
    ]
    conditions: Annotated[
        dict[str, Health],
        Field(description="Members that have a condition themselves."),
    ]
    differ: Annotated[
        dict[str, Count],
        Field(description="Members that differ from the plan, by --drift, and in how many values."),
    ]
    sessions_down: Annotated[
        dict[str, Count],
        Field(description="Members with BGP sessions that are not established, and how many."),
    ]
    at_ports: Annotated[
        list[str], Field(description="Other members that have a condition of a port.")
    ]


class LineReply(BaseModel):
    """Cables between two boxes, or between a box and several that are cabled to it identically."""

    kind: Literal["host", "switch"]
    lower: Annotated[list[int], Field(description="Numbers of boxes.")]
    upper: Annotated[int, Field(description="Number of a box.")]
    x1: float
    y1: float
    x2: float
    y2: float
    state: Annotated[State, Field(description="The highest of its cables.")]
    states: Annotated[dict[State, Count], Field(description="Cables by state.")]
    off: Annotated[
        Literal["quarantine", "down"] | None,
        Field(description="Why the inventory has none of its cables in use; null where it has."),
    ]
    speeds_gbps: list[int]
    lengths: Annotated[
        str, Field(description="Length of its cables, and how many have the longest one.")
    ]
    rail: int
    cables: Count
    not_planned: Annotated[
        dict[State, list[str]],
        Field(description="Lower devices of cables degraded, down, wrong or failing; up to 500."),
    ]


class CombReply(BaseModel):
    """A bar over several boxes with a tooth to each, at which the lines of all of them start."""

    lower: Annotated[list[int], Field(description="Numbers of boxes.")]
    y: float
    bottom: float
    teeth: Annotated[list[float], Field(description="Places from left to right.")]


class FrameReply(BaseModel):
    """A unit, a pod or a plane around its boxes."""

    kind: Literal["unit", "pod", "plane"]
    label: str
    x: float
    y: float
    width: float
    height: float


class CaptionReply(BaseModel):
    """Text at the left of a tier."""

    lines: list[str]
    y: float


class FiltersReply(BaseModel):
    """What the filters may be."""

    units: list[str]
    pods: list[str]
    rails: Count
    planes: Count
    jobs: Annotated[list[str], Field(description="At most 1,000.")]


class MapReply(BaseModel):
    """A picture; sizes are pixels, and y grows downwards."""

    title: str
    subtitle: str
    width: float
    height: float
    boxes: list[BoxReply]
    lines: list[LineReply]
    frames: list[FrameReply]
    captions: list[CaptionReply]
    totals: Annotated[
        dict[State, Count | None],
        Field(
            description="Cables by state; null where no cable was checked or read. Planned are "
            "those of which link and neighbour were read."
        ),
    ]
    unread: Annotated[
        dict[State, Count], Field(description="Cables that were not checked or read for a state.")
    ]
    filters: FiltersReply
    tenants: Annotated[list[str], Field(description="Tenants of the fabric.")]
    combs: list[CombReply]
    sessions: Annotated[
        Count | None,
        Field(description="BGP sessions that were read, each at both ends; null for none."),
    ]
    compared: Annotated[
        Count | None,
        Field(description="Devices that --drift compares with the plan; null without the file."),
    ]


Figures = list[Annotated[float, Field(ge=0)] | None]


class FileReply(BaseModel):
    """The file of readings."""

    file: str
    devices: Annotated[int, Field(ge=0, description="Devices of which there is a record.")]
    failed: Annotated[int, Field(ge=0, description="Devices whose last reading failed.")]
    partial: Annotated[
        Count,
        Field(description="Devices whose ports, or a part of whose answers, are not known."),
    ]
    age_s: Annotated[float | None, Field(description="Seconds since the newest record.")]
    warnings: list[str]


class MapValuesReply(BaseModel):
    """Figures of the lines of a picture, in their order; null where a figure is not known."""

    picture: Annotated[str, Field(description="ETag of the picture that they belong to.")]
    load: Annotated[Figures, Field(description="Share of the speed, of the fuller direction.")]
    pause_per_s: Annotated[Figures, Field(description="Pause frames in both directions.")]
    error_per_s: Annotated[Figures, Field(description="Errors and drops.")]
    readings: Annotated[FileReply | None, Field(description="Null without --readings.")]
    warnings: list[str]


class SeriesReply(BaseModel):
    """A counter over the last readings."""

    name: Annotated[str, Field(description="As in the text format of Prometheus.")]
    labels: dict[str, str]
    times_s: Annotated[list[float], Field(description="Seconds since 1970.")]
    per_s: list[float | None]


class DeviceReply(BaseModel):
    """A device."""

    planned: PlannedDevice
    conditions: Annotated[
        dict[str, ConditionReply],
        Field(description="Of the device, its ports, and the other ends of its cables."),
    ]
    job: str | None
    is_read: Annotated[bool, Field(description="Whether the service was given readings.")]
    running: Annotated[ReadingsDocument | None, Field(description="Newest record.")]
    failure: Annotated[str, Field(description="Why its last reading failed, or empty.")]
    series: list[SeriesReply]
    rated: Annotated[list[str], Field(description="Ports with a counter whose rate was known.")]
    drift: Annotated[DeviceDrift | None, Field(description="Null where it was not compared.")]
    lasting: Annotated[
        list[EventDocument] | None,
        Field(description="Drift that lasts, the first ones; null without a file of events."),
    ]
    drift_written_s: float | None


class DriftReply(BaseModel):
    """The drift that lasts, from the file of `rocefab drift --watch --events`."""

    is_read: Annotated[bool, Field(description="Whether the service has such a file.")]
    written_s: Annotated[float | None, Field(description="When it was written, since 1970.")]
    warning: Annotated[str, Field(description="Why the file cannot be used, or empty.")]
    total: int
    events: Annotated[list[EventDocument], Field(description="The first ones, oldest first.")]


class BudgetReply(BaseModel):
    """How the headroom of a port comes about: part, item, value and how."""

    rows: list[tuple[str, str, str, str]]


class CableReply(BaseModel):
    """The settings of both ends of a NIC cable, line by line."""

    host: str
    interface: str
    switch: str
    port: str
    lines: Annotated[
        list[CableLine],
        Field(description="As `rocefab show cable`; a rule or a note may be empty."),
    ]
    verdicts: Annotated[
        dict[Word, str], Field(description="What each verdict says, the worst first.")
    ]


class FailingReply(BaseModel):
    """What fails of a picture."""

    devices: Annotated[list[str], Field(description="Switches and hosts of the fabric.")]
    lines: Annotated[list[Count], Field(description="Cables of each line, with those of devices.")]


#: Answers of the map and of devices.
MAP_REPLIES: tuple[type[BaseModel], ...] = (
    DriftReply,
    MapReply,
    MapValuesReply,
    FailingReply,
    DeviceReply,
    BudgetReply,
    CableReply,
)
