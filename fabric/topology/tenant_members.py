"""Which NIC ports each tenant of an inventory has."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

import numpy as np

from fabric.core import hostlist
from fabric.topology.naming import hint, unknown
from fabric.topology.routed import host_pools
from fabric.topology.tenant_findings import (
    no_tenancy,
    shared_subnets,
    tenant_finding,
    without_vrfs,
    wrong_tenants,
)
from fabric.topology.tenants import UNASSIGNED, Tenants

if TYPE_CHECKING:
    from collections.abc import Iterator
    from ipaddress import IPv4Network

    from fabric.core.findings import Finding
    from fabric.intent.tenancy_model import Tenant
    from fabric.topology.model import Fabric, Ints


_Field: TypeAlias = "tuple[str, ...]"


def assign_tenants(fabric: Fabric) -> tuple[Fabric, list[Finding]]:
    """Return a fabric with its tenants, and what is wrong with them.

    NICs in quarantine are not enabled. NICs of a tenant with pools of its own have the address in
    them that they have in the pools of the fabric, at the same place.
    """
    intent = fabric.intent
    tenancy = intent.fabric.tenancy
    if tenancy is None:
        return fabric, [no_tenancy(item) for item in intent.tenants[:1]]
    findings = [*without_vrfs(fabric)] or [*wrong_tenants(fabric, tenancy)]
    tenants = Tenants(intent.tenants, tenancy, np.full(len(fabric.nics), UNASSIGNED))
    findings += [one for row in range(len(tenants)) for one in _take(fabric, tenants, row)]
    findings += [] if findings else shared_subnets(fabric, tenants)
    if not findings:
        _write(fabric, tenants)
    return replace(fabric, tenants=tenants), findings


def _write(fabric: Fabric, tenants: Tenants) -> None:
    """Write quarantine and addresses of tenants into the tables of a fabric."""
    fabric.nics.enabled[tenants.quarantined] = False
    old = list(host_pools(fabric.intent.fabric).values())
    for row, item in enumerate(tenants.items):
        for pool, own in zip(old, item.value.pools, strict=False):
            _move(fabric, np.flatnonzero(tenants.of_nic == row), pool, int(own[0]) - int(pool[0]))


class Spaces(NamedTuple):
    """Where the addresses of subnets count; arrays of shape (subnets,).

    Parameters
    ----------
    space : array of int
        0 for that of the fabric, else that of a tenant with pools of its own: the same address in
        two of them is two addresses.
    shift : array of int
        How far the pool of a subnet is from that of the fabric.
    """

    space: Ints
    shift: Ints


def spaces(fabric: Fabric) -> Spaces:
    """Return where the addresses of each subnet count."""
    space, shift = (np.zeros(len(fabric.subnets), dtype=np.int64) for _ in range(2))
    table, old = fabric.subnets, list(host_pools(fabric.intent.fabric).values())
    for row, item in enumerate(fabric.tenants.items if fabric.tenants else ()):
        if fabric.tenants and item.value.pools:
            mine = np.unique(fabric.nics.subnet[fabric.tenants.of_nic == row])
            space[mine] = row + 1
            for pool, own in zip(old, item.value.pools, strict=True):
                inside = (table.network[mine] >= int(own[0])) & (table.last[mine] <= int(own[-1]))
                shift[mine[inside]] = int(own[0]) - int(pool[0])
    return Spaces(space, shift)


def _move(fabric: Fabric, nics: Ints, pool: IPv4Network, by: int) -> None:
    """Move the addresses of NICs that are in a pool."""
    table, addresses = fabric.subnets, fabric.nics.address
    first, last = int(pool[0]), int(pool[-1])
    mine = np.unique(fabric.nics.subnet[nics])
    mine = mine[(table.network[mine] >= first) & (table.network[mine] <= last)]
    moved = nics[np.isin(fabric.nics.subnet[nics], mine)]
    table.network[mine] += by
    table.gateway[mine] += by
    addresses[moved] += by


def _take(fabric: Fabric, tenants: Tenants, row: int) -> Iterator[Finding]:
    """Give a tenant its NICs; yield what it cannot have, one finding for each field and reason."""
    item = tenants.items[row]
    strangers: dict[_Field, list[str]] = {}
    taken: dict[tuple[_Field, str], list[str]] = {}
    for name, rails, path in _members(item.value, fabric.rails):
        if name not in fabric.host_row:
            strangers.setdefault(path, []).append(name)
            continue
        if wrong := [rail for rail in rails if rail >= fabric.rails]:
            message = f"{name} has no rail {wrong[0]}; the fabric has {fabric.rails}"
            yield tenant_finding("TEN002", message, "name rails from 0", item, *path)
            continue
        for rail, other in _taken(fabric, tenants, row, name, rails):
            taken.setdefault((path, other), []).append(f"rail {rail} of {name}")
    for path, names in strangers.items():
        fix = hint("host", names[0], fabric.host_row)
        yield tenant_finding("TEN002", unknown("host", names), fix, item, *path)
    for (path, other), nics in taken.items():
        more = f" (and {len(nics) - 1:,} more)" if len(nics) > 1 else ""
        where = "listed twice" if other == item.value.name else f"in tenant {other} too"
        message = f"{nics[0]} is {where}{more}"
        yield tenant_finding("TEN001", message, "remove it from one of them", item, *path)


def _taken(
    fabric: Fabric, tenants: Tenants, row: int, name: str, rails: tuple[int, ...]
) -> Iterator[tuple[int, str]]:
    """Give NICs of a host to a tenant; yield rails that a tenant has, and its name."""
    first, ports = fabric.nic_row(name, 0), fabric.nic_ports
    for rail in rails:
        nics = slice(first + rail * ports, first + (rail + 1) * ports)
        owner = int(tenants.of_nic[nics].max())
        if owner != UNASSIGNED:
            yield rail, tenants.items[owner].value.name
        tenants.of_nic[nics] = row


def _members(tenant: Tenant, rails: int) -> Iterator[tuple[str, tuple[int, ...], _Field]]:
    """Yield host, rails and field of the members of a tenant."""
    for name in hostlist.expand(tenant.hosts) if tenant.hosts else ():
        yield name, tuple(range(rails)), ("hosts",)
    for name, own in tenant.nics.items():
        yield name, own, ("nics", name)
