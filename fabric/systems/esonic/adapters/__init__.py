"""Enterprise SONiC: the lines that differ are sent, and the lines that lead back go along."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from fabric.change.adapter import adapters
from fabric.change.lines import LineAdapter, risk_of
from fabric.core.errors import RefusedError
from fabric.core.lines import Node
from fabric.devices.driver import Candidate
from fabric.systems.esonic.adapters.breakouts import (
    cages,
    changed_cages,
    modes,
    without_ports,
)
from fabric.systems.esonic.adapters.patch import key_of, patch, steps
from fabric.systems.esonic.platforms import BUFFER_LINE, LINE_RISK, OWNED_LINES, SELF_MADE
from fabric.systems.esonic.platforms.lines import read

if TYPE_CHECKING:
    from fabric.change.model import Risk

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
    return risk_of(line, LINE_RISK, "no ")


def _candidate(now: Node, wanted: Node) -> Candidate:
    there, back = ("\n".join([*patch(*pair), ""]) for pair in ((now, wanted), (wanted, now)))
    return Candidate(method="merge", patch=there, unload=back)


def _refuse(device: str, now: Node, intended: Node) -> None:
    """Refuse a switch without lossless buffers: the line that makes them restarts it.

    No timer would outlive that.
    """
    if BUFFER_LINE in intended.children and BUFFER_LINE not in now.children:
        message = (
            f"it has no lossless buffers yet; give it {BUFFER_LINE!r} by hand, which restarts the "
            "switch, then plan again"
        )
        raise RefusedError(device, message)


adapters.add("esonic")(
    LineAdapter(
        read=read,
        compose=compose,
        steps=steps,
        candidate=_candidate,
        risk=line_risk,
        kind="running-configuration",
        indent=" ",
        refuse=_refuse,
    )
)
