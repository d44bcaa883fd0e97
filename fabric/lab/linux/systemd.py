"""systemd-run and systemctl of a stand-in: transient timers, and units from files.

Known: systemd-run(1), systemctl(1), systemd.unit(5): texts of ``is-active`` and ``is-enabled``,
exit code 3 for a unit that is not active, 4 for one that does not exist, 5 for an unknown unit
to start; systemd.timer(5): ``OnActiveSec``, which begins again at each ``daemon-reload``, and one
time of ``OnCalendar``, which does not (both seen with systemd 252); ``enable`` makes links in
``TARGET.wants`` and ``disable`` removes them. Assumed: only oneshot services start; a transient
timer that has run is gone (``--collect``).
"""

from __future__ import annotations

import re
import shlex
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from fabric.core.counts import counted
from fabric.lab.shell.state import Result

if TYPE_CHECKING:
    from collections.abc import Callable

    from fabric.lab.clock import Timer
    from fabric.lab.shell.state import Context
    from fabric.lab.ssh.system import SshSystem

_UNITS = {"": 1.0, "s": 1.0, "sec": 1.0, "m": 60.0, "min": 60.0, "h": 3600.0, "ms": 0.001}
_VALUED = ("--unit", "--on-active", "--timer-property", "--property", "-p", "--description", "-u")
_FLAGS = ("--collect", "--quiet", "--no-block", "-q", "-G", "--no-ask-password")
_UNIT_FOLDER = "/etc/systemd/system"


def seconds_of(text: str) -> float:
    """Read a time span such as ``90``, ``5min`` or ``1m 30s``."""
    pieces = re.findall(r"([0-9.]+)\s*([a-z]*)", text)
    if not pieces or re.sub(r"[0-9.]+\s*[a-z]*\s*", "", text):
        raise ValueError(text)
    return sum(float(number) * _UNITS[unit] for number, unit in pieces)


@dataclass(slots=True)
class TimedCommand:
    """A command that runs when its timer is due.

    ``delay_s`` begins again when systemd reads its files again, ``at_s`` of the lab clock stays.
    """

    command: str
    timer: Timer
    due_s: float
    delay_s: float | None = None
    at_s: float | None = None


