"""NX-OS: the lines that differ are sent; a checkpoint is the way back."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from fabric.change.adapter import adapters
from fabric.change.lines import LineAdapter, risk_of
from fabric.core.lines import Node
from fabric.devices.driver import Candidate
from fabric.systems.nxos.adapters.patch import patch, steps
from fabric.systems.nxos.adapters.tree import PORT, tree
from fabric.systems.nxos.platforms import KEPT_FEATURES, LINE_RISK, OWNED_LINES

if TYPE_CHECKING:
    from fabric.change.model import Risk

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
    return risk_of(line, LINE_RISK, "no ")


def _candidate(now: Node, wanted: Node) -> Candidate:
    return Candidate(method="merge", patch="\n".join([*patch(now, wanted), ""]))


adapters.add("nxos")(
    LineAdapter(
        read=tree,
        compose=compose,
        steps=steps,
        candidate=_candidate,
        risk=line_risk,
    )
)
