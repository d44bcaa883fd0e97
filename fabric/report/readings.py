"""What a record of `observe --format jsonl` consists of, for those who read it by program."""

from __future__ import annotations

import json
from typing import Annotated, Literal

from pydantic import AwareDatetime, BaseModel, Field, FiniteFloat

from fabric.observe.snapshot import Snapshot
from fabric.observe.state import (
    BgpPeer,
    EcnState,
    InterfaceState,
    LldpNeighbour,
    MacEntry,
    NeighbourEntry,
    NicCounters,
    Optic,
    PfcCounters,
    PoolUse,
    QueueCounters,
    Sensor,
    SystemFacts,
    TableUse,
    WatchdogState,
)

#: Between two readings of a device: a tenth of the shortest interval, and a year. Ours.
SHORTEST_S, LONGEST_S = 0.01, 366 * 86_400.0
_BY_ADDRESS = "By address; by `address%interface` where several interfaces have the address."
_BY_NUMBER = "By port and number, `Ethernet0|3`."
_NUMBERED = {"watchdog", "ecn", "queues", "priority_groups"}


class ReadState(BaseModel):
    """What was read; a field that is absent was not read, or could not be understood."""

    facts: SystemFacts | None = None
    interfaces: dict[str, InterfaceState] | None = None
    lldp: dict[str, list[LldpNeighbour]] | None = None
    bgp: Annotated[dict[str, BgpPeer] | None, Field(description="By address of the peer.")] = None
    bfd: Annotated[dict[str, bool] | None, Field(description="Whether each session is up.")] = None
    route_count: Annotated[int | None, Field(ge=0)] = None
    neighbours: Annotated[dict[str, NeighbourEntry] | None, Field(description=_BY_ADDRESS)] = None
    macs: list[MacEntry] | None = None
    tables: Annotated[dict[str, TableUse] | None, Field(description="By name of the table.")] = None
    pfc_priorities: dict[str, list[int]] | None = None
    pfc_counters: Annotated[dict[str, PfcCounters] | None, Field(description="By priority.")] = None
    watchdog: Annotated[dict[str, WatchdogState] | None, Field(description=_BY_NUMBER)] = None
    ecn: Annotated[dict[str, EcnState] | None, Field(description=_BY_NUMBER)] = None
    ecn_profiles: dict[str, EcnState] | None = None
    queues: Annotated[dict[str, QueueCounters] | None, Field(description=_BY_NUMBER)] = None
    priority_groups: Annotated[dict[str, QueueCounters] | None, Field(description=_BY_NUMBER)] = (
        None
    )
    buffer_pools: dict[str, PoolUse] | None = None
    optics: Annotated[dict[str, Optic] | None, Field(description="By port.")] = None
    temperatures: Annotated[
        dict[str, FiniteFloat] | None, Field(description="Degrees Celsius by sensor.")
    ] = None
    temperature_limits: Annotated[
        dict[str, FiniteFloat] | None,
        Field(description="What the device takes for too hot, by sensor."),
    ] = None
    kernel: dict[str, str] | None = None
    daemons: dict[str, str] | None = None
    nics: Annotated[dict[str, NicCounters] | None, Field(description="By interface of a host.")] = (
        None
    )


class Rate(BaseModel):
    """A counter that rose."""

    name: Annotated[str, Field(description="As in the text format of Prometheus.")]
    labels: dict[str, str]
    value: Annotated[float, Field(ge=0, allow_inf_nan=False, description="Rise in each second.")]


class RatesDocument(BaseModel):
    """Rates since the last time that the device could be read; other counters did not move."""

    elapsed_s: Annotated[FiniteFloat, Field(ge=SHORTEST_S, le=LONGEST_S)]
    unknown: Annotated[
        dict[str, str],
        Field(description="Why the counters of a reading have no rate, by reading: a reset."),
    ]
    per_s: list[Rate]


class ReadingsDocument(BaseModel):
    """A device, read once by `rocefab observe`."""

    format: Literal["rocefab-readings/1"]
    device: str
    platform: str
    time: Annotated[AwareDatetime | None, Field(description="When the answer was there, UTC.")]
    error: Annotated[str, Field(description="Why the device could not be read, or empty.")]
    unknown: Annotated[
        list[str], Field(description="Fields of which at least a part could not be understood.")
    ]
    unread: Annotated[
        list[str], Field(description="Fields that rocefab does not read on this platform.")
    ]
    state: ReadState
    rates: Annotated[RatesDocument | None, Field(description="Null the first time.")]


def snapshot_of(document: ReadingsDocument) -> Snapshot:
    """Return what a record says of a device; a field that is absent was not read.

    Raises
    ------
    ValueError
        When a key is not a port and a number.
    """
    state = document.state
    given = {name: getattr(state, name) for name in state.model_fields_set}
    read = {name: value for name, value in given.items() if value is not None}
    for name in _NUMBERED & read.keys():
        read[name] = {_port_and_number(key): value for key, value in read[name].items()}
    limits = read.pop("temperature_limits", {})
    if sensors := read.get("temperatures"):
        read["temperatures"] = {
            name: Sensor(celsius, limits.get(name)) for name, celsius in sensors.items()
        }
    if ports := read.get("pfc_priorities"):
        read["pfc_priorities"] = {port: tuple(numbers) for port, numbers in ports.items()}
    return Snapshot(document.device, unknown=tuple(document.unknown), **read)


def _port_and_number(key: str) -> tuple[str, int]:
    port, bar, number = key.rpartition("|")
    if not bar or not (number.isascii() and number.isdigit()):
        raise ValueError(f"{key[:80]!r} is not a port and a number, such as 'Ethernet0|3'")
    return port, int(number)


def schema() -> str:
    """Return the JSON Schema of a record; members that are not in it may be added."""
    body = ReadingsDocument.model_json_schema(mode="serialization")
    dialect = "https://json-schema.org/draft/2020-12/schema"
    return json.dumps({"$schema": dialect, **body}, indent=2) + "\n"
