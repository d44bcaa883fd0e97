"""Asks a driver and parses what it says."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import fields as dataclass_fields
from dataclasses import is_dataclass
from functools import cache
from typing import TYPE_CHECKING, Any, cast

from fabric.core.errors import DeviceError
from fabric.devices.redaction import shortened
from fabric.observe.parsers import UnreadableError, parsers
from fabric.observe.snapshot import Running, Snapshot

if TYPE_CHECKING:
    from collections.abc import Hashable, Sequence

    from fabric.devices.driver import Driver
    from fabric.observe.parsers import Reading


def read_running(driver: Driver, files: Sequence[str], subjects: Sequence[str] = ()) -> Running:
    """Return the running configuration of a device.

    Parameters
    ----------
    driver : Driver
        An open session.
    files : sequence of str
        Paths of the files that belong to it.
    subjects : sequence of str
        Operational readings that are part of it (live settings of a host).

    Raises
    ------
    DeviceError
        When the device cannot be read, or its answer cannot be understood.
    """
    connection = driver.connection
    texts = {**driver.read_running(files), **driver.read_state(subjects)}
    try:
        return parsers[connection.platform].running(connection.device, texts)
    except UnreadableError as error:
        reason = f"cannot understand its answer: {shortened(str(error))}"
        raise DeviceError(connection.device, reason) from None


def read_snapshot(
    driver: Driver,
    subjects: Collection[str] | None = None,
    offered: Mapping[str, tuple[str, Reading]] | None = None,
) -> Snapshot:
    """Return the operational state of a device; what cannot be understood is ``unknown``.

    Parameters
    ----------
    driver : Driver
        An open session.
    subjects : collection of str, optional
        Fields of the snapshot that are asked for; default: all that can be read.
    offered : mapping, optional
        Field and parser by subject of the driver; default: those of the platform.
    """
    if offered is None:
        offered = parsers[driver.connection.platform].readings
    readings = {
        subject: reading
        for subject, reading in offered.items()
        if subjects is None or reading[0] in subjects
    }
    raw = driver.read_state(list(readings))
    return snapshot_of(driver.connection.device, readings, raw)


def snapshot_of(
    device: str, readings: Mapping[str, tuple[str, Reading]], raw: Mapping[str, str]
) -> Snapshot:
    """Return what outputs of a device say; what cannot be understood is ``unknown``.

    Parameters
    ----------
    readings : mapping
        Field of the snapshot and parser of each subject that was asked for.
    raw : mapping of str to str
        Outputs by subject.
    """
    fields: dict[str, Any] = {}
    unknown = []
    for subject, (field, parse) in readings.items():
        try:
            parsed = parse(raw.get(subject, ""))
        except (UnreadableError, KeyError, ValueError, TypeError, AttributeError):
            unknown.append(subject)
        else:
            fields[field] = merged(fields[field], parsed) if field in fields else parsed
    return Snapshot(device=device, unknown=tuple(unknown), raw=dict(raw), **fields)


def merged(first: Any, second: Any) -> Any:
    """Return two readings of one field as one: by key, and field by field where both have it.

    A field that is None or empty in the second stays as it is in the first.
    """
    kind = type(first)
    if kind is type(second) and (names := _field_names(cast("Hashable", kind))):
        pairs = ((getattr(first, name), getattr(second, name)) for name in names)
        return type(first)(*(_merged_value(was, now) for was, now in pairs))
    if isinstance(first, Mapping) and isinstance(second, Mapping):
        both = {key: merged(first[key], second[key]) for key in first.keys() & second.keys()}
        return {**first, **second, **both}
    return second


def _merged_value(first: Any, second: Any) -> Any:
    if second is None or second in ("", {}):
        return first
    return merged(first, second) if isinstance(second, Mapping) else second


@cache
def _field_names(kind: Any) -> tuple[str, ...]:
    """Return the fields of a dataclass in their order, none for another type."""
    return tuple(item.name for item in dataclass_fields(kind)) if is_dataclass(kind) else ()
