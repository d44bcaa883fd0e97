"""The fabric as the engine knows it: hosts, links, and forms that other programs load."""

from __future__ import annotations

import json
from enum import StrEnum
from typing import TYPE_CHECKING, Annotated, Any

from fastapi import APIRouter, Path, Query
from starlette.requests import Request
from starlette.responses import Response

from fabric.placement.engine.host_health import HEALTHY
from fabric.serve.problem import refused
from fabric.serve.replies import FabricReply, HostHealthReply, HostsReply, LinksReply
from fabric.serve.routes.described import as_json, caller_of, responses, service_of
from fabric.serve.routes.pages import Limit, Offset, page
from fabric.serve.tenants import hosts_of, tenants_of_host
from fabric.serve.topology import forms, topology
from fabric.topology.naming import nic_names

if TYPE_CHECKING:
    from fabric.serve.book import Book
    from fabric.topology.model import Fabric

router = APIRouter()


class Kind(StrEnum):
    """Cables between switches, or those of hosts."""

    SWITCH = "switch"
    HOST = "host"


@router.get(
    "/v1/fabric", summary="Size and units", responses=responses(ok="The fabric.", reply=FabricReply)
)
async def get_fabric(request: Request) -> Response:
    """Return the size of the fabric and its units."""
    service = service_of(request)
    fabric = service.loaded.fabric
    file = fabric.intent.fabric
    content = {
        "name": file.name,
        "hosts": len(fabric.hosts),
        "gpus_per_host": file.host.gpus,
        "rails": fabric.rails,
        "nic_ports": fabric.nic_ports,
        "switches": {
            fabric.switches.role(int(rows[0])): len(rows)
            for rows in map(fabric.switches.of_tier, range(3))
            if len(rows)
        },
        "links": {"host": len(fabric.nics), "switch": len(fabric.uplinks)},
        "units": [{"name": one.name, "hosts": one.hosts, "pod": one.pod} for one in file.units],
        "state": service.about(service.book),
        "warnings": service.warnings(),
    }
    return as_json(json.dumps(content).encode())


@router.get(
    "/v1/hosts", summary="Hosts", responses=responses(422, ok="A page of hosts.", reply=HostsReply)
)
async def get_hosts(request: Request, limit: Limit = 1000, offset: Offset = 0) -> Response:
    """Return hosts with their unit, what is known of them, and the job that they run."""
    loaded, tenant = service_of(request).loaded, caller_of(request).tenant
    fabric, book = loaded.fabric, loaded.book
    rows = hosts_of(fabric, tenant) if tenant else range(len(fabric.hosts))
    whole = set(hosts_of(fabric, tenant, whole=True)) if tenant else set()
    running = {host: name for name, job in book.jobs.items() for host in job.hosts}
    units = fabric.intent.fabric.units

    def plain(row: int) -> dict[str, Any]:
        name, unit = fabric.hosts.names[row], units[int(fabric.hosts.unit[row])]
        leaves = fabric.nics.leaf[list(fabric.nics_of_host(row))].tolist()
        return {
            "name": name,
            "unit": unit.name,
            "pod": unit.pod,
            "leaves": []
            if tenant
            else list(dict.fromkeys(fabric.switches.names[leaf] for leaf in leaves)),
            "tenants": [tenant] if tenant else tenants_of_host(fabric, row),
            "condition": _condition(book, name, is_tenants=bool(tenant)),
            "job": running.get(name) if not tenant or row in whole else None,
        }

    return page(rows, limit, offset, plain)


