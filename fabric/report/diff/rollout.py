"""What a difference takes away of the safety of changes: ``rollout`` and ``drift`` show that."""

from __future__ import annotations

import shlex
from operator import attrgetter
from typing import TYPE_CHECKING, Any

from fabric.report.diff.figures import value_text
from fabric.report.diff.model import ABSENT_TEXT, Consequence
from fabric.report.diff.protection import FACTOR, LESS_PROTECTION

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fabric.intent.drift_model import Drift
    from fabric.intent.rollout_model import Rollout

#: Fields, and what follows where they fall, however little.
_FALLS = {
    "approvals": "fewer people approve a plan",
    "min_capacity_percent": "a wave may take more bandwidth",
    "canary.hosts": "fewer devices change first",
}
#: The same, where they are divided, or multiplied, by `FACTOR` or more.
_SHRINKS = {"soak_s": "the gates are checked again earlier"}
_GROWS = {
    "wave_size": "more devices change together",
    "rails_at_once": "more rails change together",
}
#: Switches of which ``false`` protects less.
_OFF = {
    "gates.counters": "a gate is off",
    "gates.ping": "a gate is off",
    "gates.rdma": "a gate is off",
    "drain.switches": "switches are not drained",
}
#: Commands that a host runs with the rights of the person, or the service, that plans and applies.
COMMANDS = (
    *("gates.command", "drain.before", "drain.after"),
    *("jobs.running", "jobs.failed", "notify"),
)


def less_safe(before: Rollout, after: Rollout) -> Iterator[Consequence]:
    """Yield what makes a roll-out less safe, and which other commands it runs."""
    for name in COMMANDS:
        was, now = (_command(attrgetter(name)(side)) for side in (before, after))
        if was != now:
            words = "a command that is run changes" if now != ABSENT_TEXT else "a command is gone"
            yield _consequence(words, name, was, now)
    for name, words in (_FALLS | _SHRINKS | _GROWS | _OFF).items():
        was, now = attrgetter(name)(before), attrgetter(name)(after)
        if _is_less(name, was, now):
            yield _consequence(words, name, value_text(was), value_text(now))
    if before.canary.devices and not after.canary.devices:
        was = ", ".join(before.canary.devices)
        yield _consequence("fewer devices change first", "canary.devices", was, ABSENT_TEXT)
    if before.windows and not (after.windows and {*after.windows} <= {*before.windows}):
        windows = (f"{len(side.windows)}" if side.windows else "always" for side in (before, after))
        yield _consequence("waves may begin at other times", "windows", *windows)


def more_repaired(before: Drift, after: Drift) -> Iterator[Consequence]:
    """Yield what is repaired without being asked, and was not before."""
    words = "devices are repaired without being asked"
    if before.repair == "never" != after.repair:
        yield Consequence(LESS_PROTECTION, f"{words}: drift.repair never -> {after.repair}")
    elif after.repair != "never" and after.repairs_per_hour >= FACTOR * before.repairs_per_hour:
        figures = f"{before.repairs_per_hour} -> {after.repairs_per_hour}"
        yield Consequence(LESS_PROTECTION, f"more {words}: drift.repairs_per_hour {figures}")


def _is_less(name: str, was: Any, now: Any) -> bool:
    if name in _OFF:
        return bool(was and not now)
    if name in _FALLS:
        return bool(now < was)
    return bool(now >= FACTOR * was if name in _GROWS else now < was and FACTOR * now <= was)


def _command(words: tuple[str, ...]) -> str:
    """Return a command as a shell would take it, however long it is."""
    return shlex.join(words) or ABSENT_TEXT


def _consequence(words: str, name: str, was: str, now: str) -> Consequence:
    return Consequence(LESS_PROTECTION, f"{words}: rollout.{name} {was} -> {now}")
