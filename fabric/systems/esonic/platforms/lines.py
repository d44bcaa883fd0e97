"""The configuration of Enterprise SONiC as a tree of lines, each in one spelling.

Known (examples of ansible-collections/dellemc.enterprise_sonic @ 9851e680; sonic-net/sonic-mgmt
@ b4ba9de3 spytest/apis): a section is indented by one blank more than its head, ``!`` stands
between sections; a name may be apart from its number (``Vlan 10``); a text of several words stands
in quotation marks; the rows of a map take ranges; a banner is a text between two marks of one
character. Which of the spellings ``show running-configuration`` prints is not known for all of
them, so both sides are brought to one.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING

from fabric.core.lines import LineTree
from fabric.core.spans import numbers_of

if TYPE_CHECKING:
    from collections.abc import Iterator

_NAME = re.compile(
    r"((?:interface|neighbor interface) )"
    r"(Ethernet|Eth|Vlan|Loopback|PortChannel|Management) ?(\d\S*)"
)
_MEMBER = re.compile(r"(switchport access Vlan)(\d)")
#: A server is told where it is; its other settings stay as they are found.
_SERVER = re.compile(r"((?:ntp|logging) server \S+)(?: .*)?")
_ROW = re.compile(
    r"(dscp|dot1p|traffic-class|pfc-priority) ([\d,-]+)"
    r" (traffic-class|queue|priority-group|dscp|dot1p) (\d+)"
)
_QUOTED = re.compile(r'(description) "(\S*)"')
_FEC = re.compile(r"fec (?!none)(\w+)", re.IGNORECASE)
#: The database keeps a range of lengths: up to 32, or 128, is what holds without a word
#: (ansible-collections/dellemc.enterprise_sonic @ 9851e680 facts/prefix_lists).
_LONGEST = re.compile(
    r"(ip prefix-list \S+ seq \d+ \S+ \S+ ge \d+(?= le 32$)|"
    r"ipv6 prefix-list \S+ seq \d+ \S+ \S+ ge \d+(?= le 128$)) le \d+"
)
_BANNER_WORD = "banner "
_BANNER = re.compile(_BANNER_WORD + r"(?:login|motd) (\S)")


def read(text: str) -> LineTree:
    """Return the tree of a configuration; a banner is one line with breaks.

    Raises
    ------
    ValueError
        When the end of a banner is missing.
    """
    root = LineTree()
    open_nodes = [(-1, root)]
    lines = iter(text.splitlines())
    for line in lines:
        words = line.strip()
        if not words or words[0] == "!":
            continue
        banner = _BANNER.fullmatch(line) if line.startswith(_BANNER_WORD) else None
        if banner:
            root.children["\n".join([line, *_until(lines, banner[1])])] = LineTree()
            continue
        depth = len(line) - len(line.lstrip(" "))
        while open_nodes[-1][0] >= depth:
            open_nodes.pop()
        above = open_nodes[-1][1]
        for spelling in _spellings(words):
            child = above.child(spelling)
        open_nodes.append((depth, child))
    return root


def write(root: LineTree) -> str:
    """Return the text of a tree."""
    rows: list[str] = []
    _write(rows, root, "")
    return "".join(rows)


def _write(rows: list[str], section: LineTree, indent: str) -> None:
    for line, child in section.children.items():
        rows.append(f"{indent}{line}\n")
        if child.children:
            _write(rows, child, f"{indent} ")


def _until(lines: Iterator[str], mark: str) -> Iterator[str]:
    for line in lines:
        yield line
        if line.endswith(mark):
            return
    raise ValueError("the end of a banner is missing")


@lru_cache(maxsize=65_536)
def _spellings(line: str) -> tuple[str, ...]:
    """Return a line as we write it; a row of a map for each of its numbers."""
    row = _ROW.fullmatch(line)
    if row:
        return tuple(f"{row[1]} {number} {row[3]} {row[4]}" for number in numbers_of(row[2]))
    server = _SERVER.fullmatch(line)
    if server:
        return (server[1],)
    line = _NAME.sub(r"\1\2\3", line)
    line = _MEMBER.sub(r"\1 \2", line)
    line = _LONGEST.sub(r"\1", line)
    line = _QUOTED.sub(r"\1 \2", line)
    return (_FEC.sub(lambda found: f"fec {found[1].upper()}", line),)
