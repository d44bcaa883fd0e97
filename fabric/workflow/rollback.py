"""rollback: take a run back, and say before what becomes of its devices."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import replace
from typing import TYPE_CHECKING

from fabric.change.apply import Applier, Options, RollBack
from fabric.change.journal import Journal
from fabric.change.model import ONE_WAY
from fabric.change.rollout import LOSS, demand, refuse_losses
from fabric.core import hostlist
from fabric.core.counts import counted
from fabric.workflow.apply import opened
from fabric.workflow.devices import executor
from fabric.workflow.rollback_states import ChosenRun, states_between
from fabric.workflow.rollout import describe_losses

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from fabric.change.actor import Actor
    from fabric.change.options import Result
    from fabric.workflow.rollback_states import StatesBetween

__all__ = ["Options", "rollback", "would_go_back", "would_lose", "would_stay"]


def rollback(  # noqa: PLR0913 - each is an option of the command
    run: int,
    state: Path,
    connections_file: Path | None,
    progress: Callable[[str, str], None],
    *,
    only: str = "",
    force: bool = False,
    skip_unreachable: bool = False,
    actor: Actor | None = None,
    options: Options | None = None,
    inventory: Path | None = None,
) -> Result:
    """Take a run back, whether it is finished, failed or was interrupted.

    Parameters
    ----------
    only : str
        Range of names that go back; empty is all that the run changed.
    force, skip_unreachable : bool
        As in `RollBack`.
    options : Options, optional
        Where traffic is stopped, the states between the waves are not judged.
    inventory : Path, optional
        As of `states_between`.

    Raises
    ------
    PlanError
        When packets would be lost between the waves of a roll-out, and traffic is not stopped.
    """
    options = options or Options()
    chosen = ChosenRun.of(run, opened(state, actor, progress), only)
    request = RollBack(run, chosen.names, force=force, skip_unreachable=skip_unreachable)
    if not options.traffic_stopped:
        progress("", "judging the states between waves")
        states = states_between(chosen, connections_file, inventory, options.parallel)
        notes = [*_checked(chosen, states)]
        for note in notes:
            progress("", note)
        options = replace(options, notes=(*options.notes, *notes))
    reachable = chosen.connections(connections_file)
    with executor(len(chosen.plan.devices), options.parallel) as pool:
        applier = Applier(chosen.journal, reachable, pool, progress, options)
        return applier.roll_back(request, chosen.plan)


def _checked(chosen: ChosenRun, states: StatesBetween) -> Iterator[str]:
    """Yield what the journal is to say; `apply` demands as much of the way there.

    Raises
    ------
    PlanError
        When packets would be lost between the waves of a roll-out.
    """
    yield from states.notes
    if chosen.plan.rollout:
        refuse_losses(states.hazards, "rollback")
    elif states.hazards:
        yield f"{LOSS}: {states.hazards[0]}"


def would_go_back(run: int, state: Path, only: str = "") -> list[str]:
    """Return a line for each wave of a rollback, in its order, and kind of change."""
    chosen = ChosenRun.of(run, Journal(state), only)
    lines = []
    for number, wave in enumerate(chosen.waves, 1):
        kinds: dict[tuple[str, str], list[str]] = defaultdict(list)
        for name in wave:
            device = chosen.plan.devices[name]
            kinds[device.method, device.risk_if_up.word].append(name)
        lines += [
            f"wave {number}: {hostlist.fold_inside(names)} ({counted(len(names), 'device')}): "
            f"by {method}, risk: {risk}"
            for (method, risk), names in kinds.items()
        ]
    return lines


def would_stay(run: int, state: Path, only: str = "") -> list[str]:
    """Return a line for devices that a rollback leaves as they are, and why."""
    chosen = ChosenRun.of(run, Journal(state), only)
    by_reason: dict[str, list[str]] = defaultdict(list)
    for name in chosen.names:
        if name in chosen.staying:
            by_reason[chosen.staying[name]].append(name)
    return [
        f"{ONE_WAY}, not rolled back: {hostlist.fold_inside(names)} "
        f"({counted(len(names), 'device')}): {why}"
        for why, names in by_reason.items()
    ]


def would_lose(
    run: int,
    state: Path,
    connections_file: Path | None,
    only: str = "",
    inventory: Path | None = None,
    parallel: int = 0,
) -> list[str]:
    """Return what traffic would lose between the waves of a rollback, and what is unknown of it."""
    chosen = ChosenRun.of(run, Journal(state), only)
    states = states_between(chosen, connections_file, inventory, parallel)
    demanded = bool(chosen.plan.rollout and states.hazards)
    to_do = [demand("rollback")] if demanded else []
    return [*states.notes, *describe_losses(states.hazards), *to_do]