@dataclass(slots=True)
class Systemd:
    """Timers and units of one stand-in."""

    stand_in: SshSystem
    jobs: dict[str, TimedCommand] = field(default_factory=dict)
    services: dict[str, Callable[[], None]] = field(default_factory=dict)
    active: set[str] = field(default_factory=set)
    failed: set[str] = field(default_factory=set)
    log: list[tuple[str, int, str]] = field(default_factory=list)
    _loaded: dict[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        """Make the folders that a machine with systemd has."""
        for folder in ("/run", _UNIT_FOLDER):
            self.stand_in.fs.mkdir(folder)

    # -- transient timers ------------------------------------------------------------------------

    def run_transient(self, context: Context, argv: list[str], _stdin: str) -> Result:
        """Answer systemd-run."""
        if not context.root:
            return Result("", "Failed to start transient timer unit: Access denied\n", 1)
        options: dict[str, str] = {}
        words = argv[1:]
        while words and words[0].startswith("-") and words[0] != "--":
            word = words.pop(0)
            name, sign, value = word.partition("=")
            if name in _VALUED:
                value = value if sign else (words.pop(0) if words else "")
                options[name] = value
                if name in ("--property", "-p"):
                    options |= dict([value.partition("=")[::2]])
            elif word not in _FLAGS:
                return Result("", f"systemd-run: unrecognized option '{word}'\n", 1)
        words = words[1:] if words[:1] == ["--"] else words
        name = options.get("--unit", options.get("-u", "run-r1")).removesuffix(".timer")
        name = name.removesuffix(".service")
        if words and "--on-active" not in options:
            return self._serve(name, words, options.get("RuntimeMaxSec", "infinity"))
        if not words:
            return Result("", "systemd-run: a command is needed here\n", 1)
        try:
            delay_s = seconds_of(options["--on-active"])
        except (ValueError, KeyError):
            return Result("", f"Failed to parse timer value: {options['--on-active']}\n", 1)
        if name in self.jobs:
            text = f"Unit {name}.timer was already loaded or has a fragment file."
            return Result("", f"Failed to start transient timer unit: {text}\n", 1)
        self._schedule(name, delay_s, shlex.join(words))
        quiet = "--quiet" in argv or "-q" in argv
        started = f"Running timer as unit: {name}.timer\nWill run service as unit: {name}.service\n"
        return Result("", "" if quiet else started)

    def _serve(self, name: str, words: list[str], limit: str) -> Result:
        """Start a service that runs until it is stopped, or its time is over."""
        if name in self.services:
            text = f"Unit {name}.service was already loaded or has a fragment file."
            return Result("", f"Failed to start transient service unit: {text}\n", 1)
        stop = self.stand_in.start_service(words)
        if stop is None:
            return Result("", f"Failed to find executable {words[0]}: not a server here\n", 1)
        self.services[name] = stop
        if limit != "infinity":
            self.stand_in.clock.call_later(seconds_of(limit), lambda: self._end(name))
        return Result()

    def _end(self, name: str) -> None:
        stop = self.services.pop(name, None)
        if stop is not None:
            stop()

    def _schedule(self, name: str, delay_s: float, command: str) -> None:
        clock = self.stand_in.clock
        timer = clock.call_later(delay_s, lambda: self._fire(name))
        self.jobs[name] = TimedCommand(command, timer, clock.now_s() + delay_s)

    def _fire(self, name: str) -> None:
        with self.stand_in.lock:
            job = self.jobs.pop(name, None)
            if job is None:
                return
            job.timer.cancel()
            if not job.command:
                self._start(f"{name}.service")
                return
            code, text = self.stand_in.run_detached(job.command)
            self.log.append((name, code, text))

    def expire(self) -> None:
        """Run every timer now."""
        for name in list(self.jobs):
            self._fire(name)

    def forget(self) -> None:
        """Drop what a restart drops; enabled units start again."""
        for job in self.jobs.values():
            job.timer.cancel()
        self.jobs.clear()
        for name in list(self.services):
            self._end(name)
        self.active.clear()
        self.failed.clear()
        self._loaded.clear()

    def start_enabled(self) -> None:
        """Start the enabled units, as a boot does."""
        for unit in sorted(self.enabled):
            if unit.endswith(".timer"):
                self._start_timer(unit)
            else:
                self._start(unit)

    @property
    def enabled(self) -> set[str]:
        """Units that something wants, as the links say."""
        folders = (self.stand_in.fs.top / _UNIT_FOLDER.lstrip("/")).glob("*.wants/*")
        return {place.name for place in folders if place.is_symlink()}

    def _start_timer(self, unit: str) -> Result:
        text, name = self._text(unit), unit.removesuffix(".timer")
        if text is None:
            return Result("", f"Failed to start {unit}: Unit {unit} not found.\n", 5)
        if name not in self.jobs:
            delay = re.search(r"^OnActiveSec\s*=\s*(\S+)\s*$", text, re.MULTILINE)
            moment = re.search(r"^OnCalendar\s*=\s*(.*\S)\s*$", text, re.MULTILINE)
            self._arm(
                name,
                seconds_of(delay[1]) if delay else None,
                self._lab_time_of(moment[1]) if moment else None,
            )
        return Result()

    def _lab_time_of(self, text: str) -> float | None:
        """Return when the lab clock has a time of the calendar; None when it is over."""
        moment = datetime.strptime(text, "%Y-%m-%d %H:%M:%S UTC").replace(tzinfo=UTC)
        left_s = moment.timestamp() - self.stand_in.clock.calendar_s()
        return self.stand_in.clock.now_s() + left_s if left_s > 0 else None

    def _arm(self, name: str, delay_s: float | None, at_s: float | None) -> None:
        """Let a timer begin; it is due at the earlier one of its times."""
        now_s = self.stand_in.clock.now_s()
        due = [now_s + delay_s] if delay_s is not None else []
        due += [at_s] if at_s is not None else []
        if due:
            self._schedule(name, min(due) - now_s, "")
            self.jobs[name].delay_s, self.jobs[name].at_s = delay_s, at_s

    def _wants(self, unit: str) -> list[str]:
        """Return the links that enabling a unit makes."""
        instance = unit.partition("@")[2].rsplit(".", 1)[0]
        targets = re.findall(r"^WantedBy\s*=\s*(.*)$", self._text(unit) or "", re.MULTILINE)
        names = [name.replace("%i", instance) for line in targets for name in line.split()]
        return [f"{_UNIT_FOLDER}/{name}.wants/{unit}" for name in names]

    # -- systemctl -------------------------------------------------------------------------------

    def control(self, context: Context, argv: list[str], _stdin: str) -> Result:
        """Answer systemctl."""
        words = [word for word in argv[1:] if word not in ("--quiet", "-q", "--no-pager", "--all")]
        now = "--now" in words
        words = [word for word in words if word != "--now"]
        verb, units = (words[0], words[1:]) if words else ("list-timers", [])
        known = {
            "is-active": self._is_active,
            "is-enabled": self._is_enabled,
            "is-failed": self._is_failed,
            "list-timers": self._list_timers,
            "list-units": lambda _units: Result(),  # a oneshot service has ended when we look
            "daemon-reload": self._daemon_reload,
        }
        if verb in known:
            told = known[verb](units)
            silent = verb.startswith("is-") and {"--quiet", "-q"} & set(argv)
            return replace(told, stdout="") if silent else told
        if verb not in ("start", "stop", "restart", "enable", "disable", "reset-failed"):
            return Result("", f"Unknown command verb '{verb}'.\n", 1)
        if not context.root:
            return Result("", f"Failed to {verb} {' '.join(units)}: Access denied\n", 4)
        for unit in map(_full_name, units):
            result = self._change(verb, unit, now=now)
            if result.rc:
                return result
        return Result()

    def _change(self, verb: str, unit: str, *, now: bool) -> Result:
        if verb == "reset-failed":
            self.failed.discard(unit)
            return Result()
        if verb == "stop":
            return self._stop(unit)
        if verb == "start" and unit.endswith(".timer"):
            return self._start_timer(unit)
        if verb in ("start", "restart"):
            return self._start(unit, again=verb == "restart")
        if self._text(unit) is None:
            return Result("", f"Failed to {verb} unit: Unit file {unit} does not exist.\n", 1)
        for link in self._wants(unit):
            self._link(link, unit, wanted=verb == "enable")
        if not now:
            return Result()
        return self._start(unit) if verb == "enable" else self._stop(unit)

    def _link(self, path: str, unit: str, *, wanted: bool) -> None:
        fs = self.stand_in.fs
        place = fs.top / path.lstrip("/")
        if wanted and not place.is_symlink():
            fs.link(path, f"{_UNIT_FOLDER}/{re.sub(r'@[^.]+[.]', '@.', unit)}")
        elif not wanted and place.is_symlink():
            place.unlink()
            if not any(place.parent.iterdir()):
                place.parent.rmdir()

    def _stop(self, unit: str) -> Result:
        name = unit.removesuffix(".timer")
        if unit.endswith(".timer") and name in self.jobs:
            self.jobs.pop(name).timer.cancel()
            return Result()
        if unit.removesuffix(".service") in self.services:
            self._end(unit.removesuffix(".service"))
            return Result()
        if self._text(unit) is None:
            return Result("", f"Failed to stop {unit}: Unit {unit} not loaded.\n", 5)
        self.active.discard(unit)
        return Result()

    def _text(self, unit: str) -> str | None:
        """Return the unit file; an instance uses its template."""
        template = re.sub(r"@[^.]+\.", "@.", unit)
        for name in (unit, template):
            path = f"{_UNIT_FOLDER}/{name}"
            if self.stand_in.fs.exists(path):
                return self.stand_in.fs.read(path)
        return None

    def _start(self, unit: str, *, again: bool = False) -> Result:
        job = self.jobs.get(unit.removesuffix(".service"))
        if job and job.command:  # the service of a transient timer, whose time has not come yet
            code, output = self.stand_in.run_detached(job.command)
            self.log.append((unit, code, output))
            return Result("", f"Job for {unit} failed.\n" if code else "", int(bool(code)))
        text = self._text(unit)
        if text is None:
            return Result("", f"Failed to start {unit}: Unit {unit} not found.\n", 5)
        self._loaded.setdefault(unit, text)
        text = self._loaded[unit]  # a changed file counts after daemon-reload only
        if unit in self.active and not again:
            return Result()
        if not re.search(r"^Type\s*=\s*oneshot", text, re.MULTILINE):
            return Result("", f"Failed to start {unit}: only oneshot units are supported.\n", 1)
        for match in re.finditer(r"^ExecStart\s*=\s*(.*(?:\\\n.*)*)$", text, re.MULTILINE):
            command = match.group(1).replace("\\\n", " ").strip()
            ignore, command = command.startswith("-"), command.lstrip("-@+!")
            code, output = self.stand_in.run_detached(_specifiers(command, unit))
            self.log.append((unit, code, output))
            if code and not ignore:
                self.failed.add(unit)
                self.active.discard(unit)
                why = f"Job for {unit} failed because the control process exited with error code.\n"
                hint = f'See "systemctl status {unit}" and "journalctl -xeu {unit}" for details.\n'
                return Result("", why + hint, 1)
        self.failed.discard(unit)
        if re.search(r"^RemainAfterExit\s*=\s*(yes|true|1|on)", text, re.MULTILINE):
            self.active.add(unit)
        return Result()

    def _is_active(self, units: list[str]) -> Result:
        states = []
        for unit in map(_full_name, units):
            waiting = unit.endswith(".timer") and unit.removesuffix(".timer") in self.jobs
            failed = "failed" if unit in self.failed else "inactive"
            states.append("active" if waiting or unit in self.active else failed)
        return Result("".join(f"{state}\n" for state in states), "", 0 if "active" in states else 3)

    def _is_failed(self, units: list[str]) -> Result:
        names = [_full_name(unit) for unit in units]
        text = "".join("failed\n" if name in self.failed else "inactive\n" for name in names)
        return Result(text, "", int(not any(name in self.failed for name in names)))

    def _is_enabled(self, units: list[str]) -> Result:
        text, code = "", 1
        for unit in map(_full_name, units):
            if self._text(unit) is None:
                return Result("", f"Failed to get unit file state for {unit}: No such file\n", 1)
            text += "enabled\n" if unit in self.enabled else "disabled\n"
            code = 0 if unit in self.enabled else code
        return Result(text, "", code)

    def _daemon_reload(self, _units: list[str]) -> Result:
        self._loaded.clear()
        for name, job in list(self.jobs.items()):
            if job.delay_s is not None:
                job.timer.cancel()
                self._arm(name, job.delay_s, job.at_s)
        return Result()

    def _list_timers(self, units: list[str]) -> Result:
        now_s = self.stand_in.clock.now_s()
        patterns = [re.compile(re.escape(unit).replace(r"\*", ".*")) for unit in units]
        text, count = "NEXT LEFT LAST PASSED UNIT ACTIVATES\n", 0
        for name, job in sorted(self.jobs.items()):
            unit = f"{name}.timer"
            if not patterns or any(item.fullmatch(unit) for item in patterns):
                text += f"- {job.due_s - now_s:.0f}s left - - {unit} {name}.service\n"
                count += 1
        return Result(f"{text}\n{counted(count, 'timer')} listed.\n")


def _full_name(unit: str) -> str:
    return unit if re.search(r"\.(service|timer|target|socket|path)$", unit) else f"{unit}.service"


def _specifiers(command: str, unit: str) -> str:
    """Replace the specifiers of the instance name; %I undoes the escapes of systemd-escape."""
    instance = unit.partition("@")[2].rsplit(".", 1)[0]
    plain = instance.replace("-", "/")
    plain = re.sub(r"\\x([0-9a-f]{2})", lambda match: chr(int(match.group(1), 16)), plain)
    return command.replace("%i", instance).replace("%I", plain).replace("%%", "%")
