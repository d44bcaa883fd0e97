"""apply, status: carry out a plan and keep account of it."""

from __future__ import annotations

import json
import shlex
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from fabric.change.actor import Actor
from fabric.change.apply import Applier, Options, Result
from fabric.change.apply import check_approvals as check_given
from fabric.change.approvals import demanded
from fabric.change.budget import MaxFailures
from fabric.change.gates import Command, Counters
from fabric.change.jobs import FailedJobs
from fabric.change.journal import INTERRUPTED, Journal
from fabric.change.model import Plan, parse_plan, read_plan
from fabric.change.origin import MAX_AGE_S
from fabric.change.questions import Questions
from fabric.change.rollback import ways_on
from fabric.change.rollout import LOSS
from fabric.core.counts import counted
from fabric.core.errors import JournalError, StalePlanError
from fabric.core.files import write_whole
from fabric.devices.connections import connections
from fabric.report.run import ENDS, RunReport
from fabric.report.run_rows import rolled_back
from fabric.workflow.devices import executor
from fabric.workflow.host_sessions import HostSessions
from fabric.workflow.ping_gate import Isolation, Joined, Pings, Rdma
from fabric.workflow.run_list import all_runs
from fabric.workflow.state import has_runs, of_inventory, of_plan, taken_by
from fabric.workflow.withdrawal_gate import Withdrawn
from fabric.workflow.withdrawals import withdrawn_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from fabric.change.chain import Chain
    from fabric.change.gates import Gate
    from fabric.change.journal import RunRecord
    from fabric.change.rollout import Stage
    from fabric.devices.driver import Connection

__all__ = [
    "Actor",
    "Freshness",
    "MaxFailures",
    "Options",
    "Result",
    "applied_by",
    "apply",
    "check_approvals",
    "export",
    "interrupted",
    "read_plan",
    "record",
    "resume",
    "runs_that_are",
    "status",
    "verify",
]

#: Runs that a message names: our choice.
_MOST_RUNS = 5
#: Kinds of runs that change what devices run.
_CHANGING = ("apply", "rollback")


@dataclass(frozen=True)
class Freshness:
    """How old a plan may be.

    Parameters
    ----------
    max_age_s : float
        Age in seconds up to which it is applied.
    despite_age, despite_inventory : bool
        Whether it is applied all the same when it is older, or its inventory another one.
    inventory : Path or None
        Folder of its inventory on this machine; None is the one that the plan names.
    """

    max_age_s: float = MAX_AGE_S
    despite_age: bool = False
    despite_inventory: bool = False
    inventory: Path | None = None

    def check(self, plan: Plan, progress: Callable[[str, str], None]) -> list[str]:
        """Return what the journal is to say of a plan that is applied despite its state.

        Raises
        ------
        StalePlanError
            When it is not to be applied.
        """
        age = plan.origin.aged(self.max_age_s) if plan.origin else ""
        again, (change, remedy) = "run `rocefab plan` again", self._changed(plan)
        wrong = [
            f"{text}; {fix}, or add {name} to apply it anyway"
            for text, fix, name, allowed in (
                (age, again, "--despite-age", self.despite_age),
                (change, remedy or again, "--despite-inventory", self.despite_inventory),
            )
            if text and not allowed
        ]
        if wrong:
            raise StalePlanError("; ".join(wrong))
        notes = [f"applied although {text}" for text in (age, change) if text]
        for note in notes:
            progress("", note)
        return notes

    def _changed(self, plan: Plan) -> tuple[str, str]:
        """Return how the inventory differs from that of the plan, and what to do about it."""
        origin, fix = plan.origin, "add --inventory with its folder"
        if self.inventory is not None:
            return origin.changed(self.inventory) if origin else "", ""
        if origin is None:
            return "the plan does not name its inventory, which says who must approve it", fix
        if not origin.is_here():
            absent = f"the inventory {origin.inventory} is not on this machine"
            return f"{absent}, and it says who must approve the plan", fix
        return origin.changed(Path(origin.inventory)), ""


def check_approvals(plan: Plan, options: Options, freshness: Freshness) -> None:
    """Raise PlanError where fewer people approved a plan than its inventory demands now."""
    check_given(plan, replace(options, demanded=demanded(plan, freshness.inventory)))


