"""NX-OS: the lines that differ are sent; a checkpoint is the way back."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from fabric.change.adapter import Draft, adapters
from fabric.change.adapters.nxos.patch import patch, steps
from fabric.change.adapters.nxos.tree import PORT, tree
from fabric.change.lines import Node, difference
from fabric.change.model import Change, Risk
from fabric.devices.driver import Candidate
from fabric.devices.redaction import redacted
from fabric.platforms.nxos import KEPT_FEATURES, LINE_RISK, OWNED_LINES

if TYPE_CHECKING:
    from collections.abc import Sequence

    from fabric.change.lines import Step
    from fabric.core.artefact import Artefact
    from fabric.devices.driver import Driver
    from fabric.observe.snapshot import Running

_OWNED = re.compile(rf"(?:no )?(?:{'|'.join(OWNED_LINES)})")
_FEATURE = re.compile(KEPT_FEATURES)


def is_owned(line: str) -> bool:
    """Tell whether rocefab writes a top-level line and what stands below it."""
    return bool(_OWNED.fullmatch(line))


def compose(running: Node, intended: Node) -> Node:
    """Return the whole configuration that is wanted.

    What is not ours is kept as it runs: accounts, management access, static routes, features that
    are on, and ports that the design does not know.
    """
    wanted = Node()
    for line, child in running.children.items():
        known = line in intended.children
        if not known and (not is_owned(line) or _FEATURE.fullmatch(line) or PORT.fullmatch(line)):
            wanted.children[line] = child
    wanted.children |= intended.children
    return wanted


def line_risk(line: str) -> Risk:
    """Return what a changed line does to traffic, by its first words."""
    for risk, beginnings in LINE_RISK:
        if line.startswith(beginnings) or line.removeprefix("no ").startswith(beginnings):
            return Risk.from_word(risk)
    return Risk.BRIEF_LOSS


class NxosAdapter:
    """Changes NX-OS switches."""

    def files(self, artefacts: Sequence[Artefact]) -> list[str]:  # noqa: ARG002
        """NX-OS has no files of ours."""
        return []

    def subjects(self, artefacts: Sequence[Artefact]) -> list[str]:  # noqa: ARG002
        """Return nothing: the configuration says it all."""
        return []

    def draft(self, running: Running, artefacts: Sequence[Artefact], driver: Driver) -> Draft:  # noqa: ARG002
        """Compare line by line; NX-OS cannot try lines without running them."""
        intended = next(item for item in artefacts if item.kind == "running-config").text
        now = tree(running.config)
        wanted = compose(now, tree(intended))
        found = steps(now, wanted)
        return Draft(
            _candidate(now, wanted), tuple(map(_change, found)), redacted(difference(found))
        )

    def restore(self, before: Running, now: Running) -> Candidate:
        """Return the lines that bring the earlier configuration back, ours and others'."""
        return _candidate(tree(now.config), tree(before.config))

    def apart(self, left: Running, right: Running) -> set[str]:
        """Return the lines that only one of two configurations has."""
        first, second = (set(tree(item.config).lines()) for item in (left, right))
        return {redacted(": ".join(path)) for path in first ^ second}


def _candidate(now: Node, wanted: Node) -> Candidate:
    return Candidate(method="merge", patch="\n".join([*patch(now, wanted), ""]))


def _change(step: Step) -> Change:
    line = redacted(step.path[-1])
    before, after = ("", line) if step.adds else (line, "")
    return Change(redacted(": ".join(step.path)), before, after, line_risk(step.path[-1]))


adapters.add("nxos")(NxosAdapter())
