"""The webhook of Alertmanager."""

from __future__ import annotations

import json

from fastapi import APIRouter
from starlette.requests import Request
from starlette.responses import Response

from fabric.serve.alerts import changes, conditions_of
from fabric.serve.bodies import body
from fabric.serve.replies import AlertsReply
from fabric.serve.requests import AlertsBody
from fabric.serve.routes.described import as_json, caller_of, service_of, with_body

router = APIRouter()


@router.post(
    "/v1/alerts",
    summary="Alertmanager: alerts that become conditions",
    **with_body(AlertsBody, ok="What the alerts changed.", reply=AlertsReply),
)
async def post_alerts(request: Request) -> Response:
    """Take alerts with the label `health` (down, drained or degraded) as conditions."""
    wanted = await body(request, AlertsBody)
    service = service_of(request)
    alerts, unknown = conditions_of(wanted, service.loaded.fabric)
    changed = changes(alerts, service.book)
    if changed:
        await service.change(
            caller_of(request),
            lambda book: book.patched(changes(alerts, book)),
            event=("state", {}),
        )
    content = {
        "state": service.about(service.book),
        "set": [subject for subject, one in changed.items() if one],
        "removed": [subject for subject, one in changed.items() if not one],
        "unknown": unknown,
    }
    return as_json(json.dumps(content).encode())
