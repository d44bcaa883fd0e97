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
    found: dict[str, None] = {}
    stack = list(reversed(names))
    while stack:
        name = stack.pop()
        if name not in found:
            found[name] = None
            stack += reversed(parents.get(name, ()))
    return list(found)


def depths(parents: Mapping[str, Sequence[str]]) -> dict[str, int]:
    """Return the longest way up from each group; the groups must have no circle."""
    found: dict[str, int] = {}
    for name in reversed(lineage(list(parents), parents)):
        stack = [name]
        while stack:
            known = [found.get(up, -1) for up in parents.get(stack[-1], ())]
            if -1 in known:
                stack += [up for up in parents.get(stack[-1], ()) if up not in found]
            else:
                found[stack.pop()] = max(known, default=-1) + 1
    return found


def first_known(sources: Iterable[Mapping[str, Any]]) -> dict[str, Any]:
    """Return variables of all sources; of one that several have, the first counts."""
    found: dict[str, Any] = {}
    for source in sources:
        for key, value in source.items():
            found.setdefault(key, value)
    return found
