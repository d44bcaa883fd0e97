"""Ports that change their VRF: down first, up last, and in no VRF between.

Two VRFs may have the same addresses, and a system that binds a port may drop its addresses or keep
them. So a port that moves goes down, then loses its addresses and its VRF, before anything else is
changed; all that the system may have dropped is sent again behind the new VRF, and the port comes
up last. VNIs go before what has them.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from fabric.core.lines import LineTree

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fabric.change.lines.grammar import Grammar

#: Lines that switch a port off and on, in all systems whose ports are bound by lines.
DOWN, UP = "shutdown", "no shutdown"


@dataclass(frozen=True)
class Unbinding:
    """What is sent before all other lines.

    Parameters
    ----------
    lines : list of str
        The lines to send.
    left : LineTree
        What runs after them.
    moved : frozenset of str
        Sections of ports that change their VRF.
    """

    lines: list[str]
    left: LineTree
    moved: frozenset[str]


def unbind(grammar: Grammar, now: LineTree, target: LineTree) -> Unbinding:
    """Take the ports that change their VRF out of it, and VNIs that go."""
    left = LineTree(dict(now.children))
    ports, vnis, moved = list[str](), list[str](), set[str]()
    for section, before in now.children.items():
        after = target.children.get(section, LineTree())
        if section in target.children and _bindings(grammar, before) != _bindings(grammar, after):
            moved.add(section)
            ports += _sent(grammar, section, _off(grammar, before, after))
            left.children[section] = _without(grammar, before)
        elif gone := _vnis(grammar, before) - _vnis(grammar, after):
            lines = [line for line in before.children if line in gone]
            vnis += _sent(grammar, section, map(grammar.negated, reversed(lines)))
            left.children[section] = LineTree({
                line: child for line, child in before.children.items() if line not in gone
            })
    return Unbinding([*ports, *vnis], left, frozenset(moved))


def up_last(grammar: Grammar, lines: list[str]) -> list[str]:
    """Return the lines of a port with the one that switches it on at the end."""
    up = f"{grammar.indent}{UP}"
    return sorted(lines, key=up.__eq__)


def _bindings(grammar: Grammar, section: LineTree) -> set[str]:
    return {line for line in section.children if grammar.binding.fullmatch(line)}


def _vnis(grammar: Grammar, section: LineTree) -> set[str]:
    return {line for line in section.children if grammar.vni.fullmatch(line)}


def _off(grammar: Grammar, before: LineTree, after: LineTree) -> Iterator[str]:
    """Yield what takes a port down, out of its addresses and out of its VRF."""
    if DOWN not in before.children:
        yield DOWN
    bound = [line for line in before.children if grammar.bound.fullmatch(line)]
    for line in bound:
        if grammar.address.fullmatch(line) or line not in after.children:
            yield grammar.negated(line)
    yield from map(grammar.negated, _bindings(grammar, before))


def _without(grammar: Grammar, section: LineTree) -> LineTree:
    """Return what is left of a port."""
    left = {
        line: child
        for line, child in section.children.items()
        if line not in {UP, DOWN}
        and not grammar.bound.fullmatch(line)
        and not grammar.binding.fullmatch(line)
    }
    return LineTree({**left, DOWN: LineTree()})


def _sent(grammar: Grammar, section: str, lines: Iterator[str] | map[str]) -> list[str]:
    return [section, *(f"{grammar.indent}{line}" for line in lines)]
