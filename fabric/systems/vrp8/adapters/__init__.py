"""VRP8: the lines that differ go into the candidate; a trial run is the way back."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from fabric.change.adapter import adapters
from fabric.change.lines import LineAdapter, risk_of
from fabric.core.lines import Node
from fabric.devices.driver import Candidate
from fabric.systems.vrp8.adapters.patch import patch, steps
from fabric.systems.vrp8.adapters.split import cage_of, changed_cages, is_split
from fabric.systems.vrp8.adapters.tree import PORT, tree
from fabric.systems.vrp8.platforms import BALANCING, KEPT_SWITCHES, LINE_RISK, OWNED_LINES

if TYPE_CHECKING:
    from fabric.change.model import Risk

_OWNED = re.compile("|".join(OWNED_LINES))
_SWITCH = re.compile(KEPT_SWITCHES)
_SERVER = re.compile(r"(?:ntp unicast-server|info-center loghost) [\d.]+")
_VLAN_VIEW = re.compile(r"vlan (\d+)")


def is_owned(line: str) -> bool:
    """Tell whether rocefab writes a top-level line and what stands below it."""
    return bool(_OWNED.fullmatch(line))


def compose(running: Node, intended: Node) -> Node:
    """Return the whole configuration that is wanted.

    What is not ours is kept as it runs: accounts, management access, static routes, what is
    switched on, and ports that the design does not know, with their splits. How a server is reached
    is kept too.
    """
    wanted = Node()
    ours = {cage_of(line) for line in intended.children}
    for line, child in running.children.items():
        known = line in intended.children
        foreign = not is_owned(line) or (is_split(line) and cage_of(line) not in ours)
        if not known and (foreign or _SWITCH.fullmatch(line) or PORT.fullmatch(line)):
            wanted.children[line] = child
    servers = {
        found[0]: line for line in running.children if (found := _SERVER.match(line)) is not None
    }
    for line, child in intended.children.items():
        wanted.children[servers.get(line, line)] = child
    hashing = _hashing(running)
    if hashing.children:
        wanted.children.setdefault(BALANCING, Node()).merge(hashing)
    for line in list(wanted.children):
        vlan = _VLAN_VIEW.fullmatch(line)
        if vlan and vlan[1] != "1" and f"vlan batch {vlan[1]}" not in wanted.children:
            del wanted.children[line]
    anew = changed_cages(running, wanted)
    return Node({
        line: child
        for line, child in wanted.children.items()
        if is_split(line) or cage_of(line) not in anew or line in intended.children
    })


def _hashing(running: Node) -> Node:
    """Return what is said of the hash of ECMP: keys and seeds, which are not ours."""
    section = running.children.get(BALANCING, Node())
    return Node({
        line: child for line, child in section.children.items() if not line.startswith("ecmp mode ")
    })


def line_risk(line: str) -> Risk:
    """Return what a changed line does to traffic, by its first words."""
    return risk_of(line, LINE_RISK, "undo ")


def _candidate(now: Node, wanted: Node) -> Candidate:
    return Candidate(method="merge", patch="\n".join([*patch(now, wanted), ""]))


adapters.add("vrp8")(
    LineAdapter(
        read=tree,
        compose=compose,
        steps=steps,
        candidate=_candidate,
        risk=line_risk,
    )
)
