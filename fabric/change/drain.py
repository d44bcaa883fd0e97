"""Takes hosts and switches out of service before a wave, and returns them to service after it.

Hosts are drained by commands of the user, switches by graceful shutdown of BGP.
"""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import TYPE_CHECKING

from fabric.change.gates import called
from fabric.change.journal import State
from fabric.change.model import Risk
from fabric.core.errors import FabricError, ProgramError
from fabric.devices.traffic import FrrShutdown, graceful_shutdown

if TYPE_CHECKING:
    from collections.abc import Collection

    from fabric.change.crew import Crew
    from fabric.change.model import DevicePlan, Plan
    from fabric.intent.rollout_model import Drain

_OUT, _BACK, _SWITCH = "draining ", "back in service: ", "switch "
#: Seconds between two looks whether the user stops the run.
_POLL_S = 0.5


@dataclass(frozen=True)
class Drains:
    """What a run took out of service, as the journal has it.

    Parameters
    ----------
    crew : Crew
        Does the work.
    run : int
        The run that drained; another one than the crew's where that rolls it back.
    """

    crew: Crew
    plan: Plan
    run: int

    def out(self, hosts: str, names: Collection[str]) -> list[str]:
        """Drain a range of hosts, and switches; return why that failed.

        They are in the journal before.
        """
        drain = self._policy()
        if drain is None:
            return []
        if drain.before and hosts:
            self._tell(f"{_OUT}{hosts}")
            if problems := self._command(drain.before, "drain", hosts):
                return problems
        return self._switches_out(drain, names) if drain.switches else []

    def back(self) -> None:
        """Return to service what is out of it; a failure is shown and stays in the journal."""
        drain = self._policy()
        for name in reversed(self.drained()):
            if name.startswith(_SWITCH):
                problems = self._switch_back(name.removeprefix(_SWITCH))
            elif drain and drain.after:
                problems = self._command(drain.after, "undrain", name)
            else:
                continue
            self._tell("; ".join(problems) or f"{_BACK}{name}")

    def drained(self) -> list[str]:
        """Return ranges of hosts, and switches, that were drained and are still out of service."""
        out: list[str] = []
        runs = dict.fromkeys((self.run, self.crew.run))
        for event in (event for run in runs for event in self.crew.journal.own_events(run)):
            if event.detail.startswith(_OUT):
                out.append(event.detail.removeprefix(_OUT))
            elif event.detail.startswith(_BACK):
                back = event.detail.removeprefix(_BACK)
                out = [name for name in out if name != back]
        return out

    def _policy(self) -> Drain | None:
        return self.plan.rollout.policy.drain if self.plan.rollout else None

    def _switches_out(self, drain: Drain, names: Collection[str]) -> list[str]:
        plans = [self.plan.devices[name] for name in names if drains(self.plan.devices[name])]
        done, errors = self.crew.side_by_side(plans, self._switch_out)
        if any(drained for _, drained in done) and not errors:
            end_s = time.monotonic() + drain.settle_s
            while time.monotonic() < end_s and not self.crew.stop.is_set():
                time.sleep(_POLL_S)
        return [f"{plan.device} cannot be drained: {error}" for plan, error in errors]

    def _switch_out(self, plan: DevicePlan) -> bool:
        """Drain a switch; tell whether traffic leaves it now."""
        self.crew.check_going(plan.device)
        session = self.crew.session(plan)
        try:
            bgp = graceful_shutdown(session.driver)
            if bgp is None:
                text = f"is not drained: no graceful shutdown of {plan.platform} is supported"
                self.crew.progress(plan.device, text)
                return False
            if bgp.drained():
                self.crew.progress(plan.device, "is drained already, and stays so")
                return False
            session.check_alone(self.crew.journal.tokens(plan.device))
            self._tell(f"{_OUT}{_SWITCH}{plan.device}")
            bgp.drain()
            return True
        finally:
            session.close()

    def _switch_back(self, name: str) -> list[str]:
        try:
            session = self.crew.session(self.plan.devices[name])
            try:
                bgp = graceful_shutdown(session.driver)
                if bgp:
                    bgp.undrain()
            finally:
                session.close()
        except FabricError as error:
            typed = f"to return it to service, type on it: {FrrShutdown.undrain_command}"
            return [f"{name} is still drained: {error}; {typed}"]
        return []

    def _tell(self, text: str) -> None:
        self.crew.record("", State.PENDING, text)
        self.crew.progress("", text)

    def _command(self, argv: tuple[str, ...], event: str, hosts: str) -> list[str]:
        content = {"event": event, "hosts": hosts, "run": self.run, "fabric": self.plan.fabric}
        drain = self._policy()
        timeout_s = drain.timeout_s if drain else 0
        try:
            done = called(argv, content, timeout_s)
        except ProgramError as error:
            why = str(error)
        else:
            why = f"{argv[0]} ended with {done.code}" if done.code else ""
        return [f"{event} of {hosts} failed: {why}"] if why else []


def drains(plan: DevicePlan) -> bool:
    """Tell whether a device is drained before it changes, where the roll-out says so."""
    return plan.role != "host" and plan.risk > Risk.HARMLESS
