"""Placements: hosts for a job. The path that schedulers wait for."""

from __future__ import annotations

from typing import Any

from fastapi import APIRouter
from starlette.requests import Request
from starlette.responses import Response

from fabric.serve.answers import encode
from fabric.serve.bodies import body
from fabric.serve.query import query_of
from fabric.serve.requests import PlacementBody
from fabric.serve.routes.described import as_json, service_of, with_body

router = APIRouter()


@router.post(
    "/v1/placements",
    summary="Hosts for a job, in rank order",
    **with_body(PlacementBody, 409, ok="The best hosts, what they cost, and how sure that is."),
)
async def placements(request: Request) -> Response:
    """Return hosts for a job; nothing is reserved."""
    service = service_of(request)
    wanted = await body(request, PlacementBody)
    loaded, answer = await service.place(query_of(wanted, service.loaded.fabric))
    more: dict[str, Any] = {
        "fabric": loaded.fabric.intent.fabric.name,
        "state": service.about(loaded.book),
        "warnings": service.warnings(),
    }
    return as_json(encode(answer, loaded.fabric, loaded.names, more))
