"""The fewest moves of plugs that make cables what is planned, and their order."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import zip_longest
from typing import TYPE_CHECKING, TypeAlias

from fabric.topology.cabling import HARMLESS, CableVerdict

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

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
        Where the other plug of the cable is; None for a new cable, and where both plugs move.
    from_end, to_end : End or None
        Where the plug is and where it goes; None when the cable is new, or goes.
    aside : bool
        Whether the plug is pulled some steps before, as its port is free only then.
    """

    stays: End | None
    from_end: End | None
    to_end: End | None
    aside: bool = False


def repair(judged: Sequence[Judged]) -> list[Work]:
    """Return the fewest moves of plugs that make the cables what is planned, in their order.

    Cables that are there are matched with those that are planned, so that most plugs stay where
    they are (a matching of most weight, scipy's ``linear_sum_assignment``). No cable is laid while
    one is taken out. No plug goes to a port that is taken: cables that go are pulled first, then
    plugs move to ports that are free, and new cables come last. In a circle of plugs, such as a
    swap, one is pulled, the others move, and it is plugged last. What is unknown is left alone, and
    a port that is shut down.
    """
    planned = [
        (item.near, item.far)
        for item in judged
        if item.verdict not in {*HARMLESS, CableVerdict.UNEXPECTED, CableVerdict.SHUT}
    ]
    present = sorted({cable for item in judged for cable in _there(item)})
    pairs: list[tuple[Cable | None, Cable | None]] = []
    for plan_group, present_group in _groups(planned, present):
        pairs += _matched(plan_group, present_group)
    lacking = [plan for plan, actual in pairs if plan and not actual]
    left = [actual for plan, actual in pairs if actual and not plan]
    steps = [step for pair in pairs if all(pair) for step in _moves(*pair)]
    steps += [step for pair in zip_longest(lacking, left) for step in _moves(*pair)]
    return _ordered(steps)


def _ordered(steps: list[Work]) -> list[Work]:
    """Return the steps in an order in which each plug goes to a port that is free."""
    ordered = [step for step in steps if step.to_end is None]
    moves = sorted((step for step in steps if step.from_end and step.to_end), key=_from)
    vacates = {step.from_end: step for step in moves}
    waits = {step.to_end for step in moves}
    heads = [step for step in moves if step.from_end not in waits]
    seen: set[Work] = set()
    for head in (*heads, *moves):
        if head not in seen:
            chain = [head]
            while (after := vacates.get(chain[-1].to_end)) and after is not head:
                chain.append(after)
            seen |= {*chain}
            if after is head:  # a circle: its first plug is pulled, and plugged last
                pulled = Work(head.stays, head.from_end, None, aside=True)
                plugged = Work(head.stays, head.from_end, head.to_end, aside=True)
                ordered += [pulled, *reversed(chain[1:]), plugged]
            else:
                ordered += reversed(chain)
    return ordered + [step for step in steps if step.from_end is None]


def _from(step: Work) -> End:
    return step.from_end or ("", "")


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


def _matched(
    planned: list[Cable], present: list[Cable]
) -> Iterator[tuple[Cable | None, Cable | None]]:
    """Yield planned cables with those that become them, and what is left of both."""
    import numpy as np
    from scipy.optimize import linear_sum_assignment

    shared = np.array([[len({*plan} & {*actual}) for actual in present] for plan in planned])
    rows, columns = linear_sum_assignment(-shared.reshape(len(planned), len(present)))
    yield from ((planned[row], present[column]) for row, column in zip(rows, columns, strict=True))
    yield from ((planned[row], None) for row in sorted({*range(len(planned))} - {*rows}))
    yield from ((None, present[column]) for column in sorted({*range(len(present))} - {*columns}))


def _moves(plan: Cable | None, actual: Cable | None) -> list[Work]:
    if plan is None:
        return [Work(None, actual[0], None), Work(None, actual[1], None)] if actual else []
    if actual is None:
        return [Work(None, None, plan[0]), Work(None, None, plan[1])]
    stay = sorted({*plan} & {*actual})
    leave, come = sorted({*actual} - {*stay}), sorted({*plan} - {*stay})
    held = stay[0] if stay else None
    return [Work(held, old, new) for old, new in zip(leave, come, strict=True)]
