"""Subnets of nodes: what a CIDRPool of nv-ipam pins to each of them, in one family."""

from __future__ import annotations

from dataclasses import dataclass
from ipaddress import IPv4Address, IPv6Address
from typing import TYPE_CHECKING

import numpy as np

from fabric.core.counts import counted
from fabric.placement.pcie import refused_field
from fabric.topology.routed import gateway_offset, host_pools, room_for, routed_pool

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fabric.core.errors import InputError
    from fabric.placement.k8s.cluster import Cluster
    from fabric.topology.model import Ints

#: Suffix of the name of the second pool of a network, where pods have both families.
IPV6_SUFFIX = "-ipv6"


@dataclass(frozen=True, slots=True)
class NodeSubnets:
    """Subnets of the NICs of a rail, by host.

    Parameters
    ----------
    kind : type
        Of an address of the family.
    pool : str
        What the subnets are cut from.
    routes : tuple of str
        Prefixes of all NICs of the fabric.
    networks, gateways : list of int
        First address, and that of the leaf, of each subnet.
    length, gateway_offset : int
        Prefix length of each, and where in it the leaf is.
    nic_offsets : set of int
        Where in it the NICs are; none where they make their own addresses.
    """

    kind: type[IPv4Address | IPv6Address]
    pool: str
    routes: tuple[str, ...]
    networks: list[int]
    gateways: list[int]
    length: int
    gateway_offset: int
    nic_offsets: frozenset[int]

    @property
    def is_ipv6(self) -> bool:
        """Whether they are of IPv6."""
        return self.kind is IPv6Address

    @property
    def last_offset(self) -> int:
        """Where in a subnet its last address is."""
        return (1 << self.kind(0).max_prefixlen - self.length) - 1

    @property
    def reserved(self) -> set[int]:
        """Where in a subnet no pod is: its first address, leaf, NIC, and broadcast of IPv4."""
        broadcast = set() if self.is_ipv6 else {self.last_offset}
        return {0, self.gateway_offset, *self.nic_offsets} | broadcast

    @property
    def free(self) -> int:
        """How many addresses of a subnet pods can have."""
        return self.last_offset + 1 - len(self.reserved)

    def text(self, address: int) -> str:
        """Return an address as it is written."""
        return str(self.kind(address))


def node_subnets(cluster: Cluster, rail: int) -> Iterator[NodeSubnets]:
    """Yield the subnets of a rail of each family, where every NIC has its own.

    Raises
    ------
    InputError
        When there are several lengths: a pool has one for all nodes.
    """
    rows = np.array([cluster.nic_row(host, rail) for host in cluster.hosts])
    if cluster.has_ipv4:
        yield _ipv4(cluster, rail, rows)
    if cluster.has_ipv6:
        yield _ipv6(cluster, rows)


def no_room(cluster: Cluster, pods: int, free: int, *, is_ipv6: bool = False) -> InputError:
    """Return the error of a subnet that has too few addresses for its pods."""
    message = (
        f"{counted(pods, 'pod needs', 'pods need')} an address, but the subnet has only "
        f"{max(free, 0)} free"
    )
    path: tuple[str, ...] = ("addressing", "host_prefix_length")
    fix = "use a shorter addressing.host_prefix_length, or addressing.vlan_per: nic"
    if is_ipv6:
        path, fix = ("addressing", "ipv6", "assignment"), ROOM_OF_IPV6
    elif cluster.is_routed:
        path, fix = ("addressing", "routed_prefix_length"), room_for(pods)
    return refused_field(cluster.fabric, path, message, fix)


#: The fix where virtual functions or pods need IPv6 addresses beside the NIC.
ROOM_OF_IPV6 = "use addressing.ipv6.assignment: slaac, which gives each NIC a /64 instead of a /127"


def _ipv4(cluster: Cluster, rail: int, rows: Ints) -> NodeSubnets:
    fabric, addressing = cluster.fabric, cluster.fabric.intent.fabric.addressing
    table, subnets = fabric.subnets, fabric.nics.subnet[rows]
    lengths = np.unique(table.prefix_length[subnets]).tolist()
    if len(lengths) > 1:
        named = " and ".join(f"/{length}" for length in lengths)
        message = f"the subnets of rail {rail} are {named}, and a pool has one length"
        raise refused_field(fabric, ("addressing",), message, "use one length on a rail")
    (length,) = lengths
    networks = table.network[subnets]
    offset = gateway_offset(length) if cluster.is_routed else addressing.gateway_offset
    return NodeSubnets(
        IPv4Address,
        str(routed_pool(addressing) if cluster.is_routed else addressing.hosts),
        tuple(map(str, host_pools(fabric.intent.fabric).values())),
        networks.tolist(),
        table.gateway[subnets].tolist(),
        length,
        offset,
        frozenset((fabric.nics.address[rows] - networks).tolist()),
    )


def _ipv6(cluster: Cluster, rows: Ints) -> NodeSubnets:
    fabric, plan = cluster.fabric, cluster.fabric.intent.fabric.addressing.ipv6
    table = fabric.subnets.ipv6
    if plan is None or table is None:
        raise ValueError("no IPv6 plan")
    subnets = fabric.nics.subnet[rows]
    networks = table.numbers(subnets).tolist()
    nics = [] if table.slaac else [table.nic(row, "") for row in subnets.tolist()]
    return NodeSubnets(
        IPv6Address,
        str(plan.hosts),
        (str(plan.hosts),),
        networks,
        [int(table.gateway(row)) for row in subnets.tolist()],
        table.prefix_length,
        int(table.slaac),
        frozenset(int(nic) - first for nic, first in zip(nics, networks, strict=False) if nic),
    )
