"""Cumulus Linux: our paths merged into what runs, where other tools own the rest.

A path is ours where a template prints it, in an interface or a BGP neighbour that the inventory
has. VLANs, networks, tunnels and IPv6 addresses of others stay, and so do
their QoS profiles: ours is ``default-global``.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

from fabric.book.book import books
from fabric.change.lines.book import statements
from fabric.change.scope import other_as
from fabric.systems.cumulus.platforms.lines import natural

if TYPE_CHECKING:
    from collections.abc import Iterable

    from fabric.systems.cumulus.platforms.lines import Path

#: Branches of which all is ours, word by word.
_OWNED = tuple(
    tuple(re.compile(word.pattern) for word in variant.elements)
    for rule, ours in books()["cumulus"].owned()
    for variant in rule.rule.variants
    if not ours.template and not variant.elements[-1].rest
)
_LONGEST = max(map(len, _OWNED))
_AS = re.compile(r"(?:vrf default )?router bgp autonomous-system \d+")
_OBJECT = re.compile(r"interface \S+|vrf default router bgp neighbor \S+")
#: Ours even where no pattern explains it: QoS of our ports and of the switch.
_ALONE = re.compile(
    r"interface swp\S+ qos .*"
    r"|qos (?:roce|pfc-watchdog|traffic-pool|advance-buffer-config)\b.*"
    r"|qos \S+ default-global .*"
)
_OTHERS = re.compile(
    r"interface lo (?:ip|ipv4) address .*"
    r"|interface (?:swp|vlan)\S+ (?:ip|ipv4|ipv6) address \S*:.*"
    r"|(?:interface swp\S+ )?bridge domain br_default vlan .*"
    r"|vrf default router bgp address-family ipv4-unicast network .*"
    r"|vrf default router bgp address-family l2vpn-evpn .*|evpn .*|nve .*"
    r"|(?:service|system) (?:ntp|syslog) .*"
    r"|qos .*"
)
#: Branches that are ours in a fabric with tenants alone.
_TENANTS = re.compile(
    r"(?:evpn|nve vxlan|vrf Vrf\d+|router policy (?:prefix-list PL-|route-map RM-)Vrf\d+)(?: |$)"
)
#: Lines in our objects that are ours in a fabric with tenants alone.
_BOUND = re.compile(
    r"interface \S+ (?:ip )?vrf .*"
    r"|vrf default router bgp neighbor \S+ address-family l2vpn-evpn .*"
    r"|vrf default router bgp neighbor \S+ (?:update-source|multihop-ttl) .*"
)
_MEMBER = re.compile(r"interface (\S+) (?:ip )?vrf Vrf\d+")
_PART = re.compile(r"(swp\d+)s\d+")


class NvueMerge(NamedTuple):
    """A configuration that is merged.

    Parameters
    ----------
    paths : set of tuple of str
        What is rendered and what stays.
    others : list of tuple of str
        Paths of others that stay on our interfaces, our neighbours, the bridge and BGP.
    conflicts : tuple of str
        What cannot be merged.
    """

    paths: set[Path]
    others: list[Path]
    conflicts: tuple[str, ...]


def owned_depth(path: Path) -> int:
    """Return how many words of a path name the branch of ours that it is in; 0 for others."""
    return _owned_depth(path[:_LONGEST])


@lru_cache(maxsize=65_536)
def _owned_depth(path: Path) -> int:
    depths = (
        len(branch)
        for branch in _OWNED
        if len(path) >= len(branch)
        and all(pattern.fullmatch(word) for pattern, word in zip(branch, path, strict=False))
    )
    return min(depths, default=0)


def tenants_of_others(running: set[Path], intended: set[Path]) -> set[Path]:
    """Return the paths of VRFs and tunnels that stay in a fabric without tenants.

    A port of ours in the VRF of a tenant says that the fabric had tenants, and that they are ours.
    """
    ours = {path[1] for path in intended if path[0] == "interface"}
    bound = (_MEMBER.fullmatch(" ".join(path)) for path in running)
    if any(match and match[1] in ours for match in bound):
        return set()
    return {path for path in running if _TENANTS.match(" ".join(path))}


def merged(running: set[Path], intended: set[Path], *, tenants: bool = False) -> NvueMerge:
    """Return the configuration that is intended, with the paths of others.

    Parameters
    ----------
    running, intended : set of tuple of str
        What runs, and what is rendered.
    tenants : bool
        Whether the fabric has tenants.
    """
    objects = {_object(path) for path in intended}
    theirs = {
        path
        for path in _without_parts(running - intended, intended)
        if _object(path) not in objects or not _is_ours(path, tenants=tenants)
    }
    others = [
        path
        for path in theirs
        if owned_depth(path)
        and (tenants or not _TENANTS.match(" ".join(path)))
        and path[0] not in {"service", "system"}
        and (path[0] != "interface" or _object(path) in objects)
    ]
    conflicts = tuple(
        other_as(" ".join(path))
        for path in sorted(running - intended)
        if _AS.fullmatch(" ".join(path))
    )
    return NvueMerge(intended | theirs, sorted(others, key=natural), conflicts)


def _object(path: Path) -> str:
    """Return the interface or the BGP neighbour that a path is about; empty for others."""
    match = _OBJECT.match(" ".join(path))
    return match[0] if match else ""


@lru_cache(maxsize=65_536)
def _is_ours(path: Path, *, tenants: bool) -> bool:
    line = " ".join(path)
    is_theirs = not tenants and (_TENANTS.match(line) or _BOUND.fullmatch(line))
    if is_theirs or not owned_depth(path):
        return False
    known = _ALONE.fullmatch(line) or (
        not _OTHERS.fullmatch(line) and statements("cumulus").is_printed(line)
    )
    return bool(known)


def _without_parts(paths: Iterable[Path], intended: set[Path]) -> set[Path]:
    """Return paths without those of interfaces that a breakout of ours takes away."""
    names = {path[1] for path in intended if path[0] == "interface"}
    cages = {match[1] for name in names if (match := _PART.fullmatch(name))}

    def goes(name: str) -> bool:
        part = _PART.fullmatch(name)
        return name in cages or (part is not None and name not in names and part[1] in names)

    return {path for path in paths if path[0] != "interface" or not goes(path[1])}
