"""What the design has too few of: ports, addresses, AS numbers, VLANs, names."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from fabric.core import hostlist
from fabric.core.counts import counted
from fabric.topology.addressing import core_place, routed_ports, slots_per_subnet_group
from fabric.topology.hardware import role_model, unit_models
from fabric.topology.ipv6_plan import subnet_bits
from fabric.topology.layout import (
    core_start,
    spine_place,
    spines_per_pod,
    uplink_start,
    usable_ports,
)
from fabric.topology.management import short_pools
from fabric.topology.routed import BITS, rail_size, routed_pool, routed_units, summary_bits

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fabric.core.findings import Finding
    from fabric.intent.inventory import Intent
    from fabric.intent.model import FabricFile
    from fabric.topology.layout import Layout
    from fabric.topology.model import Ints

_PRIVATE_ASN = ((64512, 65534), (4_200_000_000, 4_294_967_294))  # RFC 6996
#: IEEE 802.1Q-2018 table 9-2: 4095 is reserved.
_LAST_VLAN = 4094


def check_capacity(intent: Intent, layout: Layout) -> list[Finding]:
    """Return a finding for each kind of thing that the design has too few of."""
    ports = [] if intent.fabric.design == "explicit" else list(_host_ports(intent))
    return [
        *(ports or _slots(intent)),
        *_uplink_ports(intent, layout),
        *_core_ports(intent, layout),
        *_loopbacks(intent, layout),
        *_ordered(intent),
        *_links(intent, layout),
        *_subnets(intent, layout),
        *_routed(intent, layout),
        *_numbers(intent, layout),
    ]


def _short(intent: Intent, path: str, what: str, need: int, have: int, fix: str) -> list[Finding]:
    if need <= have:
        return []
    message = f"{what} exhausted: {need:,} needed, {max(have, 0):,} available"
    parts = (int(part) if part.isdigit() else part for part in path.split("."))
    return [intent.finding("TOP004", message, fix, *parts)]


def _host_ports(intent: Intent) -> Iterator[Finding]:
    file = intent.fabric
    nics = file.rails if file.design == "classic-tor" else 1
    for index, (unit, model) in enumerate(zip(file.units, unit_models(intent), strict=True)):
        need, have = hostlist.count(unit.hosts) * nics, uplink_start(file.platforms.leaf, model)
        if need > have:
            yield intent.finding(
                "TOP004",
                f"leaf ports for hosts exhausted: {need:,} needed, {have:,} available",
                _more_host_ports(file),
                "units",
                index,
                "hosts",
            )


def _more_host_ports(file: FabricFile) -> str:
    """Return what to do where a leaf has too few ports for hosts: uplinks come after these."""
    if file.spines is None:
        return "split the unit or increase platforms.leaf.host_ports"
    return (
        "move hosts to a new unit at the end; increase platforms.leaf.host_ports only before the "
        f"fabric is built: the {file.spines.count * file.spines.links_per_leaf:,} uplink cables of "
        "each leaf would move"
    )


def _slots(intent: Intent) -> Iterator[Finding]:
    """Yield units with more hosts than a leaf has subnets of one NIC.

    Leaves of another model may have ports for them; their number of subnets is that of all leaves.
    """
    file = intent.fabric
    for index, (unit, is_routed) in enumerate(zip(file.units, routed_units(file), strict=True)):
        if not is_routed and file.addressing.vlan_per == "rail":
            continue
        yield from _short(
            intent,
            f"units.{index}.hosts",
            "subnets of one NIC each on a leaf",
            hostlist.count(unit.hosts),
            slots_per_subnet_group(intent),
            "split the unit or increase platforms.leaf.host_ports",
        )


def _uplink_ports(intent: Intent, layout: Layout) -> Iterator[Finding]:
    file = intent.fabric
    if file.spines is None or file.platforms.spine is None:
        return
    spine = role_model(intent, "spine")
    platform = file.platforms.leaf
    for leaf in dict.fromkeys(unit_models(intent)):
        yield from _short(
            intent,
            "spines.count",
            f"uplink ports of {leaf.name} leaves",
            file.spines.count * file.spines.links_per_leaf,
            len(usable_ports(platform, leaf)) - uplink_start(platform, leaf),
            "use fewer spines or links_per_leaf, or lower platforms.leaf.host_ports"
            + (
                ""
                if leaf.name == platform.sku
                else "; for leaves of another shape, use a separate inventory"
            ),
        )
    has_many = file.spines.links_per_leaf > 1
    other_way = "more spines with fewer links_per_leaf" if has_many else "pods with super_spines"
    yield from _short(
        intent,
        "spines.links_per_leaf",
        f"ports of {spine.name} spines",
        _most(layout.group[: layout.leaf_count]) * file.spines.links_per_leaf,
        core_start(file.platforms.spine, spine, cores=file.super_spines is not None),
        f"use a larger spine, {other_way}, or fewer leaves",
    )


def _most(group: Ints) -> int:
    return int(np.bincount(group).max(initial=0))


def _core_ports(intent: Intent, layout: Layout) -> Iterator[Finding]:
    file = intent.fabric
    top, platforms = file.super_spines, file.platforms
    if top is None or platforms.spine is None or platforms.super_spine is None or not file.spines:
        return
    spine, core = role_model(intent, "spine"), role_model(intent, "super-spine")
    room = spines_per_pod(intent)
    yield from _short(
        intent,
        "super_spines.count",
        f"ports of {spine.name} spines to super-spines",
        -(-top.count // top.groups) * top.links_per_spine,
        len(usable_ports(platforms.spine, spine)) - core_start(platforms.spine, spine, cores=True),
        "use fewer super-spines or more groups, or lower platforms.spine.down_ports",
    )
    yield from _short(
        intent,
        "super_spines.links_per_spine",
        f"ports of {core.name} super-spines ({counted(room, 'spine')} reserved per pod)",
        len(layout.pods) * -(-room // top.groups) * top.links_per_spine,
        len(usable_ports(platforms.super_spine, core)),
        "use more groups, a larger super-spine, or a smaller super_spines.spines_per_pod",
    )
    yield from _short(
        intent,
        "super_spines.spines_per_pod",
        "super-spine places reserved for the spines of a pod",
        file.spines.count,
        room,
        "increase super_spines.spines_per_pod before the fabric is built",
    )


def _loopbacks(intent: Intent, layout: Layout) -> Iterator[Finding]:
    """Yield the pools with an address for each switch that have too few."""
    spines = int(spine_place(intent, layout).max(initial=-1)) + 1
    cores = int(core_place(intent.fabric, layout).max(initial=-1)) + 1
    need, part, share = max(layout.leaf_count, spines), 2, "half of the pool for each role"
    if cores:
        need, part = max(-(-layout.leaf_count // 2), spines, cores), 4
        share = "a quarter of the pool for spines and for super-spines, half for leaves"
    network = intent.fabric.management.network
    pools = {("addressing.loopbacks", "loopback addresses"): intent.fabric.addressing.loopbacks}
    if network:
        pools["management.network.switches", "management addresses of switches"] = network.switches
    for (path, what), pool in pools.items():
        have = max(0, pool.num_addresses // part - 1)
        fix = "use a larger pool; in a fabric that is built, its switches get other addresses"
        yield from _short(intent, path, f"{what} ({share})", need, have, fix)


def _ordered(intent: Intent) -> Iterator[Finding]:
    for path, what, need, have in short_pools(intent):
        yield from _short(intent, path, what, need, have, "use a larger pool")


def _links(intent: Intent, layout: Layout) -> Iterator[Finding]:
    file, pools = intent.fabric, intent.fabric.addressing
    if file.spines and pools.uplinks:
        yield from _short(
            intent,
            "addressing.uplinks_per_leaf",
            "/31 links reserved for a leaf",
            file.spines.count * file.spines.links_per_leaf,
            pools.uplinks_per_leaf,
            "increase addressing.uplinks_per_leaf before the fabric is built",
        )
        yield from _short(
            intent,
            "addressing.uplinks",
            "uplink addresses",
            2 * layout.leaf_count * pools.uplinks_per_leaf,
            pools.uplinks.num_addresses,
            "use a larger pool or lower addressing.uplinks_per_leaf",
        )
    yield from _links6(intent, layout)
    if file.super_spines and pools.core_links:
        top = file.super_spines
        yield from _short(
            intent,
            "addressing.core_links_per_spine",
            "/31 links reserved for a spine",
            -(-top.count // top.groups) * top.links_per_spine,
            pools.core_links_per_spine,
            "increase addressing.core_links_per_spine before the fabric is built",
        )
        yield from _short(
            intent,
            "addressing.core_links",
            "addresses of links to super-spines",
            2 * (int(spine_place(intent, layout).max(initial=-1)) + 1) * pools.core_links_per_spine,
            pools.core_links.num_addresses,
            "use a larger pool or lower addressing.core_links_per_spine",
        )


def _links6(intent: Intent, layout: Layout) -> Iterator[Finding]:
    pools, three = intent.fabric.addressing, intent.fabric.super_spines is not None
    if pools.ipv6 is None or pools.ipv6.uplinks is None:
        return
    near = layout.leaf_count * pools.uplinks_per_leaf
    far = (int(spine_place(intent, layout).max(initial=-1)) + 1) * pools.core_links_per_spine
    yield from _short(
        intent,
        "addressing.ipv6.uplinks",
        "/127 links of a tier" if three else "/127 links",
        max(near, far if three else 0) + 1,
        pools.ipv6.uplinks.num_addresses >> 1 + three,
        "use a larger pool, such as a /64",
    )


def _subnets(intent: Intent, layout: Layout) -> list[Finding]:
    file, pools = intent.fabric, intent.fabric.addressing
    if all(routed_units(file)):
        return []
    hosts = pools.hosts
    if hosts is None:  # refused before
        return []
    rails = np.where(layout.rail[: layout.leaf_count] < 0, file.rails, 1)
    plane = np.maximum(layout.plane[: layout.leaf_count], 0)
    subnet_count = int(np.bincount(plane, weights=rails).max(initial=0))
    hosts_per_subnet = max(
        hostlist.count(unit.hosts)
        for unit, is_routed in zip(file.units, routed_units(file), strict=True)
        if not is_routed
    )
    if pools.vlan_per == "nic":
        subnet_count *= slots_per_subnet_group(intent)
        hosts_per_subnet = 1
    size = 1 << (32 - pools.host_prefix_length)
    where = " of a plane" if file.planes > 1 else ""
    return [
        *_short(
            intent,
            "addressing.hosts",
            f"/{pools.host_prefix_length} subnets{where}",
            subnet_count,
            hosts.num_addresses // size // file.planes,
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


def _routed(intent: Intent, layout: Layout) -> list[Finding]:
    file = intent.fabric
    if not any(routed_units(file)):
        return []
    leaves, ports = routed_ports(intent, layout).most_leaves, slots_per_subnet_group(intent)
    return [*_routed_ipv4(intent, leaves, ports), *_routed_ipv6(intent, leaves, ports)]


def _routed_ipv4(intent: Intent, leaves: int, ports: int) -> list[Finding]:
    file = intent.fabric
    pool = routed_pool(file.addressing)
    if pool is None:
        return []
    field = "routed_hosts" if file.addressing.routed_hosts else "hosts"
    need = leaves << summary_bits(file.addressing, ports)
    bits = (need - 1).bit_length() + (file.rails - 1).bit_length() + (file.planes - 1).bit_length()
    return _short(
        intent,
        f"addressing.{field}",
        "addresses of routed NIC ports of a rail",
        need,
        rail_size(file),
        f"use a /{BITS - bits} or a larger pool for addressing.{field}",
    )


def _routed_ipv6(intent: Intent, leaves: int, ports: int) -> list[Finding]:
    file, plan = intent.fabric, intent.fabric.addressing.ipv6
    if plan is None:
        return []
    need = leaves << (ports - 1).bit_length() if plan.assignment == "slaac" else 1
    spare = subnet_bits(file)
    length = plan.hosts.prefixlen + spare - (need - 1).bit_length()
    return _short(
        intent,
        "addressing.ipv6.hosts",
        "/64 subnets of a rail",
        need,
        1 << spare if spare >= 0 else 0,
        f"use a /{length} or a larger pool",
    )


def _numbers(intent: Intent, layout: Layout) -> Iterator[Finding]:
    file = intent.fabric
    vlans, own = file.rails, layout.of_tier(0)
    if all(routed_units(file)):
        vlans = 0
    elif file.addressing.vlan_per == "nic":
        slots = slots_per_subnet_group(intent)
        vlans = slots * file.rails if (layout.rail[own] < 0).any() else slots
    yield from _short(
        intent,
        "addressing.vlan_first",
        "VLAN numbers",
        vlans,
        _LAST_VLAN - file.addressing.vlan_first + 1,
        "lower addressing.vlan_first",
    )
    yield from _asns(intent, "leaf_asn_first", len(own))
    if layout.pods:
        yield from _asns(intent, "pod_asn_first", len(layout.pods))
    for path, names, need in (
        ("leaf_names", file.leaf_names, len(own)),
        ("spine_names", file.spine_names, file.spines.count if file.spines else 0),
    ):
        if names:
            have = hostlist.count(names)
            yield from _short(intent, path, "names", need, have, "add more devices to the range")


def _asns(intent: Intent, field: str, need: int) -> list[Finding]:
    first = getattr(intent.fabric.bgp, field)
    room = next((last - first + 1 for low, last in _PRIVATE_ASN if low <= first <= last), None)
    if room is None:
        return []
    fix = "use a lower first number, or the 32-bit private range from 4200000000"
    return _short(intent, f"bgp.{field}", "private AS numbers", need, room, fix)
