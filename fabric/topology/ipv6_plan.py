"""Where IPv6 pools are cut: subnets of NICs, and /127 of cables between switches."""

from __future__ import annotations

from ipaddress import IPv6Network
from typing import TYPE_CHECKING

import numpy as np

from fabric.intent.scalars import PAIR6
from fabric.topology.ipv6 import HALF, Ipv6Links, Ipv6Subnets

if TYPE_CHECKING:
    from fabric.intent.model import FabricFile
    from fabric.topology.ipv6 import Words
    from fabric.topology.model import Bools, Ints
    from fabric.topology.routed import Places


def ipv6_subnets(file: FabricFile, places: Places) -> Ipv6Subnets | None:
    """Return the IPv6 subnets of NICs; None without a plan.

    A rail has one /64, in which the block of a leaf follows from its place, and the subnet in it
    from the port. The first block stays free, since an address whose lower half is zero belongs to
    all routers (RFC 6164 section 5.2).
    """
    plan = file.addressing.ipv6
    if plan is None:
        return None
    bits = places.port_bits
    first = np.uint64(int(plan.hosts.network_address) >> HALF)
    if plan.assignment == "slaac":
        upper = (places.rail << subnet_bits(file)) + (places.leaf << bits | places.port)
        return Ipv6Subnets(first + _words(upper), _words(upper * 0), HALF, HALF - bits)
    lower = ((places.leaf + 1) << bits | places.port) << 1
    return Ipv6Subnets(first + _words(places.rail), _words(lower), PAIR6, PAIR6 - bits)


def subnet_bits(file: FabricFile) -> int:
    """Return how many bits number the /64 of NICs of a rail; below 0 where rails do not fit."""
    pool = file.addressing.ipv6
    spare = HALF - pool.hosts.prefixlen if pool else 0
    return spare - (file.planes - 1).bit_length() - (file.rails - 1).bit_length()


def rail_numbers(file: FabricFile, plane: Ints, rail: Ints) -> Ints:
    """Return the number of rails among those of all planes, which are side by side."""
    return (plane << (file.rails - 1).bit_length()) + rail


def rail_network(file: FabricFile, number: int) -> IPv6Network:
    """Return what NICs of a rail have addresses of."""
    plan = file.addressing.ipv6
    if plan is None:
        raise ValueError("no IPv6 plan")
    bits = subnet_bits(file) if plan.assignment == "slaac" else 0
    first = (int(plan.hosts.network_address) >> HALF) + (number << bits)
    return IPv6Network((first << HALF, HALF - bits))


def plane_pool(file: FabricFile, plane: int) -> IPv6Network:
    """Return what NICs of a plane route over their leaf: the pool, or the part of the plane."""
    plan = file.addressing.ipv6
    if plan is None:
        raise ValueError("no IPv6 plan")
    if file.planes == 1 or plane < 0:
        return plan.hosts
    rails = (file.rails - 1).bit_length()
    inside = subnet_bits(file) if plan.assignment == "slaac" else 0
    first = (int(plan.hosts.network_address) >> HALF) + (plane << rails + inside)
    return IPv6Network((first << HALF, HALF - rails - inside))


def ipv6_links(pool: IPv6Network, number: Ints, core: Bools, *, shared: bool) -> Ipv6Links:
    """Return the /127 of cables between switches.

    The first one stays free, as with NICs. In a pool that is shared, links of spines to
    super-spines have the upper half.

    Parameters
    ----------
    number : array of int, shape (cables,)
        Place of each cable among those that its lower end could have.
    core : array of bool, shape (cables,)
        Which cables lead to super-spines.
    """
    first = int(pool[0])
    half = pool.num_addresses // 2 if shared else 0
    lower = _words((number + 1) << 1) + np.where(core, np.uint64(half), np.uint64(0))
    lower += np.uint64(first & (2**HALF - 1))
    return Ipv6Links(np.full_like(lower, first >> HALF), lower)


def _words(values: Ints) -> Words:
    return values.astype(np.uint64)
