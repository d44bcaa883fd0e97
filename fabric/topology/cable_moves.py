"""The fewest moves of plugs that make cables what is planned."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

from fabric.topology.cabling import HARMLESS, Verdict

if TYPE_CHECKING:
    from collections.abc import Sequence

    from fabric.topology.cabling import End, Judged

    Cable: TypeAlias = tuple[End, End]
    #: Planned cables and present ones that share ends.
    Group: TypeAlias = tuple[list[Cable], list[Cable]]


@dataclass(frozen=True, slots=True)
class Work:
    """One step of a repair: a plug that moves, a cable that comes or one that goes.

    Parameters
    ----------
    stays : End or None
        Where the other plug of the cable is; None for a new cable.
    from_end, to_end : End or None
        Where the plug is and where it goes; None when the cable is new, or goes.
    """

    stays: End | None
    from_end: End | None
    to_end: End | None


#: Plugs that are handled: one is moved, both are, a cable is laid anew (beside finding one), a
#: cable is taken out. Our choice: the order of the costs decides.
_COST_NEW, _COST_OUT = 3, 1


def repair(judged: Sequence[Judged]) -> list[Work]:
    """Return the fewest moves of plugs that make the cables what is planned.

    Cables that are there are matched with those that are planned, so that most plugs stay where
    they are (a matching of least cost, scipy's ``linear_sum_assignment``). What is unknown is left
    alone.
    """
    planned = [
        (item.near, item.far)
        for item in judged
        if item.verdict not in {*HARMLESS, Verdict.UNEXPECTED}
    ]
    present = sorted({cable for item in judged for cable in _there(item)})
    steps: list[Work] = []
    for plan_group, present_group in _groups(planned, present):
        steps += _matched(plan_group, present_group)
    return sorted(steps, key=lambda step: (step.from_end is None, step.from_end or ("", "")))


def _there(item: Judged) -> list[Cable]:
    if item.verdict in HARMLESS:
        return []
    pairs = [(item.near, item.seen_near), (item.far, item.seen_far)]
    return [
        (min(one, other), max(one, other))
        for one, other in pairs
        if other is not None and other[1] and other != one
    ]


def _groups(planned: Sequence[Cable], present: Sequence[Cable]) -> list[Group]:
    """Return planned and present cables that share ends, directly or through others."""
    root: dict[End, End] = {}

    def find(end: End) -> End:
        while root.setdefault(end, end) != end:
            root[end] = root[root[end]]
            end = root[end]
        return end

    for one, other in (*planned, *present):
        root[find(one)] = find(other)
    groups: dict[End, Group] = {}
    for side, cables in enumerate((planned, present)):
        for cable in cables:
            groups.setdefault(find(cable[0]), ([], []))[side].append(cable)
    return list(groups.values())


def _matched(planned: list[Cable], present: list[Cable]) -> list[Work]:
    import numpy as np
    from scipy.optimize import linear_sum_assignment

    rows, columns = len(planned), len(present)
    costs = np.zeros((rows + columns, rows + columns))
    costs[:rows, columns:], costs[rows:, :columns] = _COST_NEW, _COST_OUT
    for row, plan in enumerate(planned):
        for column, actual in enumerate(present):
            costs[row, column] = 2 - len({*plan} & {*actual})
    steps: list[Work] = []
    for row, column in zip(*(side.tolist() for side in linear_sum_assignment(costs)), strict=True):
        steps += _moves(
            planned[row] if row < rows else None, present[column] if column < columns else None
        )
    return steps


def _moves(plan: Cable | None, actual: Cable | None) -> list[Work]:
    if plan is None:
        return [Work(None, actual[0], None), Work(None, actual[1], None)] if actual else []
    if actual is None:
        return [Work(None, None, plan[0]), Work(None, None, plan[1])]
    stay = sorted({*plan} & {*actual})
    leave, come = sorted({*actual} - {*stay}), sorted({*plan} - {*stay})
    held = stay[0] if stay else None
    return [Work(held, old, new) for old, new in zip(leave, come, strict=True)]