@router.get(
    "/v1/hosts/{name}",
    summary="Whether a host takes jobs",
    responses=responses(404, 422, ok="The host.", reply=HostHealthReply),
)
async def get_host(
    request: Request,
    name: Annotated[str, Path(min_length=1, max_length=128, description="Name of a host.")],
) -> Response:
    """Return whether jobs may go to a host, by conditions of it, its NICs, cables and leaves."""
    loaded = service_of(request).loaded
    row, tenant = loaded.fabric.host_row.get(name), caller_of(request).tenant
    if row is None or (tenant and row not in hosts_of(loaded.fabric, tenant)):
        fix = "GET /v1/hosts lists the hosts"
        raise refused(404, "SRV011", "name", f"there is no host {name!a}", fix)
    health = loaded.engine.index.available.hosts.get(row, HEALTHY)
    job = next((one for one, job in loaded.book.jobs.items() if name in job.hosts), None)
    reason = "" if tenant else health.reason
    job = None if tenant and row not in hosts_of(loaded.fabric, tenant, whole=True) else job
    reply = HostHealthReply(name=name, takes_jobs=health.takes_jobs, reason=reason, job=job)
    return as_json(reply.model_dump_json().encode())


@router.get(
    "/v1/links",
    summary="Cables",
    responses=responses(422, ok="A page of cables.", reply=LinksReply),
)
async def get_links(
    request: Request,
    kind: Annotated[Kind, Query(description="Cables between switches, or of hosts.")] = Kind.SWITCH,
    limit: Limit = 1000,
    offset: Offset = 0,
) -> Response:
    """Return cables with both ends, as ``device:port``, and what is known of them."""
    loaded = service_of(request).loaded
    fabric, book = loaded.fabric, loaded.book
    rows = range(len(fabric.uplinks if kind is Kind.SWITCH else fabric.nics))
    cable = _uplink if kind is Kind.SWITCH else _host_cable
    return page(rows, limit, offset, lambda row: cable(fabric, book, row))


@router.get(
    "/v1/topology/{form}",
    summary="The fabric for another program",
    responses=responses(404, 422, ok="The file."),
)
async def get_topology(
    request: Request,
    form: Annotated[str, Path(max_length=64, description="Such as slurm, netbox or kueue.")],
    part: Annotated[str, Query(max_length=64, description="Part of the export.")] = "",
) -> Response:
    """Return what `rocefab export` prints for a form that needs no job."""
    service = service_of(request)
    if form not in forms():
        message = f"there is no form {form[:64]!a}"
        raise refused(404, "SRV011", "form", message, f"use one of {', '.join(forms())}")
    loaded = service.loaded
    text = await service.slow(caller_of(request), lambda: topology(loaded, form, part))
    return Response(text, media_type="text/plain; charset=utf-8")


def _uplink(fabric: Fabric, book: Book, row: int) -> dict[str, Any]:
    up, names = fabric.uplinks, fabric.switches.names
    lower, upper = int(up.lower[row]), int(up.upper[row])
    near = f"{names[lower]}:{fabric.port_name(lower, int(up.lower_port[row]))}"
    far = f"{names[upper]}:{fabric.port_name(upper, int(up.upper_port[row]))}"
    return _cable(book, near, far, int(up.speed_gbps[row]), bool(up.enabled[row]))


def _host_cable(fabric: Fabric, book: Book, row: int) -> dict[str, Any]:
    nics = fabric.nics
    host = fabric.hosts.names[int(nics.host[row])]
    nic = nic_names(fabric, host)[row % fabric.nics_per_host]
    leaf = int(nics.leaf[row])
    port = fabric.port_name(leaf, int(nics.port[row]))
    far = f"{fabric.switches.names[leaf]}:{port}" if port else None
    near = f"{host}:{nic.interface}"
    return _cable(book, near, far, int(nics.speed_gbps[row]), bool(nics.enabled[row]))


def _cable(book: Book, near: str, far: str | None, gbps: int, enabled: bool) -> dict[str, Any]:  # noqa: FBT001 - one of its figures
    condition = _condition(book, near) or (_condition(book, far) if far else None)
    return {"near": near, "far": far, "gbps": gbps, "enabled": enabled, "condition": condition}


def _condition(book: Book, subject: str, *, is_tenants: bool = False) -> dict[str, Any] | None:
    """Return what is known of a subject; tenants do not see what operators write of it."""
    known = book.conditions.get(subject)
    content = known.model_dump(mode="json") if known else None
    return {**content, "reason": ""} if content and is_tenants else content
