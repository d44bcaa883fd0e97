"""show tenants: who has what, and where."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from fabric.core import hostlist
from fabric.report.table import Table
from fabric.topology.tenants import UNASSIGNED, vni_of, vrf_name

if TYPE_CHECKING:
    from fabric.design.designs import Designs
    from fabric.topology.model import Fabric
    from fabric.topology.tenants import Tenants

HEADERS = ("tenant", "id", "vrf", "vni", "hosts", "nics", "leaves", "pools", "services")


def tenants(designs: Designs) -> Table:
    """Return the tenants, and the NICs without one in the last row."""
    fabric, table = designs.fabric, designs.fabric.tenants
    if table is None:
        return Table(HEADERS, (), hint="this inventory has no tenants")
    rows = [_row(fabric, table, row) for row in range(len(table))]
    if (table.of_nic == UNASSIGNED).any():
        state = "quarantine" if table.tenancy.unassigned == "quarantine" else "default VRF"
        rows.append((f"({state})", "-", "-", "-", *_counts(fabric, table, UNASSIGNED), "-", "-"))
    return Table(HEADERS, tuple(rows))


def _row(fabric: Fabric, table: Tenants, row: int) -> tuple[object, ...]:
    tenant = table.items[row].value
    return (
        tenant.name,
        tenant.id,
        vrf_name(tenant),
        "-" if table.is_local else vni_of(table.tenancy, tenant),
        *_counts(fabric, table, row),
        ", ".join(map(str, tenant.pools)) or "-",
        "shared" if tenant.shared else ", ".join(tenant.services) or "-",
    )


def _counts(fabric: Fabric, table: Tenants, row: int) -> tuple[object, ...]:
    """Return hosts as a range, how many NICs, and how many leaves."""
    nics = np.flatnonzero(table.of_nic == row)
    hosts = table.devices(row, fabric.nics.host).tolist()
    names = hostlist.fold(fabric.hosts.names[host] for host in hosts) if hosts else "-"
    leaves = np.unique(fabric.nics.leaf[nics[fabric.nics.port[nics] != 0]])
    return names, len(nics) // fabric.nic_ports, len(leaves)
