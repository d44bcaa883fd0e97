"""What an NX-OS stand-in remembers: configurations, checkpoints, files and the scheduler.

Known (Cisco Nexus 9000 system management configuration guide, rollback and scheduler): ten
checkpoints, names of at most 80 characters that do not begin with ``system`` and are used once; a
rollback from a checkpoint is atomic; a schedule that is given a delay runs once and is shown with
the time at which it starts; its jobs run as the user who made them. A reboot forgets neither
checkpoints nor what was saved.
Assumed: the texts of answers, but ``Rollback failed.`` and ``completed`` (napalm 5.2.0); a schedule
that ran stays in the configuration; one that was not saved is forgotten by a reboot.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from difflib import unified_diff
from typing import TYPE_CHECKING

from fabric.book.grammar import LineRefusedError
from fabric.lab.lines.tree import Section
from fabric.systems.nxos.lab.config import Editor, read_text, text_lines

if TYPE_CHECKING:
    from fabric.lab.clock import LabClock, Timer

MAX_CHECKPOINTS = 10
MAX_NAME = 80
#: Lines of the accounting log that are kept; ours.
_MOST_ACCOUNTED = 500
_DELAY = re.compile(r"time start \+(?:(?:(\d{1,3}):)?(\d{1,2}):)?(\d{1,3})")


@dataclass(slots=True)
class Schedule:
    """A timetable of the scheduler that runs once."""

    starts: datetime
    timer: Timer
    ran: bool = False


@dataclass(slots=True)
class NxosState:
    """The memory of one switch.

    Parameters
    ----------
    clock : LabClock
        Runs schedules and the uptime.
    startup_text : str
        Configuration at the start, running and startup alike.
    """

    clock: LabClock
    startup_text: str
    ports: tuple[str, ...]
    booted_s: float = 0.0
    checkpoints: dict[str, Section] = field(default_factory=dict)
    files: dict[str, Section] = field(default_factory=dict)
    schedules: dict[str, Schedule] = field(default_factory=dict)
    startup: Section = field(default_factory=Section)
    running: Section = field(default_factory=Section)

    accounting: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.startup = read_text(self.startup_text, self.ports)
        self.running = self.startup.copy()
        self.booted_s = self.clock.now_s()

    @property
    def uptime_s(self) -> float:
        """Seconds since the last boot."""
        return self.clock.now_s() - self.booted_s

    def account(self, user: str, terminal: str, line: str) -> None:
        """Write a line of the configuration into the accounting log."""
        at = f"{datetime.fromtimestamp(self.clock.now_s(), UTC):%a %b %d %H:%M:%S %Y}"
        command = f"configure terminal ; {line.strip()} (SUCCESS)"
        self.accounting.append(f"{at}:type=update:id={terminal}:user={user}:cmd={command}\n")
        del self.accounting[:-_MOST_ACCOUNTED]

    def editor(self) -> Editor:
        """Return an editor of the running configuration."""
        return Editor(self.running, self.ports)

    def feed(self, editor: Editor, line: str) -> None:
        """Apply a line; delays of the scheduler become times.

        Raises
        ------
        LineRefusedError
            In the words of the switch.
        """
        words = " ".join(line.split())
        delay = _DELAY.fullmatch(words)
        if delay and editor.context.mode == "schedule":
            line = self._armed(editor.context.line.split()[-1], delay)
        editor.feed(line)
        self._forget_schedules()

    def _armed(self, name: str, delay: re.Match[str]) -> str:
        days, hours, minutes = (int(part or 0) for part in delay.groups())
        wait = timedelta(days=days, hours=hours, minutes=minutes)
        if name in self.schedules:
            self.schedules[name].timer.cancel()
        starts = datetime.now(UTC) + wait
        timer = self.clock.call_later(wait.total_seconds(), lambda: self.run_schedule(name))
        self.schedules[name] = Schedule(starts, timer)
        return f"time start {starts:%Y:%m:%d:%H:%M}"

    def _forget_schedules(self) -> None:
        """Disarm schedules that the configuration does not have any more."""
        present = {node.line.split()[-1] for node in self.running.below("scheduler schedule name ")}
        for name in set(self.schedules) - present:
            self.schedules.pop(name).timer.cancel()

    def run_schedule(self, name: str) -> None:
        """Run the jobs of a schedule, once."""
        schedule = self.schedules.get(name)
        node = self.running.children.get(f"scheduler schedule name {name}")
        if schedule is None or schedule.ran or node is None:
            return
        schedule.ran = True
        for line in node.below("job name "):
            job = self.running.children.get(f"scheduler job name {line.line.split()[-1]}")
            for command in job.sorted() if job else ():
                rollback = re.fullmatch(r"rollback running-config checkpoint (\S+)", command.line)
                if rollback:
                    self.rollback(rollback[1])

    def expire_timer(self) -> bool:
        """Run the next armed schedule at once; tell whether there was one."""
        armed = [name for name, schedule in self.schedules.items() if not schedule.ran]
        for name in armed[:1]:
            self.run_schedule(name)
        return bool(armed)

    def checkpoint(self, name: str) -> str:
        """Keep the running configuration under a name; return what the switch prints.

        Raises
        ------
        LineRefusedError
            When the name or the number of checkpoints is not allowed.
        """
        reason = ""
        if len(name) > MAX_NAME or name.startswith("system"):
            reason = f"invalid checkpoint name {name}"
        elif name in self.checkpoints:
            reason = f"checkpoint {name} already exists"
        elif len(self.checkpoints) >= MAX_CHECKPOINTS:
            reason = f"maximum number of checkpoints ({MAX_CHECKPOINTS}) reached"
        if reason:
            raise LineRefusedError(f"ERROR: {reason}\n")
        self.checkpoints[name] = self.running.copy()
        return ".....Done\n"

    def rollback(self, name: str, files: dict[str, Section] | None = None) -> str:
        """Go back to a checkpoint or file; return what the switch prints."""
        kept = (self.checkpoints if files is None else files).get(name)
        if kept is None:
            return f"ERROR: checkpoint {name} does not exist\nRollback failed.\n"
        self.running = kept.copy()
        self._forget_schedules()
        lines = (
            "Note: Applying config parallelly may fail Rollback verification",
            "Collecting Running-Config",
            "#Generating Rollback Patch",
            "Executing Rollback Patch",
            "Generating Running-config for verification",
            "Generating Patch for verification",
            "Verification is Successful.",
            "",
            "Rollback completed successfully.",
        )
        return "\n".join([*lines, ""])

    def difference(self, name: str) -> str:
        """Return ``show diff rollback-patch checkpoint NAME running-config``.

        Raises
        ------
        LineRefusedError
            When there is no such checkpoint.
        """
        if name not in self.checkpoints:
            raise LineRefusedError(f"ERROR: checkpoint {name} does not exist\n")
        kept, runs = (list(text_lines(tree)) for tree in (self.checkpoints[name], self.running))
        changed = [
            line[1:] if line[0] == "+" else f"no {line[1:].strip()}"
            for line in list(unified_diff(kept, runs, n=0, lineterm=""))[2:]
            if line[0] in "+-" and line[1:].strip()
        ]
        body = "\n".join(["!!", *changed]) if changed else "Rollback Patch is Empty"
        return f"Collecting Running-Config\n#Generating Rollback Patch\n{body}\n"

    def save(self) -> None:
        """Copy running to startup."""
        self.startup = self.running.copy()

    def reboot(self) -> None:
        """Start again from the startup configuration."""
        self.running = self.startup.copy()
        self._forget_schedules()
        self.booted_s = self.clock.now_s()
