"""Junos: our statements merged into what runs, where other tools own the rest.

The configuration is a tree of words. What a pattern names is a level of it, so that no name in a
pattern counts: a level that the inventory does not have stays. Addresses of ports and of gateways
are ours, those of the loopback are not: Junos has no first one among several.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from fabric.change.scope import Scope, other_as
from fabric.core.lines import LineTree

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from fabric.core.lines import Path
    from fabric.systems.junos.platforms.text import Line

_NEVER = re.compile(r"(?!)")
_AS = ("routing-options", "autonomous-system")
SCOPE = Scope(
    system="junos",
    forms=lambda path: (f"set {' '.join(path)}",),
    alone=re.compile(
        r"class-of-service (?:classifiers dscp|congestion-notification-profile|scheduler-maps)"
        r" ROCE\S*|class-of-service drop-profiles ECN\S*"
        r"|class-of-service schedulers (?:(?:LOSSLESS|DEFAULT)\S*|CNP|CONTROL)"
        r"|policy-options policy-statement (?:FABRIC-OUT|PFE-LB|Vrf\d+-OUT)"
        r"|routing-instances Vrf\d+|protocols bgp group overlay"
        r"|policy-options as-list FABRIC-PEERS"
    ),
    others=re.compile(r"interfaces lo0 .*"),
    name=_NEVER,
)


class JunosMerge(NamedTuple):
    """A configuration that is merged.

    Parameters
    ----------
    lines : list of Line
        The whole configuration.
    others : list of tuple of str
        Statements of others that stay in sections of ours.
    conflicts : tuple of str
        What cannot be merged.
    """

    lines: list[Line]
    others: list[Path]
    conflicts: tuple[str, ...]


def merged(running: Sequence[Line], intended: Sequence[Line]) -> JunosMerge:
    """Return the configuration that is intended, with the statements of others.

    A statement that is deactivated stays so, unless it is one of ours or holds one.
    """
    wanted = _tree(intended)
    both, others = SCOPE.merged(_tree(running), wanted)
    ours, stay = set(wanted.lines()), set(both.lines())
    kept = [
        (verb, words)
        for verb, words in running
        if words in stay and (verb == "set" or words not in ours)
    ]
    theirs = {words for verb, words in running if verb == "set"}
    return JunosMerge(
        list(dict.fromkeys([*kept, *intended])),
        [path for path in others if path in theirs and path[:2] in ours],
        tuple(
            other_as(f"autonomous-system {words[2]}")
            for _, words in running
            if words[:2] == _AS and words[:3] not in ours
        ),
    )


def _tree(lines: Iterable[Line]) -> LineTree:
    root = LineTree()
    for verb, words in lines:
        node = root
        for word in words if verb == "set" else ():
            node = node.child(word)
    return root
