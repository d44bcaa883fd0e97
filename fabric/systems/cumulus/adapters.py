"""Cumulus Linux: paths of ``nv set``; what goes is unset first, then what is new is set.

What is not ours - accounts, management access, other VRFs, static routes - is kept as it is, and so
are leaves that the switch writes beside ours by itself.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from fabric.change.adapter import ConfigurationAdapter, Draft, adapters
from fabric.change.lines.book import statements
from fabric.change.model import Change
from fabric.change.scope import notes
from fabric.devices.candidate import SetLines
from fabric.devices.redaction import redacted
from fabric.render.scope import has_tenants, is_merged
from fabric.systems.cumulus.platforms import SELF_MADE
from fabric.systems.cumulus.platforms.lines import natural, read, write
from fabric.systems.cumulus.platforms.tree import is_value
from fabric.systems.cumulus.scope import merged, owned_depth, tenants_of_others

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Sequence

    from fabric.core.artefact import Artefact
    from fabric.devices.driver import Driver
    from fabric.observe.snapshot import Running
    from fabric.systems.cumulus.platforms.lines import Path

_SELF_MADE = re.compile("|".join(SELF_MADE))
#: Depth of the branch below which a leaf of the switch's own belongs to an object of ours.
_OBJECT = 2


def compose(running: set[Path], intended: set[Path], tenants: Collection[Path] = ()) -> set[Path]:
    """Return the whole configuration that is wanted.

    Parameters
    ----------
    running, intended : set of tuple of str
        What runs, and what is rendered.
    tenants : collection of tuple of str
        Paths that would be ours in a fabric with tenants, and stay.
    """
    objects = {path[:_OBJECT] for path in intended}
    kept = {
        path
        for path in running - intended
        if not owned_depth(path)
        or path in tenants
        or (path[:_OBJECT] in objects and _SELF_MADE.fullmatch(" ".join(path)))
    }
    heads = {path[:-1] for path in kept}
    valued = {path[:-1] for path in intended if path[:-1] in heads and is_value(path)}
    return intended | {path for path in kept if path[:-1] not in valued}


def patch(running: set[Path], target: set[Path]) -> SetLines:
    """Return the way from one configuration to another.

    A branch that goes away whole is unset as a whole, so that no empty object stays behind; a value
    that only changes is not unset.
    """
    removed, added = running - target, target - running
    prefixes = {path[:length] for path in target for length in range(len(path) + 1)}
    changed = {path[:-1] for path in added if is_value(path)}
    gone = set()
    for path in removed:
        if is_value(path) and path[:-1] in changed:
            continue
        shortest = owned_depth(path) or len(path) - is_value(path)
        length = next(n for n in range(shortest, len(path) + 1) if path[:n] not in prefixes)
        gone.add(path[:length])
    return SetLines(load=write(added), unload=write(gone, "unset"))


def changes(running: set[Path], target: set[Path]) -> tuple[Change, ...]:
    """Return every value that changes, by the words before it."""
    before, after = _values(running - target), _values(target - running)
    lines = {_name(path): " ".join(path) for path in running ^ target}
    risk = statements("cumulus").risk
    return tuple(
        Change(name, before.get(name, ""), after.get(name, ""), risk(lines[name]))
        for name in sorted(before.keys() | after.keys(), key=lambda name: natural((name,)))
    )


def _values(paths: Iterable[Path]) -> dict[str, str]:
    values = {}
    for path in paths:
        name = _name(path)
        line = redacted(" ".join(path))
        values[name] = line.removeprefix(name).strip() if is_value(path) else line
    return values


def _name(path: Path) -> str:
    """Return the words before the value of a path."""
    return " ".join(path[:-1] if is_value(path) else path)


class CumulusAdapter(ConfigurationAdapter):
    """Changes Cumulus Linux switches."""

    def draft(
        self,
        running: Running,
        artefacts: Sequence[Artefact],
        driver: Driver,  # noqa: ARG002 - the difference is the same on the switch
    ) -> Draft:
        """Compare the lines that run with those that are wanted."""
        now = read(running.config)
        intended = read(next(item for item in artefacts if item.kind == "nv-set").text)
        stays: tuple[str, ...] = ()
        conflicts: tuple[str, ...] = ()
        is_tenanted = has_tenants(artefacts)
        theirs = set() if is_tenanted else tenants_of_others(now, intended)
        if is_merged(artefacts):
            intended, others, conflicts = merged(now, intended, tenants=is_tenanted)
            stays = notes(others, " ")
        target = compose(now, intended, theirs)
        way = patch(now, target)
        shown = redacted(f"{way.unload}{way.load}")
        return Draft(way, changes(now, target), shown, stays, conflicts)

    def restore(self, before: Running, now: Running) -> SetLines:
        """Return the lines that lead back to an earlier configuration."""
        return patch(read(now.config), read(before.config))

    def apart(self, left: Running, right: Running) -> set[str]:
        """Return the values that differ, named as those of a change."""
        return {change.path for change in changes(read(left.config), read(right.config))}


adapters.add("cumulus")(CumulusAdapter())
