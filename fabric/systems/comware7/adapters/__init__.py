"""H3C Comware 7: the lines that differ are sent; a saved file is the way back. Experimental."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from fabric.change.adapter import adapters
from fabric.change.lines import LineAdapter, risk_of
from fabric.core.lines import Node
from fabric.devices.driver import Candidate
from fabric.systems.comware7.adapters.patch import key_of, patch, steps
from fabric.systems.comware7.platforms import (
    DEFAULTS,
    EXPERIMENTAL,
    KEPT_ON_PORTS,
    KEPT_SERVICES,
    LINE_RISK,
    OWNED_LINES,
    PORT,
    SERVER,
)
from fabric.systems.comware7.platforms.text import tree

if TYPE_CHECKING:
    from fabric.change.model import Risk

_OWNED = re.compile(rf"(?:undo )?(?:{'|'.join(OWNED_LINES)})")
_SERVICE = re.compile(KEPT_SERVICES)
_PORT = re.compile(PORT)
_KEPT_ON_PORTS = re.compile("|".join(KEPT_ON_PORTS))
_DEFAULT = re.compile("|".join(DEFAULTS))
_SERVER = re.compile(SERVER)


def is_owned(line: str) -> bool:
    """Tell whether rocefab writes a top-level line and what stands below it."""
    return bool(_OWNED.fullmatch(line))


def compose(running: Node, intended: Node) -> Node:
    """Return the whole configuration that is wanted.

    What is not ours is kept as it runs: accounts, management access, static routes, ports that the
    design does not know, and on the ports that it knows what rocefab cannot render. Lines that say
    what holds by default are wanted only where something else is printed.
    """
    wanted = Node()
    servers = {_server(line): line for line in running.children}
    for line, child in running.children.items():
        known = line in intended.children
        kept = not is_owned(line) or _SERVICE.fullmatch(line) or _PORT.fullmatch(line)
        if not known and kept:
            wanted.children[line] = child
    for line, child in intended.children.items():
        here = servers.get(_server(line), line) if _SERVER.fullmatch(line) else line
        wanted.children[here] = _merged(line, running.children.get(line, Node()), child)
    return _without_defaults(wanted, running)


def _server(line: str) -> tuple[str, str]:
    found = _SERVER.fullmatch(line)
    return (found[1], found[2]) if found else ("", "")


def _merged(section: str, running: Node, intended: Node) -> Node:
    """Return a section of ours with what of it is kept."""
    wanted = intended.copy()
    if _PORT.fullmatch(section):
        keys = {key_of(line) for line in intended.children}
        for line, child in running.children.items():
            if _KEPT_ON_PORTS.fullmatch(line) and key_of(line) not in keys:
                wanted.children[line] = child
    return wanted


def _without_defaults(wanted: Node, running: Node) -> Node:
    told = {key_of(line) for line in running.children}
    return Node({
        line: _without_defaults(child, running.children.get(line, Node()))
        for line, child in wanted.children.items()
        if not _DEFAULT.fullmatch(line) or key_of(line) in told
    })


def line_risk(line: str) -> Risk:
    """Return what a changed line does to traffic, by its first words."""
    return risk_of(line, LINE_RISK, "undo ")


def _candidate(now: Node, wanted: Node) -> Candidate:
    return Candidate(method="merge", patch="\n".join([*patch(now, wanted), ""]))


adapters.add("comware7")(
    LineAdapter(
        read=tree,
        compose=compose,
        steps=steps,
        candidate=_candidate,
        risk=line_risk,
        indent=" ",
        head=f"# {EXPERIMENTAL}\n",
    )
)
