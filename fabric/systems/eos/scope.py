"""EOS: our lines merged into what runs, where other tools own the rest of the configuration."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from fabric.book.book import INDENT
from fabric.change.scope import Scope, indented
from fabric.change.tenants import TenantLines
from fabric.core.lines import LineTree, nested

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from fabric.core.lines import Path

_INDENT = "   "
SCOPE = Scope(
    system="eos",
    forms=indented(INDENT),
    sections=re.compile(
        r"(?:interface|vlan|vrf instance|router|qos profile|route-map|ip prefix-list) .*"
    ),
    alone=re.compile(
        r"(?:no )?(?:qos profile ROCE.*|ip prefix-list PL-.*|route-map RM-.*"
        r"|platform trident mmu queue profile ROCE.*|qos map .*|priority-flow-control .*)"
    ),
    tenants=re.compile(
        r"(?:no )?(?:vrf instance Vrf\d+|(?:ip routing|router bgp \S+|interface \S+) vrf Vrf\d+"
        r"|interface Vxlan1 vxlan vrf Vrf\d+ .*)"
    ),
    others=re.compile(r".* secondary"),
    tunnels=re.compile(r"(?:no )?ip routing vrf .*"),
    process=re.compile(r"router bgp .*"),
)


TENANTS = TenantLines(
    sections=re.compile(r"interface Vxlan1|vrf instance Vrf\d+|(?:no )?ip routing vrf Vrf\d+"),
    signs=re.compile(r"interface \S+ vrf Vrf\d+"),
)


class EosMerge(NamedTuple):
    """A configuration that is merged.

    Parameters
    ----------
    stanzas : list of str
        The whole configuration.
    others : list of tuple of str
        Paths of lines of others that stay in sections of ours.
    conflicts : tuple of str
        What cannot be merged.
    """

    stanzas: list[str]
    others: list[Path]
    conflicts: tuple[str, ...]


def merged(running: Sequence[str], intended: Sequence[str], scope: Scope = SCOPE) -> EosMerge:
    """Return the configuration that is intended, with the lines of others.

    Parameters
    ----------
    running, intended : sequence of str
        Stanzas of what runs and of what is rendered, each with its indented lines. Those of others
        stay to the letter, also where two are equal.
    scope : Scope, optional
        Default: that of a fabric without tenants.
    """
    now, wanted = _tree(running), _tree(intended)
    both, others = scope.merged(now, wanted)
    kept = [
        stanza
        for stanza in running
        if _head(stanza) in both.children and _head(stanza) not in wanted.children
    ]
    ours = ["\n".join([head, *_text(both.children[head], 1)]) for head in wanted.children]
    return EosMerge([*kept, *ours], others, scope.conflicts(now, wanted))


def tenants_of_others(running: Sequence[str], intended: Sequence[str]) -> list[str]:
    """Return the stanzas of VRFs and tunnels that stay in a fabric without tenants."""
    now, wanted = _tree(running), _tree(intended)
    theirs = TENANTS.with_others(now, wanted).children.keys() - wanted.children.keys()
    return [stanza for stanza in running if _head(stanza) in theirs]


def _tree(stanzas: Sequence[str]) -> LineTree:
    return LineTree({_head(one): nested(one.splitlines()[1:]) for one in stanzas})


def _head(stanza: str) -> str:
    return stanza.partition("\n")[0].strip()


def _text(node: LineTree, depth: int) -> Iterator[str]:
    for line, child in node.children.items():
        yield f"{_INDENT * depth}{line}"
        yield from _text(child, depth + 1)
