"""The fabric as a tree of domains: units, pods, and the fabric where its spines connect them all.

A unit is the lowest level: its hosts share all their leaves. Leaves and spines themselves are no
levels: a host hangs on one leaf per rail, and a leaf on all spines of its pod.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

    from fabric.topology.model import Fabric


@dataclass(frozen=True, slots=True)
class Level:
    """A level of the tree.

    Parameters
    ----------
    name : str
        ``unit``, ``pod`` or ``fabric``.
    domains : tuple of str
        The domain that each unit is in, in the order of the units.
    """

    name: str
    domains: tuple[str, ...]

    def of_hosts(self, fabric: Fabric, hosts: Iterable[str]) -> tuple[str, ...]:
        """Return the domain of each host."""
        rows = [fabric.host_row[host] for host in hosts]
        return tuple(self.domains[unit] for unit in fabric.hosts.unit[rows].tolist())


def levels(fabric: Fabric) -> tuple[Level, ...]:
    """Return the levels from the hosts outwards.

    There are pods where the inventory names them, and a level of the whole fabric where cables
    connect the units or there is one unit only.
    """
    file = fabric.intent.fabric
    found = [Level("unit", tuple(unit.name for unit in file.units))]
    if all(unit.pod for unit in file.units):
        found.append(Level("pod", tuple(str(unit.pod) for unit in file.units)))
    if len(fabric.uplinks) or len(file.units) == 1:
        found.append(Level("fabric", (file.name,) * len(file.units)))
    return tuple(found)


def common_level(fabric: Fabric, hosts: Iterable[str]) -> Level:
    """Return the lowest level that has one domain with all hosts.

    Raises
    ------
    StopIteration
        When no level has, which `place` does not let happen.
    """
    chosen = tuple(hosts)
    return next(level for level in levels(fabric) if len(set(level.of_hosts(fabric, chosen))) == 1)
