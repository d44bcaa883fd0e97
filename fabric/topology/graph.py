"""The fabric as a networkx graph, for analysis by other programs.

The attributes are described in ``docs/reference/graph.md``; others rely on them.
"""

from __future__ import annotations

from itertools import chain
from typing import TYPE_CHECKING, Any

from fabric.core.units import ipv4_text
from fabric.topology.layout import pod_names
from fabric.topology.model import NO_PORT, NO_VLAN
from fabric.topology.naming import nic_names
from fabric.topology.nic_addresses import nic_ipv6
from fabric.topology.peering import numbered_links

if TYPE_CHECKING:
    from collections.abc import Iterator

    import networkx as nx

    from fabric.topology.model import Fabric

    Node = tuple[str, dict[str, Any]]
    Edge = tuple[str, str, str, dict[str, Any]]


def graph(fabric: Fabric) -> nx.MultiGraph[str]:
    """Return switches and hosts as nodes and every cable as an edge.

    Nodes are named as the devices. An edge has the key ``<device> <port>`` of its end nearer to
    the hosts, which is unique; cables that are switched off have ``enabled`` false.
    """
    import networkx as nx

    network: nx.MultiGraph[str] = nx.MultiGraph(name=fabric.intent.fabric.name)
    network.add_nodes_from(_switches(fabric))
    network.add_nodes_from(_hosts(fabric))
    # types-networkx describes the edges of a plain graph, which have no key
    network.add_edges_from(chain(_uplinks(fabric), _nics(fabric)))  # type: ignore[arg-type]
    return network


def _switches(fabric: Fabric) -> Iterator[Node]:
    table, units = fabric.switches, fabric.intent.fabric.units
    pods = pod_names(fabric.intent.fabric)
    columns = (table.unit, table.rail, table.pod, table.plane, table.asn, table.loopback)
    rows = zip(table.names, table.skus, *(column.tolist() for column in columns), strict=True)
    for row, (name, model, unit, rail, pod, plane, asn, loopback) in enumerate(rows):
        yield (
            name,
            {
                "kind": "switch",
                "role": table.role(row),
                "unit": units[unit].name if unit >= 0 else None,
                "rail": rail if rail >= 0 else None,
                "pod": pods[pod] if pod >= 0 else None,
                "plane": plane if plane >= 0 else None,
                "asn": asn,
                "loopback": ipv4_text(loopback),
                "platform": model.nos,
                "sku": model.name,
            },
        )


def _hosts(fabric: Fabric) -> Iterator[Node]:
    table, units = fabric.hosts, fabric.intent.fabric.units
    for name, unit, slot in zip(table.names, table.unit.tolist(), table.slot.tolist(), strict=True):
        yield name, {"kind": "host", "role": "host", "unit": units[unit].name, "slot": slot}


def _uplinks(fabric: Fabric) -> Iterator[Edge]:
    up, switches = fabric.uplinks, fabric.switches
    columns = (
        *(up.lower, up.lower_port, up.lower_address),
        *(up.upper, up.upper_port, up.upper_address),
        *(up.speed_gbps, up.cable_m, up.enabled, up.prefix_length, numbered_links(fabric)),
    )
    rows = zip(*(column.tolist() for column in columns), strict=True)
    for row, (lower, port, address, upper, far_port, far_address, *link) in enumerate(rows):
        speed, cable, enabled, length, numbered = link
        below, above = switches.names[lower], switches.names[upper]
        ports = {below: switches.skus[lower].port(port), above: switches.skus[upper].port(far_port)}
        yield (
            below,
            above,
            f"{below} {ports[below]}",
            {
                "kind": "uplink",
                "ports": ports,
                "addresses": {
                    below: f"{ipv4_text(address)}/{length}" if numbered else "",
                    above: f"{ipv4_text(far_address)}/{length}" if numbered else "",
                },
                **_link_ipv6(fabric, row, (below, above), numbered=numbered),
                "speed_gbps": speed,
                "cable_m": cable,
                "enabled": enabled,
            },
        )


def _nics(fabric: Fabric) -> Iterator[Edge]:
    nics, switches = fabric.nics, fabric.switches
    lengths = fabric.subnets.prefix_length[nics.subnet]
    gateways = fabric.subnets.gateway[nics.subnet]
    vlans = fabric.subnets.vlan[nics.subnet]
    names = [names for host in fabric.hosts.names for names in nic_names(fabric, host)]
    columns = (
        *(nics.host, nics.rail, nics.nic_port, nics.address, nics.leaf, nics.port),
        *(gateways, vlans, lengths),
        *(nics.speed_gbps, nics.cable_m, nics.enabled),
    )
    has_ipv4 = fabric.intent.fabric.addressing.ipv4
    rows = zip(names, *(column.tolist() for column in columns), strict=True)
    for row, (own, host, rail, nic_port, address, leaf, port, *link) in enumerate(rows):
        gateway, vlan, length, speed, cable, enabled = link
        if port == NO_PORT:
            continue
        host_name, leaf_name = fabric.hosts.names[host], switches.names[leaf]
        interface = own.interface
        yield (
            host_name,
            leaf_name,
            f"{host_name} {interface}",
            {
                "kind": "nic",
                "ports": {host_name: interface, leaf_name: switches.skus[leaf].port(port)},
                "addresses": {
                    host_name: f"{ipv4_text(address)}/{length}" if has_ipv4 else "",
                    leaf_name: f"{ipv4_text(gateway)}/{length}" if has_ipv4 else "",
                },
                **_nic_ipv6(fabric, row, (host_name, leaf_name)),
                "rail": rail,
                "nic_port": nic_port,
                "rdma_device": own.rdma_device,
                "vlan": vlan if vlan != NO_VLAN else None,
                "speed_gbps": speed,
                "cable_m": cable,
                "enabled": enabled,
            },
        )


def _link_ipv6(
    fabric: Fabric, row: int, ends: tuple[str, str], *, numbered: bool
) -> dict[str, dict[str, str]]:
    """Return the attribute of IPv6 addresses of a cable between switches, where it has any."""
    table = fabric.links6 if numbered else None
    if table is None:
        return {}
    names = zip(ends, (False, True), strict=True)
    return {"ipv6": {name: str(table.interface(row, above=above)) for name, above in names}}


def _nic_ipv6(fabric: Fabric, row: int, ends: tuple[str, str]) -> dict[str, dict[str, str]]:
    """Return the attribute of IPv6 addresses of a NIC and its leaf, where they have any."""
    subnet, table = int(fabric.nics.subnet[row]), fabric.subnets.ipv6
    if table is None or fabric.subnets.vlan[subnet] != NO_VLAN:
        return {}
    host, leaf = ends
    length, address = table.prefix_length, nic_ipv6(fabric, row)
    own = f"{address}/{length}" if address else ""
    return {"ipv6": {host: own, leaf: f"{table.gateway(subnet)}/{length}"}}
