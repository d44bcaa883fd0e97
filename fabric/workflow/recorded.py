"""What a file of readings says of a project, where no device is asked."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from fabric.placement.engine.state import Health
from fabric.report.observed import Seen
from fabric.report.recorded import documents, recorded
from fabric.topology.naming import nic_names
from fabric.workflow.conditions import conditions_of, links_read
from fabric.workflow.observe import observed

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from fabric.report.oddities import Oddities
    from fabric.topology.model import Fabric
    from fabric.workflow.devices import Selection
    from fabric.workflow.project import Project
    from fabric.workflow.recording import Recording


def seen_in(project: Project, recording: Recording, selection: Selection) -> list[Seen]:
    """Return the last reading of every selected device; one without a reading has an error.

    Raises
    ------
    InputError
        When the file cannot be read, is of another form, is too old, or has none of the devices.
    """
    file, names = recording.file, observed(project, selection)
    read = recorded(file, {*project.devices, *project.hosts}, recording.odd)
    recording.check({name: read[name].time for name in names if name in read})
    platforms = {name: design.platform for name, design in project.devices.items()}
    return [
        read.get(name)
        or Seen(name, platforms.get(name, "host"), error=f"{file} has no reading of it")
        for name in names
    ]


def failures_in(fabric: Fabric, recording: Recording) -> list[str]:
    """Return the cables that are down in a file of readings, as `whatif --fail` takes them.

    A device that could not be read is not known to be down: it counts as up.

    Raises
    ------
    InputError
        As `seen_in`.
    """
    records = list(documents(recording.file, {*fabric.switch_row, *fabric.host_row}, recording.odd))
    recording.check({record["device"]: _time_of(record) for record in records})
    words = (
        _link(fabric, *condition.subject.split(":", 1))
        for condition in conditions_of(records, fabric, recording.file)
        if condition.health is Health.DOWN
    )
    return list(dict.fromkeys(words))


def unread_in(fabric: Fabric, file: Path, odd: Oddities | None = None) -> list[str]:
    """Return the devices of whose ports a file of readings says nothing.

    Raises
    ------
    InputError
        As `seen_in`.
    """
    names = [*fabric.switch_row, *fabric.host_row]
    read = {
        record["device"]
        for record in documents(file, set(names), odd)
        if not record.get("error") and links_read(record.get("state"))
    }
    return [name for name in names if name not in read]


def _time_of(record: Mapping[str, Any]) -> datetime | None:
    try:
        return datetime.fromisoformat(str(record.get("time"))).astimezone(UTC)
    except ValueError:
        return None


def _link(fabric: Fabric, device: str, port: str) -> str:
    """Return the word for the cable of a port; of a NIC by the port of its leaf."""
    if device in fabric.switch_row:
        return f"link:{device}:{port}"
    names = [nic.interface for nic in nic_names(fabric, device)]
    row = fabric.nics_of_host(fabric.host_row[device])[names.index(port)]
    leaf = int(fabric.nics.leaf[row])
    return (
        f"link:{fabric.switches.names[leaf]}:{fabric.port_name(leaf, int(fabric.nics.port[row]))}"
    )
