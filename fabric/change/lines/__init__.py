"""Switches whose configuration is lines below lines: one engine, a grammar for each system."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from fabric.change.adapter import ConfigurationAdapter, Draft
from fabric.change.lines.patch import patch
from fabric.change.lines.steps import Step, difference, steps
from fabric.change.model import Change
from fabric.change.scope import notes
from fabric.devices.candidate import LinePatch
from fabric.devices.redaction import redacted
from fabric.render.scope import has_tenants, is_marked

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from fabric.change.lines.grammar import Grammar
    from fabric.change.scope import Scope
    from fabric.change.tenants import TenantLines
    from fabric.core.artefact import Artefact
    from fabric.core.lines import LineTree
    from fabric.devices.driver import Driver
    from fabric.observe.snapshot import Running


@dataclass(frozen=True, kw_only=True)
class LineAdapter(ConfigurationAdapter):
    """Changes switches of a system whose configuration is lines below lines.

    Parameters
    ----------
    grammar : Grammar
        What the system does with lines.
    read : callable
        From a text to its tree.
    composer : callable or None
        From what runs and what is rendered to the whole configuration that is intended; None means
        that of the grammar.
    with_rollback : bool
        Whether the lines of the rollback travel along.
    kind : str
        Kind of the artefact that holds the configuration.
    diff_indent : str
        How sections are indented in a difference that is shown.
    head : str
        First line of each such difference.
    refuse : callable or None
        Raises what stands in the way of a change; gets the name of the device, what runs, and what
        is rendered.
    scope : Scope or None
        Whose a line is, where lines of others stay in sections of ours.
    tenants : TenantLines or None
        What is ours in a fabric with tenants alone; None where the system has none.
    """

    grammar: Grammar
    read: Callable[[str], LineTree]
    composer: Callable[[LineTree, LineTree], LineTree] | None = None
    with_rollback: bool = False
    kind: str = "running-config"
    diff_indent: str = "  "
    head: str = ""
    refuse: Callable[[str, LineTree, LineTree], None] | None = None
    scope: Scope | None = None
    tenants: TenantLines | None = None

    def compose(self, running: LineTree, intended: LineTree) -> LineTree:
        """Return the whole configuration that is intended."""
        return (self.composer or self.grammar.compose)(running, intended)

    def patch(self, now: LineTree, target: LineTree) -> list[str]:
        """Return the lines to send, indented as the configuration is."""
        return patch(self.grammar, now, target)

    def steps(self, now: LineTree, target: LineTree) -> list[Step]:
        """Return the lines that are removed and added."""
        return steps(self.grammar, now, target)

    def draft(self, running: Running, artefacts: Sequence[Artefact], driver: Driver) -> Draft:  # noqa: ARG002
        """Compare line by line: none of these systems can try lines without running them."""
        text = next(item for item in artefacts if item.kind == self.kind).text
        intended, now = self.read(text), self.read(running.config)
        if self.refuse:
            self.refuse(running.device, now, intended)
        stays: tuple[str, ...] = ()
        conflicts: tuple[str, ...] = ()
        if self.scope and is_marked(text):
            scope = self.scope.with_tenants if has_tenants(artefacts) else self.scope
            conflicts = scope.conflicts(now, intended)
            intended, others = scope.merged(now, intended)
            stays = notes(others)
        elif self.tenants and not has_tenants(artefacts):
            intended = self.tenants.with_others(now, intended)
        target = self.compose(now, intended)
        changes = self.steps(now, target)
        shown = redacted(difference(changes, self.diff_indent))
        return Draft(
            self._candidate(now, target) if changes else LinePatch(""),
            tuple(map(self._change, changes)),
            f"{self.head}{shown}" if shown else "",
            stays,
            conflicts,
        )

    def restore(self, before: Running, now: Running) -> LinePatch:
        """Return the lines that restore the earlier configuration, ours and others'."""
        return self._candidate(self.read(now.config), self.read(before.config))

    def apart(self, left: Running, right: Running) -> set[str]:
        """Return the lines that only one of two configurations has.

        One that holds in the other without being printed there counts where nothing else differs.
        """
        first, second = (self.read(item.config) for item in (left, right))
        paths = {step.path for step in self.steps(first, second)}
        paths = paths or set(first.lines()) ^ set(second.lines())
        return {redacted(": ".join(path)) for path in paths}

    def _candidate(self, now: LineTree, target: LineTree) -> LinePatch:
        lines = "\n".join([*self.patch(now, target), ""])
        rollback = "\n".join([*self.patch(target, now), ""]) if self.with_rollback else ""
        return LinePatch(lines, rollback)

    def _change(self, step: Step) -> Change:
        line = redacted(step.path[-1])
        before, after = ("", line) if step.adds else (line, "")
        return Change(
            redacted(": ".join(step.path)), before, after, self.grammar.risk_of(step.path[-1])
        )