def apply(
    plan: Plan,
    state: Path | None,
    connections_file: Path | None,
    options: Options,
    progress: Callable[[str, str], None],
    actor: Actor | None = None,
    freshness: Freshness | None = None,
) -> Result:
    """Carry out a plan.

    Parameters
    ----------
    state : Path or None
        State folder; None takes that of the inventory of the plan.

    Raises
    ------
    StalePlanError
        When the plan is too old, or its inventory was changed since, or is not here.
    JournalError
        When an earlier run was interrupted, or another one is under way.
    """
    freshness = freshness or Freshness()
    notes = freshness.check(plan, progress)
    if options.traffic_stopped and plan.leaf_pings and plan.leaf_pings.pings:
        notes.append("applied without pings, as the traffic is stopped")
    if plan.hazards and not options.traffic_stopped:
        lost = f"{LOSS}: {plan.hazards[0]}"
        progress("", lost)
        notes.append(lost)
    if state is None and (taken := taken_by(plan)):
        progress("", taken)
        notes.append(taken)
    demand = demanded(plan, freshness.inventory)
    options = replace(options, notes=(*options.notes, *notes), demanded=demand)
    reachable = reachable_by(plan, connections_file)
    journal = opened(of_plan(plan) if state is None else state, actor, progress)
    with executor(len(plan.devices), options.parallel) as pool, HostSessions(reachable) as hosts:
        gates = gates_of(plan, hosts, Questions(pool, progress))
        return Applier(journal, reachable, pool, progress, options, gates).apply(plan)


def resume(
    state: Path,
    connections_file: Path | None,
    options: Options,
    progress: Callable[[str, str], None],
    actor: Actor | None = None,
) -> Result:
    """Go on with the interrupted run.

    Raises
    ------
    JournalError
        When there is none.
    """
    journal = opened(state, actor, progress)
    run = journal.unfinished()
    if run is None:
        raise JournalError("no interrupted run to resume")
    plan = plan_of(journal, run)
    reachable = reachable_by(plan, connections_file)
    with executor(len(plan.devices), options.parallel) as pool, HostSessions(reachable) as hosts:
        gates = gates_of(plan, hosts, Questions(pool, progress))
        return Applier(journal, reachable, pool, progress, options, gates).resume(run, plan)


def opened(state: Path, actor: Actor | None, progress: Callable[[str, str], None]) -> Journal:
    """Return the journal; what is damaged in it is said first."""
    journal = Journal(state, actor)
    if said := journal.chain.fallback:
        progress("", said)
    return journal


def runs_that_are(state: Path) -> str:
    """Return the last runs of a journal for a message, the newest first."""
    runs = Journal(state).runs()[::-1]
    if not runs:
        return "the journal has none yet"
    names = [f"{one.id} ({one.kind} of {one.fabric})" for one in runs[:_MOST_RUNS]]
    return f"{', '.join(names)}; `rocefab status` lists all of them"


def interrupted(plan: Plan | None, state: Path | None) -> str:
    """Return which run was interrupted, and how it goes on; empty where none was."""
    folder = state or (of_plan(plan) if plan else None)
    if folder is None or not folder.is_dir():
        return ""
    journal = Journal(folder)
    place = f" --state {shlex.quote(str(folder.absolute()))}"
    changing = [record for record in journal.runs() if record.kind in _CHANGING]
    if changing and changing[-1].kind == "rollback" and _is_interrupted(journal, changing[-1]):
        way = f"run `rocefab rollback RUN --commit{place}` again"
        return f"run {changing[-1].id} was interrupted; {way}"
    run = journal.unfinished()
    if run is None or not _is_interrupted(journal, journal.run(run)):
        return ""
    return f"run {run} was interrupted; {ways_on(run, journal, place)}"


def applied_by(plan: Plan, state: Path | None) -> str:
    """Return which run applied a plan; empty where none did, or it was rolled back, or goes on."""
    if state is None and plan.origin:
        state = of_inventory(Path(plan.origin.inventory), plan.fabric)
    if state is None or not has_runs(state):
        return ""
    journal, text = Journal(state), plan.to_json()
    own = [one.id for one in journal.runs() if one.kind == "apply" and one.plan == text]
    rows = [row for row in (all_runs(journal) if own else ()) if row["run"] in own]
    ended = [row for row in rows if row["stays_on"] and row["state"] in ENDS]
    devices = counted(len(plan.devices), "device")
    words = [
        f"run {row['run']} applied this plan to {row['stays_on']} of {devices}" for row in ended
    ]
    return words[-1] if words else ""


def _is_interrupted(journal: Journal, record: RunRecord) -> bool:
    return journal.standing(record, journal.events(record.id)) == INTERRUPTED


