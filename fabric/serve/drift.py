"""What differs between devices and the inventory, from a file that `rocefab drift` wrote."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Annotated

from pydantic import BaseModel, ConfigDict, Field, TypeAdapter, ValidationError

from fabric.core.errors import FileError, InputError
from fabric.core.events import Ledger
from fabric.core.file_kinds import FileKind
from fabric.core.shown import field_text
from fabric.core.user_files import open_regular, read_bytes
from fabric.core.validation import own_words
from fabric.report.drifts import UNKNOWN, UNREAD
from fabric.report.events import read_events

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from fabric.core.events import Event

_SHOWN = 120
_BEGINNING = 64


class Difference(BaseModel):
    """A value that runs and the one that is planned."""

    model_config = ConfigDict(extra="ignore", coerce_numbers_to_str=True)

    path: str
    running: str | None
    planned: str | None
    line: Annotated[str, Field(description="Rendered line that it comes from, or empty.")] = ""


class DriftDeviation(BaseModel):
    """What is not as planned, beside the configuration, such as a setting of a NIC."""

    model_config = ConfigDict(extra="ignore")

    subject: str = ""
    item: str = ""
    message: str
    unknown: Annotated[bool, Field(description="Whether it could not be read.")] = False


class DeviceDrift(BaseModel):
    """A device as `rocefab drift` read it."""

    model_config = ConfigDict(extra="ignore")

    device: str
    error: Annotated[str, Field(description="Why it could not be read, or empty.")] = ""
    ok: Annotated[bool | None, Field(description="Null where it was not compared.")] = True
    drift: list[Difference] = []
    deviations: list[DriftDeviation] = []

    @property
    def differ(self) -> int:
        """How many values differ; -1 where that is not known."""
        known = [one for one in self.deviations if not one.unknown]
        count = len(self.drift) + len(known)
        is_known = not self.error and self.ok is not None and known == self.deviations
        return count if count or is_known else -1


_FILE = TypeAdapter(list[DeviceDrift])


@dataclass(frozen=True, eq=False)
class Compared:
    """Which devices were compared with the plan, and how many of their values differ.

    Parameters
    ----------
    values : mapping of str to int
        Values that differ, by device; -1 of a device or setting that could not be read.
    is_whole : bool
        Whether devices without an entry were compared too, and are as planned.
    """

    values: Mapping[str, int] = field(default_factory=dict)
    is_whole: bool = False

    def of(self, device: str) -> int:
        """Return how many values of a device differ; -1 where that is not known."""
        return self.values.get(device, 0 if self.is_whole else -1)


class Drift:
    """Differences by device, read again when the file changes.

    Parameters
    ----------
    path : Path
        Output of `rocefab drift --format json`, or the events of `rocefab drift --watch`; it may
        come later.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self._stamp: tuple[int, ...] | None = None
        self._devices: dict[str, DeviceDrift] = {}
        self._ledger: Ledger | None = None
        #: Events that last, the oldest first, where the file has events.
        self.lasting: list[Event] = []
        #: None before the file is there.
        self.compared: Compared | None = None
        #: When the file was written, seconds since 1970; None before it is there.
        self.written_s: float | None = None
        #: Why the file cannot be used, or empty; what was read before is kept.
        self.warning = ""

    def of(self, device: str) -> DeviceDrift | None:
        """Return what is known of a device; None where it was not read."""
        return self._devices.get(device)

    def lasting_of(self, device: str) -> list[Event] | None:
        """Return the events of a device that last; None where the file has no events."""
        return None if self._ledger is None else self._ledger.of(device)

    def refresh(self) -> None:
        """Read the file where it has changed."""
        try:
            status = self.path.stat()
            stamp = (status.st_mtime_ns, status.st_size, status.st_ino)
            if stamp == self._stamp:
                return
            self._stamp = stamp
            self._take()
            self.written_s, self.warning = status.st_mtime, ""
        except OSError as error:
            self._stamp = None
            self.warning = f"{self.path}: cannot be read: {(error.strerror or str(error)).lower()}"
        except FileError as error:
            self._stamp = None
            self.warning = str(error)
        except InputError as error:
            self.warning = str(error)
        except ValidationError as error:
            first = error.errors(include_url=False, include_context=False, include_input=False)[0]
            where = field_text(first["loc"])
            reason = f"{where}: {own_words(first['msg'])}"[:_SHOWN]
            self.warning = f"{self.path}: not the output of `rocefab drift --format json`: {reason}"

    def _take(self) -> None:
        """Take a list of devices, or lines of events.

        Raises
        ------
        InputError, ValidationError
            When the file is neither.
        """
        with open_regular(self.path, FileKind.DRIFT_REPORT) as file:
            is_list = file.read(_BEGINNING).lstrip()[:1] == b"["
        if is_list:
            devices = _FILE.validate_json(read_bytes(self.path, FileKind.DRIFT_REPORT))
            self._devices = {one.device: one for one in devices}
            self._ledger, self.lasting = None, []
            self.compared = Compared({one.device: one.differ for one in devices})
            return
        ledger = Ledger()
        ledger.replay(read_events(self.path))
        self._devices, self._ledger, self.lasting = {}, ledger, ledger.lasting
        self.compared = Compared(_values(ledger.lasting), is_whole=True)


def _values(lasting: list[Event]) -> dict[str, int]:
    """Return how many values of each device differ; what could not be read is no difference."""
    devices = {event.finding.device for event in lasting}
    differ = Counter(
        event.finding.device for event in lasting if event.finding.rule not in {UNKNOWN, UNREAD}
    )
    return {device: differ[device] or -1 for device in devices}
