"""NICs on routed ports: which they are, and where their pool is cut."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from fabric.topology.layout import rank_within

if TYPE_CHECKING:
    from ipaddress import IPv4Network, IPv6Network

    from fabric.intent.addressing_model import Addressing
    from fabric.intent.inventory import Intent
    from fabric.intent.model import FabricFile
    from fabric.topology.layout import Layout
    from fabric.topology.model import Bools, Ints

#: Fields of subnets that share a VLAN.
OF_VLANS = ("host_prefix_length", "gateway_offset", "first_host_offset", "vlan_first")
#: Bits of an IPv4 address, and length of a subnet of two (RFC 3021).
BITS, PAIR = 32, 31
#: Shortest prefix of a routed NIC port, as `Addressing.routed_prefix_length` has it.
SHORTEST = 26
#: Addresses of a subnet that no pod can have: its network, leaf, NIC, and broadcast.
_TAKEN = 4


def routed_units(file: FabricFile) -> list[bool]:
    """Tell of each unit whether its NICs are on routed ports."""
    every = file.addressing.vlan_per == "none"
    return [every or unit.vlan_per == "none" for unit in file.units]


def routed_leaves(file: FabricFile, layout: Layout) -> Bools:
    """Tell of each leaf whether its NICs are on routed ports."""
    return np.array(routed_units(file))[layout.unit[: layout.leaf_count]]


def routed_pool(addressing: Addressing) -> IPv4Network | None:
    """Return the IPv4 pool of routed NIC ports; None where they have IPv6 alone."""
    return addressing.routed_hosts or addressing.hosts


def host_pools(file: FabricFile) -> dict[str, IPv4Network]:
    """Return the pools that NICs have addresses of, by field: of VLANs, then of routed ports."""
    routed, addressing = routed_units(file), file.addressing
    pools = {} if all(routed) else {"hosts": addressing.hosts}
    if any(routed):
        pools["routed_hosts" if addressing.routed_hosts else "hosts"] = routed_pool(addressing)
    return {name: pool for name, pool in pools.items() if pool}


def summary_bits(addressing: Addressing, ports: int) -> int:
    """Return how many bits the routed NIC ports of a leaf and rail take; ``ports`` of them fit."""
    return (ports - 1).bit_length() + BITS - addressing.routed_prefix_length


def named_pools(file: FabricFile) -> dict[str, IPv4Network | IPv6Network]:
    """Return the pools that devices have addresses of, by field of ``addressing``."""
    plan = file.addressing.ipv6
    links = {name: getattr(file.addressing, name) for name in ("uplinks", "core_links")}
    pools = {"loopbacks": file.addressing.loopbacks, **links, **host_pools(file)}
    pools |= {"ipv6.hosts": plan.hosts, "ipv6.uplinks": plan.uplinks} if plan else {}
    return {name: pool for name, pool in pools.items() if pool is not None}


def gateway_offset(prefix_length: int) -> int:
    """Return which address of its subnet the leaf has: the first of a /31, else the second."""
    return 0 if prefix_length == PAIR else 1


def room_for(count: int) -> str:
    """Return the fix where so many virtual functions or pods need addresses beside the NIC."""
    length = BITS - (count + _TAKEN - 1).bit_length()
    if length < SHORTEST:
        return f"use at most {(1 << BITS - SHORTEST) - _TAKEN} of them on a NIC, or VLANs"
    return f"use addressing.routed_prefix_length: {length}"


def rail_size(file: FabricFile) -> int:
    """Return how many IPv4 addresses of routed NIC ports a rail has in a plane."""
    pool = routed_pool(file.addressing)
    return part_size(pool.num_addresses, file.planes, file.rails) if pool else 0


def part_size(addresses: int, planes: int, rails: int) -> int:
    """Return how many of the addresses of a pool a rail has in a plane."""
    return addresses // planes >> (rails - 1).bit_length()


def rail_length(file: FabricFile) -> int:
    """Return the prefix length that all routed NIC ports of a rail share, in a plane."""
    return BITS + 1 - rail_size(file).bit_length()


def no_prefix(file: FabricFile) -> str:
    """Return why the NICs of a rail have no prefix of their own; empty where they have."""
    if not all(routed_units(file)):
        return "subnets of VLANs are cut by leaf, so the NICs of a rail share no prefix"
    plan = file.addressing.ipv6
    if plan and file.addressing.rdma_ipv6 and plan.assignment == "slaac":
        return "NCCL compares 64 bits of IPv6 addresses, and with slaac each NIC has its own /64"
    return "a rail has a prefix in each plane" if file.planes > 1 else ""


def rail_starts(file: FabricFile, plane: Ints, rail: Ints) -> Ints:
    """Return the first address of rails in planes."""
    pool = routed_pool(file.addressing)
    start = int(pool[0]) if pool else 0
    return start + ((plane << (file.rails - 1).bit_length()) + rail) * rail_size(file)


class Places(NamedTuple):
    """Where each routed NIC port is in the numbering of its pool; arrays of shape (ports,).

    Rails and ports take powers of two, so that a rail, and a rail of a leaf, is one prefix, and
    nothing moves when units are added.

    Parameters
    ----------
    rail : array of int
        Number of the rail, those of a plane side by side.
    leaf : array of int
        Place of the leaf among those of the rail.
    port : array of int
        Place of the NIC on the leaf.
    port_bits : int
        Bits of the last.
    """

    rail: Ints
    leaf: Ints
    port: Ints
    port_bits: int


class RoutedPorts:
    """How routed NIC ports are numbered: by plane, rail, leaf of the rail, and port.

    Parameters
    ----------
    leaf, rail : array of int, shape (groups,)
        Every leaf with each rail that it serves.
    ports : int
        NICs of a rail that a leaf may have.
    """

    def __init__(self, intent: Intent, layout: Layout, leaf: Ints, rail: Ints, ports: int) -> None:
        self._file = file = intent.fabric
        self._ports = ports
        self._plane = np.maximum(layout.plane, 0)
        key = self._plane[leaf] * file.rails + rail
        self._place = np.zeros((layout.leaf_count, file.rails), dtype=np.int64)
        self._place[leaf, rail] = rank_within(key)
        self.most_leaves = int(np.bincount(key).max(initial=0))

    def places(self, leaf: Ints, rail: Ints, slot: Ints) -> Places:
        """Return the place of each NIC port."""
        rails = (self._plane[leaf] << (self._file.rails - 1).bit_length()) + rail
        return Places(rails, self._place[leaf, rail], slot, (self._ports - 1).bit_length())


def ipv4_networks(file: FabricFile, places: Places) -> Ints:
    """Return the first address of the subnet of each routed NIC port; 0 without a pool."""
    pool = routed_pool(file.addressing)
    if pool is None:
        return np.zeros_like(places.rail)
    bits = BITS - file.addressing.routed_prefix_length
    networks: Ints = int(pool[0]) + places.rail * rail_size(file)
    return networks + ((places.leaf << places.port_bits | places.port) << bits)


def summary_length(file: FabricFile, pool: IPv4Network, ports: int) -> int | None:
    """Return the length of what a leaf announces of a rail; None where it announces each subnet."""
    addressing = file.addressing
    if addressing.advertise == "nic" or not any(routed_units(file)):
        return None
    return BITS - summary_bits(addressing, ports) if pool == routed_pool(addressing) else None
