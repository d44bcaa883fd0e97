"""Groups that inherit from groups: order of inheritance, and circles."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence


def circle(parents: Mapping[str, Sequence[str]]) -> list[str]:
    """Return groups that inherit from each other in a circle, or nothing."""
    done: set[str] = set()
    for first in parents:
        path: list[str] = []
        stack = [(first, iter(parents.get(first, ())))]
        while stack:
            name, rest = stack[-1]
            if name not in path:
                path.append(name)
            step = next((item for item in rest if item not in done), None)
            if step is None:
                done.add(name)
                path.pop()
                stack.pop()
            elif step in path:
                return [*path[path.index(step) :], step]
            else:
                stack.append((step, iter(parents.get(step, ()))))
    return []


def lineage(names: Sequence[str], parents: Mapping[str, Sequence[str]]) -> list[str]:
    """Return groups and those above them, each before its own; no circle may be among them."""
    order: dict[str, None] = {}
    stack = list(reversed(names))
    while stack:
        name = stack.pop()
        if name not in order:
            order[name] = None
            stack += reversed(parents.get(name, ()))
    return list(order)


def depths(parents: Mapping[str, Sequence[str]]) -> dict[str, int]:
    """Return the longest way up from each group; the groups must have no circle."""
    depth_of: dict[str, int] = {}
    for name in reversed(lineage(list(parents), parents)):
        stack = [name]
        while stack:
            known = [depth_of.get(up, -1) for up in parents.get(stack[-1], ())]
            if -1 in known:
                stack += [up for up in parents.get(stack[-1], ()) if up not in depth_of]
            else:
                depth_of[stack.pop()] = max(known, default=-1) + 1
    return depth_of


def first_known(sources: Iterable[Mapping[str, Any]]) -> dict[str, Any]:
    """Return variables of all sources; of one that several have, the first counts."""
    values: dict[str, Any] = {}
    for source in sources:
        for key, value in source.items():
            values.setdefault(key, value)
    return values
