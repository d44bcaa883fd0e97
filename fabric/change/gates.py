"""Gates of a wave: what must hold before it is confirmed, and again after its soak."""

from __future__ import annotations

import json
import time
from contextlib import closing
from dataclasses import dataclass, field, replace
from functools import partial
from typing import TYPE_CHECKING, Protocol

from fabric.change.journal import State
from fabric.change.planner import open_driver
from fabric.core.counts import counted
from fabric.core.errors import DeviceError, ProgramError
from fabric.observe import read_snapshot
from fabric.programs.environment import command_environment
from fabric.programs.run import Ended, hide_memory, run

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterator, Mapping, Sequence

    from fabric.change.crew import Crew
    from fabric.change.model import DevicePlan
    from fabric.change.questions import Questions
    from fabric.change.rollout import Ping, Stage
    from fabric.devices.driver import Connection
    from fabric.observe.snapshot import Snapshot

#: Fields of a snapshot that tell of lost packets and storms.
_COUNTED = ("queues", "priority_groups", "watchdog")
#: Characters of the output of a command that a message shows.
_MOST_OUTPUT = 300
PASSED = "passed"
#: What a gate says of a wave that it has nothing to do with.
NOT_ASKED = "not asked in this wave"
#: How long pings that are not answered are sent again without a roll-out, in seconds. Ours: a host
#: sees its port and asks for its gateway again; half of what a commit timer has to spare.
PATIENCE_S = 15.0
#: Seconds between two looks whether the user stops a soak.
_POLL_S = 0.5


def passed_with(number: int, what: str, but: str = "") -> str:
    """Return what a gate says where so many answers are well, and what it did not look at."""
    return f"{PASSED}, {counted(number, what)}{f'; {but}' if but else ''}"


class Gate(Protocol):
    """Looks at a wave three times."""

    name: str

    @property
    def passed(self) -> str:
        """What was looked at, and what was not, where nothing is wrong."""

    def begin(self, stage: Stage) -> list[str]:
        """Look before anything changes; return why the wave cannot begin."""

    def after_change(self, stage: Stage) -> list[str]:
        """Return what is wrong once the devices look healthy."""

    def after_soak(self, stage: Stage) -> list[str]:
        """Return what is wrong after the soak."""


def asks_switches(gate: Gate) -> bool:
    """Tell whether a gate asks switches for routes: they take a moment to go, without traffic too.

    Other gates need a soak for that, or packets between hosts.
    """
    return getattr(gate, "asks_switches", False)


def _settles(gate: Gate) -> bool:
    """Tell whether a gate looks again for a moment, whatever the soak is."""
    return asks_switches(gate) or getattr(gate, "settles", False)


@dataclass(frozen=True)
class WaveGates:
    """The gates of one wave, and its soak.

    Parameters
    ----------
    soak_s : float or None
        Seconds between the two looks after the change; None for one look.
    lost : mapping
        Devices that were skipped in the run: gates do not ask for them.
    patience_s : float
        How long what is wrong is looked at again.
    through : mapping of str to Ping
        Pings by the device that they are for: without it they are not sent.
    settle_s : float
        The same as ``patience_s`` for gates that ask whether routes are gone, or one pair of NICs.
    """

    crew: Crew
    stage: Stage
    gates: Sequence[Gate]
    soak_s: float | None
    lost: Mapping[str, str]
    patience_s: float = 0.0
    through: Mapping[str, Ping] = field(default_factory=dict)
    settle_s: float = 0.0

    def begin(self) -> list[str]:
        """Look before anything changes; return why the wave cannot begin."""
        stage = self._without(())
        return [f"gate {gate.name}: {text}" for gate in self.gates for text in gate.begin(stage)]

    def problems(
        self, still_healthy: Callable[[], list[str]], failed: Collection[str]
    ) -> list[str]:
        """Look after the change and after the soak; return what is wrong.

        Parameters
        ----------
        still_healthy : callable
            Looks at the devices again, and returns what is wrong with them.
        failed : collection of str
            Devices of the wave that are skipped; more may come while it soaks.
        """
        problems = self._after(failed, "after_change")
        if problems or self.soak_s is None:
            return problems
        if self.soak_s:
            self.crew.progress("", f"soak of {self.soak_s:g} s")
            self._sleep()
            problems = still_healthy()
        return problems or self._after(failed, "after_soak")

    def _after(self, failed: Collection[str], moment: str) -> list[str]:
        problems = []
        for gate in self.gates:
            self.crew.check_going(self.stage.names[0])
            patience_s = self.settle_s if _settles(gate) else self.patience_s
            wrong = self._looked(getattr(gate, moment), self._without(failed), patience_s)
            if wrong or self.soak_s is None or moment == "after_soak":
                said = "failed; more at the end" if wrong else gate.passed
                self.crew.progress("", f"gate {gate.name}: {said}")
            outcome = "; ".join(wrong) or gate.passed
            self.crew.record("", State.PENDING, f"gate {gate.name}: {outcome}")
            problems += [f"gate {gate.name}: {text}" for text in wrong]
        return problems

    def _looked(
        self, look: Callable[[Stage], list[str]], stage: Stage, patience_s: float
    ) -> list[str]:
        wrong = look(stage)
        end_s = time.monotonic() + patience_s  # however long the answers took
        while wrong and time.monotonic() < end_s:
            self.crew.check_stop()
            self.crew.check_going(self.stage.names[0])
            time.sleep(_POLL_S)
            wrong = look(stage)
        return wrong

    def _without(self, failed: Collection[str]) -> Stage:
        gone = {*self.lost, *failed}
        through = {ping for name, ping in self.through.items() if name in gone}
        return replace(
            self.stage,
            names=tuple(name for name in self.stage.names if name not in gone),
            pings=tuple(
                ping for ping in self.stage.pings if not ping.needs(gone) and ping not in through
            ),
            denied=tuple(ping for ping in self.stage.denied if not ping.hosts & gone),
            joined=tuple(ping for ping in self.stage.joined if not ping.needs(gone)),
            withdrawn=tuple(
                one.without(gone) for one in self.stage.withdrawn if one.leaf not in gone
            ),
        )

    def _sleep(self) -> None:
        """Wait for the soak, or until the user stops the run."""
        end_s = time.monotonic() + (self.soak_s or 0.0)
        while (left_s := end_s - time.monotonic()) > 0:
            self.crew.check_stop()
            self.crew.check_going(self.stage.names[0])
            time.sleep(min(left_s, _POLL_S))


