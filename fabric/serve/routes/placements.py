"""Placements: hosts for a job. The path that schedulers wait for."""

from __future__ import annotations

import json
from dataclasses import asdict
from http import HTTPStatus
from typing import TYPE_CHECKING, Any

from fastapi import APIRouter
from starlette.requests import Request
from starlette.responses import Response

from fabric.placement.engine.query import JOB_RULE
from fabric.placement.place import ranks_of_host, warnings_of
from fabric.report.placement import PlacementDocument
from fabric.serve.answers import EncodedPlacement, encode
from fabric.serve.bodies import json_body, parsed
from fabric.serve.problem import Problem, refused
from fabric.serve.query import query_of
from fabric.serve.requests import PlacementBody
from fabric.serve.routes.described import as_json, caller_of, service_of, with_body
from fabric.serve.tenants import foreign_hosts, tenant_placement

if TYPE_CHECKING:
    from fabric.serve.scopes import Grant
    from fabric.serve.service import Service
    from fabric.serve.source import Loaded
    from fabric.topology.model import Fabric, Ints

router = APIRouter()
PATH = "/v1/placements"


@router.post(
    PATH,
    summary="Hosts for a job, in rank order",
    **with_body(
        PlacementBody,
        409,
        ok="The best hosts, what they cost, and how sure that is.",
        reply=PlacementDocument,
    ),
)
async def placements(request: Request) -> Response:
    """Return hosts for a job; nothing is reserved."""
    service = service_of(request)
    loaded = service.loaded
    content, caller = await json_body(request), caller_of(request)
    if caller.tenant:
        return await _of_tenant(service, caller, parsed(content, PlacementBody))
    answer = loaded.kept.get(content)
    if answer is None:
        wanted = parsed(content, PlacementBody)
        answer = await _searched(service, caller, loaded, wanted)
        loaded.kept.put(content, answer)
    warnings = [*service.warnings(), *answer.warnings]
    now = {"state": service.about(loaded.book), "warnings": warnings}
    return as_json(answer.content[:-1] + b", " + json.dumps(now).encode()[1:])


ROUTE = router.routes[0]


async def _searched(
    service: Service, caller: Grant, loaded: Loaded, wanted: PlacementBody
) -> EncodedPlacement:
    """Return an answer without what changes while the state does not."""
    query = query_of(wanted, loaded.fabric)
    found = await service.place(caller, loaded, query)
    more: dict[str, Any] = {}
    if wanted.ranks:
        more["ranks"] = _ranks(loaded.fabric, found.rows, wanted.gpus_per_node)
    if wanted.links:
        links = loaded.engine.link_loads(query, found.rows)
        more["link_loads"] = [asdict(one) for one in links]
    content = encode(found, query, loaded.engine, loaded.names, more)
    return EncodedPlacement(content, tuple(warnings_of(found)))


async def _of_tenant(service: Service, caller: Grant, wanted: PlacementBody) -> Response:
    """Return hosts of the tenant of a token, and nothing of the fabric or of other jobs."""
    if wanted.tenant not in (None, caller.tenant):
        fix = "omit the field"
        raise refused(403, "SRV010", "tenant", "the token is of another tenant", fix)
    loaded = service.loaded
    for words in foreign_hosts(loaded.fabric, wanted, caller.tenant):
        raise refused(422, JOB_RULE, *words)
    own = wanted.model_copy(update={"tenant": caller.tenant})
    try:
        found = await service.place(caller, loaded, query_of(own, loaded.fabric))
    except Problem as problem:
        if problem.status != HTTPStatus.CONFLICT:
            raise
        message, fix = "the tenant has not so many free hosts", "ask for fewer"
        raise refused(HTTPStatus.CONFLICT, "PLC001", "", message, fix) from None
    return as_json(json.dumps(tenant_placement(loaded.fabric, found, own)).encode())


def _ranks(fabric: Fabric, rows: Ints, gpus_per_node: int | None) -> list[dict[str, Any]]:
    """Return each rank with its host, GPU, NIC, rail and leaf."""
    gpus = gpus_per_node or fabric.intent.fabric.host.gpus
    return [
        asdict(rank)
        for number, row in enumerate(rows.tolist())
        for rank in ranks_of_host(fabric, row, number * gpus, gpus)
    ]
