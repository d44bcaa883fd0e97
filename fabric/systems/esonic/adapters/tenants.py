"""Lines of tenants that are gone, where others own the rest of the configuration."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from fabric.core.lines import LineTree

if TYPE_CHECKING:
    from collections.abc import Iterator

_VRF = re.compile(r"ip vrf (Vrf\d+)")
_MAP = re.compile(r"map vni (\d+) (vlan|vrf) (\S+)")


def removed_vrfs(now: LineTree, wanted: LineTree) -> set[str]:
    """Return the VRFs of tenants that run, and that the inventory does not have."""
    gone = (line for line in now.children if line not in wanted.children)
    return {vrf[1] for line in gone if (vrf := _VRF.fullmatch(line))}


def tunnels_of(now: LineTree, vrfs: set[str]) -> set[str]:
    """Return the interfaces of the VLANs behind the VNIs of some VRFs."""
    vnis = _vnis(now, vrfs)
    maps = ((vni, what, name) for _, vni, what, name in _maps(now))
    return {f"interface Vlan{name}" for vni, what, name in maps if what == "vlan" and vni in vnis}


def without_vnis(now: LineTree, vrfs: set[str]) -> LineTree:
    """Return a configuration without the VNIs of some VRFs."""
    vnis = _vnis(now, vrfs)
    gone = {line for line, vni, _, _ in _maps(now) if vni in vnis}
    left = LineTree(dict(now.children))
    for section in _tunnels(now) if gone else ():
        lines = now.children[section].children.items()
        left.children[section] = LineTree({
            line: child for line, child in lines if line not in gone
        })
    return left


def _vnis(now: LineTree, vrfs: set[str]) -> set[str]:
    return {vni for _, vni, what, name in _maps(now) if what == "vrf" and name in vrfs}


def _maps(now: LineTree) -> Iterator[tuple[str, str, str, str]]:
    for section in _tunnels(now):
        for line in now.children[section].children:
            if match := _MAP.fullmatch(line):
                yield line, match[1], match[2], match[3]


def _tunnels(now: LineTree) -> list[str]:
    return [line for line in now.children if line.startswith("interface vxlan ")]
