"""From intent to the realised network.

Everything follows from positions: unit, rail, slot, spine and link number give names, ports,
addresses and ASNs by arithmetic on arrays. Nothing depends on how many hosts, units or spines
there are, so growth at the end changes nothing that existed.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from fabric.core import hostlist
from fabric.core.errors import CapacityError, InputError
from fabric.core.findings import Finding, Severity
from fabric.topology.addressing import check_capacity, host_addresses, loopbacks, subnets
from fabric.topology.consistency import double_names, double_ports, missing_ports
from fabric.topology.hardware import device_models, role_model, split_findings
from fabric.topology.model import Fabric, Hosts, Nics, Switches, Uplinks
from fabric.topology.overrides import apply_overrides, hint

if TYPE_CHECKING:
    from fabric.intent.inventory import Intent


def realise(intent: Intent) -> Fabric:
    """Return the network that an inventory describes.

    Raises
    ------
    InputError
        With a finding for each name, SKU or port that does not exist or is used twice.
    CapacityError
        With a finding for each kind of thing that ran out: ports, addresses, ASNs, VLANs.
    """
    _check_skus(intent)
    _check_capacity(intent)
    switches = _switches(intent)
    hosts = _hosts(intent)
    _refuse(InputError, double_names(intent, switches, hosts), intent)
    fabric = Fabric(
        intent=intent,
        rails=intent.fabric.rails,
        nic_ports=1,
        switches=switches,
        hosts=hosts,
        nics=_nics(intent, hosts),
        subnets=subnets(intent),
        uplinks=_uplinks(intent, switches),
    )
    _refuse(InputError, apply_overrides(fabric), intent)
    _refuse(InputError, [*missing_ports(fabric), *double_ports(fabric)], intent)
    return fabric


def leaf_count(intent: Intent) -> int:
    """Return the number of leaves: one per unit and rail, or one per unit in a classic fabric."""
    file = intent.fabric
    return len(file.units) * (file.rails if file.design == "rail-optimised" else 1)


def host_port_count(intent: Intent) -> int:
    """Return how many leaf ports are kept for hosts."""
    return intent.fabric.platforms.leaf.host_ports or role_model(intent, "leaf").port_count // 2


def _refuse(error: type[InputError], findings: list[Finding], intent: Intent) -> None:
    if findings:
        plural = "" if len(findings) == 1 else "s"
        message = f"{len(findings)} error{plural} in {intent.folder}"
        raise error(message, findings)


def _check_skus(intent: Intent) -> None:
    findings = []
    for role in ("leaf", "spine"):
        name = getattr(intent.fabric.platforms, role).sku
        if name not in intent.skus:
            findings.append(
                Finding(
                    "TOP001",
                    Severity.ERROR,
                    f"there is no switch model {name!r}",
                    hint("switch model", name, intent.skus),
                    f"fabric.platforms.{role}.sku",
                    intent.position("platforms", role, "sku"),
                )
            )
        else:
            findings += _split_findings(intent, role)
    _refuse(InputError, findings, intent)


def _split_findings(intent: Intent, role: str) -> list[Finding]:
    platform = getattr(intent.fabric.platforms, role)
    path = ("platforms", role, "breakouts")
    return split_findings(
        intent.skus[platform.sku],
        platform.breakouts,
        ("fabric", *path),
        lambda index: intent.position(*path, index),
    )


def _check_capacity(intent: Intent) -> None:
    _refuse(
        CapacityError, check_capacity(intent, leaf_count(intent), host_port_count(intent)), intent
    )


def _switches(intent: Intent) -> Switches:
    file = intent.fabric
    leaves, spines = leaf_count(intent), file.spines.count
    per_unit = leaves // len(file.units)
    number = np.arange(leaves)
    no_rail = np.full(leaves, -1)
    filler = np.full(spines, -1)
    names = (*_leaf_names(intent), *_spine_names(intent))
    return Switches(
        names=names,
        leaf_count=leaves,
        tier=np.repeat([0, 1], [leaves, spines]),
        unit=np.concatenate([number // per_unit, filler]),
        rail=np.concatenate([
            number % per_unit if file.design == "rail-optimised" else no_rail,
            filler,
        ]),
        pod=np.full(leaves + spines, -1),
        plane=np.full(leaves + spines, -1),
        asn=np.concatenate([file.bgp.leaf_asn_first + number, np.full(spines, file.bgp.spine_asn)]),
        loopback=loopbacks(intent, leaves),
        skus=device_models(intent, names, leaves),
    )


def _leaf_names(intent: Intent) -> list[str]:
    file = intent.fabric
    if file.leaf_names:
        return hostlist.expand(file.leaf_names)[: leaf_count(intent)]
    if file.design == "classic-tor":
        return [f"{unit.name}-leaf" for unit in file.units]
    return [f"{unit.name}-rail{rail}" for unit in file.units for rail in range(file.rails)]


def _spine_names(intent: Intent) -> list[str]:
    file = intent.fabric
    if file.spine_names:
        return hostlist.expand(file.spine_names)[: file.spines.count]
    return [f"spine{number:02d}" for number in range(1, file.spines.count + 1)]


def _hosts(intent: Intent) -> Hosts:
    by_unit = [hostlist.expand(unit.hosts) for unit in intent.fabric.units]
    sizes = [len(names) for names in by_unit]
    return Hosts(
        names=tuple(name for names in by_unit for name in names),
        unit=np.repeat(np.arange(len(sizes)), sizes),
        slot=np.concatenate([np.arange(size) for size in sizes]),
    )


def _nics(intent: Intent, hosts: Hosts) -> Nics:
    file = intent.fabric
    host = np.repeat(np.arange(len(hosts)), file.rails)
    rail = np.tile(np.arange(file.rails), len(hosts))
    unit, slot = hosts.unit[host], hosts.slot[host]
    if file.design == "rail-optimised":
        leaf, port = unit * file.rails + rail, slot + 1
    else:
        leaf, port = unit, slot * file.rails + rail + 1
    subnet, address = host_addresses(intent, leaf, rail, slot)
    count = len(host)
    return Nics(
        host=host,
        rail=rail,
        nic_port=np.zeros(count, dtype=np.int64),
        leaf=leaf,
        port=port,
        subnet=subnet,
        address=address,
        speed_gbps=np.full(count, file.speeds.host_gbps),
        cable_m=np.full(count, file.cables.host_m),
        enabled=np.ones(count, dtype=np.bool_),
    )


def _uplinks(intent: Intent, switches: Switches) -> Uplinks:
    file = intent.fabric
    links = file.spines.links_per_leaf
    per_leaf = file.spines.count * links
    leaf = np.repeat(np.arange(switches.leaf_count), per_leaf)
    number = np.tile(np.arange(per_leaf), switches.leaf_count)
    pool = int(file.addressing.uplinks.network_address)
    count = len(leaf)
    return Uplinks(
        lower=leaf,
        lower_port=host_port_count(intent) + 1 + number,
        upper=switches.leaf_count + number // links,
        upper_port=leaf * links + number % links + 1,
        upper_address=pool + 2 * (leaf * file.addressing.uplinks_per_leaf + number),
        speed_gbps=np.full(count, file.speeds.uplink_gbps),
        cable_m=np.full(count, file.cables.uplink_m),
        enabled=np.ones(count, dtype=np.bool_),
    )
