"""The configuration as a tree of lines, and what a line means that a switch does not print.

Known: NX-OS prints only what differs from its defaults; routed ports print ``no shutdown``; one
``vlan 1,101-104`` line lists the VLANs, and those with settings have a section too.
Assumed: what `system default switchport` says is printed when it was ever set; a port whose layer
nothing tells is asked for it again, which changes nothing.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from fabric.core.lines import Node
from fabric.systems.nxos.parsers.text import blocks
from fabric.systems.nxos.platforms import DEFAULT_HASH

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

#: First words of lines of which a section has one: a new one takes the place of the old one.
_SINGLE = (
    "hostname",
    "mac address-table aging-time",
    "ip load-sharing address",
    "name",
    "description",
    "mtu",
    "speed",
    "fec",
    "switchport access vlan",
    "spanning-tree port type",
    "priority-flow-control mode",
    "priority-flow-control watch-dog-interval",
    "ip arp timeout",
    "bfd interval",
    "set qos-group",
    "bandwidth remaining percent",
    "random-detect",
    "pause buffer-size",
    "service-policy type queuing input",
    "router-id",
    "maximum-paths",
    "remote-as",
    "timers",
)
_KEY = re.compile(rf"(?:{'|'.join(_SINGLE)})(?= )")
#: Lines that are so when nothing is printed (YangModels/yang Cisco NX-OS 9.3(2)).
_DEFAULTS = (
    *("ip arp timeout 1500", "mac address-table aging-time 1800", "maximum-paths 1"),
    DEFAULT_HASH,
)
#: A server is told where it is; through which VRF and how loud stays as it is found.
_SERVER = re.compile(r"((?:ntp|logging) server \S+)(?: .*)?")
_VLANS = re.compile(r"vlan ([\d,-]+)")
PORT = re.compile(r"interface Ethernet\S+")


def tree(text: str) -> Node:
    """Return the tree of a configuration; banners and jobs are single lines with breaks."""
    root = Node()
    for block in blocks(text):
        vlans = _VLANS.fullmatch(block[0])
        if block[0].startswith(("banner ", "scheduler job ")):
            root.children["\n".join(block)] = Node()
        elif vlans and len(block) == 1:
            for number in _numbers(vlans[1]):
                root.children.setdefault(f"vlan {number}", Node())
        else:
            root.merge(_section(block))
    return root


def _section(block: list[str]) -> Node:
    root = Node()
    open_nodes = [(-1, root)]
    for line in block:
        depth = len(line) - len(line.lstrip(" "))
        while open_nodes[-1][0] >= depth:
            open_nodes.pop()
        server = _SERVER.fullmatch(line)
        child = open_nodes[-1][1].children.setdefault(server[1] if server else line.strip(), Node())
        open_nodes.append((depth, child))
    return root


def _numbers(text: str) -> Iterator[int]:
    for part in text.split(","):
        first, _, last = part.partition("-")
        yield from range(int(first), int(last or first) + 1)


def key_of(line: str) -> str:
    """Return what a line says something about: two lines with one key cannot stand together."""
    positive = line.removeprefix("no ")
    if positive in {"shutdown", "switchport", "ip redirects"}:
        return positive
    single = _KEY.match(line)
    return single[0] if single else line


def down_by_default(root: Node) -> bool:
    """Tell whether ports are shut down when nothing is printed."""
    return "system default switchport shutdown" in root.children


def implied(root: Node, section: str, lines: Iterable[str]) -> set[str]:
    """Return lines that hold in a section although they are not printed.

    Parameters
    ----------
    root : Node
        The whole configuration.
    section : str
        First line of the section; empty for the top level.
    lines : iterable of str
        What is printed in it.
    """
    printed = set(lines)
    keys = {key_of(line) for line in printed}
    found = {line for line in _DEFAULTS if key_of(line) not in keys}
    if not PORT.fullmatch(section):
        return found
    if "shutdown" not in keys:
        found.add("shutdown" if down_by_default(root) else "no shutdown")
    if "switchport" not in keys:
        found |= _layer(root, printed)
    return found


def _layer(root: Node, printed: set[str]) -> set[str]:
    if any(line.startswith("switchport ") for line in printed):
        return {"switchport"}
    if any(line.startswith("ip address ") for line in printed):
        return {"no switchport"}
    for line in ("switchport", "no switchport"):
        if f"{line.removesuffix('switchport')}system default switchport" in root.children:
            return {line}
    return set()
