"""One wave: ready, changed, verified, confirmed, saved - or all of it back.

Each step is done on every device before the next step begins, so that a failure of any device
finds the others at the same point.
"""

from __future__ import annotations

import time
from contextlib import suppress
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from fabric.change.advice import Attempt, Reached, what_follows
from fabric.change.budget import Budget
from fabric.change.cables import check_cables
from fabric.change.expectation import WATCHED, deviations, grouped, sessions_up
from fabric.change.journal import State
from fabric.change.options import SPARE_S, TELL_S
from fabric.change.restoration import Restoration, kept_text
from fabric.change.saving import save_planned
from fabric.core.device_names import DeviceNames
from fabric.core.errors import ConnectionLostError, DeviceError, FabricError
from fabric.observe import read_snapshot

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from fabric.change.adapter import Draft
    from fabric.change.crew import Crew
    from fabric.change.gates import WaveGates
    from fabric.change.model import DevicePlan
    from fabric.change.session import Session
    from fabric.observe.snapshot import Running, Snapshot

    Step = Callable[["_Work"], None]


@dataclass
class _Work:
    """One device while its wave is under way."""

    session: Session
    before: Running
    seen: Snapshot
    draft: Draft
    attempt: Attempt = field(default_factory=Attempt)
    error: str = ""

    @property
    def name(self) -> str:
        return self.session.name

    @property
    def one_way(self) -> str:
        """Why its change is never undone; empty for all others."""
        return self.session.plan.one_way


