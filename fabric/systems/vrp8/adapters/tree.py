"""The configuration as a tree of lines.

Known (CloudEngine V300R023C00 command reference, WheaterW/INTA-project @ 9308062d): one ``vlan
batch`` line lists the VLANs; several ports can stand in one ``port split``.
Assumed: mappings of DSCP that were set are printed, even when they are those of the system.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from fabric.core.lines import LineTree, nested
from fabric.core.spans import span
from fabric.systems.vrp8.adapters.split import one_by_one
from fabric.systems.vrp8.parsers.text import blocks
from fabric.systems.vrp8.platforms import BALANCING

if TYPE_CHECKING:
    from collections.abc import Iterator

#: The mode of the models that can balance by load, when nothing is said (ecmp mode).
_BY_FLOWLETS = re.compile(r"ecmp mode eligible(?: flowlet-gap-time 2000)?")
_AS_LOOP = re.compile(r"peer \S+ allow-as-loop")
_VLANS = re.compile(r"vlan batch (.+)")


def tree(text: str) -> LineTree:
    """Return the tree of a configuration; header texts are single lines with breaks."""
    root = LineTree()
    for block in blocks(text):
        vlans = _VLANS.fullmatch(block[0])
        if block[0].startswith("header "):
            root.children["\n".join(block)] = LineTree()
        elif vlans:
            for number in _numbers(vlans[1]):
                root.child(f"vlan batch {number}")
        elif block[0].startswith("port split "):
            for line in one_by_one(block[0]):
                root.child(line)
        else:
            root.merge(nested(block))
    _without_default_balancing(root)
    _with_default_loops(root)
    return root


def _without_default_balancing(root: LineTree) -> None:
    """Drop what holds without a word, and then a section that says nothing."""
    section = root.children.get(BALANCING, LineTree()).children
    for line in [line for line in section if _BY_FLOWLETS.fullmatch(line)]:
        del section[line]
    if not section:
        root.children.pop(BALANCING, None)


def _with_default_loops(node: LineTree) -> None:
    """Add the number that ``allow-as-loop`` has without a word (command reference: 1)."""
    for line in [line for line in node.children if _AS_LOOP.fullmatch(line)]:
        node.children[f"{line} 1"] = node.children.pop(line)
    for child in node.children.values():
        _with_default_loops(child)


def _numbers(text: str) -> Iterator[int]:
    words = text.split()
    for at, word in enumerate(words):
        if word == "to":
            yield from span(words[at - 1], words[at + 1])[1:-1]
        else:
            yield int(word)
