"""Junos: statements of ours that are missing are set, those that nobody wants are deleted."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING

from fabric.change.adapter import ConfigurationAdapter, Draft, adapters
from fabric.change.lines.book import statements
from fabric.change.model import Change
from fabric.change.scope import notes
from fabric.devices.candidate import LinePatch
from fabric.devices.redaction import redacted
from fabric.render.scope import has_tenants, is_marked
from fabric.systems.junos.platforms import ORDERED_PARTS
from fabric.systems.junos.platforms.grammar import levels, replaces
from fabric.systems.junos.platforms.text import LINES_KEPT, line_text, quoted, read_set
from fabric.systems.junos.scope import SCOPE, merged, tenants_of_others

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Sequence

    from fabric.core.artefact import Artefact
    from fabric.devices.driver import Driver
    from fabric.observe.snapshot import Running
    from fabric.systems.junos.platforms.text import Line, Words

_ORDERED = re.compile("|".join(f"({part}) " for part in ORDERED_PARTS))
#: First words of these parts: most lines have another one.
_ORDERED_HEADS = frozenset(part.partition(" ")[0] for part in ORDERED_PARTS)


#: Beginnings of statements of a server, before its address.
_SERVERS = {("system", "ntp", "server"), ("system", "syslog", "host")}


@lru_cache(maxsize=LINES_KEPT)
def is_owned(line: Line) -> bool:
    """Tell whether rocefab writes a statement."""
    return statements("junos").is_ours(_said(line))


def compose(
    running: Sequence[Line], intended: Sequence[Line], tenants: Collection[Line] = ()
) -> list[Line]:
    """Return all lines that are wanted.

    What is not ours - accounts, NETCONF, the management port, static routes - is kept as it runs,
    and so is the routing instance in which the switch looks for a server.

    Parameters
    ----------
    running, intended : sequence of Line
        What runs, and what is rendered.
    tenants : collection of Line
        Statements that would be ours in a fabric with tenants, and stay.
    """
    kept = (line for line in running if line in tenants or not is_owned(line))
    return list(dict.fromkeys([*kept, *_reached(running, intended)]))


def _reached(running: Iterable[Line], intended: Sequence[Line]) -> Iterator[Line]:
    """Yield what is intended; a server that has a routing instance is no line without it."""
    instances = _instances(running)
    named = _instances(intended)
    for verb, words in intended:
        instance = None if words[:4] in named else instances.get(words[:4])
        if instance:
            yield instance
        if not instance or words[4:]:
            yield verb, words


def _instances(lines: Iterable[Line]) -> dict[Words, Line]:
    """Return the lines that name the routing instance of a server, by its words."""
    return {
        words[:4]: (verb, words)
        for verb, words in lines
        if words[:3] in _SERVERS and words[4:5] == ("routing-instance",)
    }


def patch(before: Sequence[Line], after: Sequence[Line]) -> list[Line]:
    """Return the lines that lead from one configuration to another.

    What goes is deleted at the highest level below which nothing stays. A part in which the order
    counts is written anew when anything of it differs.
    """
    fresh = _reordered(before, after)
    old, new = dict.fromkeys(before), dict.fromkeys(after)
    gone = [line for line in old if line not in new or _part(line) in fresh]
    come = [line for line in new if line not in old or _part(line) in fresh]
    deletes = list(_deletes(gone, come, new, fresh))
    under = {words for _, words in deletes}
    activates = [
        ("activate", words)
        for verb, words in gone
        if verb == "deactivate" and not any(words[:n] in under for n in range(1, len(words) + 1))
    ]
    sets = [line for line in come if line[0] == "set"]
    return [*activates, *deletes, *sets, *(line for line in come if line[0] != "set")]


def _reordered(before: Iterable[Line], after: Iterable[Line]) -> set[str]:
    """Return the ordered parts that are not the same, line by line."""
    sides: list[dict[str, list[Line]]] = [{}, {}]
    for side, lines in zip(sides, (before, after), strict=True):
        for line in lines:
            if part := _part(line):
                side.setdefault(part, []).append(line)
    old, new = sides
    return {part for part in {*old, *new} if old.get(part) != new.get(part)}


def _deletes(
    gone: list[Line], come: list[Line], new: Iterable[Line], fresh: set[str]
) -> Iterable[Line]:
    """Return each delete once, without what a higher one takes along."""
    alive = {
        words[:count] for verb, words in new for count in range(1, len(words) + 1) if verb == "set"
    }
    stems = {words[:-1] for verb, words in come if verb == "set"}
    levels_gone: dict[Words, None] = {}
    for verb, words in gone:
        part = tuple(_part((verb, words)).split())
        if verb != "set" or (words[:-1] in stems and replaces(words)):
            continue
        if part and " ".join(part) in fresh and part in alive:
            levels_gone[part] = None
        else:
            level = next((level for level in levels(words) if level not in alive), None)
            if level:  # else something below it stays
                levels_gone[level] = None
    for words in levels_gone:
        if not any(words[:count] in levels_gone for count in range(1, len(words))):
            yield "delete", words


@lru_cache(maxsize=LINES_KEPT)
def _part(line: Line) -> str:
    match = _ORDERED.match(f"{_said(line)} ") if line[1][0] in _ORDERED_HEADS else None
    return next((group for group in match.groups() if group), "") if match else ""


def _said(line: Line) -> str:
    """Return a statement without its verb."""
    return " ".join(map(quoted, line[1]))


class JunosAdapter(ConfigurationAdapter):
    """Changes Junos switches."""

    def draft(
        self,
        running: Running,
        artefacts: Sequence[Artefact],
        driver: Driver,  # noqa: ARG002 - its own diff takes the lock of the configuration
    ) -> Draft:
        """Compare the lines of the configuration with those that are wanted."""
        text = next(item for item in artefacts if item.kind == "set").text
        before, intended = read_set(running.config), read_set(text)
        stays: tuple[str, ...] = ()
        conflicts: tuple[str, ...] = ()
        if is_marked(text):
            scope = SCOPE.with_tenants if has_tenants(artefacts) else SCOPE
            after, others, conflicts = merged(before, intended, scope)
            stays = notes((path for path in others if is_owned(("set", path))), " ")
        else:
            is_tenanted = has_tenants(artefacts)
            theirs = set() if is_tenanted else tenants_of_others(before, intended)
            after = compose(before, intended, theirs)
        changes = tuple(_changes(before, after))
        diff = [f"-{change.before}" if change.before else f"+{change.after}" for change in changes]
        candidate = _candidate(before, after) if changes else LinePatch("")
        return Draft(candidate, changes, "\n".join(diff), stays, conflicts)

    def restore(self, before: Running, now: Running) -> LinePatch:
        """Return the lines that restore the earlier configuration."""
        return _candidate(read_set(now.config), read_set(before.config))

    def apart(self, left: Running, right: Running) -> set[str]:
        """Return the statements that only one of two configurations has, or in another order."""
        return {change.path for change in _changes(read_set(left.config), read_set(right.config))}


def _candidate(before: Sequence[Line], after: Sequence[Line]) -> LinePatch:
    lines = [line_text(line) for line in patch(before, after)]
    return LinePatch("\n".join([*lines, ""]) if lines else "")


def _changes(before: Sequence[Line], after: Sequence[Line]) -> list[Change]:
    fresh = _reordered(before, after)
    old, new = dict.fromkeys(before), dict.fromkeys(after)
    gone = [line for line in old if line not in new]
    come = [line for line in new if line not in old]
    moved = {_part(line) for line in (*gone, *come)}
    come += [line for line in new if line in old and _part(line) in fresh - moved]
    changes = []
    for line in gone:
        text = redacted(line_text(line))
        changes.append(Change(_path(text), text, "", statements("junos").risk(_said(line))))
    for line in come:
        text = redacted(line_text(line))
        changes.append(Change(_path(text), "", text, statements("junos").risk(_said(line))))
    return changes


def _path(text: str) -> str:
    """Return a line without ``set``; another verb says what is done to the statement."""
    return text.removeprefix("set ")


adapters.add("junos")(JunosAdapter())