@dataclass
class Counters:
    """No packets of a lossless class are dropped, and no watchdog sees a storm, while a wave soaks.

    Parameters
    ----------
    plans : mapping of str to DevicePlan
        Devices of the plan: those of a wave and the neighbours of these are looked at.
    """

    plans: Mapping[str, DevicePlan]
    connections: Mapping[str, Connection]
    questions: Questions
    name: str = "counters"
    passed: str = PASSED
    _before: dict[str, Snapshot] = field(default_factory=dict)

    def begin(self, stage: Stage) -> list[str]:  # noqa: ARG002
        """Return nothing: packets that the change itself drops do not count."""
        return []

    def after_change(self, stage: Stage) -> list[str]:
        """Keep the counters; what cannot be read is a problem."""
        self._before, problems = self._read(stage)
        self.passed = "read, to be compared after the soak" if self._before else NOT_ASKED
        return problems

    def after_soak(self, stage: Stage) -> list[str]:
        """Compare the counters."""
        now, problems = self._read(stage)
        self.passed = passed_with(len(now), "switch") if now else NOT_ASKED
        for name, snapshot in now.items():
            problems += self._worse(name, self._before.get(name), snapshot)
        return problems

    def _read(self, stage: Stage) -> tuple[dict[str, Snapshot], list[str]]:
        names = [name for name in stage.names if self.plans[name].role != "host"]
        peers = {peer for name in names for peer, _ in self.plans[name].expected.lldp.values()}
        names += [
            name
            for name in sorted(peers - {*names})
            if name in self.plans and self.plans[name].role != "host"
        ]
        answers = self.questions.ask(
            self.name, {name: partial(self._snapshot, name) for name in names}
        )
        snapshots = {name: one for name, one in answers.items() if not isinstance(one, str)}
        return snapshots, [one for one in answers.values() if isinstance(one, str)]

    def _snapshot(self, name: str) -> Snapshot | str:
        """Return the counters of a switch, or why they cannot be read."""
        try:
            with closing(open_driver(self.connections[name])) as driver:
                return read_snapshot(driver, _COUNTED)
        except DeviceError as error:
            return f"{name}: its counters cannot be read: {error.reason}"

    def _worse(self, name: str, before: Snapshot | None, now: Snapshot) -> Iterator[str]:
        lossless = self.plans[name].expected.pfc
        for kind, field_name in (("queue", "queues"), ("priority group", "priority_groups")):
            old = getattr(before, field_name, None) or {}
            for (port, number), counters in (getattr(now, field_name) or {}).items():
                if number not in lossless.get(port, ()):
                    continue
                lost = _grown(getattr(old.get((port, number)), "dropped_packets", None), counters)
                if lost:
                    yield f"{name}: {port} {kind} {number} dropped {counted(lost, 'packet')}"
        for (port, number), dog in (now.watchdog or {}).items():
            if dog.operational is False:
                yield f"{name}: {port} queue {number} is in a storm of pauses"


def _grown(before: int | None, counters: object) -> int:
    """Return by how much a counter grew; one that is smaller began again from 0."""
    now: int | None = getattr(counters, "dropped_packets", None)
    if now is None:
        return 0
    return now - before if before is not None and now >= before else now


@dataclass
class Command:
    """A command of the user reads the wave as JSON and ends with 0 where all is well."""

    argv: tuple[str, ...]
    timeout_s: int
    name: str = "command"
    passed: str = PASSED

    def begin(self, stage: Stage) -> list[str]:  # noqa: ARG002
        """Return nothing."""
        return []

    def after_change(self, stage: Stage) -> list[str]:
        """Return why it is not content."""
        return self._run("after-change", stage)

    def after_soak(self, stage: Stage) -> list[str]:
        """Return why it is not content."""
        return self._run("after-soak", stage)

    def _run(self, moment: str, stage: Stage) -> list[str]:
        wave = {"moment": moment, "kind": stage.kind, "devices": list(stage.names)}
        try:
            done = called(self.argv, wave, self.timeout_s)
        except ProgramError as error:
            return [str(error)]
        if not done.code:
            return []
        said = " ".join((done.complaint or done.text).split())[-_MOST_OUTPUT:]
        shown = "".join(letter for letter in said if letter.isprintable())
        return [f"{self.argv[0]} ended with {done.code}{f': {shown}' if shown else ''}"]


def called(argv: Sequence[str], event: Mapping[str, object], timeout_s: float) -> Ended:
    """Run a command of the user that reads an event as JSON; it does not see our secrets.

    Raises
    ------
    ProgramError
        When it cannot be run, or does not end in time.
    """
    hide_memory()
    given = json.dumps(event).encode()
    return run(argv, timeout_s, given=given, variables=command_environment())
