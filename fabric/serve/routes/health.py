"""Whether the service runs, whether it can answer, and its figures."""

from __future__ import annotations

import json
from itertools import chain
from typing import TYPE_CHECKING, Any

from fastapi import APIRouter
from prometheus_client import CONTENT_TYPE_LATEST
from starlette.requests import Request
from starlette.responses import Response, StreamingResponse

from fabric.serve.replies import AliveReply, ReadyReply
from fabric.serve.routes.described import as_json, caller_of, responses, service_of
from fabric.serve.scopes import READ
from fabric.validate.report.plain_json import finding_json

if TYPE_CHECKING:
    from fabric.serve.service import Service

router = APIRouter()
#: Names in one answer.
MAX_IGNORED = 1000


@router.get(
    "/healthz",
    responses=responses(ok="The process runs.", reply=AliveReply),
    summary="Process is alive",
)
async def healthz() -> Response:
    """Say that the process runs."""
    return as_json(b'{"status": "ok"}')


@router.get(
    "/readyz", responses=responses(ok="It answers.", reply=ReadyReply), summary="Service can answer"
)
async def readyz(request: Request) -> Response:
    """Say that placements are answered, and about what: without a valid token only whether."""
    service = service_of(request)
    is_degraded = service.broken or service.broken_tokens or service.ignored
    content: dict[str, Any] = {"status": "degraded" if is_degraded else "ok"}
    caller = caller_of(request)
    if READ in caller.scopes and not caller.tenant:
        content |= _about(service)
    return as_json(json.dumps(content).encode())


def _about(service: Service) -> dict[str, Any]:
    return {
        "fabric": service.loaded.fabric.intent.fabric.name,
        "inventory": {
            "loads": service.loaded.number,
            "loaded_s": round(service.loaded.loaded_s, 3),
            "is_current": not service.broken,
            "findings": [finding_json(one) for one in service.broken],
        },
        "tokens": {
            "is_current": not service.broken_tokens,
            "findings": [finding_json(one) for one in service.broken_tokens],
        },
        "state": {**service.about(service.book), "ignored": service.ignored[:MAX_IGNORED]},
    }


@router.get(
    "/metrics",
    responses=responses(ok="Figures for Prometheus."),
    summary="Figures for Prometheus",
)
async def metrics(request: Request) -> Response:
    """Return the figures of the service, then those of the fabric."""
    service = service_of(request)
    packed = service.readings.packed if service.readings else {}
    pieces = service.figures.pieces(service.loaded, packed)
    own = service.metrics.text().decode()
    if packed:
        return StreamingResponse(chain([own], pieces), media_type=CONTENT_TYPE_LATEST)
    return Response(own + "".join(pieces), media_type=CONTENT_TYPE_LATEST)
