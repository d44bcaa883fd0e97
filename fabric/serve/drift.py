"""What differs between devices and the inventory, from a file that `rocefab drift` wrote."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

from pydantic import BaseModel, ConfigDict, Field, TypeAdapter, ValidationError

from fabric.core.errors import FileError, InputError
from fabric.core.events import Ledger
from fabric.core.file_kinds import FileKind
from fabric.core.shown import field_text
from fabric.core.user_files import open_regular, read_bytes
from fabric.core.validation import own_words
from fabric.report.events import read_events

if TYPE_CHECKING:
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


class DeviceDrift(BaseModel):
    """A device as `rocefab drift` read it."""

    model_config = ConfigDict(extra="ignore")

    device: str
    error: Annotated[str, Field(description="Why it could not be read, or empty.")] = ""
    drift: list[Difference] = []


_FILE = TypeAdapter(list[DeviceDrift])


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
            return
        ledger = Ledger()
        ledger.replay(read_events(self.path))
        self._devices, self._ledger, self.lasting = {}, ledger, ledger.lasting
