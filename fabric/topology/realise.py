"""From intent to the realised network.

Everything follows from positions: unit, rail, slot, spine and link number give names, ports,
addresses and ASNs by arithmetic on arrays. Nothing depends on how many hosts, units or spines
there are, so growth at the end changes nothing that existed.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from fabric.core import hostlist
from fabric.core.counts import counted
from fabric.core.errors import CapacityError, InputError
from fabric.platforms.model import role_field
from fabric.topology.address_plan import wrong_fields
from fabric.topology.addressing import (
    asns,
    host_addresses,
    ipv6_addresses,
    loopbacks,
    subnets,
)
from fabric.topology.cables import nic_ends, no_uplinks, uplinks
from fabric.topology.capacity import check_capacity
from fabric.topology.consistency import (
    double_names,
    double_ports,
    misfits,
    missing_ports,
    unknown_reserved,
)
from fabric.topology.explicit_cables import ends, join_trunks, lost_trunks, move_nics, resolve
from fabric.topology.explicit_layout import explicit_layout, unserved
from fabric.topology.hardware import (
    device_models,
    lost_splits,
    role_model,
    split_findings,
    unit_models,
)
from fabric.topology.layout import Layout, generated
from fabric.topology.management import management_ends
from fabric.topology.model import NO_PORT, ROLES, Fabric, Hosts, Nics, Switches
from fabric.topology.naming import hint
from fabric.topology.overrides import apply_overrides
from fabric.topology.tenant_members import assign_tenants
from fabric.topology.trunk_addresses import Trunks, trunk_addresses

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from fabric.core.findings import Finding
    from fabric.intent.inventory import Intent
    from fabric.platforms.model import Role, Sku


def realise(intent: Intent) -> Fabric:
    """Return the network that an inventory describes.

    Raises
    ------
    InputError
        With a finding for each name, SKU or port that does not exist or is used twice, and for
        each field that does not fit the design.
    CapacityError
        With a finding for each kind of thing that ran out: ports, addresses, ASNs, VLANs.
    """
    _refuse(InputError, [*_unknown_skus(intent), *misfits(intent), *wrong_fields(intent)], intent)
    explicit = intent.fabric.design == "explicit"
    layout = explicit_layout(intent) if explicit else generated(intent)
    _refuse(InputError, unserved(intent, layout), intent)
    hosts = _hosts(intent)
    _refuse(InputError, double_names(intent, (), hosts), intent)
    _refuse(CapacityError, check_capacity(intent, layout), intent)
    _refuse(InputError, lost_splits(intent, layout.names, _usual_models(intent, layout)), intent)
    switches = _switches(intent, layout)
    _refuse(InputError, double_names(intent, switches.names, hosts), intent)
    fabric = Fabric(
        intent=intent,
        rails=intent.fabric.rails,
        nic_ports=intent.fabric.nic_ports,
        switches=switches,
        hosts=hosts,
        nics=_nics(intent, layout, hosts),
        subnets=subnets(intent, layout),
        uplinks=no_uplinks() if all_explicit(intent) else uplinks(intent, layout),
    )
    fabric = _recabled(fabric, layout)
    fabric = replace(fabric, links6=ipv6_addresses(fabric))
    fabric, wrong_tenants = assign_tenants(fabric)
    _refuse(InputError, wrong_tenants, intent)
    management, wrong_management = management_ends(fabric, layout)
    fabric = replace(fabric, management=management)
    _refuse(InputError, [*apply_overrides(fabric), *wrong_management], intent)
    _refuse(InputError, [*missing_ports(fabric), *double_ports(fabric)], intent)
    return fabric


def all_explicit(intent: Intent) -> bool:
    """Return whether no cable follows from the design."""
    return "explicit" in {intent.fabric.design, intent.fabric.cabling}


def _recabled(fabric: Fabric, layout: Layout) -> Fabric:
    """Return the fabric with the cables that the inventory names one by one."""
    intent, nics = fabric.intent, fabric.nics
    if all_explicit(intent):
        nics.port[:], nics.enabled[:] = NO_PORT, False
    if intent.cabling is None:
        return fabric
    cables = resolve(fabric, intent.cabling)
    _refuse(InputError, cables.findings, intent)
    trunks, lost = Trunks(*ends(cables.trunks)), lost_trunks(fabric.uplinks, cables)
    addresses, findings = trunk_addresses(intent, layout, fabric.uplinks, trunks, lost)
    _refuse(CapacityError, findings, intent)
    gave = move_nics(fabric, cables)
    _move_subnets(fabric, layout)
    uplinks, more = join_trunks(fabric, cables, addresses, lost)
    return replace(fabric, uplinks=uplinks, gave_way=(*gave, *more))


def _move_subnets(fabric: Fabric, layout: Layout) -> None:
    """Give the NICs the subnet of their leaf, where it serves their unit and rail."""
    nics, hosts, switches = fabric.nics, fabric.hosts, fabric.switches
    rail = switches.rail[nics.leaf]
    mine = (switches.unit[nics.leaf] == hosts.unit[nics.host]) & ((rail < 0) | (rail == nics.rail))
    slot = hosts.slot[nics.host[mine]]
    nics.subnet[mine], nics.address[mine] = host_addresses(
        fabric.intent, layout, nics.leaf[mine], nics.rail[mine], slot
    )


def _refuse(error: type[InputError], refused: Iterable[Finding], intent: Intent) -> None:
    findings = list(refused)
    if findings:
        raise error(f"{counted(len(findings), 'error')} in {intent.folder}", findings)


def _unknown_skus(intent: Intent) -> Iterator[Finding]:
    for role in ROLES:
        platform = intent.fabric.platforms.of(role)
        path = ("platforms", role_field(role), "sku")
        if platform is None:
            continue
        if platform.sku not in intent.skus:
            yield _unknown_sku(intent, platform.sku, path)
        else:
            yield from _split_findings(intent, role)
            yield from unknown_reserved(intent, role)
    for index, unit in enumerate(intent.fabric.units):
        if unit.leaf_sku and unit.leaf_sku not in intent.skus:
            yield _unknown_sku(intent, unit.leaf_sku, ("units", index, "leaf_sku"))
    for index, entry in enumerate(intent.fabric.switches):
        if entry.sku and entry.sku not in intent.skus:
            yield _unknown_sku(intent, entry.sku, ("switches", index, "sku"))


def _unknown_sku(intent: Intent, name: str, path: tuple[str | int, ...]) -> Finding:
    message = f"there is no switch model {name!r}"
    return intent.finding("TOP001", message, hint("switch model", name, intent.skus), *path)


def _split_findings(intent: Intent, role: Role) -> list[Finding]:
    platform = intent.fabric.platforms.of(role)
    path = ("platforms", role_field(role), "breakouts")
    return (
        []
        if platform is None
        else split_findings(
            intent.skus[platform.sku],
            platform.breakouts,
            ("fabric", *path),
            lambda index: intent.position(*path, index),
        )
    )


def _switches(intent: Intent, layout: Layout) -> Switches:
    return Switches(
        names=layout.names,
        leaf_count=layout.leaf_count,
        tier=layout.tier,
        unit=layout.unit,
        rail=layout.rail,
        pod=layout.pod,
        plane=layout.plane,
        asn=asns(intent, layout),
        loopback=loopbacks(intent, layout),
        skus=device_models(intent, layout.names, _usual_models(intent, layout)),
    )


def _usual_models(intent: Intent, layout: Layout) -> Iterator[Sku]:
    of_unit = unit_models(intent)
    of_role: dict[int, Sku] = {}
    names = layout.skus or (None,) * len(layout.names)
    for tier, unit, name in zip(layout.tier.tolist(), layout.unit.tolist(), names, strict=True):
        if name:
            yield intent.skus[name]
        elif tier == 0:
            yield of_unit[unit]
        else:
            of_role[tier] = of_role.get(tier) or role_model(intent, ROLES[tier])
            yield of_role[tier]


def _hosts(intent: Intent) -> Hosts:
    by_unit = [hostlist.expand(unit.hosts) for unit in intent.fabric.units]
    sizes = [len(names) for names in by_unit]
    return Hosts(
        names=tuple(name for names in by_unit for name in names),
        unit=np.repeat(np.arange(len(sizes)), sizes),
        slot=np.concatenate([np.arange(size) for size in sizes]),
    )


def _nics(intent: Intent, layout: Layout, hosts: Hosts) -> Nics:
    file = intent.fabric
    ends = nic_ends(intent, layout, hosts)
    unit, slot = hosts.unit[ends.host], hosts.slot[ends.host]
    subnet, address = host_addresses(intent, layout, ends.leaf, ends.rail, slot)
    speeds = np.array([one.host_gbps or file.speeds.host_gbps for one in file.units])
    count = len(ends.host)
    return Nics(
        host=ends.host,
        rail=ends.rail,
        nic_port=ends.nic_port,
        leaf=ends.leaf,
        port=ends.port,
        subnet=subnet,
        address=address,
        speed_gbps=speeds[unit],
        cable_m=np.full(count, file.cables.host_m),
        enabled=np.ones(count, dtype=np.bool_),
    )