def status(state: Path, run: int | None = None) -> list[dict[str, Any]]:
    """Return all runs, or the devices of one run, as plain data."""
    if run is None and not state.exists():
        return []
    journal = Journal(state)
    if run is not None:
        journal.run(run)
        return [
            {
                "device": name,
                "state": event.state.value,
                "at": event.at,
                "detail": event.detail,
                **asdict(event.by),
            }
            for name, event in journal.states(run).items()
            if name
        ]
    return all_runs(journal)


def verify(state: Path) -> Chain:
    """Return what the hashes say of all rows, plans and kept states."""
    return Journal(state).verify()


def export(state: Path, file: Path) -> int:
    """Write all rows as JSON lines, for an auditor; return their number.

    Raises
    ------
    JournalError
        When the file cannot be written.
    """
    lines = [json.dumps(line) for line in Journal(state).lines()]
    try:
        write_whole(file, "".join(f"{line}\n" for line in lines).encode())
    except OSError as error:
        raise JournalError(f"{file} cannot be written: {error.strerror}") from error
    return len(lines)


def record(state: Path, run: int, *, full: bool = False) -> RunReport:
    """Return the record of a run.

    Parameters
    ----------
    full : bool
        As in `RunReport`.

    Raises
    ------
    JournalError
        When there is no such run.
    """
    journal = Journal(state)
    begun, events = journal.run(run), journal.events(run)
    plan = plan_of(journal, run)
    back = {row["run"]: rolled_back(row) for row in all_runs(journal)}
    return RunReport(begun, plan, events, journal.standing(begun, events), back[run], full)


def plan_of(journal: Journal, run: int) -> Plan:
    """Return the plan of a run."""
    return parse_plan(journal.run(run).plan, f"the plan of run {run}")


def reachable_by(plan: Plan, file: Path | None) -> dict[str, Connection]:
    """Return a connection for every device that a plan changes, pings or asks."""
    pings = [ping for stage in _stages(plan) for ping in stage.pings]
    pings += [ping for stage in _stages(plan) for ping in (*stage.denied, *stage.joined)]
    pings += plan.leaf_pings.every if plan.leaf_pings else []
    pinging = {host for ping in pings for host in (ping.source_host, ping.target_host)}
    platforms = dict.fromkeys(pinging, "host")
    platforms |= {
        name: system for one in withdrawn_of(plan) for name, system in one.systems.items()
    }
    platforms |= {name: device.platform for name, device in plan.devices.items()}
    return connections(file, platforms, others_allowed=True)


def _stages(plan: Plan) -> Sequence[Stage]:
    return plan.rollout.stages if plan.rollout else ()


def gates_of(plan: Plan, hosts: HostSessions, questions: Questions) -> list[Gate]:
    """Return the gates that the roll-out of a plan asks for; without one, its pings."""
    reachable = hosts.connections
    if plan.rollout is None:
        order = {name: turn for turn, wave in enumerate(plan.waves) for name in wave}
        own = plan.leaf_pings
        pings: list[Gate] = [Pings(hosts, questions, order)] if own and own.pings else []
        denied, joined = bool(own and own.denied), bool(own and own.joined)
        gone: list[Gate] = [Withdrawn(reachable, questions)] if any(withdrawn_of(plan)) else []
        tenants = _tenant_gates(hosts, questions, order, denied=denied, joined=joined)
        return [*gone, *pings, *tenants]
    wanted, turns = plan.rollout.policy.gates, plan.rollout.turns
    stages = plan.rollout.stages
    denied, joined = any(stage.denied for stage in stages), any(stage.joined for stage in stages)
    gates = [*_tenant_gates(hosts, questions, turns, denied=denied, joined=joined)]
    if any(withdrawn_of(plan)):
        gates.insert(0, Withdrawn(reachable, questions))
    if wanted.counters:
        gates.append(Counters(plan.devices, reachable, questions))
    if wanted.ping or (plan.leaf_pings and plan.leaf_pings.pings):
        gates.append(Pings(hosts, questions, turns, settles=not wanted.ping))
    if wanted.rdma:
        gates.append(Rdma(hosts, questions, turns))
    jobs = plan.rollout.policy.jobs
    if jobs.failed:
        gates.append(FailedJobs(jobs.failed, jobs.timeout_s))
    if wanted.command:
        gates.append(Command(wanted.command, wanted.command_s))
    return gates


def _tenant_gates(
    hosts: HostSessions,
    questions: Questions,
    turns: dict[str, int],
    *,
    denied: bool,
    joined: bool,
) -> Iterator[Gate]:
    """Yield the gates that tell of tenants."""
    if denied:
        yield Isolation(hosts, questions, turns)
    if joined:
        yield Joined(hosts, questions, turns)
