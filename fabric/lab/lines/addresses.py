"""Addresses of interfaces in a configuration that is made of lines."""

from __future__ import annotations

from ipaddress import IPv4Interface
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from fabric.lab.lines.tree import Section


def address_of(line: str) -> IPv4Interface:
    """Return the address of ``ip address A/LENGTH`` or ``ip address A MASK``."""
    return IPv4Interface("/".join(line.split()[2:4]))


def overlapping(root: Section, context: Section, line: str, vrf: str = "") -> str:
    """Return the interface that has an address in the network of a line; empty without one.

    Parameters
    ----------
    vrf : str
        What a line of an interface begins with that names its VRF; each VRF has addresses of its
        own.
    """
    if not line.startswith("ip address "):
        return ""
    network = address_of(line).network
    own = context.value(vrf) if vrf else ""
    for other in root.below("interface "):
        if vrf and other.value(vrf) != own:
            continue
        for node in other.below("ip address ") if other is not context else ():
            borrowed = node.line.startswith("ip address unnumbered ")
            if not borrowed and address_of(node.line).network.overlaps(network):
                return other.line.split()[1]
    return ""
