"""Addresses of pods: the subnet of a pod is that of the switch port, and no address is used twice.

nv-ipam (Mellanox/nvidia-k8s-ipam 3ce4a34): a CIDRPool gives each node a subnet, and nodes can be
pinned; an IPPool shares one subnet out in blocks, from its first address on, in an order that
nobody can pin. Indexes of a CIDRPool count from the network address
(``pkg/ipam-node/controllers/cidrpool``), those of blocks from the address after it. Both hand
addresses out in rising order. Of IPv6 it knows /127 as two addresses and no broadcast
(``api/v1alpha1/helpers.go``); a network has up to two pools (``pkg/cni/types``). whereabouts takes
the lowest free address (``IterateForAssignment``).
"""

from __future__ import annotations

from ipaddress import IPv4Address, IPv4Network
from typing import TYPE_CHECKING, Any

import numpy as np

from fabric.core.units import ipv4_text
from fabric.placement.k8s.manifest import HOSTNAME, Manifest, json_text
from fabric.placement.k8s.node_subnets import IPV6_SUFFIX, no_room, node_subnets
from fabric.placement.pcie import refused_field

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from fabric.placement.k8s.cluster import Cluster, Network
    from fabric.placement.k8s.node_subnets import NodeSubnets

#: An IPPool takes no smaller block (api/v1alpha1/ippool_validate.go).
_SMALLEST_BLOCK = 2


def pools(cluster: Cluster) -> list[Manifest]:
    """Return the pools of all networks; whereabouts has none.

    Raises
    ------
    InputError
        When the subnets have no room for the pods.
    """
    if cluster.traits.container_mode == "host-network":
        return []
    if cluster.settings.address_plugin == "whereabouts":
        _check_shared_subnet(cluster)
        return []
    if cluster.one_subnet_per_nic:
        return [one for network in cluster.networks for one in _node_pools(cluster, network)]
    return [_ip_pool(cluster, network) for network in cluster.networks]


def ipam(cluster: Cluster, network: Network) -> str:
    """Return the address part of a CNI configuration, as JSON."""
    if cluster.settings.address_plugin == "nv-ipam":
        kind, name = "ippool", network.name
        if cluster.one_subnet_per_nic:
            kind, name = "cidrpool", ",".join(name for name, _ in _families(cluster, network))
        return json_text({"type": "nv-ipam", "poolName": name, "poolType": kind})
    _check_shared_subnet(cluster)
    subnet, gateway = _subnet(cluster, network)
    last = max((*_hosts_addresses(cluster, network), int(gateway)))
    top = int(subnet.broadcast_address) - 1
    _check_room(cluster, top - last, len(cluster.hosts_of(network)) * _pods(cluster))
    return json_text({
        "type": "whereabouts",
        "range": str(subnet),
        "range_start": ipv4_text(last + 1),
        "range_end": ipv4_text(top),
        "gateway": str(gateway),
        "routes": cluster.routes,
    })


