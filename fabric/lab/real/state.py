"""What labs run on this machine: one folder each, so that what a crash left behind is found."""

from __future__ import annotations

import json
import os
import shutil
import signal
import time
from contextlib import suppress
from dataclasses import asdict, dataclass
from pathlib import Path

from fabric.programs.run import run

FOLDER = Path("/run/rocefab-lab")
NAMESPACES = Path("/run/netns")
#: Where control groups are: version 2 alone, or beside version 1 (systemd, cgroup-util.c).
HIERARCHIES = tuple(Path("/sys/fs/cgroup", name) for name in ("", "systemd", "unified"))
_FILE = "state.json"
#: Field of /proc/PID/stat with the start of a process, counted after its name (proc(5), field 22).
_START_FIELD = 19
#: Time that killed processes get to be gone.
_PATIENCE_S = 5.0
#: Seconds that ``ip`` may take for all links of a lab; our choice.
LONG_S = 300.0


@dataclass(frozen=True, slots=True)
class Process:
    """A process that another one with the same number is not taken for."""

    pid: int
    start_ticks: int

    @classmethod
    def of(cls, pid: int) -> Process:
        """Return a process that runs."""
        return cls(pid, _start_ticks(pid))

    @property
    def runs(self) -> bool:
        """Whether it still runs."""
        return self.start_ticks != 0 and _start_ticks(self.pid) == self.start_ticks

    def kill(self) -> None:
        """End it, and wait until it is gone."""
        until_s = time.monotonic() + _PATIENCE_S
        while self.runs and time.monotonic() < until_s:
            with suppress(ProcessLookupError):
                os.kill(self.pid, signal.SIGKILL)
            time.sleep(0.02)


@dataclass(frozen=True, slots=True)
class Record:
    """A lab: who started it, and the process that all of its daemons end with."""

    name: str
    inventory: str
    owner: Process
    keeper: Process

    @property
    def folder(self) -> Path:
        """Where its files are."""
        return FOLDER / self.name

    @property
    def prefix(self) -> str:
        """What the names of its namespaces begin with."""
        return f"rfl-{self.name}-"

    @property
    def namespaces(self) -> list[str]:
        """Its namespaces that exist."""
        return sorted(path.name for path in NAMESPACES.glob(f"{self.prefix}*"))

    def write(self) -> None:
        """Write it down."""
        self.folder.mkdir(parents=True, exist_ok=True, mode=0o755)
        part = self.folder / f"{_FILE}.part"
        part.write_text(json.dumps(asdict(self), indent=1) + "\n", encoding="utf-8")
        part.replace(self.folder / _FILE)


def _start_ticks(pid: int) -> int:
    """Return when a process started; 0 when it does not run."""
    try:
        text = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8", errors="replace")
    except OSError:
        return 0
    fields = text.rpartition(")")[2].split()
    return 0 if fields[0] in "ZX" else int(fields[_START_FIELD])


def _records() -> list[Record]:
    found = []
    for folder in sorted(FOLDER.glob("*/")):
        try:
            row = json.loads((folder / _FILE).read_text(encoding="utf-8"))
            owner, keeper = Process(**row.pop("owner")), Process(**row.pop("keeper"))
            found.append(Record(**row, owner=owner, keeper=keeper))
        except (OSError, ValueError, KeyError, TypeError):
            found.append(Record(folder.name, "", Process(0, 0), Process(0, 0)))
    return found


def running() -> list[Record]:
    """Return the labs whose owner runs."""
    return [record for record in _records() if record.owner.runs]


def leftovers() -> list[Record]:
    """Return the labs whose owner ended without taking them down."""
    return [record for record in _records() if not record.owner.runs]


def clean(record: Record) -> int:
    """Remove all that is left of a lab.

    Returns
    -------
    int
        Number of namespaces that were removed.
    """
    record.keeper.kill()
    names = record.namespaces
    batch = "".join(f"netns delete {name}\n" for name in names)
    run(["ip", "-force", "-batch", "-"], LONG_S, given=batch.encode())
    _remove_control_groups(record.prefix)
    shutil.rmtree(record.folder, ignore_errors=True)
    with suppress(OSError):
        FOLDER.rmdir()
    return len(names)


def _remove_control_groups(prefix: str) -> None:
    """Remove the control groups of hosts that were booted, the innermost first."""
    for hierarchy in HIERARCHIES:
        for top in hierarchy.glob(f"{prefix}*"):
            for folder, _, _ in os.walk(top, topdown=False):
                with suppress(OSError):
                    Path(folder).rmdir()
