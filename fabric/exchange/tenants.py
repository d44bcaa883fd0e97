"""Tenants of an inventory from the VRFs that switches run.

An inventory names the VRF of a tenant ``Vrf`` and its id, and counts VNIs from one number. VRFs of
other names and numbers would change, so no tenant is imported then.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from ipaddress import IPv4Address, IPv4Network
from typing import TYPE_CHECKING, Any

from pydantic import ValidationError

from fabric.core.hostlist import natural_key
from fabric.exchange.host_profile import folded
from fabric.exchange.plant import DISABLED
from fabric.intent.tenancy_model import TENANT_NAME, Tenancy, TenantsFile

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from fabric.exchange.plant import Cable, Nic, Plant
    from fabric.exchange.vrfs import Vrfs

#: What `fabric.topology.tenants.vrf_name` gives.
_VRF = re.compile(r"Vrf([1-9]\d{0,4})")


def tenant_sections(plant: Plant, vrfs: Vrfs) -> tuple[dict[str, Any], frozenset[Cable]]:
    """Return ``tenancy`` and ``tenants`` that give switches their VRFs, and cables in quarantine.

    Both are empty where no tenants give these VRFs.

    Parameters
    ----------
    plant : Plant
        Complete, so that every NIC has a rail.
    """
    ids = {name: int(match[1]) for name in vrfs if (match := _VRF.fullmatch(name))}
    tenancy = _tenancy(vrfs, ids) if vrfs and ids.keys() == vrfs.keys() else {}
    owners = _owners(plant, vrfs)
    if not tenancy or _has_split_nics(plant, owners):
        return {}, frozenset()
    alone = frozenset(cable for cable, vrf in owners.items() if not vrf)
    if any(cable.state != DISABLED for cable in alone):
        alone = frozenset()
    if alone:
        tenancy["unassigned"] = "quarantine"
    services, names = _services(vrfs), tenant_names(vrfs)
    nics: dict[str, list[Nic]] = defaultdict(list)
    for cable, vrf in owners.items():
        nics[vrf].append(plant.nic.get(cable.near) or plant.nic[cable.far])
    tenants = [
        {"name": names[vrf], "id": ids[vrf], **_owned(plant, nics[vrf])}
        | _served(vrf, services, names)
        for vrf in sorted(vrfs, key=natural_key)
    ]
    try:
        Tenancy.model_validate(tenancy)
        TenantsFile.model_validate({"tenants": tenants})
    except ValidationError:  # such as an id that no tenant can have
        return {}, frozenset()
    return {"tenancy": tenancy, "tenants": tenants}, alone


def _has_split_nics(plant: Plant, owners: Mapping[Cable, str]) -> bool:
    """Tell whether ports of one NIC are in several VRFs, which a tenant cannot be."""
    vrfs: dict[tuple[str, int], set[str]] = defaultdict(set)
    for cable, vrf in owners.items():
        nic = plant.nic.get(cable.near) or plant.nic[cable.far]
        vrfs[nic.host, nic.rail or 0].add(vrf)
    return any(len(own) > 1 for own in vrfs.values())


def tenant_names(vrfs: Vrfs) -> dict[str, str]:
    """Return the name of the tenant of each VRF: its one description, else that of the VRF."""
    told = {vrf: min(own.descriptions) for vrf, own in vrfs.items() if len(own.descriptions) == 1}
    counts = Counter([*told.values(), *(vrf.lower() for vrf in vrfs)])
    fits = {name for name in counts if counts[name] == 1 and re.fullmatch(TENANT_NAME, name)}
    return {vrf: told[vrf] if told.get(vrf) in fits else vrf.lower() for vrf in vrfs}


def tunnel_pool(plant: Plant, ends: Mapping[str, str], loopbacks: str) -> dict[str, str]:
    """Return ``vteps`` where all tunnels end at the same distance from loopbacks, else nothing.

    Parameters
    ----------
    ends : mapping
        Address of the tunnel end point by switch; empty without one.
    loopbacks : str
        Pool of the loopbacks, whose places the end points have.
    """
    known = [(one.loopback, ends.get(one.name)) for one in plant.switches if one.loopback]
    distances = {int(IPv4Address(end)) - int(IPv4Address(own)) for own, end in known if end}
    if len(distances) != 1 or distances == {0}:
        return {}
    pool = IPv4Network(loopbacks)
    first = int(pool.network_address) + distances.pop()
    return {} if first % pool.num_addresses else {"vteps": f"{IPv4Address(first)}/{pool.prefixlen}"}


def _tenancy(vrfs: Vrfs, ids: Mapping[str, int]) -> dict[str, Any]:
    """Return the section; nothing where VNIs are not counted from one number."""
    firsts = {
        vni - ids[name] if vni else 0 for name, vrf in vrfs.items() for vni in vrf.vnis or {0}
    }
    if firsts == {0}:
        return {"form": "local"}
    if len(firsts) > 1 or min(firsts) < 1:
        return {}
    asns = {target.partition(":")[0] for vrf in vrfs.values() for target in vrf.targets}
    one_asn = len(asns) == 1 and min(asns).isdecimal()
    asn = {"target_asn": int(min(asns))} if one_asn else {}
    return {"form": "evpn", "vni_first": firsts.pop(), **asn}


def _owners(plant: Plant, vrfs: Vrfs) -> dict[Cable, str]:
    """Return the VRF of each cable to a NIC; empty for the default VRF."""
    vrf_of = {end: name for name, vrf in vrfs.items() for end in vrf.ports}
    return {
        cable: vrf_of.get(cable.far if cable.near in plant.nic else cable.near, "")
        for cable in plant.cables
        if cable.near in plant.nic or cable.far in plant.nic
    }


def _owned(plant: Plant, nics: Iterable[Nic]) -> dict[str, Any]:
    """Return hosts that are of a tenant with all their NICs, and single NICs of others."""
    rails: dict[str, set[int]] = defaultdict(set)
    for nic in nics:
        rails[nic.host].add(nic.rail or 0)
    every: dict[str, set[int]] = defaultdict(set)
    for nic in plant.nics:
        every[nic.host].add(nic.rail or 0)
    whole = [host.name for host in plant.hosts if rails.get(host.name) == every[host.name]]
    single = {host: sorted(own) for host, own in rails.items() if host not in whole}
    return ({"hosts": folded(whole)} if whole else {}) | ({"nics": single} if single else {})


def _services(vrfs: Vrfs) -> dict[str, list[str]]:
    """Return the services of each VRF: those exchange routes with it on all of their switches."""
    services: dict[str, list[str]] = defaultdict(list)
    for name in sorted(vrfs, key=lambda name: (-len(vrfs[name].partners), natural_key(name))):
        users = vrfs[name].partners - {*services.get(name, ())}
        if vrfs[name].switches <= vrfs[name].sharing:
            for user in sorted(users & vrfs.keys(), key=natural_key):
                services[user].append(name)
    return services


def _served(
    vrf: str, services: Mapping[str, list[str]], names: Mapping[str, str]
) -> dict[str, Any]:
    own = [names[service] for service in services.get(vrf, ())]
    is_service = any(vrf in used for used in services.values())
    return ({"services": own} if own else {}) | ({"shared": True} if is_service else {})
