"""States between the waves of a rollback: some devices are as before the run, others as after it.

Where a part of the run is rolled back, the state after the last wave is one of them.

The plan of the run has what a device ran at its end, and the journal what it ran before. Devices
that the run did not finish are asked.
"""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from fabric.change.journal import State
from fabric.change.restoration import kept_running
from fabric.change.rollback import left_out, touched_devices
from fabric.change.session import Session
from fabric.core import hostlist
from fabric.core.counts import counted
from fabric.core.errors import FabricError, InputError, JournalError
from fabric.workflow.apply import plan_of, reachable_by
from fabric.workflow.carrying import leaving_hosts
from fabric.workflow.devices import executor, grouped
from fabric.workflow.project import Project
from fabric.workflow.sides import side_with

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from fabric.change.journal import Journal
    from fabric.change.model import DevicePlan, Plan
    from fabric.devices.driver import Connection
    from fabric.observe.snapshot import Running


@dataclass(frozen=True)
class ChosenRun:
    """A run, and those of its devices that are to be rolled back.

    Parameters
    ----------
    touched : list of list of str
        All devices that the run has changed, by wave, the last wave first.
    names : list of str
        Those that somebody asks for.
    """

    number: int
    plan: Plan
    journal: Journal
    touched: list[list[str]]
    names: list[str]

    @classmethod
    def of(cls, run: int, journal: Journal, only: str = "") -> ChosenRun:
        """Return a run with the devices of a range of names; with all of them where it is empty.

        Raises
        ------
        InputError
            When the run did not change one of these devices.
        """
        plan = plan_of(journal, run)
        touched = touched_devices(run, plan, journal)
        every = [name for wave in touched for name in wave]
        try:
            names = {*hostlist.expand(only)} if only else {*every}
        except ValueError as error:
            raise InputError(f"--only: {error}") from error
        if strange := sorted(names - {*every}):
            raise InputError(f"--only: run {run} did not change {', '.join(strange[:5])}")
        return cls(run, plan, journal, touched, [name for name in every if name in names])

    def connections(self, file: Path | None) -> dict[str, Connection]:
        """Return a connection for each device of the plan."""
        return reachable_by(self.plan, file)

    @cached_property
    def staying(self) -> dict[str, str]:
        """The devices that no rollback touches, each with why."""
        return left_out(self.touched, self.plan)

    @property
    def waves(self) -> list[list[str]]:
        """The devices that are rolled back, by wave; none of a wave in which no device is."""
        going = {*self.names} - {*self.staying}
        return [[name for name in wave if name in going] for wave in self.touched]

    @property
    def is_mixed(self) -> bool:
        """Whether some devices of the run are as before it while others are not, if any changes."""
        going = [wave for wave in self.waves if wave]
        return bool(going) and (len(going) > 1 or going != self.touched)

    @cached_property
    def states(self) -> dict[str, State]:
        """The last state of each device in the run."""
        return {name: event.state for name, event in self.journal.states(self.number).items()}

    @property
    def unsettled(self) -> list[str]:
        """The devices of the plan of which the journal does not know that they are as planned.

        The run did not finish them, or a later run was at work on them.
        """
        later = [self.journal.states(run.id) for run in self.journal.runs_after(self.number)]
        again = {
            name
            for states in later
            for name, event in states.items()
            if event.state is not State.PENDING
        }
        done = {name for name, state in self.states.items() if state is State.DONE}
        return [name for name in self.plan.devices if name not in done - again]

    @cached_property
    def before(self) -> dict[str, Running]:
        """What the devices ran before the run; one whose state the journal has lost is absent."""
        back = [name for name, state in self.states.items() if state is State.ROLLED_BACK]
        result = {}
        for name in (*back, *(name for wave in self.touched for name in wave)):
            with suppress(JournalError):
                result[name] = kept_running(self.journal, self.number, self.plan.devices[name])
        return result


class StatesBetween(NamedTuple):
    """What is wrong between the waves of a rollback, what is not known of it, and who leaves.

    Parameters
    ----------
    leaving : sequence of str
        Hosts of which the rollback takes a NIC out of service, such as those of growth.
    """

    hazards: Sequence[str] = ()
    unknown: Sequence[str] = ()
    leaving: Sequence[str] = ()

    @property
    def notes(self) -> list[str]:
        """What is unknown, and which jobs must stop whatever is wrong between the waves."""
        hosts = counted(len(self.leaving), "host")
        leave = f"{hosts} ({hostlist.in_short(self.leaving)}) out of service: stop the jobs there"
        return [*self.unknown, *([f"the rollback takes NICs of {leave}"] if self.leaving else [])]


