"""What NICs reach through a leaf: the prefixes that a host routes to its gateway."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from fabric.core.units import ipv4_text
from fabric.topology.ipv6_plan import plane_pool
from fabric.topology.routed import host_pools
from fabric.topology.tenants import UNASSIGNED

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from fabric.topology.model import Bools, Fabric, Ints
    from fabric.topology.tenants import Tenants

#: Bits of an IPv4 address.
_BITS = 32


def reachable_pools(fabric: Fabric, leaf: int) -> tuple[str, ...]:
    """Return the prefixes of the NIC subnets that can be reached through a leaf.

    The whole pool; with planes the parts of it that have subnets of the plane of the leaf alone; on
    a leaf without cables to spines the shortest prefix around its own subnets.
    """
    file, table = fabric.intent.fabric, fabric.subnets
    plane = int(fabric.switches.plane[leaf])
    if file.spines is None and not len(fabric.uplinks_of(leaf)):
        rows = _in_pools(fabric, fabric.subnets_of_leaf(leaf))
        networks, last = table.network[rows], int(table.last[rows].max())
        bits = (int(networks.min()) ^ last).bit_length()
        return (_text(int(networks.min()) >> bits << bits, bits),)
    pools = host_pools(file).values()
    if plane < 0 or file.planes == 1:
        return tuple(map(str, pools))
    parts = PlaneParts(table.network, table.last, fabric.switches.plane[table.leaf] == plane)
    return tuple(
        part
        for pool in pools
        for part in parts.within(int(pool.network_address), _BITS - pool.prefixlen)
    )


def _in_pools(fabric: Fabric, rows: Ints) -> Ints:
    """Return the subnets that lie in pools of the fabric, if any does: tenants may have others."""
    network = fabric.subnets.network[rows]
    inside = np.zeros(len(rows), dtype=np.bool_)
    for pool in host_pools(fabric.intent.fabric).values():
        inside |= (network >= int(pool[0])) & (network <= int(pool[-1]))
    return rows[inside] if inside.any() else rows


class Reach:
    """What the NICs of a fabric reach; for the leaves of a plane it is computed once.

    Parameters
    ----------
    fabric : Fabric
        The realised network.
    """

    def __init__(self, fabric: Fabric) -> None:
        self._fabric = fabric
        self._pools: dict[tuple[str, bool, int], tuple[str, ...]] = {}

    def of_nic(self, row: int) -> tuple[str, ...]:
        """Return the prefixes that the NIC in a row of ``fabric.nics`` reaches."""
        leaf = int(self._fabric.subnets.leaf[self._fabric.nics.subnet[row]])
        tenants = self._fabric.tenants
        owner = int(tenants.of_nic[row]) if tenants else UNASSIGNED
        if tenants is None or owner == UNASSIGNED:
            return self.of_leaf(leaf)
        more = self._of_tenant(tenants, owner)
        return more if tenants.items[owner].value.pools else (*self.of_leaf(leaf), *more)

    def _of_tenant(self, tenants: Tenants, owner: int) -> tuple[str, ...]:
        """Return the pools of a tenant and of its services, where they have some of their own."""
        key = "tenant", False, owner
        if key not in self._pools:
            rows = (owner, *tenants.partners(owner))
            pools = (pool for row in rows for pool in tenants.items[row].value.pools)
            self._pools[key] = tuple(dict.fromkeys(map(str, pools)))
        return self._pools[key]

    def of_nic6(self, row: int) -> tuple[str, ...]:
        """Return the IPv6 prefixes that the NIC in a row of ``fabric.nics`` reaches."""
        return self.of_leaf6(int(self._fabric.subnets.leaf[self._fabric.nics.subnet[row]]))

    def of_leaf(self, leaf: int) -> tuple[str, ...]:
        """Return the prefixes that NICs reach through the leaf in a row of ``fabric.switches``."""
        return self._of_leaf(reachable_pools, leaf)

    def of_leaf6(self, leaf: int) -> tuple[str, ...]:
        """Return the IPv6 prefixes that NICs reach through a leaf."""
        return self._of_leaf(_reachable_pools6, leaf)

    def _of_leaf(
        self, pools: Callable[[Fabric, int], tuple[str, ...]], leaf: int
    ) -> tuple[str, ...]:
        fabric = self._fabric
        plane = int(fabric.switches.plane[leaf])
        inside = (True, plane) if plane >= 0 and len(fabric.uplinks_of(leaf)) else (False, leaf)
        key = pools.__name__, *inside
        if key not in self._pools:
            self._pools[key] = pools(fabric, leaf)
        return self._pools[key]


def _reachable_pools6(fabric: Fabric, leaf: int) -> tuple[str, ...]:
    """Return the IPv6 prefixes of NICs that can be reached through a leaf.

    The pool, or the part of its plane; on a leaf without cables to spines what it has of rails.
    """
    ipv6 = fabric.subnets.ipv6
    if ipv6 is None:
        return ()
    if fabric.intent.fabric.spines is None and not len(fabric.uplinks_of(leaf)):
        rows = fabric.subnets_of_leaf(leaf).tolist()
        return tuple(dict.fromkeys(str(ipv6.summary(row)) for row in rows))
    return (str(plane_pool(fabric.intent.fabric, int(fabric.switches.plane[leaf]))),)


class PlaneParts:
    """Prefixes that have subnets of one plane and none of another.

    Parameters
    ----------
    first, last : array of int
        First and last address of each subnet; subnets do not overlap.
    mine : array of bool
        Which subnets are of the plane.
    """

    def __init__(self, first: Ints, last: Ints, mine: Bools) -> None:
        self._mine = np.sort(first[mine]), np.sort(last[mine])
        self._others = np.sort(first[~mine]), np.sort(last[~mine])
        self._fewest = int((last - first)[mine].min() + 1).bit_length() - 1

    def within(self, start: int, bits: int) -> Iterator[str]:
        """Yield the prefixes within one that has so many bits for hosts, the lowest first."""
        if not _has(self._mine, start, bits):
            return
        if bits <= self._fewest or not _has(self._others, start, bits):
            yield _text(start, bits)
            return
        yield from self.within(start, bits - 1)
        yield from self.within(start + (1 << (bits - 1)), bits - 1)


def _has(subnets: tuple[Ints, Ints], start: int, bits: int) -> bool:
    """Tell whether a prefix has an address of one of the subnets."""
    first, last = subnets
    end = start + (1 << bits) - 1
    return bool(np.searchsorted(first, end, "right") > np.searchsorted(last, start))


def _text(start: int, bits: int) -> str:
    return f"{ipv4_text(start)}/{_BITS - bits}"
