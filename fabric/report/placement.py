"""What the answer of `place --format json` consists of, for those who read it by program."""

from __future__ import annotations

import json
from typing import Annotated, Literal

from pydantic import BaseModel, Field

from fabric.core.formats import form_of
from fabric.placement.engine.load import LinkLoad
from fabric.placement.engine.query import Room
from fabric.placement.gids import ExpectedGid
from fabric.placement.place import Rank

#: Form of the answer: members are added to it, none is removed or changes its meaning.
PLACEMENT_FORMAT = form_of("placement")

Hosts = Annotated[list[str], Field(min_length=1)]
Load = Annotated[float, Field(ge=0)]
Variables = dict[str, str]


class Slowed(BaseModel):
    """A running job that shares links with the placement."""

    job: str
    before: Annotated[float, Field(description="Its rate without the placement, 0 to 1.")]
    after: Annotated[float, Field(description="Its rate with it.")]


class PlacementDocument(BaseModel):
    """The answer of `rocefab place`: hosts for a job in rank order, their load and settings.

    Loads are shares of a link's speed while the NICs of the busiest host send at line rate.
    """

    format: Literal["rocefab-placement/1"]
    fabric: Annotated[str, Field(description="Name of the fabric.")]
    hosts: Annotated[Hosts, Field(description="Hosts in rank order.")]
    hostlist: Annotated[str, Field(description="The same as a range, in the order of names.")]
    units: Annotated[dict[str, Hosts], Field(description="Hosts by unit, in rank order.")]
    rails: Annotated[list[int], Field(description="Rails that the GPUs of the job use.")]
    reason: Annotated[str, Field(description="Why these hosts, for people.")]
    cost: Annotated[
        Load,
        Field(
            description="Load of the fullest link, NIC or cable; a NIC counts with the share that "
            "its host has left of the bandwidth."
        ),
    ]
    link_load: Annotated[Load, Field(description="Load of the fullest cable between switches.")]
    link_load_hashed: Annotated[
        Load, Field(description="The same where queue pairs are hashed; expected value.")
    ]
    bound: Annotated[
        Load,
        Field(
            description="Least link_load of any choice of hosts, or the target where that is more: "
            "a job on one host has the cost 0 and the bound 1."
        ),
    ]
    gap: Annotated[
        Load | None,
        Field(
            description="Most that link_load is above the best, as a share of it; 0 proves that no "
            "choice is better for the cables; null where it is not known."
        ),
    ]
    bottleneck: Annotated[str, Field(description="The fullest link, or NIC.")]
    rate: Annotated[
        float,
        Field(
            ge=0,
            le=1,
            description="Share of the NICs' line rate that the job gets: at most the least share "
            "that a host of it has left.",
        ),
    ]
    spine_crossings_per_rail: Annotated[
        int, Field(ge=0, description="Times that a ring over the hosts changes the unit.")
    ]
    pod_crossings_per_rail: Annotated[
        int, Field(ge=0, description="Times that it changes the pod.")
    ]
    room: Annotated[
        Room,
        Field(
            description="Hosts of the largest job of the same tenant that still fits a unit, a pod "
            "(null where there are none) and the fabric."
        ),
    ]
    degraded: Annotated[
        Variables, Field(description="Hosts of the job that are not as planned, and why.")
    ]
    not_considered: Annotated[
        Variables, Field(description="Hosts that their state keeps out, and why.")
    ]
    not_needed: Annotated[
        Variables,
        Field(description="Degraded hosts that could have been used, and why they are degraded."),
    ]
    links_not_as_planned: Annotated[
        Variables,
        Field(description="Cables and spines on the way that are not as planned, and why."),
    ]
    slowed: Annotated[
        list[Slowed], Field(description="Running jobs that get less by this one.")
    ] = []
    ranks: Annotated[
        list[Rank], Field(description="Ranks; the service sends them on request.")
    ] = []
    link_loads: Annotated[
        list[LinkLoad],
        Field(
            description="Load of the cables between switches that the job uses, with that of the "
            "jobs that run; the fullest first; the service sends them on request."
        ),
    ] = []
    environment: Annotated[
        Variables, Field(description="Variables of every rank; not from the service.")
    ] = {}
    environment_reasons: Annotated[Variables, Field(description="Why, by variable.")] = {}
    environment_left_out: Annotated[
        Variables, Field(description="Variables that are not set on purpose, and why.")
    ] = {}
    environment_by_host: Annotated[
        dict[str, Variables], Field(description="Variables of hosts that need others.")
    ] = {}
    gids: Annotated[
        dict[str, list[ExpectedGid]], Field(description="GID that each NIC is expected to use.")
    ] = {}
    state: Annotated[
        dict[str, float | None], Field(description="Of the service: version and age of its state.")
    ] = {}
    warnings: Annotated[
        list[str],
        Field(
            description="Named hosts that take no job now, and why; hosts that have not the planes "
            "of the others; of the service also what makes the answer less certain."
        ),
    ] = []


def schema() -> str:
    """Return the JSON Schema of the answer; members that are not in it may be added."""
    body = PlacementDocument.model_json_schema(mode="serialization")
    dialect = "https://json-schema.org/draft/2020-12/schema"
    return json.dumps({"$schema": dialect, **body}, indent=2) + "\n"
