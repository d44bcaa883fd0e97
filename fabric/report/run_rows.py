"""Rows of the record of a run for people: like ones once, with a range of devices and of times."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from fabric.core import hostlist
from fabric.core.clock import clock
from fabric.core.likeness import like_groups, shape

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from fabric.change.journal import Event

DeviceRow = tuple[str, str, str, str, str]


def rolled_back(row: Mapping[str, Any]) -> str:
    """Return which later runs rolled a run back; empty where none did."""
    by = row["rolled_back_by"]
    part = " in part" if row["stays_on"] else ""
    runs = "runs" if by[1:] else "run"
    return f"rolled back{part} by {runs} {' and '.join(map(str, by))}" if by else ""


def gate_rows(gates: Sequence[tuple[str, str]]) -> list[tuple[str, str]]:
    """Return time and text of gates; those that said the same are one row."""
    groups = like_groups(gates, lambda row: row[1])
    return [(_times([time for time, _ in same]), same[0][1]) for same in groups]


def device_rows(devices: Sequence[DeviceRow]) -> list[DeviceRow]:
    """Return wave, devices, risk, state and time that they took, like devices in one row."""
    groups = like_groups(devices, lambda row: (row[0], row[2], row[3]))
    return [
        (wave, hostlist.in_short(row[1] for row in same), risk, state, _spans(same))
        for same in groups
        for wave, _, risk, state, _ in same[:1]
    ]


def journal_rows(
    events: Sequence[Event], waves: Mapping[str, int]
) -> list[tuple[str, str, str, str]]:
    """Return time, devices, state and detail; a step of like devices of one wave is one row."""
    groups = like_groups(
        events, lambda event: (waves.get(event.device), event.state, shape(event.detail))
    )
    return [
        (
            _times([clock(event.at) for event in same]),
            hostlist.in_short({event.device for event in same} - {""}) if same[0].device else "",
            same[0].state.value,
            _details([event.detail for event in same]),
        )
        for same in groups
    ]


def _times(times: Sequence[str]) -> str:
    first, last = min(times), max(times)
    day, _, time = last.partition(" ")
    if first == last:
        return first
    return f"{first.removesuffix(' UTC')} to {time if first.startswith(day) else last}"


def _spans(rows: Sequence[DeviceRow]) -> str:
    times = sorted({row[4] for row in rows}, key=hostlist.natural_key)
    return times[0] if len(times) == 1 else f"{times[0].removesuffix(' s')} to {times[-1]}"


def _details(details: Sequence[str]) -> str:
    others = len({*details}) - 1
    return f"{details[0]} and {others} more" if others else details[0]
