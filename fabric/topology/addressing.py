"""Addresses, subnets and what runs out of them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from fabric.core import hostlist
from fabric.core.findings import Finding, Severity
from fabric.topology.hardware import role_model
from fabric.topology.model import Subnets

if TYPE_CHECKING:
    from fabric.intent.inventory import Intent
    from fabric.topology.model import Ints

_PRIVATE_ASN = ((64512, 65534), (4_200_000_000, 4_294_967_294))  # RFC 6996
_LAST_VLAN = 4094


def loopbacks(intent: Intent, leaves: int) -> Ints:
    """Return the loopback of each switch: spines in the lower half of the pool, leaves above."""
    pool = intent.fabric.addressing.loopbacks
    first = int(pool.network_address) + 1
    half = pool.num_addresses // 2
    return np.concatenate([
        first + half + np.arange(leaves),
        first + np.arange(intent.fabric.spines.count),
    ])


def subnets(intent: Intent) -> Subnets:
    """Return the NIC subnets: per unit and rail, or per NIC slot of each of those."""
    file = intent.fabric
    rows = np.arange(len(file.units) * file.rails)
    unit, rail = rows // file.rails, rows % file.rails
    leaf = rows if file.design == "rail-optimised" else unit
    vlan = file.addressing.vlan_first + rail
    index = rows
    if file.addressing.vlan_per == "nic":
        slots = slots_per_subnet_group(intent)
        index = np.arange(len(rows) * slots)
        leaf, rail = np.repeat(leaf, slots), np.repeat(rail, slots)
        slot = index % slots
        port = slot if file.design == "rail-optimised" else slot * file.rails + rail
        vlan = file.addressing.vlan_first + port
    network = int(file.addressing.hosts.network_address) + (
        index << (32 - file.addressing.host_prefix_length)
    )
    return Subnets(
        leaf=leaf,
        rail=rail,
        vlan=vlan,
        network=network,
        gateway=network + file.addressing.gateway_offset,
        prefix_length=file.addressing.host_prefix_length,
    )


def host_addresses(intent: Intent, leaf: Ints, rail: Ints, slot: Ints) -> tuple[Ints, Ints]:
    """Return subnet row and address of each NIC."""
    file = intent.fabric
    table = subnets(intent)
    group = leaf.copy() if file.design == "rail-optimised" else leaf * file.rails + rail
    if file.addressing.vlan_per == "nic":
        row = group * slots_per_subnet_group(intent) + slot
        return row, table.network[row] + file.addressing.first_host_offset
    return group, table.network[group] + file.addressing.first_host_offset + slot


def slots_per_subnet_group(intent: Intent) -> int:
    """Return how many hosts fit on the host ports of one leaf."""
    file = intent.fabric
    ports = file.platforms.leaf.host_ports or role_model(intent, "leaf").port_count // 2
    return ports if file.design == "rail-optimised" else max(1, ports // file.rails)


def check_capacity(intent: Intent, leaves: int, host_ports: int) -> list[Finding]:
    """Return a finding for each kind of thing that the design has too few of."""
    return [
        *_port_findings(intent, leaves, host_ports),
        *_pool_findings(intent, leaves),
        *_number_findings(intent, leaves),
    ]


def _short(intent: Intent, path: str, what: str, need: int, have: int, fix: str) -> list[Finding]:
    if need <= have:
        return []
    message = f"{what} ran out: {need:,} needed, {have:,} there"
    return [
        Finding(
            "TOP004",
            Severity.ERROR,
            message,
            fix,
            f"fabric.{path}",
            intent.position(*path.split(".")),
        )
    ]


def _port_findings(intent: Intent, leaves: int, host_ports: int) -> list[Finding]:
    file = intent.fabric
    leaf, spine = role_model(intent, "leaf"), role_model(intent, "spine")
    per_leaf = file.spines.count * file.spines.links_per_leaf
    nics_per_host = 1 if file.design == "rail-optimised" else file.rails
    findings = []
    for index, unit in enumerate(file.units):
        need = hostlist.count(unit.hosts) * nics_per_host
        findings += [
            Finding(
                "TOP004",
                Severity.ERROR,
                f"leaf ports for hosts ran out: {need} needed, {host_ports} there",
                "split the unit or raise platforms.leaf.host_ports",
                f"fabric.units[{index}].hosts",
                intent.position("units", index, "hosts"),
            )
        ] * (need > host_ports)
    findings += _short(
        intent,
        "spines.count",
        f"uplink ports of {leaf.name} leaves",
        per_leaf,
        leaf.port_count - host_ports,
        "use fewer spines or links_per_leaf, or lower platforms.leaf.host_ports",
    )
    findings += _short(
        intent,
        "spines.links_per_leaf",
        f"ports of {spine.name} spines",
        leaves * file.spines.links_per_leaf,
        spine.port_count,
        "use a larger spine, more spines with fewer links_per_leaf, or fewer leaves",
    )
    return findings


def _pool_findings(intent: Intent, leaves: int) -> list[Finding]:
    file = intent.fabric
    pools = file.addressing
    per_leaf = file.spines.count * file.spines.links_per_leaf
    subnet_count = len(file.units) * file.rails
    hosts_per_subnet = max(hostlist.count(unit.hosts) for unit in file.units)
    if pools.vlan_per == "nic":
        subnet_count *= slots_per_subnet_group(intent)
        hosts_per_subnet = 1
    size = 1 << (32 - pools.host_prefix_length)
    return [
        *_short(
            intent,
            "addressing.loopbacks",
            "loopback addresses (half of the pool for each role)",
            max(leaves, file.spines.count),
            max(0, pools.loopbacks.num_addresses // 2 - 1),
            "use a larger pool",
        ),
        *_short(
            intent,
            "addressing.uplinks_per_leaf",
            "/31 links reserved for a leaf",
            per_leaf,
            pools.uplinks_per_leaf,
            "raise addressing.uplinks_per_leaf before the fabric is built",
        ),
        *_short(
            intent,
            "addressing.uplinks",
            "uplink addresses",
            2 * leaves * pools.uplinks_per_leaf,
            pools.uplinks.num_addresses,
            "use a larger pool or lower addressing.uplinks_per_leaf",
        ),
        *_short(
            intent,
            "addressing.hosts",
            f"/{pools.host_prefix_length} subnets",
            subnet_count,
            pools.hosts.num_addresses // size,
            "use a larger pool or a longer addressing.host_prefix_length",
        ),
        *_short(
            intent,
            "addressing.host_prefix_length",
            "host addresses of a subnet",
            pools.first_host_offset + hosts_per_subnet,
            size - 1,
            "use a shorter addressing.host_prefix_length",
        ),
    ]


def _number_findings(intent: Intent, leaves: int) -> list[Finding]:
    file = intent.fabric
    first = file.bgp.leaf_asn_first
    room = next((last - first + 1 for low, last in _PRIVATE_ASN if low <= first <= last), None)
    vlans = file.rails
    if file.addressing.vlan_per == "nic":
        slots = slots_per_subnet_group(intent)
        vlans = slots if file.design == "rail-optimised" else slots * file.rails
    findings = _short(
        intent,
        "addressing.vlan_first",
        "VLAN numbers",
        vlans,
        _LAST_VLAN - file.addressing.vlan_first + 1,
        "lower addressing.vlan_first",
    )
    if room is not None:
        findings += _short(
            intent,
            "bgp.leaf_asn_first",
            "private AS numbers",
            leaves,
            room,
            "start lower, or in the 32-bit private range from 4200000000",
        )
    for path, names, need in (
        ("leaf_names", file.leaf_names, leaves),
        ("spine_names", file.spine_names, file.spines.count),
    ):
        if names:
            have = hostlist.count(names)
            findings += _short(intent, path, "names", need, have, "name more devices in the range")
    return findings
