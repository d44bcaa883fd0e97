"""Addresses in the management network, by position, and what is wrong with them."""

from __future__ import annotations

from itertools import combinations
from typing import TYPE_CHECKING, Any

import numpy as np

from fabric.core import hostlist
from fabric.core.findings import Finding, Severity
from fabric.core.units import ipv4_text
from fabric.topology.addressing import by_position
from fabric.topology.model import ManagementEnds
from fabric.topology.routed import named_pools

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from ipaddress import IPv4Address, IPv4Network

    from fabric.intent.inventory import Intent, Located
    from fabric.intent.management_model import ManagementNetwork
    from fabric.topology.layout import Layout
    from fabric.topology.model import Fabric, Ints

#: Addresses of a network that no port has: its number and its broadcast address (RFC 919).
_ENDS = 2
_PATH = ("management", "network")


def short_pools(intent: Intent) -> list[tuple[str, str, int, int]]:
    """Return field, kind, need and size of the pools that go by the order of hosts."""
    network = intent.fabric.management.network
    if network is None:
        return []
    count = sum(hostlist.count(unit.hosts) for unit in intent.fabric.units)
    pools = {"hosts": network.hosts, "bmcs": network.bmcs}
    return [
        (f"management.network.{field}", f"management addresses of {field}", count, _size(pool))
        for field, pool in pools.items()
        if pool
    ]


def _size(pool: IPv4Network) -> int:
    return max(0, pool.num_addresses - _ENDS)


def management_ends(fabric: Fabric, layout: Layout) -> tuple[ManagementEnds | None, list[Finding]]:
    """Return the addresses of all devices, and what is wrong with the network."""
    network = fabric.intent.fabric.management.network
    if network is None:
        return None, list(_without_network(fabric.intent))
    hosts = np.arange(len(fabric.hosts))
    none = np.zeros(0, dtype=np.int64)
    switches, own, bmcs = (
        by_position(fabric.intent, layout, network.switches),
        int(network.hosts[1]) + hosts if network.hosts else none,
        int(network.bmcs[1]) + hosts if network.bmcs else none,
    )
    gateway = network.gateway or network.subnet[1]
    ends = ManagementEnds(network.subnet, gateway, switches, own, bmcs)
    return ends, [*_wrong_network(fabric.intent, network, gateway), *_overrides(fabric, ends)]


def _without_network(intent: Intent) -> Iterator[Finding]:
    for item in _items(intent):
        for field in ("management_address", "bmc_address"):
            if getattr(item.value, field, None) is not None:
                yield _finding(
                    "there is no management network",
                    "add management.network to fabric.yaml",
                    item,
                    field,
                )


def _wrong_network(
    intent: Intent, network: ManagementNetwork, gateway: IPv4Address
) -> Iterator[Finding]:
    named = {"switches": network.switches, "hosts": network.hosts, "bmcs": network.bmcs}
    pools = {field: pool for field, pool in named.items() if pool}
    for field, pool in pools.items():
        if not pool.subnet_of(network.subnet):
            yield _own(intent, f"{pool} is not in the subnet {network.subnet}", field)
        if gateway in pool:
            yield _own(intent, f"{pool} contains the gateway {gateway}", field)
    for (first, one), (second, other) in combinations(pools.items(), 2):
        if one.overlaps(other):
            yield _own(intent, f"{other} overlaps {first} {one}", second)
    if gateway not in network.subnet:
        yield _own(intent, f"{gateway} is not in the subnet {network.subnet}", "gateway")
    for name, pool in _traffic(intent).items():
        if network.subnet.overlaps(pool):
            yield _own(intent, f"{network.subnet} overlaps addressing.{name} {pool}", "subnet")


def _traffic(intent: Intent) -> Mapping[str, IPv4Network]:
    pools: dict[str, Any] = named_pools(intent.fabric)
    return {name: pool for name, pool in pools.items() if pool.version == 4}  # noqa: PLR2004


def _overrides(fabric: Fabric, ends: ManagementEnds) -> Iterator[Finding]:
    """Write the addresses that the inventory sets, and yield those that cannot be."""
    intent = fabric.intent
    tables = (
        (intent.devices, fabric.switch_row, "management_address", ends.switches),
        (intent.hosts, fabric.host_row, "management_address", ends.hosts),
        (intent.hosts, fabric.host_row, "bmc_address", ends.bmcs),
    )
    for items, rows, field, table in tables:
        for item in items:
            yield from _write(item, rows, field, table, ends)
    yield from _doubles(fabric, ends)


def _write(
    item: Located[Any], rows: Mapping[str, int], field: str, table: Ints, ends: ManagementEnds
) -> Iterator[Finding]:
    address = getattr(item.value, field)
    if address is None:
        return
    names = [name for name in hostlist.expand(item.value.names) if name in rows]
    if not len(table):
        pool = "bmcs" if field == "bmc_address" else "hosts"
        yield _finding("there is no pool for it", f"add management.network.{pool}", item, field)
    elif address not in ends.subnet or address == ends.gateway:
        message = f"{address} is the gateway, or outside the subnet {ends.subnet}"
        yield _finding(message, "use an address of the subnet", item, field)
    else:
        table[[rows[name] for name in names]] = int(address)


def _doubles(fabric: Fabric, ends: ManagementEnds) -> Iterator[Finding]:
    """Yield addresses that two devices have; only an override can make them."""
    every = np.concatenate([ends.switches, ends.hosts, ends.bmcs])
    values, counts = np.unique(every, return_counts=True)
    double = {int(value) for value in values[counts > 1]}
    for item in _items(fabric.intent) if double else ():
        for field in ("management_address", "bmc_address"):
            address = getattr(item.value, field, None)
            if address is not None and int(address) in double:
                message = f"{ipv4_text(int(address))} is the address of another device too"
                yield _finding(message, "use a free address", item, field)


def _items(intent: Intent) -> tuple[Located[Any], ...]:
    return (*intent.devices, *intent.hosts)


def _own(intent: Intent, message: str, field: str) -> Finding:
    fix = "use separate parts of the management subnet, apart from all pools of addressing"
    return intent.finding("TOP008", message, fix, *_PATH, field)


def _finding(message: str, fix: str, item: Located[Any], field: str) -> Finding:
    return Finding("TOP008", Severity.ERROR, message, fix, item.field(field), item.position(field))
