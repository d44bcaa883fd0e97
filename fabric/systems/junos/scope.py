"""Junos: our statements merged into what runs, where other tools own the rest.

The configuration is a tree of words. What a pattern names is a level of it, so that no name in a
pattern counts: a level that the inventory does not have stays. Addresses of ports and of gateways
are ours, those of the loopback are not: Junos has no first one among several.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from fabric.change.scope import Scope, other_as
from fabric.core.lines import NEVER, LineTree

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from fabric.core.lines import Path
    from fabric.systems.junos.platforms.text import Line

_AS = ("routing-options", "autonomous-system")
SCOPE = Scope(
    system="junos",
    forms=lambda path: (f"set {' '.join(path)}",),
    alone=re.compile(
        r"class-of-service (?:classifiers dscp|congestion-notification-profile|scheduler-maps)"
        r" ROCE\S*|class-of-service drop-profiles ECN\S*"
        r"|class-of-service schedulers (?:(?:LOSSLESS|DEFAULT)\S*|CNP|CONTROL)"
        r"|policy-options policy-statement (?:FABRIC-OUT|PFE-LB)"
        r"|policy-options as-list FABRIC-PEERS"
    ),
    tenants=re.compile(
        r"policy-options policy-statement Vrf\d+-OUT|routing-instances Vrf\d+"
        r"|protocols bgp group overlay"
    ),
    others=re.compile(r"interfaces lo0 .*"),
    tunnels=re.compile(r"(?:policy-options policy-statement|routing-instances) Vrf\d+\b.*"),
    name=NEVER,
)


_OF_TENANTS = re.compile(
    r"(?:routing-instances Vrf\d+|policy-options policy-statement Vrf\d+-OUT)(?: |$)"
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


def merged(running: Sequence[Line], intended: Sequence[Line], scope: Scope = SCOPE) -> JunosMerge:
    """Return the configuration that is intended, with the statements of others.

    A statement that is deactivated stays so, unless it is one of ours or holds one.
    """
    wanted = _tree(intended)
    both, others = scope.merged(_tree(running), wanted)
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


def tenants_of_others(running: Iterable[Line], intended: Sequence[Line]) -> set[Line]:
    """Return the statements of VRFs that stay in a fabric without tenants.

    A port of ours in such a VRF says that the fabric had tenants, and that they are ours.
    """
    ours = (words for _, words in intended if words[0] == "interfaces")
    units = {f"{words[1]}.{words[3]}" for words in ours if words[2:3] == ("unit",)}
    theirs = {line for line in running if _OF_TENANTS.match(" ".join(line[1]))}
    bound = {words[3] for _, words in theirs if words[2:3] == ("interface",)}
    return set() if units & bound else theirs


def _tree(lines: Iterable[Line]) -> LineTree:
    root = LineTree()
    for verb, words in lines:
        node = root
        for word in words if verb == "set" else ():
            node = node.child(word)
    return root
