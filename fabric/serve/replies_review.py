"""Answers about plans and runs, as the OpenAPI document describes them."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import BaseModel, Field

from fabric.serve.replies_map import Count
from fabric.workflow.approvals import Approvals
from fabric.workflow.stops import StopRequest

Time = Annotated[float, Field(description="Unix time in seconds.")]
Sha256 = Annotated[str, Field(description="SHA-256 of the plan file.")]
RolledBack = Annotated[
    str, Field(description="Which later runs rolled it back; empty where none did.")
]
RunState = Annotated[
    Literal["done", "failed", "in progress", "interrupted", "interrupted or in progress"],
    Field(
        description="Interrupted: no process works on it, `apply --resume` continues it. The last "
        "one is that of a run of another host, of which this one cannot tell."
    ),
]


class PlannedChangeReply(BaseModel):
    """A device of a wave."""

    name: str
    kind: str
    changes: Count
    method: str
    risk: Annotated[str, Field(description="What its worst change does to traffic.")]
    no_net: Annotated[str, Field(description="Why no timer rolls it back, or empty.")]
    notes: list[str]


class PlanWaveReply(BaseModel):
    """Devices that change together."""

    number: Count
    about: Annotated[str, Field(description="What is left meanwhile; empty without a roll-out.")]
    devices: list[PlannedChangeReply]


class MissingReply(BaseModel):
    """A device that is not in the plan."""

    device: str
    reason: str
    risk: str


class PlanRunReply(BaseModel):
    """The newest run that applies a plan."""

    run: Count
    state: RunState
    rolled_back: RolledBack


class CallerReply(BaseModel):
    """Whether the token of this request may approve the plan."""

    name: str
    has_approved: bool
    why_not: Annotated[str, Field(description="Why it may not approve, or empty.")]


class PlanReply(BaseModel):
    """A plan that was sent for review."""

    sha256: Sha256
    by: Annotated[str, Field(description="Name of the token that it was sent with.")]
    at: Time
    stale: Annotated[str, Field(description="Why `apply` would reject it, or empty.")]
    run: Annotated[PlanRunReply | None, Field(description="Null until a run applies it.")]
    approvals: Approvals
    counting: Annotated[list[str], Field(description="Names whose approvals count.")]
    you: CallerReply
    fabric: str
    author: str
    made: Time | None
    revision: str
    needed: Count
    waves: list[PlanWaveReply]
    unchanged: Count
    missing: list[MissingReply]
    rollout: Annotated[list[str], Field(description="Gates, windows, and what must stop.")]


class PlanSummaryReply(BaseModel):
    """A plan in the list."""

    sha256: Sha256
    by: str
    at: Time
    needed: Count
    counting: list[str]
    devices: Count
    risk: str
    stale: str
    run: PlanRunReply | None


class PlansReply(BaseModel):
    """The plans, the newest first."""

    plans: list[PlanSummaryReply]


class CauseReply(BaseModel):
    """An inventory value that decides a line."""

    field: str
    value: str
    where: Annotated[str, Field(description="File, line and column, or that it is a default.")]


class ChangeReply(BaseModel):
    """A value that changes."""

    path: str
    before: str
    after: str
    risk: str
    line: Annotated[str, Field(description="Rendered file and line, or empty.")]
    causes: list[CauseReply]


class DeviceChangesReply(BaseModel):
    """What changes on a device, and why."""

    name: str
    diff: str
    more: Annotated[int, Field(ge=0, description="Changes that are not listed.")]
    changes: list[ChangeReply]


class RunSummaryReply(BaseModel):
    """A run in the list."""

    run: Count
    kind: str
    fabric: str
    started: Time
    state: RunState
    devices: Annotated[dict[str, Count], Field(description="Devices by state.")]
    user: str
    host: str
    reason: str
    ticket: str
    rolled_back: RolledBack


class RunsReply(BaseModel):
    """The journal."""

    journal: Annotated[str, Field(description="State folder.")]
    chain: Annotated[str, Field(description="What the hashes of the rows say.")]
    whole: Annotated[bool | None, Field(description="Whether they fit; null without a journal.")]
    runs: list[RunSummaryReply]


class RunDeviceReply(BaseModel):
    """A device of a run."""

    name: str
    risk: str
    state: str
    detail: str
    at: Time | None


class RunWaveReply(BaseModel):
    """A wave of a run."""

    number: Count
    kind: str
    devices: list[RunDeviceReply]


class GateReply(BaseModel):
    """What a gate said."""

    at: Time
    text: str


class RowReply(BaseModel):
    """A row of the journal; the device is empty for the run itself."""

    at: Time
    device: str
    state: str
    detail: str


class RunReply(BaseModel):
    """A run as far as it is."""

    run: Count
    kind: str
    fabric: str
    started: Time
    state: RunState
    rolled_back: RolledBack
    outcome: str
    facts: list[list[str]]
    waves: list[RunWaveReply]
    gates: list[GateReply]
    rows: Annotated[list[RowReply], Field(description="The newest rows.")]
    plan_sha256: Sha256
    stop: Annotated[StopRequest | None, Field(description="Request to stop it, if there is one.")]
    rollback: Annotated[
        str,
        Field(description="Command that would roll it back; empty where nothing is left of it."),
    ]
    resume: Annotated[str, Field(description="Command that continues it.")]


REVIEW_REPLIES: tuple[type[BaseModel], ...] = (
    *(PlanReply, PlansReply, DeviceChangesReply, RunsReply, RunReply, Approvals),
)
