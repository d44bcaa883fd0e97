"""Tells a command of the user what happens in a run."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from fabric.change.gates import called
from fabric.core.errors import ProgramError

if TYPE_CHECKING:
    from fabric.change.crew import Crew
    from fabric.change.model import Plan

#: Seconds that a notification may take; our choice: a message to a chat takes one.
TIMEOUT_S = 15.0


@dataclass(frozen=True)
class Notifier:
    """Calls ``rollout.notify`` of a plan; a failure is shown and stops nothing."""

    plan: Plan
    crew: Crew

    def __call__(self, event: str, **facts: object) -> None:
        """Tell of an event."""
        argv = self.plan.rollout.policy.notify if self.plan.rollout else ()
        if not argv:
            return
        content = {"event": event, "run": self.crew.run, "fabric": self.plan.fabric, **facts}
        try:
            code = called(argv, content, TIMEOUT_S).code
        except ProgramError as error:
            self.crew.progress("", f"notification failed: {error}")
        else:
            if code:
                self.crew.progress("", f"notification failed: {argv[0]} ended with {code}")
