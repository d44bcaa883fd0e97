"""Hosts that a job may have: those of one tenant, or those without a tenant."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from fabric.placement.engine.rails import nic_of_column
from fabric.topology.tenants import UNASSIGNED

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fabric.placement.engine.query import Query
    from fabric.topology.model import Bools, Fabric, Ints


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
    owner = np.where(tenants.quarantined, UNASSIGNED - 1, tenants.of_nic)
    nics = nic_of_column(fabric)[:, columns]
    first = np.arange(len(fabric.hosts))[:, None] * fabric.nics_per_host
    mine: Bools = (owner[first + nics] == row).all(axis=1)
    return mine


def wrong_tenant(fabric: Fabric, query: Query, columns: Ints) -> Iterator[tuple[str, str, str]]:
    """Yield field, message and fix of what a query cannot have by its tenant."""
    tenants, name = fabric.tenants, query.tenant
    known = tenants.names if tenants else ()
    if name and name not in known:
        yield "tenant", f"there is no tenant {name[:64]!a}", "`rocefab show tenants` lists them"
        return
    if tenants is None:
        return
    mine = tenant_hosts(fabric, name, columns)
    if not name and not query.hosts and not mine.any():
        yield "tenant", "every host has a tenant, and a job stays in one", "name the tenant"
        return
    if name and not mine.any():
        message = f"tenant {name} has no host with all NICs that the job uses"
        yield "tenant", message, "give it hosts, or use fewer GPUs of each"
        return
    whose = f"of tenant {name} with all its NICs" if name else "without a tenant"
    for field in ("hosts", "include"):
        rows = {host: fabric.host_row.get(host) for host in getattr(query, field)}
        others = [host for host, row in rows.items() if row is not None and not mine[row]]
        if others:
            more = f" and {len(others) - 1} more" if len(others) > 1 else ""
            fix = "name other hosts" if name else "name the tenant"
            yield field, f"{others[0]}{more} is not {whose}", fix
