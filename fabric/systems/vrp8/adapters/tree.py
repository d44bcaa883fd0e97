"""The configuration as a tree of lines, what takes a line away, and what holds without a line.

Known (CloudEngine V300R023C00 command reference, WheaterW/INTA-project @ 9308062d): the forms of
``undo``; defaults are not printed; a view has one line of a kind, and a new one takes its place;
``undo peer`` takes all that was said about it; one ``vlan batch`` line lists the VLANs.
Assumed: mappings of DSCP that were set are printed, even when they are those of the system.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING

from fabric.core.lines import Node
from fabric.systems.vrp8.adapters.split import one_by_one
from fabric.systems.vrp8.parsers.text import blocks
from fabric.systems.vrp8.platforms import BALANCING

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

#: A line by its words, and what ``undo`` takes of it. The groups of the pattern are what the line
#: is about: two lines with the same ones cannot stand together.
_FORMS = tuple(
    (re.compile(pattern), undo)
    for pattern, undo in (
        (r"(sysname) .*", r"undo \1"),
        (r"(port split dimension interface \S+) split-type .*", r"undo \1"),
        (r"(ecmp mode) .*", r"undo \g<0>"),
        (r"(arp timeout) .*", r"undo \1"),
        (r"(mac-address aging-time) .*", r"undo \1"),
        (r"(qos buffer headroom-pool) size \d+ \w+ (slot \d+)", r"undo \1 \2"),
        (r"(dcb pfc deadlock-(?:detect|recovery)) timer .*", r"undo \1"),
        (r"(dcb pfc deadlock-detect interval) .*", r"undo \1"),
        (r"(dcb pfc deadlock) recovery-behavior \w+ slot (\d+)", r"undo \g<0>"),
        (r"(priority \d deadlock-(?:detect|recovery)) .*", r"undo \1"),
        (r"(ip-dscp-inbound \d+) .*", r"undo \1"),
        (r"(ecn) .*", r"undo \1"),
        (r"(description) .*", r"undo \1"),
        (r"(mtu) .*", r"undo \1"),
        (r"(jumboframe enable) .*", r"undo \1"),
        (r"(ip address) [\d.]+ [\d.]+", r"undo \g<0>"),
        (r"(fec mode) .*", r"undo \g<0>"),
        (r"(port link-type) .*", r"undo \1"),
        (r"(port default vlan) .*", r"undo \1"),
        (r"(stp edged-port) .*", r"undo \1"),
        (r"(trust) (?:dscp|8021p .*)", r"undo \1"),
        (r"(trust upstream) .*", r"undo \1"),
        (r"(qos queue \d) (drr) weight .*", r"undo \1 \2 weight"),
        (r"(qos queue \d) (wred) .*", r"undo \1 \2"),
        (r"(qos queue \d) (shaping) .*", r"undo \1 \2"),
        (r"(router-id) .*", r"undo \1"),
        (r"(peer [\d.]+) as-number .*", r"undo \1"),
        (r"(peer [\d.]+) (description) .*", r"undo \1 \2"),
        (r"(peer [\d.]+) (timer) keepalive .*", r"undo \1 timer keepalive hold"),
        (
            r"(peer [\d.]+ bfd) min-tx-interval .*",
            r"undo \1 min-tx-interval min-rx-interval detect-multiplier",
        ),
        (r"(peer [\d.]+) (bfd enable).*", r"undo \1 \2"),
        (r"(maximum load-balancing(?: [ei]bgp)?) \d+.*", r"undo \1"),
        (
            r"(ntp unicast-server [\d.]+).*?( vpn-instance \S+)?(?: .*)?",
            r"undo \1\2",
        ),
        (r"(info-center loghost [\d.]+).*?( vpn-instance \S+)?(?: .*)?", r"undo \1\2"),
    )
)
#: Replacing one of these takes the old one away first: a second line is added to it or refused.
_TAKEN_AWAY_FIRST = re.compile(r"(?:peer [\d.]+ as-number|fec mode) .*")
#: The mode of the models that can balance by load, when nothing is said (ecmp mode).
_BY_FLOWLETS = re.compile(r"ecmp mode eligible(?: flowlet-gap-time 2000)?")
_VLANS = re.compile(r"vlan batch (.+)")
PORT = re.compile(r"interface \d+GE\S+")
_ANY_PEER = re.compile(r"peer (\S+) as-number ")
#: Lines that are so when nothing is printed, whatever the section.
_DEFAULTS = {
    "": (
        "arp timeout 1200",
        "mac-address aging-time 300",
        "dcb pfc deadlock-detect timer 100",
        "dcb pfc deadlock-recovery timer 100",
        "dcb pfc deadlock-detect interval 10",
    ),
    "ipv4-family unicast": ("maximum load-balancing ebgp 1", "maximum load-balancing 1"),
}
_PORT_DEFAULTS = ("port link-type access", "jumboframe enable 9216", "mtu 1500")
_VLANIF_DEFAULTS = ("mtu 1500",)
_DEADLOCK = re.compile(r"priority (\d)")


def tree(text: str) -> Node:
    """Return the tree of a configuration; header texts are single lines with breaks."""
    root = Node()
    for block in blocks(text):
        vlans = _VLANS.fullmatch(block[0])
        if block[0].startswith("header "):
            root.children["\n".join(block)] = Node()
        elif vlans:
            for number in _numbers(vlans[1]):
                root.children.setdefault(f"vlan batch {number}", Node())
        elif block[0].startswith("port split "):
            for line in one_by_one(block[0]):
                root.children.setdefault(line, Node())
        else:
            root.merge(_section(block))
    _without_default_balancing(root)
    return root


def _without_default_balancing(root: Node) -> None:
    """Drop what holds without a word, and then a section that says nothing."""
    section = root.children.get(BALANCING, Node()).children
    for line in [line for line in section if _BY_FLOWLETS.fullmatch(line)]:
        del section[line]
    if not section:
        root.children.pop(BALANCING, None)


def _section(block: list[str]) -> Node:
    root = Node()
    open_nodes = [(-1, root)]
    for line in block:
        depth = len(line) - len(line.lstrip(" "))
        while open_nodes[-1][0] >= depth:
            open_nodes.pop()
        child = open_nodes[-1][1].children.setdefault(line.strip(), Node())
        open_nodes.append((depth, child))
    return root


def _numbers(text: str) -> Iterator[int]:
    words = text.split()
    for at, word in enumerate(words):
        if word == "to":
            yield from range(int(words[at - 1]) + 1, int(words[at + 1]))
        else:
            yield int(word)


def _form(line: str) -> tuple[re.Match[str], str] | None:
    for pattern, undo in _FORMS:
        found = pattern.fullmatch(line)
        if found:
            return found, undo
    return None


@lru_cache(maxsize=65_536)
def key_of(line: str) -> str:
    """Return what a line says something about: two lines with one key cannot stand together."""
    positive = line.removeprefix("undo ")
    if positive in {"shutdown", "portswitch"}:
        return positive
    form = _form(line)
    if form is None:
        return line
    return f"{form[1]}|{'|'.join(part or '' for part in form[0].groups())}"


def negated(line: str) -> str:
    """Return what takes a line away."""
    if line.startswith("undo "):
        return line.removeprefix("undo ")
    form = _form(line)
    return form[0].expand(form[1]) if form else f"undo {line}"


def taken_away_first(line: str) -> bool:
    """Tell whether a line cannot take the place of another one with its key."""
    return bool(_TAKEN_AWAY_FIRST.fullmatch(line))


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
    candidates = list(_DEFAULTS.get(section, ()))
    if not section:
        candidates.append(f"dcb pfc deadlock recovery-behavior {_behaviour(root)} slot 1")
    elif PORT.fullmatch(section):
        candidates += [*_PORT_DEFAULTS, "undo shutdown"]
        candidates.append("undo portswitch" if _routed(printed) else "portswitch")
    elif section.startswith("interface Vlanif"):
        candidates += _VLANIF_DEFAULTS
    elif section.startswith("bgp "):
        peers = (found[1] for line in printed if (found := _ANY_PEER.match(line)))
        candidates += [f"peer {peer} timer keepalive 60 hold 180" for peer in peers]
    elif section == "ipv4-family unicast":
        candidates += [f"peer {peer} enable" for peer in _peers(root)]
    elif section.startswith("dcb pfc"):
        numbers = {found[1] for line in printed if (found := _DEADLOCK.match(line))}
        words = ("detect", "recovery")
        candidates += [f"priority {n} deadlock-{word} time 10" for n in numbers for word in words]
    return {line for line in candidates if key_of(line) not in keys}


def _routed(printed: set[str]) -> bool:
    return any(line.startswith("ip address ") for line in printed)


def _behaviour(root: Node) -> str:
    """Return what a switch does by default: discard in the family that switches ECN as a whole."""
    return "discard" if "qos ecn enable" in root.children else "forwarding"


def _peers(root: Node) -> Iterator[str]:
    for line, child in root.children.items():
        for below in child.children if line.startswith("bgp ") else ():
            found = _ANY_PEER.match(below)
            if found:
                yield found[1]
