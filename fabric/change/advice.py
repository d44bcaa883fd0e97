"""What becomes of a device whose rollback failed, and what to type: only what is true by then."""

from __future__ import annotations

import shlex
from dataclasses import dataclass
from enum import IntEnum
from typing import TYPE_CHECKING

from fabric.core.errors import FabricError
from fabric.devices.driver import script_net

if TYPE_CHECKING:
    from fabric.change.crew import Crew
    from fabric.devices.driver import Driver


class Reached(IntEnum):
    """How far a change got on its device, as far as we know: a call that began may have ended."""

    NOTHING = 0
    STAGED = 1
    COMMITTING = 2
    COMMITTED = 3
    CONFIRMING = 4
    CONFIRMED = 5


@dataclass
class Attempt:
    """A change of a device.

    Parameters
    ----------
    timer_s : int
        Its commit timer in seconds; 0 where it has none.
    """

    token: str = ""
    timer_s: int = 0
    reached: Reached = Reached.NOTHING


def what_follows(
    crew: Crew, driver: Driver, device: str, attempt: Attempt, *, one_way: str = ""
) -> str:
    """Return whether the device goes back by itself, and what a person can do.

    Parameters
    ----------
    one_way : str
        Why the change is never undone; empty for all others.
    """
    try:
        waits = bool(attempt.token) and driver.pending(attempt.token)
    except (FabricError, ValueError):
        waits = None
    alone = _alone(attempt, waits=waits)
    if waits and attempt.timer_s:
        return alone
    if one_way:
        return f"{alone}; check the device, then run `rocefab plan` again"
    state = shlex.quote(str(crew.journal.folder.absolute()))
    command = f"rocefab rollback {crew.run} --only {device} --commit --state {state}"
    return f"{alone}; check the device, then run `{command}`{_on_it(driver, attempt)}"


def _alone(attempt: Attempt, *, waits: bool | None) -> str:
    """Return what the device does without us; ``waits`` is None where it does not answer."""
    if attempt.reached < Reached.COMMITTING:
        return "its change was not committed, and no commit timer was set"
    if not attempt.timer_s:
        return "no commit timer was set: the device will not roll back the change"
    if attempt.reached is Reached.CONFIRMED:
        return "the change was confirmed: no commit timer will roll it back"
    if waits:
        return "its commit timer will roll back the change"
    if waits is None and attempt.reached is Reached.COMMITTED:
        timer = f"its commit timer of {attempt.timer_s} s was set"
        return f"{timer}: it rolls back the change, unless that is rolled back already"
    if waits is None:
        return "whether its commit timer will roll back the change is unknown"
    return "no commit timer will roll back the change"


def _on_it(driver: Driver, attempt: Attempt) -> str:
    """Return what to type on the device, where a script of ours is there for it."""
    net = script_net(driver)
    if net is None or not Reached.COMMITTING <= attempt.reached < Reached.CONFIRMED:
        return ""
    command = net.undo_command(attempt.token)
    try:
        return f"; or type on it: {command}" if net.has_undo(attempt.token) else ""
    except FabricError:
        return f"; or type on it, if the script is still there: {command}"
