"""Numbers of switches, subnets and cables: loopbacks, AS numbers, NIC subnets, /31 of links."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from fabric.topology.hardware import role_model
from fabric.topology.ipv6_plan import ipv6_links, ipv6_subnets
from fabric.topology.layout import rank_within, spine_place, uplink_start
from fabric.topology.model import NO_VLAN, Subnets
from fabric.topology.own_addresses import LAST_ADDRESS, write_own_subnets
from fabric.topology.routed import PAIR, RoutedPorts, gateway_offset, ipv4_networks, routed_leaves

if TYPE_CHECKING:
    from ipaddress import IPv4Network

    from fabric.intent.inventory import Intent
    from fabric.intent.model import FabricFile
    from fabric.topology.ipv6 import Ipv6Links
    from fabric.topology.layout import Layout
    from fabric.topology.model import Fabric, Ints


#: Fields that AS numbers of switches follow from: of spines without pods, and in pods.
ASN_FIELDS = {
    "leaf": "bgp.leaf_asn_first",
    "spine": "bgp.spine_asn",
    "spine in a pod": "bgp.pod_asn_first",
    "super-spine": "bgp.super_spine_asn",
}


def loopbacks(intent: Intent, layout: Layout) -> Ints:
    """Return the loopback of each switch."""
    return _told(layout.loopback, by_position(intent, layout, intent.fabric.addressing.loopbacks))


def by_position(intent: Intent, layout: Layout, pool: IPv4Network) -> Ints:
    """Return an address of a pool for each switch.

    Spines start the pool, super-spines its second quarter, leaves its second half.
    """
    first, size = int(pool.network_address) + 1, pool.num_addresses
    return np.concatenate([
        first + size // 2 + np.arange(layout.leaf_count),
        first + spine_place(intent, layout),
        first + size // 4 + core_place(intent.fabric, layout),
    ])


def _told(values: Ints, otherwise: Ints) -> Ints:
    """Return what the inventory says of each switch, where it says something."""
    return np.where(values < 0, otherwise, values) if len(values) else otherwise


def core_place(file: FabricFile, layout: Layout) -> Ints:
    """Return the place of each super-spine among those of all planes."""
    rows = layout.of_tier(2)
    if file.design == "explicit":
        return layout.number[rows]
    return layout.number[rows] * file.planes + np.maximum(layout.plane[rows], 0)


def asn_field(role: str, *, in_pod: bool) -> str:
    """Return the field that the AS number of a switch follows from, as `asns` has it."""
    return ASN_FIELDS["spine in a pod" if role == "spine" and in_pod else role]


def asns(intent: Intent, layout: Layout) -> Ints:
    """Return the AS number of each switch (RFC 7938 section 5.2.1).

    Every leaf has its own; the spines of a pod share one, and the super-spines do.
    """
    bgp, pod = intent.fabric.bgp, layout.pod[layout.of_tier(1)]
    generated = np.concatenate([
        bgp.leaf_asn_first + np.arange(layout.leaf_count),
        np.where(pod < 0, bgp.spine_asn, bgp.pod_asn_first + pod),
        np.full(len(layout.of_tier(2)), bgp.super_spine_asn),
    ])
    return _told(layout.asn, generated)


def subnets(intent: Intent, layout: Layout) -> Subnets:
    """Return the NIC subnets: per leaf and rail, or per NIC slot of each of those.

    With planes each plane has its own half of the pool.
    """
    file, pool = intent.fabric, intent.fabric.addressing
    leaf, rail = _groups(file, layout)
    rank = rank_within(np.maximum(layout.plane[leaf], 0))
    rows, slot = _rows_of_groups(intent, layout, leaf)
    leaf, rail, rank = leaf[rows], rail[rows], rank[rows]
    plane, slots = np.maximum(layout.plane[leaf], 0), slots_per_subnet_group(intent)
    is_routed = routed_leaves(file, layout)[leaf]
    per_nic = pool.vlan_per == "nic"
    single = layout.rail[leaf] >= 0
    number = np.where(single, slot, slot * file.rails + rail) if per_nic else rail
    index = rank * slots + slot if per_nic else rank
    start, size = (int(pool.hosts[0]), pool.hosts.num_addresses) if pool.hosts else (0, 0)
    network = start + plane * (size // file.planes) + (index << (32 - pool.host_prefix_length))
    gateway = np.minimum(network + pool.gateway_offset, LAST_ADDRESS)
    places = routed_ports(intent, layout).places(leaf, rail, slot)
    own = ipv4_networks(file, places)
    table = Subnets(
        leaf=leaf,
        rail=rail,
        vlan=np.where(is_routed, NO_VLAN, pool.vlan_first + number),
        network=np.where(is_routed, own, network),
        gateway=np.where(is_routed, own + gateway_offset(pool.routed_prefix_length), gateway),
        prefix_length=np.where(is_routed, pool.routed_prefix_length, pool.host_prefix_length),
        ipv6=ipv6_subnets(file, places),
    )
    write_own_subnets(intent, layout, table)
    return table


def _rows_of_groups(intent: Intent, layout: Layout, leaf: Ints) -> tuple[Ints, Ints]:
    """Return the group of each subnet, and the slot that it is for; 0 where all slots share it."""
    file = intent.fabric
    one_each = routed_leaves(file, layout)[leaf] | (file.addressing.vlan_per == "nic")
    counts = np.where(one_each, slots_per_subnet_group(intent), 1)
    rows = np.repeat(np.arange(len(leaf)), counts)
    return rows, rank_within(rows)


def routed_ports(intent: Intent, layout: Layout) -> RoutedPorts:
    """Return how routed NIC ports are numbered."""
    groups = _groups(intent.fabric, layout)
    return RoutedPorts(intent, layout, *groups, slots_per_subnet_group(intent))


def _groups(file: FabricFile, layout: Layout) -> tuple[Ints, Ints]:
    """Return leaf and rail of every group of NICs that share a VLAN, or could."""
    rails = layout.rail[: layout.leaf_count]
    served = np.where(rails < 0, file.rails, 1)
    leaf = np.repeat(np.arange(layout.leaf_count), served)
    return leaf, np.where(rails[leaf] < 0, rank_within(leaf), rails[leaf])


def host_addresses(
    intent: Intent, layout: Layout, leaf: Ints, rail: Ints, slot: Ints
) -> tuple[Ints, Ints]:
    """Return subnet row and address of each NIC port, which is on a leaf that serves its rail.

    Parameters
    ----------
    leaf, rail, slot : array of int, shape (NIC ports,)
        Row of the leaf, rail from 0, and place of the host in its unit from 0.

    Returns
    -------
    tuple of two arrays of int, shape (NIC ports,)
        Row of the subnet, and IPv4 address as a number.
    """
    file = intent.fabric
    table = subnets(intent, layout)
    rails = layout.rail[: layout.leaf_count]
    served = np.where(rails < 0, file.rails, 1)
    first = np.cumsum(served) - served
    group = first[leaf] + np.where(rails[leaf] < 0, rail, 0)
    rows, _ = _rows_of_groups(intent, layout, _groups(file, layout)[0])
    starts, counts = np.unique(rows, return_index=True, return_counts=True)[1:]
    shared = counts[group] == 1
    row = starts[group] + np.where(shared, 0, slot)
    offset = np.where(
        table.vlan[row] == NO_VLAN,
        np.where(table.prefix_length[row] == PAIR, 1, 2),
        file.addressing.first_host_offset,
    )
    return row, table.network[row] + offset + np.where(shared, slot, 0)


def slots_per_subnet_group(intent: Intent) -> int:
    """Return how many hosts fit on the host ports of one leaf."""
    file = intent.fabric
    ports = uplink_start(file.platforms.leaf, role_model(intent, "leaf"))
    return max(1, ports // file.rails) if file.design == "classic-tor" else ports


def ipv6_addresses(fabric: Fabric) -> Ipv6Links | None:
    """Return the IPv6 addresses of cables, which have the places of the designed IPv4 ones."""
    pools, up = fabric.intent.fabric.addressing, fabric.uplinks
    if pools.ipv6 is None or pools.ipv6.uplinks is None:
        return None
    core = fabric.switches.tier[up.lower] > 0
    near, far = (int(pool[0]) if pool else 0 for pool in (pools.uplinks, pools.core_links))
    number = (up.upper_address - np.where(core, far, near)) // 2
    three = fabric.intent.fabric.super_spines is not None
    return ipv6_links(pools.ipv6.uplinks, np.maximum(number, 0), core, shared=three)
