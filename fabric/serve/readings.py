"""The newest record of each device, from a file that `rocefab observe --out` appends to."""

from __future__ import annotations

import time
import zlib
from typing import TYPE_CHECKING

from pydantic import ValidationError

from fabric.core.counts import counted
from fabric.core.shown import field_text
from fabric.core.validation import own_words
from fabric.report.readings import ReadingsDocument, snapshot_of
from fabric.report.recorded import seen_of
from fabric.serve.figures import Packed
from fabric.serve.live import Live, rising
from fabric.serve.tail import Tail
from fabric.serve.timelines import Timelines
from fabric.workflow.conditions import observed

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from fabric.observe.snapshot import Snapshot
    from fabric.placement.engine.state import Condition
    from fabric.topology.model import Fabric

#: Most that is quoted of an error in a line.
_SHOWN = 120
#: Least compression: of a record 5 % are left, and it takes a millisecond.
_FAST = 1


class Readings:
    """What devices reported last, in bounded memory: one record of each device of the fabric.

    Parameters
    ----------
    path : Path
        File of JSON lines.
    fabric : Fabric
        Which devices count.
    tail : Tail, optional
        How the file is read.

    Attributes
    ----------
    packed : dict of str to Packed
        Figures of the last reading of each device, also of one that failed.
    stale : int
        Devices whose last reading was too old for `conditions`, when these were asked for.
    """

    def __init__(self, path: Path, fabric: Fabric, tail: Tail | None = None) -> None:
        self.path, self._tail = path, tail or Tail(path)
        self.live, self.timelines = Live(fabric), Timelines()
        self.packed: dict[str, Packed] = {}
        self._records: dict[str, bytes] = {}
        self._newest_s: float | None = None
        self._wrong, self._last_wrong, self._strangers = 0, "", 0
        self._failed: dict[str, str] = {}
        self._partial: set[str] = set()
        self._conditions: dict[str, tuple[float, tuple[Condition, ...]]] = {}
        self.stale = 0

    def turn_to(self, fabric: Fabric) -> None:
        """Take another inventory; records of devices that it lacks are dropped."""
        before, self.live = self.live, Live(fabric)
        self.live.version, self.live.states_version = before.version + 1, before.states_version + 1
        self._records = {
            name: record for name, record in self._records.items() if self._is_known(name)
        }
        self.packed = {name: one for name, one in self.packed.items() if self._is_known(name)}
        self.timelines.forget(self._records)
        self._failed = {name: error for name, error in self._failed.items() if self._is_known(name)}
        self._partial = {name for name in self._partial if self._is_known(name)}
        times = {name: time_s for name, (time_s, _) in self._conditions.items()}
        self._conditions = {}
        for name in self._records:
            document = self.record(name)
            if document is not None and not document.error:
                snapshot = snapshot_of(document)
                self.live.take(snapshot, rising(snapshot, document.rates))
                self._note(name, times[name], snapshot)
        for name in self._failed:
            self._note(name, times[name], None)

    def refresh(self) -> bool:
        """Take what was appended since the last time; return whether there was anything."""
        lines = self._tail.lines()
        self._take(lines)
        return bool(lines)

    def record(self, device: str) -> ReadingsDocument | None:
        """Return the newest record of a device that could be read."""
        kept = self._records.get(device)
        return ReadingsDocument.model_validate_json(zlib.decompress(kept)) if kept else None

    def failure(self, device: str) -> str:
        """Return why the last reading of a device failed, or an empty text."""
        return self._failed.get(device, "")

    def conditions(self, max_age_s: float) -> tuple[Condition, ...]:
        """Return what the last readings say of the fabric, as `rocefab place` takes them.

        Parameters
        ----------
        max_age_s : float
            Age from which a reading says nothing of now.
        """
        oldest_s = time.time() - max_age_s
        fresh = [of for time_s, of in self._conditions.values() if time_s >= oldest_s]
        self.stale = len(self._conditions) - len(fresh)
        return tuple(condition for of in fresh for condition in of)

    def about(self) -> dict[str, object]:
        """Return how many devices were read, when, and what is wrong with the file."""
        age_s = None if self._newest_s is None else max(0.0, time.time() - self._newest_s)
        return {
            "file": str(self.path),
            "devices": len(self._records),
            "failed": len(self._failed),
            "partial": len(self._partial),
            "age_s": None if age_s is None else round(age_s, 1),
            "warnings": self.warnings(),
        }

    def warnings(self) -> list[str]:
        """Return what was not taken from the file."""
        found = []
        if self._tail.error:
            found.append(f"{self.path}: the readings cannot be read: {self._tail.error}")
        if self._wrong:
            what = f"{_lines(self._wrong)} not a record of `rocefab observe`; {self._last_wrong}"
            found.append(f"{self.path}: {what}")
        if self._tail.too_long:
            found.append(f"{self.path}: {_lines(self._tail.too_long)} too long and skipped")
        if self._strangers:
            found.append(
                f"{self.path}: {counted(self._strangers, 'record')} of devices not in the fabric"
            )
        if self.timelines.omitted:
            found.append("some counters have no time line: there are too many")
        return found

    def _take(self, lines: Iterable[bytes]) -> None:
        for line in lines:
            try:
                self._take_one(line)
            except ValidationError as error:
                first = error.errors(include_url=False, include_context=False, include_input=False)
                self._refuse(f"{field_text(first[0]['loc'])}: {own_words(first[0]['msg'])}")
            except (ValueError, TypeError, OverflowError) as error:
                self._refuse(str(error))

    def _take_one(self, line: bytes) -> None:
        document = ReadingsDocument.model_validate_json(line)
        if not self._is_known(document.device):
            self._strangers += 1
            return
        seen = seen_of(document)
        self.packed[document.device] = Packed.of(seen)
        time_s = document.time.timestamp() if document.time else time.time()
        snapshot = seen.snapshot
        if snapshot is None:
            self._failed[document.device] = document.error
            self._note(document.device, time_s, None)
            self.live.version += 1
            return
        rates = [*rising(snapshot, document.rates)]
        self.live.take(snapshot, rates)
        if document.rates is not None:
            self.timelines.add(document.device, time_s, rates)
        (self._partial.add if _is_partial(document) else self._partial.discard)(document.device)
        self._records[document.device] = zlib.compress(line, _FAST)
        self._failed.pop(document.device, None)
        self._note(document.device, time_s, snapshot)
        self._newest_s = max(time_s, self._newest_s or 0.0)

    def _note(self, device: str, time_s: float, snapshot: Snapshot | None) -> None:
        """Note what a reading says of a device for placements."""
        tables = (snapshot.interfaces or {}, snapshot.nics or {}) if snapshot else ()
        down = [port for ports in tables for port, read in ports.items() if read.up is False]
        error = self._failed.get(device)
        found = tuple(observed(self.live.fabric, device, down, error))
        self._conditions[device] = (time_s, found)

    def _is_known(self, device: str) -> bool:
        return device in self.live.fabric.switch_row or device in self.live.fabric.host_row

    def _refuse(self, reason: str) -> None:
        self._wrong += 1
        self._last_wrong = f"the last one: {reason[:_SHOWN]}"


def _is_partial(document: ReadingsDocument) -> bool:
    """Return whether the page lacks something: an answer not understood, or the ports."""
    state = document.state
    return bool(document.unknown) or (state.interfaces is None and state.nics is None)


def _lines(count: int) -> str:
    return f"{count:,} line{' is' if count == 1 else 's are'}"