def states_between(
    chosen: ChosenRun, connections_file: Path | None, inventory: Path | None, parallel: int
) -> StatesBetween:
    """Return what `plan` says of a change, for its rollback; a failure to judge is no error.

    Parameters
    ----------
    inventory : Path or None
        Folder of the inventory of the plan on this machine; None is the one that the plan names.
    parallel : int
        As in `Options`.
    """
    if not chosen.is_mixed and chosen.plan.rollout is None:
        return StatesBetween()
    try:
        folder = _folder(chosen.plan, inventory)
        project = Project(folder)
        running, unread = _read(chosen, connections_file, parallel)
        edited = chosen.plan.origin.changed(folder) if chosen.plan.origin else ""
        other = [f"{edited}; the states between the waves are judged by it"] if edited else []
        unknown = [*other, *unread, *_lost(chosen)]
        hazards, leaving = _judged(chosen, project, running)
        return StatesBetween(hazards, unknown, leaving)
    except FabricError as error:
        findings = error.findings if isinstance(error, InputError) else ()
        return _not_judged("; ".join(map(str, findings[:1])) or str(error))
    except Exception as error:  # noqa: BLE001 - no fault of a judgement stops a way back
        return _not_judged(repr(error))


def _not_judged(reason: str) -> StatesBetween:
    return StatesBetween((), [f"the states between the waves are not judged: {reason}"])


def _folder(plan: Plan, inventory: Path | None) -> Path:
    """Return where the inventory of a plan is.

    Raises
    ------
    InputError
        When that is not known, or it is not on this machine.
    """
    if inventory:
        return inventory
    if plan.origin and plan.origin.is_here():
        return Path(plan.origin.inventory)
    which = f"{plan.origin.inventory} is not on this machine" if plan.origin else "it has no name"
    raise InputError(f"the inventory of the plan is not known: {which}; add --inventory")


def _judged(
    chosen: ChosenRun, project: Project, running: Mapping[str, Running]
) -> tuple[list[str], list[str]]:
    """Return what is wrong between the waves, and the hosts that leave."""
    from fabric.workflow.mixed import hazards  # the proof takes long to import

    now = side_with(project, chosen.plan.devices).with_running(running)
    in_waves = chosen.plan.rollout is not None
    problems = hazards(
        project, chosen.waves, now, now.with_running(chosen.before), in_waves=in_waves
    )
    back = {name for wave in chosen.waves for name in wave} & chosen.before.keys()
    after = now.with_running({name: chosen.before[name] for name in back})
    return problems, leaving_hosts(project, now, after)


def _lost(chosen: ChosenRun) -> list[str]:
    names = [name for wave in chosen.waves for name in wave if name not in chosen.before]
    folded = hostlist.fold_inside(names)
    return [f"not rolled back: {folded}: the journal has no state before the run"] if names else []


def _read(
    chosen: ChosenRun, connections_file: Path | None, parallel: int
) -> tuple[dict[str, Running], list[str]]:
    """Return what unsettled devices run, and which of them do not say it.

    A silent device that the run itself rolled back counts as before the run, others as planned.
    """
    devices = {name: chosen.plan.devices[name] for name in chosen.unsettled}
    reachable = chosen.connections(connections_file) if devices else {}
    with executor(len(devices), parallel) as pool:
        futures = {
            name: pool.submit(_running, device, reachable) for name, device in devices.items()
        }
    running: dict[str, Running] = {}
    silent: dict[str, dict[str, str]] = {"before the run": {}, "planned": {}}
    for name, future in futures.items():
        try:
            running[name] = future.result()
        except FabricError as error:
            is_back = chosen.states.get(name) is State.ROLLED_BACK and name in chosen.before
            running |= {name: chosen.before[name]} if is_back else {}
            reason = str(error).removeprefix(f"{name}: ")
            silent["before the run" if is_back else "planned"][name] = reason
    return running, [
        f"not read, judged as {state}: {names}: {why}"
        for state, reasons in silent.items()
        for names, why in grouped(reasons)
    ]


def _running(device: DevicePlan, reachable: Mapping[str, Connection]) -> Running:
    session = Session(device, reachable)
    try:
        return session.running()
    finally:
        session.close()
