"""Hosts that a job may have: those of one tenant, or those without a tenant."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from fabric.core import hostlist
from fabric.core.findings import Finding, Severity
from fabric.core.shown import listed
from fabric.placement.engine.rails import nic_of_column
from fabric.topology.tenants import UNASSIGNED

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from fabric.placement.engine.query import Query
    from fabric.topology.model import Bools, Fabric, Ints

#: Who has a NIC that no tenant has, in words.
_QUARANTINE, _NO_TENANT = "quarantine", "no tenant"


def tenant_hosts(fabric: Fabric, tenant: str, columns: Ints) -> Bools:
    """Say of each host whether a job of a tenant may have it: all NICs that it uses are its own.

    Parameters
    ----------
    tenant : str
        Name of a tenant; empty for jobs on hosts without one.
    columns : array of int
        Columns of NICs that the job uses.
    """
    tenants = fabric.tenants
    if tenants is None:
        return np.ones(len(fabric.hosts), dtype=np.bool_)
    row = tenants.row(tenant) if tenant else UNASSIGNED
    return np.asarray((tenants.owner[_nics_used(fabric, columns)] == row).all(axis=1))


def quarantined_hosts(fabric: Fabric, columns: Ints) -> Bools:
    """Say of each host whether all NICs that a job uses are in quarantine: no job may have it."""
    if fabric.tenants is None:
        return np.zeros(len(fabric.hosts), dtype=np.bool_)
    return np.asarray(fabric.tenants.quarantined[_nics_used(fabric, columns)].all(axis=1))


def _nics_used(fabric: Fabric, columns: Ints) -> Ints:
    """Return the rows of the NICs of each host that a job uses, shape (hosts, columns)."""
    first = np.arange(len(fabric.hosts))[:, None] * fabric.nics_per_host
    return np.asarray(first + nic_of_column(fabric)[:, columns])


def usable_nics(fabric: Fabric, tenant: str) -> Ints:
    """Return how many NIC ports of each host a job of a tenant, or of none, may use."""
    on = fabric.nics.enabled
    if fabric.tenants is not None:
        row = fabric.tenants.row(tenant) if tenant else UNASSIGNED
        on = on & (fabric.tenants.owner == row)
    return np.asarray(on.reshape(len(fabric.hosts), -1).sum(axis=1))


def tenant_of_hosts(fabric: Fabric) -> tuple[str | None, ...]:
    """Return the tenant that has all NICs of a host that are on, for each host.

    Empty for a host whose NICs have no tenant; None for NICs of several, and where none is on.
    """
    if fabric.tenants is None:
        return ("",) * len(fabric.hosts)
    return tuple(_only(_owners(fabric, row)) for row in range(len(fabric.hosts)))


def tenants_of_job(fabric: Fabric, hosts: Sequence[str], columns: Ints) -> dict[str, list[str]]:
    """Return the hosts of a job by who has NICs of them that it uses; empty without tenants.

    A key is the name of a tenant, ``no tenant`` or ``quarantine``. A host stands under several
    where its NICs do.
    """
    tenants = fabric.tenants
    if tenants is None:
        return {}
    columns_of = nic_of_column(fabric)
    owners: dict[str, list[str]] = {}
    for host in hosts:
        row = fabric.host_row[host]
        for nic in row * fabric.nics_per_host + columns_of[row, columns]:
            alone = _QUARANTINE if tenants.quarantined[nic] else _NO_TENANT
            owners.setdefault(tenants.name_of(int(nic)) or alone, []).append(host)
    return {owner: list(dict.fromkeys(names)) for owner, names in owners.items()}


def owners_in_words(owners: dict[str, list[str]]) -> str:
    """Return whose hosts are, by the keys of `tenants_of_job`: gpu001 is of red, gpu002 of blue."""
    parts: list[str] = []
    for owner, hosts in owners.items():
        of = "in quarantine" if owner == _QUARANTINE else f"of {owner}"
        are = "" if parts else f"{'is' if len(hosts) == 1 else 'are'} "
        if not parts and owner not in (_QUARANTINE, _NO_TENANT):
            of = f"of tenant {owner}"
        parts.append(f"{hostlist.in_short(hosts)} {are}{of}")
    return ", ".join(parts)


def hosts_by_tenant(fabric: Fabric) -> dict[str | None, list[str]]:
    """Return the hosts of each tenant in the order of the inventory, as `tenant_of_hosts` says it.

    Hosts without a tenant come after those of tenants, and those of none or several are the last.
    """
    order = (*(fabric.tenants.names if fabric.tenants else ()), "", None)
    hosts: dict[str | None, list[str]] = {tenant: [] for tenant in order}
    for name, tenant in zip(fabric.hosts.names, tenant_of_hosts(fabric), strict=True):
        hosts[tenant].append(name)
    return {tenant: names for tenant, names in hosts.items() if names}


def mixed_tenants(fabric: Fabric, what: str, fix: str) -> tuple[Finding, ...]:
    """Return the warning of a form that cannot say whose the hosts are; none without tenants.

    Parameters
    ----------
    what : str
        What mixes the tenants, such as the file.
    fix : str
        How the scheduler is told.
    """
    if fabric.tenants is None:
        return ()
    names = listed(fabric.tenants.names, "and")
    message = f"{what} does not tell the hosts of tenants apart: {names}"
    return (Finding("PLC039", Severity.WARNING, message, fix),)


def outside_of_tenants(
    fabric: Fabric, what: str, left_out: tuple[str | None, ...] = (None,)
) -> tuple[Finding, ...]:
    """Return the warnings of an export for each tenant: hosts that it leaves out, or has in part.

    There are none without tenants.

    Parameters
    ----------
    what : str
        What the export writes for each tenant.
    left_out : tuple
        Keys of `hosts_by_tenant`.
    """
    if fabric.tenants is None:
        return ()
    names = [name for key in left_out for name in hosts_by_tenant(fabric).get(key, ())]
    return (*_missing(fabric, what, names), *_in_part(fabric, what))


def _missing(fabric: Fabric, what: str, names: list[str]) -> Iterator[Finding]:
    """Yield the warnings of hosts that an export leaves out, by the reason."""
    on: Bools = np.asarray(fabric.nics.enabled.reshape(len(fabric.hosts), -1).any(axis=1))
    for is_on, why, fix in (
        (True, "no tenant has all of their NICs", "give all of them to the same tenant"),
        (False, "none of their NICs is in use", "give all of them to a tenant, or connect them"),
    ):
        if hosts := [name for name in names if on[fabric.host_row[name]] == is_on]:
            message = f"{hostlist.fold(hosts)}: in no {what.partition(' ')[2]}, as {why}"
            yield Finding("PLC039", Severity.WARNING, message, fix)


def _in_part(fabric: Fabric, what: str) -> Iterator[Finding]:
    """Yield the warning of hosts of tenants some of whose NICs are off, as in quarantine."""
    on = fabric.nics.enabled.reshape(len(fabric.hosts), -1)
    for tenant, hosts in hosts_by_tenant(fabric).items():
        names = [name for name in hosts if tenant and not on[fabric.host_row[name]].all()]
        if names:
            message = (
                f"{hostlist.fold(names)}: not all NICs are on, but {what} of tenant {tenant} has "
                "the hosts, also for jobs that use all GPUs"
            )
            fix = "exclude them from such jobs, or give the tenant all their NICs"
            yield Finding("PLC039", Severity.WARNING, message, fix)


def _owners(fabric: Fabric, row: int) -> set[str]:
    """Return the tenants of the NICs of a host that are on; empty for NICs without one."""
    on = (nic for nic in fabric.nics_of_host(row) if fabric.nics.enabled[nic])
    return {fabric.tenants.name_of(nic) for nic in on} if fabric.tenants else set()


def _only(owners: set[str]) -> str | None:
    return next(iter(owners)) if len(owners) == 1 else None


def wrong_tenant(fabric: Fabric, query: Query, columns: Ints) -> Iterator[tuple[str, str, str]]:
    """Yield field, message and fix of what a query cannot have by its tenant."""
    tenants, name = fabric.tenants, query.tenant
    if tenants is None:
        if name:
            yield "tenant", "this inventory has no tenants", "omit the tenant"
        return
    if name and name not in tenants.names:
        yield "tenant", f"there is no tenant {name[:64]!a}", "`rocefab show tenants` lists them"
        return
    mine = tenant_hosts(fabric, name, columns)
    if not name and not query.hosts and not mine.any():
        yield "tenant", *_none_without(fabric, tenants.names, columns)
        return
    if name and not mine.any():
        message = f"tenant {name} has no host with all NICs that the job uses"
        yield "tenant", message, "give it hosts, or use fewer GPUs of each"
        return
    for field in ("hosts", "include"):
        rows = {host: fabric.host_row.get(host) for host in getattr(query, field)}
        others = [host for host, row in rows.items() if row is not None and not mine[row]]
        owners = tenants_of_job(
            fabric, [one for one, row in rows.items() if row is not None], columns
        )
        if others:
            yield field, *_of_others(others, name, owners)
    if name and tenants.is_local:
        yield from _apart(fabric, query, columns)


def _apart(fabric: Fabric, query: Query, columns: Ints) -> Iterator[tuple[str, str, str]]:
    """Yield what is wrong with named hosts of a local tenant: they have not the same leaves."""
    rows = [fabric.host_row[host] for host in query.hosts if host in fabric.host_row]
    leaves = fabric.nics.leaf[_nics_used(fabric, columns)[rows]]
    if apart := np.flatnonzero((leaves != leaves[:1]).any(axis=1)).tolist():
        first, other = query.hosts[0], query.hosts[apart[0]]
        message = (
            f"{first} and {other} do not reach each other: they have different leaves, and traffic "
            f"of tenant {query.tenant} stays on its leaf"
        )
        yield "hosts", message, "name hosts with the same leaves"


def _none_without(fabric: Fabric, names: Sequence[str], columns: Ints) -> tuple[str, str]:
    """Return why there is no host for a job without a tenant, and what to do."""
    alone = [fabric.hosts.names[row] for row in np.flatnonzero(quarantined_hosts(fabric, columns))]
    if not alone:
        fix = f"name the tenant: {listed(names)}"
        return "every host has NICs of a tenant, and a job stays in one", fix
    are, them = ("is", "it") if len(alone) == 1 else ("are", "them")
    message = f"no host without a tenant is free: {hostlist.in_short(alone)} {are} in quarantine"
    return message, f"name the tenant ({listed(names)}), or grant {them} to one"


def _of_others(hosts: list[str], tenant: str, owners: dict[str, list[str]]) -> tuple[str, str]:
    """Return what is wrong with hosts that a job of a tenant, or of none, cannot have."""
    names = hostlist.in_short(hosts)
    if tenant:
        message = f"tenant {tenant} does not have all NICs of {names} that the job uses"
        return message, "name other hosts"
    fix = "name the tenant"
    if len(owners) > 1:
        fix = "name hosts of one tenant, and the tenant"
    elif _QUARANTINE in owners:
        fix = "name other hosts, or grant a tenant these"
    return owners_in_words(owners), fix
