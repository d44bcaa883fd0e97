"""observe: the operational state of devices in one form, whatever system they run."""

from __future__ import annotations

import difflib
from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields, is_dataclass
from typing import TYPE_CHECKING, Any

from fabric.change.planner import open_driver
from fabric.core.errors import DeviceError, InputError
from fabric.core.findings import Finding, Severity
from fabric.observe import read_snapshot
from fabric.observe.parsers import parsers
from fabric.observe.snapshot import Snapshot
from fabric.workflow.devices import Selection, chosen, executor, project_connections

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from fabric.devices.driver import Connection
    from fabric.workflow.project import Project

__all__ = ["Seen", "Selection", "observe"]

_OTHER_FIELDS = ("device", "unknown", "raw")
#: Fields of a snapshot that hold state, in their order.
FIELDS = tuple(item.name for item in fields(Snapshot) if item.name not in _OTHER_FIELDS)


@dataclass(frozen=True)
class Seen:
    """What one device said.

    Parameters
    ----------
    snapshot : Snapshot or None
        None when the device could not be reached.
    unknown : tuple of str
        Fields that were asked for and could not be understood, or of which a part could not.
    unread : tuple of str
        Fields that were asked for and that rocefab has no reading for on this platform.
    error : str
        Why the device could not be read, or empty.
    """

    device: str
    platform: str
    snapshot: Snapshot | None = None
    unknown: tuple[str, ...] = ()
    unread: tuple[str, ...] = ()
    error: str = ""

    def rows(self) -> list[tuple[str, str, str, str]]:
        """Return device, platform, field and what was seen of it, a line each."""
        if self.error or self.snapshot is None:
            return [(self.device, self.platform, "-", f"could not be read: {self.error}")]
        lines = []
        for field in FIELDS:
            value = getattr(self.snapshot, field)
            if value is not None:
                doubt = "; partly unknown" if field in self.unknown else ""
                lines.append((self.device, self.platform, field, f"{_told(field, value)}{doubt}"))
            elif field in self.unknown:
                lines.append((self.device, self.platform, field, "unknown"))
        return lines

    def as_dict(self) -> dict[str, Any]:
        """Return plain data; a key of port and number is ``port|number``."""
        state = {
            field: _plain(getattr(self.snapshot, field))
            for field in FIELDS
            if self.snapshot is not None and getattr(self.snapshot, field) is not None
        }
        return {
            "device": self.device,
            "platform": self.platform,
            "error": self.error,
            "unknown": list(self.unknown),
            "unread": list(self.unread),
            "state": state,
        }


def observe(
    project: Project,
    connections_file: Path | None,
    selection: Selection,
    fields: Sequence[str],
    progress: Callable[[str, str], None],
) -> list[Seen]:
    """Read the state of every selected device; a device that fails does not stop the others.

    Parameters
    ----------
    fields : sequence of str
        Names of ``FIELDS``; empty for all that the platforms can read.

    Raises
    ------
    InputError
        When a field, a device or the connections file is wrong.
    """
    _refuse_unknown(fields)
    reachable = project_connections(project, connections_file)
    names = [name for name in reachable if name in chosen(project, selection)]
    with executor(len(names)) as pool:
        futures = {name: pool.submit(_look, reachable[name], tuple(fields)) for name in names}
        seen = []
        for name, future in futures.items():
            seen.append(future.result())
            progress(name, seen[-1].error or "read")
    return seen


def _look(connection: Connection, fields: tuple[str, ...]) -> Seen:
    readings = parsers[connection.platform].readings
    offered = {field for field, _ in readings.values()}
    unread = tuple(field for field in fields if field not in offered)
    try:
        driver = open_driver(connection)
        try:
            snapshot = read_snapshot(driver, fields or None)
        finally:
            driver.close()
    except DeviceError as error:
        return Seen(connection.device, connection.platform, unread=unread, error=error.reason)
    unknown = {readings[subject][0] for subject in snapshot.unknown}
    return Seen(
        connection.device,
        connection.platform,
        snapshot,
        tuple(field for field in FIELDS if field in unknown),
        unread,
    )


def _refuse_unknown(fields: Sequence[str]) -> None:
    findings = []
    for name in fields:
        if name not in FIELDS:
            close = difflib.get_close_matches(name, FIELDS, n=1)
            fix = f"did you mean {close[0]!r}?" if close else f"available: {', '.join(FIELDS)}"
            findings.append(Finding("OBS001", Severity.ERROR, f"unknown field {name!r}", fix))
    if findings:
        raise InputError("nothing was read", findings)


def _told(field: str, value: Any) -> str:
    """Return a short summary of a field."""
    if field == "interfaces":
        return f"{len(value)} ports, {sum(bool(port.up) for port in value.values())} up"
    if field == "bgp":
        up = sum(peer.established for peer in value.values())
        return f"{up} of {len(value)} sessions established"
    if field == "facts":
        return " ".join(part for part in (value.hostname, value.model, value.version) if part)
    if field == "watchdog":
        stormed = sum(not queue.operational for queue in value.values())
        return f"{len(value)} queues, {stormed} in a pause storm"
    return str(value) if isinstance(value, int) else f"{len(value)} entries"


def _plain(value: Any) -> Any:
    if is_dataclass(value) and not isinstance(value, type):
        return {name: _plain(item) for name, item in asdict(value).items()}
    if isinstance(value, Mapping):
        return {_key(key): _plain(item) for key, item in value.items()}
    if isinstance(value, tuple | list):
        return [_plain(item) for item in value]
    return value


def _key(key: Any) -> str:
    return "|".join(str(part) for part in key) if isinstance(key, tuple) else str(key)
