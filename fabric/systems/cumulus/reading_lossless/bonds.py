"""Bonds of a Cumulus configuration: what is said of one holds for its members."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from fabric.observe.configuration.blocks import Block
from fabric.observe.parsers import UnreadableError
from fabric.systems.cumulus.platforms.lines import expand
from fabric.systems.cumulus.reading.text import MOST_VALUES

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

_MEMBER = re.compile(r"interface (?P<bond>\S+) bond member (?P<members>\S+)")
#: Lines of a bond, and sessions through it; their rest is said of each member.
_OF_BOND = re.compile(
    r"(?P<head>interface|vrf \S+ router bgp neighbor) (?P<bond>\S+)"
    r"(?P<rest> (link mtu|bridge|ip|ipv4|ipv6|qos|type|remote-as|peer-group) .*)"
)


def with_bonds(blocks: Sequence[Block]) -> Iterator[Block]:
    """Yield all lines, then those of each bond once for each of its members.

    Raises
    ------
    UnreadableError
        When they are more than `MOST_VALUES`.
    """
    members: dict[str, list[str]] = {}
    for block in blocks:
        match = _MEMBER.fullmatch(block.text)
        if match:
            members.setdefault(match["bond"], []).extend(expand(match["members"]))
    yield from blocks
    count = 0
    for block in blocks:
        match = _OF_BOND.fullmatch(block.text)
        for name in members.get(match["bond"], ()) if match else ():
            assert match
            count += 1
            if count > MOST_VALUES:
                raise UnreadableError(f"bonds have more than {MOST_VALUES:,} lines and members")
            yield Block(block.line, f"{match['head']} {name}{match['rest']}")
