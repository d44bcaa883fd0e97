"""The cables of a generated design, by arithmetic on positions."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from fabric.intent.scalars import LINK_LENGTHS
from fabric.topology.hardware import role_model, unit_models
from fabric.topology.layout import (
    core_start,
    nth_port,
    rank_within,
    spine_place,
    spines_per_pod,
    uplink_start,
    usable_ports,
)
from fabric.topology.model import Uplinks

if TYPE_CHECKING:
    from ipaddress import IPv4Network

    from fabric.intent.inventory import Intent
    from fabric.platforms.model import Sku
    from fabric.topology.layout import Layout
    from fabric.topology.model import Hosts, Ints


@dataclass(frozen=True, eq=False)
class NicEnds:
    """Where the cable of every NIC port ends in the design."""

    host: Ints
    rail: Ints
    nic_port: Ints
    leaf: Ints
    port: Ints


def nic_ends(intent: Intent, layout: Layout, hosts: Hosts) -> NicEnds:
    """Return the leaf and port of every NIC port: slot by slot from the first usable port."""
    file = intent.fabric
    shape = (len(hosts), file.rails, file.nic_ports)
    host, rail, nic_port = (grid.ravel() for grid in np.indices(shape))
    unit, slot = hosts.unit[host], hosts.slot[host]
    leaf = layout.leaf_of[unit, rail, nic_port]
    index = slot * file.rails + rail if file.design == "classic-tor" else slot
    port = np.zeros(len(host), dtype=np.int64)
    for model, units in _units_by_model(intent):
        mine = np.isin(unit, units)
        port[mine] = nth_port(usable_ports(file.platforms.leaf, model), index[mine])
    return NicEnds(host, rail, nic_port, leaf, port)


def uplinks(intent: Intent, layout: Layout) -> Uplinks:
    """Return the cables between leaves and spines, then those between spines and super-spines."""
    tables = [_leaf_uplinks(intent, layout), _core_links(intent, layout)]
    return Uplinks(
        *(
            np.concatenate([getattr(table, name) for table in tables])
            for name in Uplinks.__dataclass_fields__
        )
    )


def no_uplinks() -> Uplinks:
    """Return no cables."""
    none = np.zeros(0, dtype=np.int64)
    return Uplinks(*(none,) * 7, enabled=none.astype(np.bool_), prefix_length=none)


def _units_by_model(intent: Intent) -> list[tuple[Sku, list[int]]]:
    by_model: dict[int, tuple[Sku, list[int]]] = {}
    for unit, model in enumerate(unit_models(intent)):
        by_model.setdefault(id(model), (model, []))[1].append(unit)
    return list(by_model.values())


def _leaf_uplinks(intent: Intent, layout: Layout) -> Uplinks:
    file = intent.fabric
    if file.spines is None:
        return no_uplinks()
    links, leaves = file.spines.links_per_leaf, layout.leaf_count
    per_leaf = file.spines.count * links
    leaf = np.repeat(np.arange(leaves), per_leaf)
    number = np.tile(np.arange(per_leaf), leaves)
    group, usable = layout.group, usable_ports(file.platforms.spine, role_model(intent, "spine"))
    rank = rank_within(group[:leaves])[leaf]
    first = leaves + group[leaf] * file.spines.count
    count = len(leaf)
    return Uplinks(
        lower=leaf,
        lower_port=_leaf_ports(intent, layout.unit[leaf], number),
        upper=first + number // links,
        upper_port=nth_port(usable, rank * links + number % links),
        upper_address=_upper_addresses(
            file.addressing.uplinks, leaf * file.addressing.uplinks_per_leaf + number
        ),
        speed_gbps=np.full(count, file.speeds.uplink_gbps),
        cable_m=np.full(count, file.cables.uplink_m),
        enabled=np.ones(count, dtype=np.bool_),
        prefix_length=np.full(count, LINK_LENGTHS[0]),
    )


def _upper_addresses(pool: IPv4Network | None, links: Ints) -> Ints:
    """Return the upper address of links by their places in a pool; 0 without a pool."""
    return int(pool.network_address) + 2 * links if pool else np.zeros_like(links)


def _leaf_ports(intent: Intent, unit: Ints, number: Ints) -> Ints:
    platform = intent.fabric.platforms.leaf
    ports = np.zeros(len(unit), dtype=np.int64)
    for model, units in _units_by_model(intent):
        mine = np.isin(unit, units)
        start = uplink_start(platform, model)
        ports[mine] = nth_port(usable_ports(platform, model), start + number[mine])
    return ports


def _core_links(intent: Intent, layout: Layout) -> Uplinks:
    file = intent.fabric
    top, platforms = file.super_spines, file.platforms
    if top is None:
        return no_uplinks()
    spines = layout.of_tier(1)
    group = layout.number[spines] % top.groups
    spine, core = np.nonzero(group[:, None] == np.arange(top.count) % top.groups)
    link = np.tile(np.arange(top.links_per_spine), len(spine))
    spine, core = (np.repeat(column, top.links_per_spine) for column in (spine, core))
    number = layout.number[spines][spine]
    index = core // top.groups * top.links_per_spine + link
    spine_model, core_model = role_model(intent, "spine"), role_model(intent, "super-spine")
    start = core_start(platforms.spine, spine_model, cores=True)
    room = -(-spines_per_pod(intent) // top.groups)
    at_core = layout.pod[spines][spine] * room + number // top.groups
    plane = np.maximum(layout.plane[spines][spine], 0)
    place = spine_place(intent, layout)[spine]
    count = len(spine)
    return Uplinks(
        lower=spines[spine],
        lower_port=nth_port(usable_ports(platforms.spine, spine_model), start + index),
        upper=layout.leaf_count + len(spines) + plane * top.count + core,
        upper_port=nth_port(
            usable_ports(platforms.super_spine, core_model), at_core * top.links_per_spine + link
        ),
        upper_address=_upper_addresses(
            file.addressing.core_links, place * file.addressing.core_links_per_spine + index
        ),
        speed_gbps=np.full(count, file.speeds.core_gbps or file.speeds.uplink_gbps),
        cable_m=np.full(count, file.cables.core_m or file.cables.uplink_m),
        enabled=np.ones(count, dtype=np.bool_),
        prefix_length=np.full(count, LINK_LENGTHS[0]),
    )
