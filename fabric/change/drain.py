"""Drains hosts before a wave and returns them to service after it, by commands of the user."""

from __future__ import annotations

import subprocess
from dataclasses import dataclass
from typing import TYPE_CHECKING

from fabric.change.gates import called
from fabric.change.journal import State

if TYPE_CHECKING:
    from fabric.change.crew import Crew
    from fabric.change.model import Plan

_OUT, _BACK = "draining ", "back in service: "


@dataclass(frozen=True)
class Drains:
    """The hosts of a run that are out of service, as the journal has them."""

    crew: Crew
    plan: Plan

    def out(self, hosts: str) -> list[str]:
        """Drain a range of hosts; return why that failed. They are in the journal before."""
        argv = self.plan.rollout.policy.drain.before if self.plan.rollout else ()
        if not argv or not hosts:
            return []
        self._tell(f"{_OUT}{hosts}")
        return [f"{hosts} cannot be drained: {why}" for why in self._run(argv, "drain", hosts)]

    def back(self) -> None:
        """Put back what is out of service; a failure is shown and stays in the journal."""
        argv = self.plan.rollout.policy.drain.after if self.plan.rollout else ()
        for hosts in self.drained() if argv else ():
            problems = self._run(argv, "undrain", hosts)
            for why in problems:
                self._tell(f"{hosts} are not returned to service: {why}")
            if not problems:
                self._tell(f"{_BACK}{hosts}")

    def drained(self) -> list[str]:
        """Return the ranges of hosts that were drained and not put back."""
        out: list[str] = []
        for event in self.crew.journal.events(self.crew.run):
            if not event.device and event.detail.startswith(_OUT):
                out.append(event.detail.removeprefix(_OUT))
            elif not event.device and event.detail.startswith(_BACK):
                back = event.detail.removeprefix(_BACK)
                out = [hosts for hosts in out if hosts != back]
        return out

    def _tell(self, text: str) -> None:
        self.crew.record("", State.PENDING, text)
        self.crew.progress("", text)

    def _run(self, argv: tuple[str, ...], event: str, hosts: str) -> list[str]:
        content = {"event": event, "hosts": hosts, "run": self.crew.run, "fabric": self.plan.fabric}
        timeout_s = self.plan.rollout.policy.drain.timeout_s if self.plan.rollout else 0
        try:
            done = called(argv, content, timeout_s)
        except subprocess.TimeoutExpired:
            return [f"{argv[0]} did not end within {timeout_s} s"]
        except OSError as error:
            return [f"{argv[0]} cannot be run: {error.strerror}"]
        return [f"{argv[0]} ended with {done.returncode}"] if done.returncode else []
