"""The text of a configuration as Comware prints it.

Known ([CMD] display current-configuration and display saved-configuration; captures of public
configurations): parts stand between lines of ``#``; lines of the whole system are indented by one
space, sections begin at the margin, what is in them is indented by one more; the first part is the
version, the last line is ``return``; ``header`` holds a text between two equal characters.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from fabric.core.lines import LineTree, small_ipv6
from fabric.core.spans import span

if TYPE_CHECKING:
    from collections.abc import Iterator

_HEADER = re.compile(r" *(header \S+ )(\S)(.*)")
_IMPORT = re.compile(r"import (\d+(?: \d+)+) (export \d+)")
_VLANS = re.compile(r"vlan (\d+) to (\d+)")
_VERSION = re.compile(r"version \S.*")
END = "return"
#: What waits for its confirmation is marked by a policy that nothing uses: what takes the change
#: back takes the mark away too.
MARK = "route-policy {token} deny node 65535"
OWN_MARK = "route-policy rocefab-"


def is_version(line: str) -> bool:
    """Tell whether a line is the version at the head of a configuration."""
    return bool(_VERSION.fullmatch(line))


def tree(text: str) -> LineTree:
    """Return the tree of a configuration, without its version and its end.

    Lists are one line for each member; the text of a header is one line with breaks.

    Raises
    ------
    ValueError
        When the end of a header is missing.
    """
    root = LineTree()
    for part in _parts(text):
        open_nodes: list[tuple[int, LineTree]] = []
        for line in part:
            depth = len(line) - len(line.lstrip(" "))
            open_nodes = [(level, node) for level, node in open_nodes if level < depth]
            parent = open_nodes[-1][1] if open_nodes else root
            for one in _members(line.strip()):
                node = parent.child(one)
            if depth == 0 or open_nodes:
                open_nodes.append((depth, node))
    return root


def _parts(text: str) -> Iterator[list[str]]:
    part: list[str] = []
    lines = iter(text.splitlines())
    for line in lines:
        header = _HEADER.fullmatch(line)
        if line.startswith("#"):
            yield part
            part = []
        elif header:
            yield ["\n".join([line.strip(), *_until(lines, header[2], header[3])])]
        elif line.strip() not in {"", "#", END} and not is_version(line.strip()):
            part.append(small_ipv6(line.rstrip()))
    yield part


def _until(lines: Iterator[str], delimiter: str, rest: str) -> Iterator[str]:
    if delimiter in rest:
        return
    for line in lines:
        yield line
        if delimiter in line:
            return
    raise ValueError("the end of a header is missing")


def _members(line: str) -> Iterator[str]:
    listed, vlans = _IMPORT.fullmatch(line), _VLANS.fullmatch(line)
    if listed:
        yield from (f"import {number} {listed[2]}" for number in listed[1].split())
    elif vlans:
        yield from (f"vlan {number}" for number in span(vlans[1], vlans[2]))
    else:
        yield line


def dump(root: LineTree) -> str:
    """Return the text of a tree, which gives the same tree again."""
    lines = []
    for line, child in root.children.items():
        lines.append("#")
        if child.children or "\n" in line:
            lines.append(line)
        else:
            lines.append(line if _opens(line) else f" {line}")
        lines += [" " * len(path) + path[-1] for path in child.lines()]
    return "\n".join([*lines, "#", END, ""])


def _opens(line: str) -> bool:
    return line.startswith(("interface ", "vlan ", "qos ", "bgp "))
