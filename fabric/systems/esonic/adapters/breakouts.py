"""Cages that are broken out: a changed mode makes the ports of its cage anew.

Known: ``interface breakout port 1/N mode 4x100G`` and its ``no`` (sonic-net/sonic-mgmt @ b4ba9de3
spytest/apis/system/port.py); native names are those of the first lane, so that the first part has
the name of the whole port (SONiC). Every port of the hardware is shown, in the order of its lanes.
Assumed: what stood on the ports of a cage is gone after its mode changed.
"""

from __future__ import annotations

import re

from fabric.core.lines import LineTree

MODE = re.compile(r"interface breakout port 1/(\d+) mode (\d+)x\S+")
_PORT = re.compile(r"interface Ethernet(\d+)")


def modes(root: LineTree) -> dict[int, str]:
    """Return the line of each cage that is broken out."""
    return {int(mode[1]): line for line in root.children if (mode := MODE.fullmatch(line))}


def cages(root: LineTree) -> dict[str, int]:
    """Return the cage of each section of a port; ports are counted over the cages in order."""
    names = sorted(
        (line for line in root.children if _PORT.fullmatch(line)),
        key=lambda line: int(line.removeprefix("interface Ethernet")),
    )
    broken_out, cage_of, cage = modes(root), {}, 0
    while names:
        cage += 1
        mode = MODE.fullmatch(broken_out.get(cage, ""))
        parts = int(mode[2]) if mode else 1
        cage_of.update(dict.fromkeys(names[:parts], cage))
        names = names[parts:]
    return cage_of


def changed_cages(now: LineTree, target: LineTree) -> set[int]:
    """Return the cages that are broken out in another way, or no longer, or not yet."""
    return {cage for cage, _ in modes(now).items() ^ modes(target).items()}


def without_ports(root: LineTree, changed: set[int]) -> LineTree:
    """Return a configuration without the ports of some cages."""
    known = cages(root) if changed else {}
    return LineTree({
        line: child for line, child in root.children.items() if known.get(line) not in changed
    })


def without_new_ports(now: LineTree, target: LineTree) -> LineTree:
    """Return what is left of a configuration once the cages are as in another one."""
    return without_ports(now, changed_cages(now, target))
