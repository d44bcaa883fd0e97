"""Asks a driver and parses what it says."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from fabric.core.errors import DeviceError
from fabric.observe.parsers import UnreadableError, load_parsers, parsers
from fabric.observe.snapshot import Running, Snapshot

if TYPE_CHECKING:
    from collections.abc import Sequence

    from fabric.devices.driver import Driver


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
    load_parsers()
    connection = driver.connection
    texts = {**driver.read_running(files), **driver.read_state(subjects)}
    try:
        return parsers[connection.platform].running(connection.device, texts)
    except UnreadableError as error:
        raise DeviceError(connection.device, f"cannot understand its answer: {error}") from error


def read_snapshot(driver: Driver) -> Snapshot:
    """Return the operational state of a device; what cannot be understood is ``unknown``."""
    load_parsers()
    readings = parsers[driver.connection.platform].readings
    raw = dict(driver.read_state(list(readings)))
    fields: dict[str, Any] = {}
    unknown = []
    for subject, (field, parse) in readings.items():
        try:
            fields[field] = parse(raw.get(subject, ""))
        except (UnreadableError, KeyError, ValueError, TypeError, AttributeError):
            unknown.append(subject)
    return Snapshot(device=driver.connection.device, unknown=tuple(unknown), raw=raw, **fields)
