"""Enterprise SONiC: the lines that differ are sent, and the lines that lead back go along."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from fabric.change.adapter import Draft, adapters
from fabric.change.adapters.esonic.breakouts import (
    cages,
    changed_cages,
    modes,
    without_ports,
)
from fabric.change.adapters.esonic.patch import key_of, patch, steps
from fabric.change.model import Change, Risk
from fabric.core.errors import RefusedError
from fabric.devices.driver import Candidate
from fabric.devices.redaction import redacted
from fabric.platforms.esonic import BUFFER_LINE, LINE_RISK, OWNED_LINES, SELF_MADE
from fabric.platforms.esonic.lines import Node, read

if TYPE_CHECKING:
    from collections.abc import Sequence

    from fabric.change.adapters.esonic.patch import Step
    from fabric.core.artefact import Artefact
    from fabric.devices.driver import Driver
    from fabric.observe.snapshot import Running

_OWNED = re.compile("|".join(OWNED_LINES))
_PORT = re.compile(r"interface Ethernet\d+")
_SELF_MADE = re.compile("|".join(SELF_MADE))


def is_owned(line: str) -> bool:
    """Tell whether rocefab writes a top-level line and what stands below it."""
    return bool(_OWNED.fullmatch(line))


def compose(running: Node, intended: Node) -> Node:
    """Return the whole configuration that is wanted.

    What is not ours is kept as it runs: accounts, management access, static routes, ports that the
    design does not know, and in our sections what the switch writes by itself.
    """
    wanted = Node()
    ours, there = set(cages(intended).values()), modes(running)
    foreign = {line for cage, line in there.items() if cage not in ours}
    anew = changed_cages(running, intended) & ours
    running = without_ports(running, anew)
    for line, child in running.children.items():
        kept = not is_owned(line) or _PORT.fullmatch(line) or line in foreign
        if line not in intended.children and kept:
            wanted.children[line] = child
    for line, child in intended.children.items():
        wanted.children[line] = _beside(running.children.get(line, Node()), child)
    return wanted


def _beside(running: Node, intended: Node) -> Node:
    keys = {key_of(line) for line in intended.children}
    made = Node()
    for line, child in intended.children.items():
        made.children[line] = _beside(running.children.get(line, Node()), child)
    for line in running.children:
        if _SELF_MADE.fullmatch(line) and key_of(line) not in keys:
            made.children[line] = Node()
    return made


def line_risk(line: str) -> Risk:
    """Return what a changed line does to traffic, by its first words."""
    for risk, beginnings in LINE_RISK:
        if line.startswith(beginnings) or line.removeprefix("no ").startswith(beginnings):
            return Risk.from_word(risk)
    return Risk.BRIEF_LOSS


class EsonicAdapter:
    """Changes switches that run Enterprise SONiC."""

    def files(self, artefacts: Sequence[Artefact]) -> list[str]:  # noqa: ARG002
        """Enterprise SONiC has no files of ours."""
        return []

    def subjects(self, artefacts: Sequence[Artefact]) -> list[str]:  # noqa: ARG002
        """Return nothing: the configuration says it all."""
        return []

    def draft(self, running: Running, artefacts: Sequence[Artefact], driver: Driver) -> Draft:  # noqa: ARG002
        """Compare line by line; the system cannot try lines without running them.

        Raises
        ------
        RefusedError
            When the lossless buffers are not there yet: the line that makes them restarts the
            switch, and no timer would outlive that.
        """
        intended = read(
            next(item for item in artefacts if item.kind == "running-configuration").text
        )
        now = read(running.config)
        if BUFFER_LINE in intended.children and BUFFER_LINE not in now.children:
            message = (
                f"it has no lossless buffers yet; give it {BUFFER_LINE!r} by hand, which restarts "
                "the switch, then plan again"
            )
            raise RefusedError(running.device, message)
        wanted = compose(now, intended)
        found = list(steps(now, wanted))
        return Draft(_candidate(now, wanted), tuple(map(_change, found)), redacted(_diff(found)))

    def restore(self, before: Running, now: Running) -> Candidate:
        """Return the lines that bring the earlier configuration back, ours and others'."""
        return _candidate(read(now.config), read(before.config))

    def apart(self, left: Running, right: Running) -> set[str]:
        """Return the lines that only one of two configurations has."""
        first, second = (set(read(item.config).lines()) for item in (left, right))
        return {redacted(": ".join(path)) for path in first ^ second}


def _candidate(now: Node, wanted: Node) -> Candidate:
    there, back = ("\n".join([*patch(*pair), ""]) for pair in ((now, wanted), (wanted, now)))
    return Candidate(method="merge", patch=there, unload=back)


def _change(step: Step) -> Change:
    line = redacted(step.path[-1])
    before, after = ("", line) if step.adds else (line, "")
    return Change(redacted(": ".join(step.path)), before, after, line_risk(step.path[-1]))


def _diff(found: list[Step]) -> str:
    lines: list[str] = []
    shown: tuple[str, ...] = ()
    for step in found:
        *above, line = step.path
        for depth, section in enumerate(above):
            if shown[: depth + 1] != step.path[: depth + 1]:
                lines.append(f" {' ' * depth}{section}")
        lines.append(f"{'+' if step.adds else '-'}{' ' * len(above)}{line}")
        shown = step.path
    return "\n".join([*lines, ""]) if lines else ""


adapters.add("esonic")(EsonicAdapter())