class Wave:
    """Devices that change together.

    Parameters
    ----------
    crew : Crew
        Does the work.
    plans : sequence of DevicePlan
        What happens to each device.
    budget : Budget, optional
        Which devices may fail without the others; none by default.
    gates : WaveGates, optional
        What else must hold before the wave is confirmed.
    known : DeviceNames
        Devices of the fabric: at the end of a cable they are expected or wrong.
    """

    def __init__(
        self,
        crew: Crew,
        plans: Sequence[DevicePlan],
        budget: Budget | None = None,
        gates: WaveGates | None = None,
        known: DeviceNames | None = None,
    ) -> None:
        self._crew = crew
        self._plans = plans
        self._budget = budget or Budget(crew.options.max_failures, ())
        self._gates = gates
        self._known = known or DeviceNames(())
        self._work: list[_Work] = []
        self._until_s = 0.0

    def run(self) -> list[str]:
        """Do the wave; return what went wrong, in which case all of it was rolled back.

        Nothing is staged before every device is ready.
        """
        try:
            self._work, errors = self._prepare()
            if errors and not self._spare(errors):
                return [str(error) for error in errors.values()]
            _, unkept = self._crew.side_by_side(self._work, self._keep)
            if unkept:
                raise unkept[0][1]
            if self._gates and (reasons := self._gates.begin()):
                return reasons
            return self._forward()
        finally:
            for item in self._work:
                item.session.close()

    def _prepare(self) -> tuple[list[_Work], dict[str, FabricError]]:
        # The first one alone: of two runs over the same devices, one locks it and goes on.
        done, errors = self._crew.side_by_side(self._plans[:1], self._ready)
        if not errors or self._budget.allows({plan.device: error for plan, error in errors}):
            more, failed = self._crew.side_by_side(self._plans[1:], self._ready)
            done, errors = done + more, errors + failed
        return [work for _, work in done], {plan.device: error for plan, error in errors}

    def _spare(self, errors: Mapping[str, FabricError]) -> bool:
        """Skip devices that nothing was done to, where as many may fail; tell whether."""
        if self._crew.stop.is_set() or not self._budget.allows(errors):
            return False
        for name, error in errors.items():
            skip(self._crew, self._budget, name, str(error))
        return True

    def _ready(self, plan: DevicePlan) -> _Work:
        self._crew.check_going(plan.device)
        session = self._crew.session(plan)
        try:
            before = session.unchanged()
            session.hold()
            seen = read_snapshot(session.driver, WATCHED)
            check_cables(self._crew, plan, seen, self._known)
            return _Work(session, before, seen, session.draft(before))
        except BaseException:
            session.close()
            raise

    def _keep(self, item: _Work) -> None:
        self._crew.journal.keep(self._crew.run, item.name, kept_text(item.before))

    def _forward(self) -> list[str]:
        failed: dict[str, FabricError] = {}
        try:
            reasons = self._steps(failed, self._change, self._verify)
            if self._gates and not reasons:
                reasons = self._gates.problems(lambda: self._steps(failed, self._verify), failed)
            reasons = reasons or self._steps(failed, self._confirm, self._save)
        except KeyboardInterrupt:
            self._roll_back(self._work)
            raise
        if reasons:
            self._roll_back(self._work)
            return reasons
        return self._without([item for item in self._work if item.error])

    def _without(self, failed: Sequence[_Work]) -> list[str]:
        """Roll back devices that may fail, alone; return why some could not be.

        The others were confirmed before: their timers do not wait.
        """
        restored = self._roll_back(failed)
        for item in failed:
            if item.name in restored:
                skip(self._crew, self._budget, item.name, f"rolled back: {item.error}")
        return [item.error for item in failed if item.name not in restored]

    def _steps(self, failed: dict[str, FabricError], *steps: Step) -> list[str]:
        """Do steps, each on all devices before the next; return why the wave must stop."""
        for step in steps:
            self._until_s = time.monotonic() + self._crew.options.timer_s - SPARE_S
            going = [item for item in self._work if not item.error]
            _, errors = self._crew.side_by_side(going, step)
            for item, error in errors:
                item.error = str(error)
                failed[item.name] = error
                self._crew.tell_failure(item.name, error)
            if errors and (self._crew.stop.is_set() or not self._budget.allows(failed)):
                return [item.error for item in self._work if item.error]
        return []

    def _change(self, item: _Work) -> None:
        crew, driver, candidate = self._crew, item.session.driver, item.draft.candidate
        crew.check_going(item.name)
        token = crew.journal.next_token(crew.run, item.name)
        timer_s = item.session.plan.timer_s(crew.options.timer_s)
        item.attempt = Attempt(token, timer_s)
        crew.record(item.name, State.STAGING, token)
        driver.stage(candidate, token)
        item.attempt.reached = Reached.STAGED
        crew.check_going(item.name)
        crew.record(item.name, State.COMMITTING, token)
        timer = f"timer {timer_s} s" if timer_s else "no timer"
        crew.progress(item.name, f"commit, {candidate.method}, {timer}")
        item.attempt.reached = Reached.COMMITTING
        driver.commit(candidate, token, timer_s)
        item.attempt.reached = Reached.COMMITTED
        crew.record(item.name, State.COMMITTED, token)
        if item.one_way:
            driver.conclude(token)

    def _verify(self, item: _Work) -> None:
        # Its time begins with its turn; that of all ends before a commit timer does.
        begin_s = told_s = time.monotonic()
        deadline_s = min(begin_s + self._crew.options.verify_s, self._until_s)
        while problems := self._look(item):
            self._crew.check_going(item.name)
            if not item.one_way and _gone(item):
                raise DeviceError(
                    item.name,
                    "it was rolled back before it was confirmed: it restarted, or its commit "
                    "timer expired",
                )
            if time.monotonic() >= deadline_s:
                raise DeviceError(item.name, f"not healthy: {'; '.join(problems)}")
            if time.monotonic() >= told_s + TELL_S:
                told_s = time.monotonic()
                waits = f"{told_s - begin_s:.0f} s of {deadline_s - begin_s:.0f} s"
                self._crew.progress(item.name, f"not healthy after {waits}: {'; '.join(problems)}")
            time.sleep(self._crew.options.poll_s)
        self._crew.record(item.name, State.VERIFIED)
        self._crew.progress(item.name, "verified")

    def _look(self, item: _Work) -> list[str]:
        session = item.session
        try:
            draft = session.draft(session.running())
            problems = [f"{change.path} is not as planned" for change in draft.changes[:3]]
            now = read_snapshot(session.driver, WATCHED)
            trusted = self._crew.options.despite_cabling
            return problems + worse(session.plan, item.seen, now, trusts_cables=trusted)
        except ConnectionLostError as error:
            with suppress(ConnectionLostError):
                session.reopen()
            return [error.reason]

    def _confirm(self, item: _Work) -> None:
        self._crew.check_going(item.name)
        self._crew.record(item.name, State.CONFIRMING, item.attempt.token)
        item.attempt.reached = Reached.CONFIRMING
        if not item.one_way:
            item.session.driver.confirm(item.attempt.token)
        item.attempt.reached = Reached.CONFIRMED
        self._crew.record(item.name, State.CONFIRMED, item.attempt.token)

    def _save(self, item: _Work) -> None:
        save_planned(item.session)
        self._crew.record(item.name, State.DONE)
        self._crew.progress(item.name, "confirmed and saved")

    def _roll_back(self, work: Sequence[_Work]) -> set[str]:
        """Roll devices back; return those that are as before."""
        done, errors = self._crew.side_by_side(work, self._back)
        if errors:
            raise errors[0][1]
        return {item.name for item, restored in done if restored}

    def _back(self, item: _Work) -> bool:
        crew, options = self._crew, self._crew.options
        if item.one_way and item.attempt.reached >= Reached.COMMITTING:
            return self._stay(item)
        crew.record(item.name, State.ROLLING_BACK, item.error)
        restoration = Restoration(crew.journal, crew.run, options.timer_s)
        try:
            kept = item.session.patiently(
                lambda: restoration.undo(item.session, item.before),
                options.verify_s,
                options.poll_s,
            )
        except FabricError as error:
            then = what_follows(
                crew, item.session.driver, item.name, item.attempt, one_way=item.one_way
            )
            crew.record(item.name, State.FAILED, f"{error}; {then}")
            crew.progress(item.name, f"failed: {error}; {then}")
            return False
        else:
            crew.record(item.name, State.ROLLED_BACK, kept)
            crew.progress(item.name, f"rolled back; {kept}" if kept else "rolled back")
            return True

    def _stay(self, item: _Work) -> bool:
        """Leave a change that is never undone as it is, also for the next restart; say so."""
        reason = f"not rolled back: {item.one_way}; make a new plan"
        if not item.error and item.attempt.reached >= Reached.COMMITTED:
            try:
                save_planned(item.session)
            except FabricError as error:
                reason += f"; not saved, so that a restart would undo it: {error}"
        text = f"{item.error}; {reason}" if item.error else reason
        self._crew.record(item.name, State.FAILED, text)
        self._crew.progress(item.name, f"failed: {text}")
        return False