def free_addresses_per_nic(cluster: Cluster, network: Network) -> int:
    """Return how many addresses the pods of a NIC can have in turn."""
    if cluster.one_subnet_per_nic:
        return min(_fewest(cluster, one) for one in node_subnets(cluster, network.rail))
    subnet, gateway = _subnet(cluster, network)
    hosts = len(cluster.hosts_of(network))
    usable = subnet.num_addresses - 2
    addresses = {*_hosts_addresses(cluster, network), int(gateway)}
    taken = {address - int(subnet.network_address) for address in addresses}
    if cluster.settings.address_plugin == "whereabouts":
        return (usable - max(taken)) // hosts
    block = max(usable // hosts, _SMALLEST_BLOCK)
    if block * hosts > usable:
        return 0
    used = np.bincount([(offset - 1) // block for offset in taken], minlength=hosts)[:hosts]
    return int(block - used.max())


def roomy_length(cluster: Cluster, network: Network, pods: int) -> int:
    """Return a length of a shared subnet that has room for as many pods on each NIC.

    Gateway and hosts have the first addresses: with blocks, they may all be in that of one node.
    """
    subnet, gateway = _subnet(cluster, network)
    hosts = len(cluster.hosts_of(network))
    taken = {*_hosts_addresses(cluster, network), int(gateway)}
    addresses = hosts * max(len(taken) + pods, _SMALLEST_BLOCK)
    if cluster.settings.address_plugin == "whereabouts":
        addresses = hosts * pods + max(taken) - int(subnet.network_address)
    return subnet.max_prefixlen - (addresses + 1).bit_length()


def _node_pools(cluster: Cluster, network: Network) -> Iterator[Manifest]:
    """Yield pools whose nodes are pinned: the subnet of a node is that of its switch port."""
    for name, subnets in _families(cluster, network):
        if _fewest(cluster, subnets) < _pods(cluster):
            raise no_room(cluster, _pods(cluster), subnets.free, is_ipv6=subnets.is_ipv6)
        spec: dict[str, Any] = {
            "cidr": subnets.pool,
            "perNodeNetworkPrefix": subnets.length,
            "gatewayIndex": subnets.gateway_offset,
            "perNodeExclusions": [
                {"startIndex": first, "endIndex": last}
                for first, last in _runs(_excluded_offsets(cluster, network, subnets))
            ],
            "nodeSelector": _nodes(cluster.hosts),
            "staticAllocations": [
                {
                    "nodeName": host,
                    "prefix": f"{subnets.text(first)}/{subnets.length}",
                    "gateway": subnets.text(gateway),
                }
                for host, first, gateway in zip(
                    cluster.hosts, subnets.networks, subnets.gateways, strict=True
                )
            ],
            "routes": [{"dst": pool} for pool in subnets.routes],
        }
        yield Manifest("CIDRPool", name, cluster.settings.operator_namespace, spec)


def _families(cluster: Cluster, network: Network) -> list[tuple[str, NodeSubnets]]:
    """Return the pools of a network with their names: nv-ipam takes two, one of each family."""
    families = list(node_subnets(cluster, network.rail))
    suffix = IPV6_SUFFIX if len(families) > 1 else ""
    return [(network.name + (suffix if one.is_ipv6 else ""), one) for one in families]


def _fewest(cluster: Cluster, subnets: NodeSubnets) -> int:
    """Return how many addresses pods have in turn; a pod with the whole NIC takes its address."""
    return 1 if cluster.traits.container_mode == "physical-function" else subnets.free


def _ip_pool(cluster: Cluster, network: Network) -> Manifest:
    subnet, gateway = _subnet(cluster, network)
    hosts = cluster.hosts_of(network)
    _check_room(cluster, free_addresses_per_nic(cluster, network), _pods(cluster))
    taken = sorted({*_hosts_addresses(cluster, network), int(gateway)})
    spec: dict[str, Any] = {
        "subnet": str(subnet),
        "perNodeBlockSize": (subnet.num_addresses - 2) // len(hosts),
        "gateway": str(gateway),
        "exclusions": [
            {"startIP": ipv4_text(first), "endIP": ipv4_text(last)} for first, last in _runs(taken)
        ],
        "nodeSelector": _nodes(hosts),
        "routes": cluster.routes,
    }
    return Manifest("IPPool", network.name, cluster.settings.operator_namespace, spec)


def _nodes(hosts: tuple[str, ...]) -> dict[str, Any]:
    expression = {"key": HOSTNAME, "operator": "In", "values": list(hosts)}
    return {"nodeSelectorTerms": [{"matchExpressions": [expression]}]}


def _pods(cluster: Cluster) -> int:
    whole = cluster.traits.container_mode == "physical-function"
    return 1 if whole else cluster.settings.pods_per_nic


def _subnet(cluster: Cluster, network: Network) -> tuple[IPv4Network, IPv4Address]:
    """Return subnet and gateway that the NICs of a network share."""
    fabric = cluster.fabric
    row = int(fabric.nics.subnet[cluster.nic_row(cluster.hosts_of(network)[0], network.rail)])
    subnet = IPv4Network(fabric.subnets.text(row))
    return subnet, IPv4Address(int(fabric.subnets.gateway[row]))


def _hosts_addresses(cluster: Cluster, network: Network) -> list[int]:
    """Return the addresses of all NICs in the subnet, those of other clusters too."""
    nics = cluster.fabric.nics
    row = cluster.nic_row(cluster.hosts_of(network)[0], network.rail)
    addresses: list[int] = np.unique(nics.address[nics.subnet == nics.subnet[row]]).tolist()
    return addresses


def _excluded_offsets(cluster: Cluster, network: Network, subnets: NodeSubnets) -> list[int]:
    """Return the places in a node's subnet that no pod gets.

    A pod that takes a whole NIC takes its address too: the GID is then the one that was planned.
    It is not where the NIC makes its own, which nobody can pin.
    """
    own = subnets.nic_offsets
    if cluster.traits.container_mode != "physical-function" or not own:
        return sorted(subnets.reserved)
    if len(own) > 1:
        message = f"the NICs of rail {network.rail} have different host parts in their addresses"
        fix = "remove hosts.nics.address, so that one pool serves all pods of a rail"
        raise refused_field(cluster.fabric, ("addressing",), message, fix)
    return sorted(set(range(subnets.last_offset + 1)) - own)


def _runs(numbers: Iterable[int]) -> list[tuple[int, int]]:
    """Return rising numbers as runs: 1, 2, 3, 7 is (1, 3), (7, 7)."""
    runs: list[tuple[int, int]] = []
    for number in numbers:
        if runs and runs[-1][1] == number - 1:
            runs[-1] = (runs[-1][0], number)
        else:
            runs.append((number, number))
    return runs


def _check_room(cluster: Cluster, free: int, pods: int) -> None:
    if free < pods:
        raise no_room(cluster, pods, free)


def _check_shared_subnet(cluster: Cluster) -> None:
    if cluster.one_subnet_per_nic:
        message = "whereabouts cannot pin the pods of a node to the subnet of its NIC"
        fix = "use nv-ipam, whose pools pin a subnet to each node"
        raise refused_field(cluster.fabric, ("kubernetes", "address_plugin"), message, fix)
