"""What tenants see of the service, and what operators see of tenants."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from fabric.core import hostlist
from fabric.placement.job import host_names
from fabric.placement.place import ranks_of_host, takes_no_job, unequal_ports
from fabric.topology.tenants import UNASSIGNED, vni_of, vrf_name

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fabric.placement.engine.query import Answer
    from fabric.serve.requests import PlacementBody
    from fabric.topology.model import Fabric
    from fabric.topology.tenants import Tenants


def hosts_of(fabric: Fabric, tenant: str, *, whole: bool = False) -> list[int]:
    """Return the rows of the hosts of which a tenant has a NIC, or all; none without a tenant."""
    table = fabric.tenants
    row = table.row(tenant) if table else None
    if table is None or row is None:
        return []
    some: list[int] = table.devices(row, fabric.nics.host).tolist()
    if not whole:
        return some
    mine = (table.of_nic == row).reshape(len(fabric.hosts), -1)
    return [host for host in some if mine[host].all()]


def tenants_of_host(fabric: Fabric, row: int) -> list[str]:
    """Return the tenants that have a NIC of a host; none where no NIC has a tenant."""
    table = fabric.tenants
    if table is None:
        return []
    names = (table.name_of(nic) for nic in fabric.nics_of_host(row))
    return list(dict.fromkeys(name for name in names if name))


def foreign_hosts(
    fabric: Fabric, wanted: PlacementBody, tenant: str
) -> Iterator[tuple[str, str, str]]:
    """Yield field, message and fix of hosts that a request names and a tenant does not have.

    Nothing tells a host of another tenant from one that does not exist, nor how many there are.
    """
    own = {fabric.hosts.names[row] for row in hosts_of(fabric, tenant)}
    for field in ("hosts", "include", "exclude"):
        wrong: list[tuple[str, str, str]] = []
        names = host_names(
            field,
            getattr(wanted, field),
            len(own),
            lambda *words, wrong=wrong: wrong.append(words),
            "the tenant",
        )
        yield from wrong
        if others := [name for name in names if name not in own]:
            message = f"{others[0][:64]!a} is not a host of the tenant"
            yield field, message, "GET /v1/hosts lists them"


def tenants_of(fabric: Fabric) -> list[dict[str, Any]]:
    """Return every tenant as plain data."""
    table = fabric.tenants
    return [_plain(fabric, table, row) for row in range(len(table))] if table else []


def tenant_of(fabric: Fabric, name: str) -> dict[str, Any] | None:
    """Return a tenant as plain data; None where there is no such."""
    table = fabric.tenants
    row = table.row(name) if table else None
    return None if table is None or row is None else _plain(fabric, table, row)


def without_tenant(fabric: Fabric) -> dict[str, Any]:
    """Return how many NIC ports are of no tenant, and whether they are shut down."""
    table = fabric.tenants
    if table is None:
        return {"nics": len(fabric.nics), "quarantine": False}
    alone = int((table.of_nic == UNASSIGNED).sum())
    return {"nics": alone, "quarantine": table.tenancy.unassigned == "quarantine"}


def _plain(fabric: Fabric, table: Tenants, row: int) -> dict[str, Any]:
    tenant = table.items[row].value
    names = [fabric.hosts.names[host] for host in hosts_of(fabric, tenant.name)]
    return {
        "name": tenant.name,
        "id": tenant.id,
        "vrf": vrf_name(tenant),
        "vni": None if table.is_local else vni_of(table.tenancy, tenant),
        "hosts": hostlist.fold(names) if names else "",
        "nics": int((table.of_nic == row).sum()),
        "services": list(tenant.services),
        "shared": tenant.shared,
    }


def tenant_placement(fabric: Fabric, found: Answer, wanted: PlacementBody) -> dict[str, Any]:
    """Return a placement without leaves, links and other jobs."""
    rows = found.rows.tolist()
    names = [fabric.hosts.names[row] for row in rows]
    stopped = [name for name, _ in found.stopped]
    answer: dict[str, Any] = {
        "tenant": wanted.tenant,
        "hosts": names,
        "hostlist": hostlist.fold(names),
        "rails": list(found.rails),
        "warnings": [*([takes_no_job(stopped)] if stopped else []), *unequal_ports(found)],
    }
    gpus = wanted.gpus_per_node or fabric.intent.fabric.host.gpus
    if wanted.ranks:
        ranks = (
            asdict(rank)
            for number, row in enumerate(rows)
            for rank in ranks_of_host(fabric, row, number * gpus, gpus)
        )
        answer["ranks"] = [
            {**_without_leaf(rank), "ports": [_without_leaf(port) for port in rank["ports"]]}
            for rank in ranks
        ]
    return answer


def _without_leaf(of: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in of.items() if name != "leaf"}
