"""Applies a plan wave by wave: stage, commit with a timer, verify, confirm, save - or roll back.

Every step is in the journal before it begins. A device is left alone when it is not who it was,
when it changed since the plan was made, or when somebody else is at work on it; nothing begins
when that is so for any device of the plan. When one device of a wave fails, the whole wave goes
back and the run stops; waves before it stay.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from fabric.change.actor import user
from fabric.change.approvals import approvers, needed
from fabric.change.budget import Budget
from fabric.change.cables import check_cables, checked_ports
from fabric.change.crew import Crew
from fabric.change.drain import Drains
from fabric.change.gates import PATIENCE_S, WaveGates, asks_switches
from fabric.change.journal import State
from fabric.change.notify import Notifier
from fabric.change.options import SPARE_S, Options, Result
from fabric.change.restoration import Restoration
from fabric.change.resume import settle
from fabric.change.rollback import RollBack, roll_back, ways_on
from fabric.change.rollout import refuse_losses
from fabric.change.wave import Wave, skip
from fabric.change.windows import is_open, next_opening
from fabric.core import hostlist
from fabric.core.counts import counted
from fabric.core.device_names import DeviceNames
from fabric.core.errors import InputError, JournalError, PlanError
from fabric.core.likeness import like_groups
from fabric.observe import read_snapshot

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Sequence
    from concurrent.futures import Executor

    from fabric.change.gates import Gate
    from fabric.change.journal import Journal
    from fabric.change.model import DevicePlan, Plan
    from fabric.devices.driver import Connection

__all__ = ["Applier", "Options", "Result", "RollBack", "check_approvals"]


@dataclass
class Applier:
    """Applies plans.

    Parameters
    ----------
    journal : Journal
        Where everything is written down.
    connections : dict
        Connection by device.
    executor : Executor
        Works on the devices of a wave side by side.
    progress : callable
        Called with device (``""`` for the run) and what happens.
    """

    journal: Journal
    connections: dict[str, Connection]
    executor: Executor
    progress: Callable[[str, str], None]
    options: Options = field(default_factory=Options)
    gates: Sequence[Gate] = ()

    def apply(self, plan: Plan) -> Result:
        """Apply a plan as a new run.

        Raises
        ------
        PlanError
            When a device has no commit timer, and nobody said to go on without one.
        JournalError
            When an earlier run was interrupted, another one is under way, or the journal cannot
            be written.
        """
        _check_net(plan, self.options)
        check_approvals(plan, self.options)
        _check_rollout(plan, self.options)
        with self.journal.exclusive():
            unfinished = self.journal.unfinished()
            if unfinished is not None:
                way = ways_on(unfinished, self.journal)
                raise JournalError(f"run {unfinished} was interrupted; {way}")
            self.journal.stops.clear()
            run = self.journal.begin("apply", plan.fabric, plan.to_json())
            return self._waves(self._crew(run), plan, plan.waves)

    def resume(self, run: int, plan: Plan) -> Result:
        """Go on with a run that was interrupted.

        Changes that were not confirmed are rolled back first; then their wave is done again.
        When some devices cannot be settled, the others are, and the run stays interrupted.
        """
        with self.journal.exclusive(run):
            self.journal.stops.clear()
            crew, before = self._crew(run), self._done(run)
            errors = settle(crew, list(plan.devices.values()))
            if errors:
                return self._ended(run, ok=False, reasons=errors)
            done = self._done(run)
            waves = [tuple(name for name in wave if name not in done) for wave in plan.waves]
            wrong = self._still_there(crew, plan, done - before)
            return self._waves(crew, plan, [wave for wave in waves if wave], wrong)

    def _done(self, run: int) -> set[str]:
        states = self.journal.states(run)
        return {name for name, event in states.items() if event.state is State.DONE}

    def _still_there(self, crew: Crew, plan: Plan, names: Collection[str]) -> list[str]:
        """Return which routes are left of changes whose gates may not have looked before a kill."""
        wrong = []
        for wave in plan.waves:
            ended = [name for name in wave if name in names and plan.devices[name].one_way]
            gates = (
                self._gates(crew, plan, ended, Budget(crew.options.max_failures, ()))
                if ended
                else None
            )
            if gates:
                own = [gate for gate in gates.gates if asks_switches(gate)]
                stage = replace(gates.stage, names=tuple(ended))
                gates = replace(gates, gates=own, stage=stage, soak_s=None)
                wrong += gates.problems(list, ())
        return wrong

    def roll_back(self, order: RollBack, plan: Plan) -> Result:
        """Roll a run back as a new run.

        Raises
        ------
        JournalError
            When another run is under way, or the journal cannot be written.
        """
        with self.journal.exclusive():
            self.journal.stops.clear()
            run = self.journal.begin("rollback", plan.fabric, plan.to_json())
            return roll_back(order, plan, self._crew(run))

    def _crew(self, run: int) -> Crew:
        return Crew(run, self.journal, self.connections, self.executor, self.progress, self.options)

    def _waves(
        self,
        crew: Crew,
        plan: Plan,
        waves: Sequence[Sequence[str]],
        wrong: Sequence[str] = (),
    ) -> Result:
        confirmed: list[str] = []
        tell, drains = Notifier(plan, crew), Drains(crew, plan, crew.run)
        drains.back()
        tell("run", waves=len(waves))
        given = approvers(plan, crew.options.approvals, user())
        said = [f"approved by {', '.join(map(str, given))}"] if given else []
        crew.record(
            "",
            State.PENDING,
            "; ".join([counted(len(waves), "wave"), *said, *crew.options.notes]),
        )
        for name, missing in plan.missing.items():
            crew.record(name, State.SKIPPED, f"not in the plan: {missing.reason}")
        known = DeviceNames(_devices(plan))
        budget = Budget(crew.options.max_failures, waves)
        reasons = [*wrong] or _preflight(
            crew, [plan.devices[name] for wave in waves for name in wave], known, budget
        )
        for number, wave in enumerate([] if reasons else waves, 1):
            crew.check_stop()
            going = [name for name in wave if name not in budget.lost]
            crew.progress("", f"wave {number} of {len(waves)}: {hostlist.in_short(going)}")
            tell("wave", number=number, devices=going)
            if reasons := _closed(plan):
                return self._ended(crew.run, ok=False, reasons=reasons, confirmed=confirmed)
            gates = self._gates(crew, plan, wave, budget)
            try:
                reasons = drains.out(gates.stage.hosts, going) if gates else []
                if not reasons:
                    plans = [plan.devices[name] for name in going]
                    reasons = Wave(crew, plans, budget, gates, known).run()
            finally:
                drains.back()
            tell("wave ended", number=number, ok=not reasons, reasons=reasons)
            if reasons:
                break
            confirmed += [name for name in wave if name not in budget.lost]
        tell("run ended", ok=not reasons, reasons=list(reasons), skipped=list(budget.lost))
        said = reasons or ([f"skipped: {', '.join(budget.lost)}"] if budget.lost else [])
        crew.record("", State.FAILED if reasons else State.DONE, "; ".join(said))
        ended = self._ended(crew.run, ok=not reasons, reasons=reasons, confirmed=confirmed)
        return replace(ended, skipped=tuple(budget.lost))

    def _gates(
        self, crew: Crew, plan: Plan, wave: Sequence[str], budget: Budget
    ) -> WaveGates | None:
        """Return the gates of a wave; the devices of a resumed one may be fewer."""
        rollout, pings, gates = plan.rollout, plan.leaf_pings, self.gates
        patience_s = min(crew.options.verify_s, PATIENCE_S)
        if rollout is None:
            if pings and crew.options.traffic_stopped:
                pings, gates = pings.without_traffic, [*filter(asks_switches, gates)]
            stage = pings.stage(wave) if pings else None
            if pings is None or stage is None:
                return None
            lost, through = budget.lost, pings.pings
            return WaveGates(crew, stage, gates, None, lost, patience_s, through, patience_s)
        stage = next((stage for stage in rollout.stages if {*wave} <= {*stage.names}), None)
        if stage is None:
            return None
        through = pings.pings if pings and not crew.options.traffic_stopped else {}
        if through:
            own = tuple(through[name] for name in stage.names if name in through)
            stage = replace(stage, pings=own)
        soak_s, lost = rollout.policy.soak_s, budget.lost
        return WaveGates(crew, stage, gates, soak_s, lost, 0.0, through, patience_s)

    def _ended(
        self, run: int, *, ok: bool, reasons: Sequence[str] = (), confirmed: Sequence[str] = ()
    ) -> Result:
        states = self.journal.states(run)
        back = [name for name, event in states.items() if event.state is State.ROLLED_BACK]
        return Result(run, ok, tuple(reasons), tuple(confirmed), () if ok else tuple(back))


def _check_net(plan: Plan, options: Options) -> None:
    bare = {name: device.no_net for name, device in plan.devices.items() if device.no_net}
    if bare and not options.without_net:
        groups = like_groups(bare, bare.__getitem__)
        names = ", ".join(f"{hostlist.in_short(one)} ({bare[one[0]]})" for one in groups)
        raise PlanError(
            f"no safety net on {names}: a change that cuts off management access "
            "is not rolled back; add --without-safety-net if you have console access"
        )


def _closed(plan: Plan) -> list[str]:
    """Return why no wave may begin now; the run can be resumed later."""
    windows = plan.rollout.policy.windows if plan.rollout else ()
    now = datetime.now(UTC)
    if is_open(windows, now):
        return []
    opening = next_opening(windows, now).strftime("%a %Y-%m-%d %H:%M %Z")
    return [f"no window of the roll-out is open; the next one opens {opening}"]


def check_approvals(plan: Plan, options: Options) -> None:
    """Raise PlanError where fewer people approved a plan than its inventory demands.

    Neither who made it counts nor who applies it.
    """
    wanted = needed(plan) if options.demanded is None else options.demanded
    given = approvers(plan, options.approvals, user())
    if len(given) >= wanted:
        return
    demand = f"the inventory demands approvals of the plan: {wanted}; "
    author = plan.origin.author if plan.origin else ""
    if not author:
        raise PlanError(
            f"{demand}none counts, because the plan does not say who made it; run `rocefab plan` "
            "again"
        )
    besides = " and ".join(dict.fromkeys([user(), author]))
    raise PlanError(
        f"{demand}given: {len(given)}, without those of {besides}; add --approvals with the "
        "service or the file that has them"
    )


def _check_rollout(plan: Plan, options: Options) -> None:
    """Reject a roll-out that may not begin.

    Raises
    ------
    PlanError
        When no window is open, or packets would be lost between waves.
    InputError
        When the timer would run out while a wave soaks.
    """
    if plan.rollout is None:
        return
    policy = plan.rollout.policy
    if not options.traffic_stopped:
        refuse_losses(plan.rollout.hazards)
    if reasons := _closed(plan):
        raise PlanError(reasons[0])
    needed_s = options.verify_s * 2 + policy.soak_s + SPARE_S
    if options.timer_s < needed_s:
        raise InputError(
            f"a commit timer of {options.timer_s} s can expire during the soak; "
            f"set --timer-s to at least {needed_s:g}"
        )


def _devices(plan: Plan) -> set[str]:
    """Return the devices that a plan knows of: its own, and what these are cabled to."""
    peers = {name for device in plan.devices.values() for name, _ in device.expected.lldp.values()}
    return {*plan.devices, *plan.unchanged, *plan.missing, *peers}


def _preflight(
    crew: Crew, plans: Sequence[DevicePlan], known: DeviceNames, budget: Budget
) -> list[str]:
    """Look at the devices of all waves; return why nothing should begin."""

    def look(plan: DevicePlan) -> None:
        crew.check_going(plan.device)
        session = crew.session(plan)
        try:
            restoration = Restoration(crew.journal, crew.run, crew.options.timer_s)
            # Nothing is written before the wave, which asks again.
            session.unchanged(restoration.clear_orphans(session))
            if checked_ports(plan):
                check_cables(crew, plan, read_snapshot(session.driver, ("lldp",)), known)
        finally:
            session.close()

    _, pairs = crew.side_by_side(plans, look)
    errors = {plan.device: error for plan, error in pairs}
    if errors and (crew.stop.is_set() or not budget.allows(errors)):
        return [str(error) for error in errors.values()]
    for name, error in errors.items():
        skip(crew, budget, name, str(error))
    return []
