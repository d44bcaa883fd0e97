"""Switches whose configuration is lines below lines: what differs, and how it is changed."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

from fabric.change.adapter import Draft
from fabric.change.model import Change, Risk
from fabric.devices.redaction import redacted

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from fabric.core.artefact import Artefact
    from fabric.core.lines import Node, Path
    from fabric.devices.driver import Candidate, Driver
    from fabric.observe.snapshot import Running


@dataclass(frozen=True, slots=True)
class Step:
    """One line that comes or goes."""

    path: Path
    adds: bool


#: What holds in a section although it is not printed, by the whole tree, the first line of the
#: section (empty for the top level) and the lines that are printed in it.
Implied: TypeAlias = "Callable[[Node, str, dict[str, Node]], set[str]]"


def steps(now: Node, wanted: Node, implied: Implied) -> list[Step]:
    """Return what differs: lines that go and lines that come.

    What holds without being printed neither comes nor goes.
    """

    def apart(here: Node, there: Node, path: Path) -> Iterator[Step]:
        section = path[-1] if path else ""
        silent = implied(now, section, here.children)
        silent_then = implied(wanted, section, there.children)
        for line, child in here.children.items():
            if line in there.children:
                yield from apart(child, there.children[line], (*path, line))
            elif line not in silent_then:
                yield Step((*path, line), adds=False)
                yield from (Step(inner, adds=False) for inner in child.lines((*path, line)))
        for line, child in there.children.items():
            if line not in here.children and line not in silent:
                yield Step((*path, line), adds=True)
                yield from (Step(inner, adds=True) for inner in child.lines((*path, line)))

    return list(apart(now, wanted, ()))


def difference(found: Sequence[Step], indent: str = "  ") -> str:
    """Return steps for reading, with the sections that they stand in."""
    lines: list[str] = []
    shown: Path = ()
    for step in found:
        *above, line = step.path
        for depth, section in enumerate(above):
            if shown[: depth + 1] != step.path[: depth + 1]:
                lines.append(f" {indent * depth}{section}")
        lines.append(f"{'+' if step.adds else '-'}{indent * len(above)}{line}")
        shown = step.path
    return "\n".join([*lines, ""]) if lines else ""


#: Risk in words, and beginnings of lines that have it; the first match counts.
Risks: TypeAlias = "tuple[tuple[str, tuple[str, ...]], ...]"


def risk_of(line: str, risks: Risks, undo: str) -> Risk:
    """Return what a changed line does to traffic, by its first words.

    Parameters
    ----------
    line : str
        The line, with or without the word that takes it away.
    risks : tuple
        Risk by beginnings of lines; what is not there means a brief loss.
    undo : str
        That word, and a blank.
    """
    for risk, beginnings in risks:
        if line.startswith(beginnings) or line.removeprefix(undo).startswith(beginnings):
            return Risk.from_word(risk)
    return Risk.BRIEF_LOSS


@dataclass(frozen=True)
class LineAdapter:
    """Changes switches of a system whose configuration is lines below lines.

    Parameters
    ----------
    read : callable
        From a text to its tree.
    compose : callable
        From what runs and what is rendered to the whole configuration that is wanted.
    steps : callable
        From what runs and what is wanted to the lines that go and come.
    candidate : callable
        From both to what is sent.
    risk : callable
        From a line to what its change does.
    kind : str
        Kind of the artefact that holds the configuration.
    indent : str
        How sections are indented.
    head : str
        First line of each difference that is shown.
    refuse : callable or None
        Raises what stands in the way of a change; gets the name of the device, what runs, and what
        is rendered.
    """

    read: Callable[[str], Node]
    compose: Callable[[Node, Node], Node]
    steps: Callable[[Node, Node], Sequence[Step]]
    candidate: Callable[[Node, Node], Candidate]
    risk: Callable[[str], Risk]
    kind: str = "running-config"
    indent: str = "  "
    head: str = ""
    refuse: Callable[[str, Node, Node], None] | None = None

    def files(self, artefacts: Sequence[Artefact]) -> list[str]:  # noqa: ARG002
        """Return nothing: there are no files of ours."""
        return []

    def subjects(self, artefacts: Sequence[Artefact]) -> list[str]:  # noqa: ARG002
        """Return nothing: the configuration says it all."""
        return []

    def draft(self, running: Running, artefacts: Sequence[Artefact], driver: Driver) -> Draft:  # noqa: ARG002
        """Compare line by line: none of these systems can try lines without running them."""
        intended = self.read(next(item for item in artefacts if item.kind == self.kind).text)
        now = self.read(running.config)
        if self.refuse:
            self.refuse(running.device, now, intended)
        wanted = self.compose(now, intended)
        found = self.steps(now, wanted)
        shown = redacted(difference(found, self.indent))
        return Draft(
            self.candidate(now, wanted),
            tuple(map(self._change, found)),
            f"{self.head}{shown}" if shown else "",
        )

    def restore(self, before: Running, now: Running) -> Candidate:
        """Return the lines that bring the earlier configuration back, ours and others'."""
        return self.candidate(self.read(now.config), self.read(before.config))

    def apart(self, left: Running, right: Running) -> set[str]:
        """Return the lines that only one of two configurations has."""
        first, second = (set(self.read(item.config).lines()) for item in (left, right))
        return {redacted(": ".join(path)) for path in first ^ second}

    def _change(self, step: Step) -> Change:
        line = redacted(step.path[-1])
        before, after = ("", line) if step.adds else (line, "")
        return Change(redacted(": ".join(step.path)), before, after, self.risk(step.path[-1]))