def skip(crew: Crew, budget: Budget, name: str, reason: str) -> None:
    """Go on without a device that may fail; it is as it was before."""
    budget.lost[name] = reason
    crew.record(name, State.SKIPPED, reason)
    crew.progress(name, f"skipped: {reason}")


def _gone(item: _Work) -> bool:
    """Tell whether the device no longer waits for a confirmation: it was rolled back by itself."""
    try:
        return not item.session.driver.pending(item.attempt.token)
    except ConnectionLostError:
        return False


def worse(
    plan: DevicePlan, before: Snapshot, now: Snapshot, *, trusts_cables: bool = False
) -> list[str]:
    """Return what is wrong now and was not wrong before.

    The neighbour of a port with a session of its own counts as soon as that is up, whatever was
    before: such a session says nothing of the cable. ``trusts_cables`` does without.

    A session whose peer changes in a later wave is not looked at. One that a wave before took down
    must come up where LLDP named the planned neighbour.
    """
    old = {(item.subject, item.item) for item in deviations(plan.expected, before)}
    old -= {("bgp", session) for session, port in plan.due.items() if ("lldp", port) not in old}
    old |= {("bgp", session) for session in plan.later}
    if not trusts_cables:
        old -= {("lldp", port) for port in sessions_up(plan.expected, now)}
    return grouped(
        item for item in deviations(plan.expected, now) if (item.subject, item.item) not in old
    )
